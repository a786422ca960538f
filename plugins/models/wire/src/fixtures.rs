//! Runs the folders of recorded replies: `case.toml` with what is expected, and `body.json` or `body.txt` as it came.
//!
//! A part of a response is one line: `text: …`, `call ID NAME ARGUMENTS`, `opaque JSON`. `reads` is what
//! `dynacu_sdk::tools` makes of the calls (or of the text, where there are none), which shows the whole way from a
//! reply to actions.

use std::fmt::Write as _;
use std::path::Path;

use dynacu_sdk::blobs::{BlobError, BlobInfo};
use dynacu_sdk::http::{self, BodyPart};
use dynacu_sdk::model::{
    Message, ModelError, Part, Request, Response, Role, StopReason, ToolCall, ToolOutput,
    ToolResult,
};
use dynacu_sdk::settings;
use dynacu_sdk::tools::Tools;
use dynacu_sdk::{BlobId, Duration, Size};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Media, Outcome};
use dynacu_sdk::http::Json;

/// Blobs of tests: what a name begins with is its type, and each has a thousand bytes but those called `huge`.
pub const MEDIA: Media<'static> = Media(&stat);

fn stat(blob: &BlobId) -> Result<BlobInfo, BlobError> {
    let blob = blob.as_str();
    let media_type = match blob.split('-').next() {
        Some("png") => "image/png",
        Some("jpeg") => "image/jpeg",
        Some("wav") => "audio/wav",
        _ => return Err(BlobError::NotFound),
    };
    Ok(BlobInfo {
        media_type: media_type.to_owned(),
        size: if blob.ends_with("huge") {
            40 << 20
        } else {
            1_000
        },
    })
}

/// What is sent, with each blob's base64 as `<ID>`.
///
/// # Errors
/// It is not JSON.
pub fn sent(body: &Json) -> Result<serde_json::Value, String> {
    let mut text = String::new();
    for part in body.body_parts() {
        match part {
            BodyPart::Bytes(bytes) => text.push_str(&String::from_utf8_lossy(&bytes)),
            BodyPart::Base64(blob) => text.push_str(&format!("<{blob}>")),
        }
    }
    serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
}

/// A request with one tool that has arguments and one that has none.
pub fn request(messages: Vec<Message>) -> Request {
    let tools = tools(None).list();
    Request {
        messages,
        tools: tools
            .into_iter()
            .filter(|tool| ["move", "done"].contains(&tool.name.as_str()))
            .collect(),
        display: Some((1280, 720)),
        max_output_tokens: None,
        temperature: None,
    }
}

/// A picture, as [`MEDIA`] knows it by its name.
pub fn picture(name: &str) -> Part {
    Part::Image(BlobId::new(name))
}

/// A clip of sound, likewise.
pub fn clip(name: &str) -> Part {
    Part::Audio(BlobId::new(name))
}

/// A message.
pub fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts }
}

/// The result of a call, as text.
pub fn result(id: &str, text: &str, is_error: bool) -> Part {
    Part::ToolResult(ToolResult {
        id: id.to_owned(),
        output: vec![ToolOutput::Text(text.to_owned())],
        is_error,
    })
}

/// One folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Case {
    /// What it is known from, and why it matters.
    pub about: String,
    /// The model that was asked.
    #[serde(default)]
    pub model: String,
    /// The adapter's settings, as JSON; [`Case::settings`] reads them.
    #[serde(default)]
    settings: String,
    /// The status of the reply.
    #[serde(default = "ok")]
    pub status: u16,
    /// The headers of the reply.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What the answer has to come to.
    pub expected: Expected,
}

impl Case {
    /// The adapter's settings, read as the SDK does it.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] that names the key.
    pub fn settings<S: DeserializeOwned>(&self) -> Result<S, ModelError> {
        settings::parse(&self.settings).map_err(ModelError::InvalidRequest)
    }
}

/// What the answer has to come to; keys that are left out are not compared, except that notes are none.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expected {
    stop: Option<String>,
    parts: Option<Vec<String>>,
    reads: Option<Vec<String>>,
    #[serde(default)]
    notes: Vec<String>,
    /// Input, output, cached and reasoning tokens.
    usage: Option<[i64; 4]>,
    answered_by: Option<String>,
    error: Option<String>,
    /// Milliseconds that the error asks to wait.
    after: Option<u64>,
    says: Option<String>,
}

fn ok() -> u16 {
    200
}

/// Runs every folder under `folder`; returns what differs, empty when nothing does.
///
/// # Errors
/// A folder cannot be read.
pub fn run(
    folder: &Path,
    offered: &Tools,
    convert: impl Fn(&Case, &Request, &http::Response) -> Outcome,
) -> Result<(usize, String), String> {
    let mut faults = String::new();
    let mut count = 0;
    let read = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .map_err(read)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    for folder in folders {
        let text = std::fs::read_to_string(folder.join("case.toml")).map_err(read)?;
        let case: Case =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", folder.display()))?;
        let body = std::fs::read(folder.join("body.json"))
            .or_else(|_| std::fs::read(folder.join("body.txt")))
            .map_err(read)?;
        let reply = http::Response {
            status: case.status,
            headers: case.headers.clone(),
            body,
        };
        let request = Request {
            messages: Vec::new(),
            tools: offered.list(),
            display: Some((1280, 720)),
            max_output_tokens: None,
            temperature: None,
        };
        let outcome = convert(&case, &request, &reply);
        let differs = case.expected.differs(offered, &outcome);
        if !differs.is_empty() {
            let _ = writeln!(faults, "{}: {}{differs}", folder.display(), case.about);
        }
        count += 1;
    }
    Ok((count, faults))
}

/// Every tool on a screen of 1280x720, on the grid that the adapter declares.
pub fn tools(grid: Option<u32>) -> Tools {
    Tools::new(Size {
        width: 1280,
        height: 720,
    })
    .on_grid(grid)
    .with_speech(true)
}

impl Expected {
    fn differs(&self, offered: &Tools, outcome: &Outcome) -> String {
        let mut differs = String::new();
        let mut compare = |what: &str, wanted: String, found: String| {
            if wanted != found {
                let _ = write!(differs, "\n  {what}: wanted {wanted}\n    found {found}");
            }
        };
        match outcome {
            Err(error) => {
                let (name, after, message) = named(error);
                compare(
                    "error",
                    format!("{:?}", self.error.as_deref()),
                    format!("{:?}", Some(name)),
                );
                compare("after", format!("{:?}", self.after), format!("{after:?}"));
                if let Some(says) = &self.says
                    && !message.contains(says.as_str())
                {
                    compare("message", says.clone(), message);
                }
            }
            Ok(answer) => {
                let response = &answer.response;
                compare("error", format!("{:?}", self.error), "None".to_owned());
                if let Some(stop) = &self.stop {
                    compare(
                        "stop",
                        stop.clone(),
                        stop_name(response.stop_reason).to_owned(),
                    );
                }
                if let Some(parts) = &self.parts {
                    compare("parts", lines(parts), lines(&parts_of(response)));
                }
                if let Some(reads) = &self.reads {
                    compare("reads", lines(reads), lines(&reads_of(response, offered)));
                }
                if let Some(usage) = self.usage {
                    let found = response.usage.map(|usage| {
                        let or = |count: Option<u64>| count.map_or(-1, |count| count as i64);
                        [
                            usage.input_tokens as i64,
                            usage.output_tokens as i64,
                            or(usage.cached_input_tokens),
                            or(usage.reasoning_tokens),
                        ]
                    });
                    compare("usage", format!("{:?}", Some(usage)), format!("{found:?}"));
                }
                if let Some(model) = &self.answered_by {
                    compare("model", model.clone(), response.model.clone());
                }
                compare("notes", lines(&self.notes), lines(&answer.notes));
            }
        }
        differs
    }
}

fn lines(of: &[String]) -> String {
    of.iter().map(|line| format!("\n      {line}")).collect()
}

fn parts_of(response: &Response) -> Vec<String> {
    response
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => format!("text: {text}"),
            Part::ToolCall(ToolCall {
                id,
                name,
                arguments,
            }) => format!("call {id} {name} {arguments}"),
            Part::Opaque(opaque) => format!("opaque {opaque}"),
            Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) => format!("{part:?}"),
        })
        .collect()
}

fn reads_of(response: &Response, offered: &Tools) -> Vec<String> {
    let calls: Vec<&ToolCall> = response
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            Part::Text(_)
            | Part::Image(_)
            | Part::Audio(_)
            | Part::ToolResult(_)
            | Part::Opaque(_) => None,
        })
        .collect();
    if calls.is_empty() {
        let texts: Vec<&str> = response
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Image(_)
                | Part::Audio(_)
                | Part::ToolCall(_)
                | Part::ToolResult(_)
                | Part::Opaque(_) => None,
            })
            .collect();
        return match offered.recover(&texts.join("\n")) {
            Ok(None) => Vec::new(),
            Ok(Some(read)) => vec![read.action.to_string()],
            Err(why) => vec![format!("unusable: {why}")],
        };
    }
    calls
        .into_iter()
        .map(|call| match offered.read(call) {
            Ok(read) => read.action.to_string(),
            Err(why) => format!("unusable: {why}"),
        })
        .collect()
}

fn stop_name(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "end-turn",
        StopReason::MaxTokens => "max-tokens",
        StopReason::StopSequence => "stop-sequence",
        StopReason::ToolCall => "tool-call",
        StopReason::Refusal => "refusal",
        StopReason::Other => "other",
    }
}

fn named(error: &ModelError) -> (&'static str, Option<u64>, String) {
    match error {
        ModelError::RateLimited(after) => (
            "rate-limited",
            after.map(Duration::as_millis),
            String::new(),
        ),
        ModelError::Overloaded(after) => {
            ("overloaded", after.map(Duration::as_millis), String::new())
        }
        ModelError::Timeout => ("timeout", None, String::new()),
        ModelError::Cancelled => ("cancelled", None, String::new()),
        ModelError::QuotaExceeded(why) => ("quota-exceeded", None, why.clone()),
        ModelError::Authentication(why) => ("authentication", None, why.clone()),
        ModelError::InvalidRequest(why) => ("invalid-request", None, why.clone()),
        ModelError::ContextExceeded(why) => ("context-exceeded", None, why.clone()),
        ModelError::Refused(why) => ("refused", None, why.clone()),
        ModelError::Protocol(why) => ("protocol", None, why.clone()),
        ModelError::Other(why) => ("other", None, why.clone()),
    }
}
