//! Google's generateContent.
//!
//! The real server takes most field names in snake case as well; here only camel case is taken, as its documentation has it.

mod contents;
mod reply;
mod settings;

use serde_json::{Value, json};

use crate::http::{Reply, Request};
use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::{Checked, Fault, Problem};
use crate::protocol::{Protocol, Route};
use crate::script::{Answer, FaultKind};
use crate::server::ServerError;
use crate::structure::Structure;

const KNOWN: [&str; 13] = [
    "gemini-2.5-flash",
    "gemini-2.5-pro",
    "gemini-2.5-computer-use-preview-10-2025",
    "gemini-3-flash-preview",
    "gemini-3.1-pro-preview",
    "gemini-3.5-flash",
    "gemini-3.6-flash",
    "gemini-3.7-flash",
    "gemini-3.8-flash",
    "gemini-4-argon",
    "gemini-4-carbon",
    "gemini-4-hydrogen",
    "gemini-4-neon",
];
/// What clients agree on; one page of 2026 says 100 MB.
const LARGEST_BODY: usize = 20 << 20;
const VERSIONS: [&str; 2] = ["v1", "v1beta"];
const SCHEMA: &str = include_str!("../schemas/gemini/request.json");

/// The generation of a model: what it takes differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Generation(u32);

impl Generation {
    /// A name of no known form counts as the newest.
    fn of(model: &str) -> Self {
        let number = model
            .split('-')
            .nth(1)
            .and_then(|part| part.split('.').next()?.parse().ok());
        Self(number.unwrap_or(4))
    }
}

pub(crate) struct Gemini {
    key: Option<String>,
    models: Vec<String>,
    issued: Issued,
    structure: Structure,
}

impl Gemini {
    pub(crate) fn new(options: &crate::Options) -> Result<Self, ServerError> {
        let models = if options.models.is_empty() {
            KNOWN.iter().map(|name| (*name).to_owned()).collect()
        } else {
            options.models.clone()
        };
        Ok(Self {
            key: options.key.clone(),
            models,
            issued: Issued::default(),
            structure: Structure::of(SCHEMA)?,
        })
    }

    fn error(code: u16, status: &str, message: &str, details: Option<Value>) -> Reply {
        let mut error = json!({"code": code, "message": message, "status": status});
        if let Some(details) = details {
            error["details"] = json!([details]);
        }
        Reply::json(code, &json!({"error": error}))
    }
}

/// `/v1beta/models/NAME:generateContent`, or the list of models.
fn route(request: &Request) -> Option<Route> {
    let path = request.path.split('?').next()?;
    let (version, rest) = path.strip_prefix('/')?.split_once('/')?;
    if !VERSIONS.contains(&version) {
        return None;
    }
    match (request.method.as_str(), rest.strip_prefix("models")?) {
        ("GET", "") => Some(Route::Models),
        ("POST", named) => {
            let name = named.strip_prefix('/')?.strip_suffix(":generateContent")?;
            Some(Route::Complete {
                model: Some(name.to_owned()),
            })
        }
        _ => None,
    }
}

impl Protocol for Gemini {
    fn route(&self, request: &Request) -> Checked<Route> {
        let route = route(request).ok_or_else(|| Problem::Route {
            method: request.method.clone(),
            path: request.path.clone(),
        })?;
        let key = request
            .header("x-goog-api-key")
            .filter(|key| !key.trim().is_empty());
        match (key, &self.key) {
            (None, _) => Err(Problem::Authentication("no x-goog-api-key was sent".into())),
            (Some(sent), Some(key)) if sent != key => {
                Err(Problem::Authentication("API key not valid".into()))
            }
            _ => Ok(route),
        }
    }

    fn largest_body(&self) -> usize {
        LARGEST_BODY
    }

    fn check(&self, _: &Request, model: Option<&str>, body: &Value) -> Checked<NeutralRequest> {
        let name = model.unwrap_or_default();
        if !self.models.iter().any(|known| known == name) {
            return Err(Problem::Model(name.to_owned()));
        }
        self.structure.check(body)?;
        let generation = Generation::of(name);
        let body = Node::root(body);
        let mut seen = NeutralRequest {
            model: name.to_owned(),
            ..NeutralRequest::default()
        };
        if let Some(system) = body.given("systemInstruction") {
            contents::system(&system, &mut seen)?;
        }
        contents::check(generation, &self.issued, &body.field("contents"), &mut seen)?;
        settings::check(generation, &body, &mut seen)?;
        Ok(seen)
    }

    fn can_call(&self, seen: &NeutralRequest, tool: &str) -> bool {
        seen.offers(tool)
            || (seen.native.is_some() && reply::native(&seen.model, tool, &Value::Null).is_some())
    }

    fn answer(&mut self, seen: &NeutralRequest, answer: &Answer) -> Reply {
        Reply::json(200, &reply::generated(seen, answer, &mut self.issued))
    }

    fn models(&self) -> Reply {
        let model = |name: &String| json!({"name": format!("models/{name}"), "supportedGenerationMethods": ["generateContent"]});
        let models: Vec<Value> = self.models.iter().map(model).collect();
        Reply::json(200, &json!({"models": models}))
    }

    fn problem(&self, problem: &Problem) -> Reply {
        let message = problem.to_string();
        let invalid =
            |message: &str, details| Self::error(400, "INVALID_ARGUMENT", message, details);
        match problem {
            Problem::Route { .. } => Self::error(404, "NOT_FOUND", &message, None),
            Problem::Model(name) => {
                let message =
                    format!("models/{name} is not found, or is not supported for generateContent");
                Self::error(404, "NOT_FOUND", &message, None)
            }
            // A missing key is forbidden, a wrong one is an invalid argument: so it is with this provider.
            Problem::Authentication(why) if why.starts_with("no ") => {
                Self::error(403, "PERMISSION_DENIED", why, None)
            }
            Problem::Authentication(why) => invalid(
                why,
                Some(json!({
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "API_KEY_INVALID", "domain": "googleapis.com",
                })),
            ),
            Problem::Invalid { at, fault } => {
                let message = match fault {
                    Fault::Unknown => format!(
                        "Invalid JSON payload received. Unknown name at '{}': Cannot find field.",
                        at.bracketed()
                    ),
                    _ => message,
                };
                let violation = json!({
                    "@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [{"field": at.bracketed(), "description": message}],
                });
                invalid(&message, Some(violation))
            }
            Problem::TooLarge { limit, .. } => invalid(
                &format!("Request payload size exceeds the limit: {limit} bytes."),
                None,
            ),
            Problem::Header(_) | Problem::NotJson(_) | Problem::NoRule => invalid(&message, None),
        }
    }

    fn fault(&self, kind: FaultKind, retry_after: Option<f64>) -> Reply {
        let plain = |code, status, message: &str| Self::error(code, status, message, None);
        match kind {
            FaultKind::RateLimited => Self::error(
                429,
                "RESOURCE_EXHAUSTED",
                "You exceeded your requests per minute",
                Some(json!({
                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": format!("{}s", retry_after.unwrap_or(1.0)),
                })),
            ),
            FaultKind::Quota => Self::error(
                429,
                "RESOURCE_EXHAUSTED",
                "You exceeded your current quota",
                Some(json!({
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}],
                })),
            ),
            FaultKind::Overloaded => plain(503, "UNAVAILABLE", "The model is overloaded"),
            FaultKind::Authentication => {
                self.problem(&Problem::Authentication("API key not valid".into()))
            }
            FaultKind::Permission => plain(
                403,
                "PERMISSION_DENIED",
                "The caller does not have permission",
            ),
            FaultKind::NoModel => plain(404, "NOT_FOUND", "models/unknown is not found"),
            FaultKind::TooLarge => plain(
                400,
                "INVALID_ARGUMENT",
                "Request payload size exceeds the limit: 20971520 bytes.",
            ),
            FaultKind::ContextLength => plain(
                400,
                "INVALID_ARGUMENT",
                "The input token count exceeds the maximum number of tokens allowed",
            ),
            FaultKind::BadRequest => plain(
                400,
                "INVALID_ARGUMENT",
                "The script wants this request to be wrong",
            ),
            FaultKind::ServerError => plain(500, "INTERNAL", "An internal error has occurred"),
            FaultKind::Timeout => plain(504, "DEADLINE_EXCEEDED", "The request timed out"),
        }
    }
}
