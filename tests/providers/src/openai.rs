//! What OpenAI's two endpoints have in common: the key, the models, the form of errors, function tools, pictures.

pub(crate) mod chat;
mod model;
pub(crate) mod responses;

use serde_json::{Value, json};

use crate::http::{Reply, Request};
use crate::media;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::{Checked, Fault, Problem};
use crate::protocol::Route;
use crate::schema;
use crate::script::FaultKind;

/// OpenAI itself, or a server that speaks its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    OpenAi,
    Local,
}

/// A page of 2026 says 512 MB, older ones 50: what fits the older fits both.
const LARGEST_BODY: usize = 50 << 20;
const MOST_PICTURES: usize = 500;

/// Key and models of one server.
pub(crate) struct Account {
    flavour: Flavour,
    key: Option<String>,
    models: Vec<String>,
}

impl Account {
    pub(crate) fn new(options: &crate::Options, flavour: Flavour) -> Self {
        let known: &[&str] = match flavour {
            Flavour::OpenAi => &model::KNOWN,
            Flavour::Local => &[],
        };
        let models = if options.models.is_empty() {
            known.iter().map(|name| (*name).to_owned()).collect()
        } else {
            options.models.clone()
        };
        Self {
            flavour,
            key: options.key.clone(),
            models,
        }
    }

    /// The given path, or the list of models.
    pub(crate) fn route(&self, request: &Request, complete: &str) -> Checked<Route> {
        let path = request.path.split('?').next().unwrap_or_default();
        let route = match (request.method.as_str(), path) {
            ("POST", path) if path == complete => Route::Complete { model: None },
            ("GET", "/v1/models") => Route::Models,
            _ => {
                return Err(Problem::Route {
                    method: request.method.clone(),
                    path: path.to_owned(),
                });
            }
        };
        match (request.bearer(), &self.key) {
            (Some(sent), Some(key)) if sent != key => {
                Err(Problem::Authentication("Incorrect API key provided".into()))
            }
            (None, Some(_)) => Err(Problem::Authentication(
                "no Authorization: Bearer was sent".into(),
            )),
            (None, None) if self.flavour == Flavour::OpenAi => Err(Problem::Authentication(
                "You didn't provide an API key: no Authorization: Bearer was sent".into(),
            )),
            _ => Ok(route),
        }
    }

    fn model<'a>(&self, body: &Node<'a>) -> Checked<&'a str> {
        let name = body.required("model")?.filled_text()?;
        if !self.models.is_empty() && !self.models.iter().any(|known| known == name) {
            return Err(Problem::Model(name.to_owned()));
        }
        Ok(name)
    }

    pub(crate) fn list(&self) -> Reply {
        let model = |name: &String| json!({"id": name, "object": "model", "created": 1_796_000_000, "owned_by": "local"});
        let models: Vec<Value> = self.models.iter().map(model).collect();
        Reply::json(200, &json!({"object": "list", "data": models}))
    }

    /// OpenAI's error object; a local server has its status as the code.
    fn error(
        &self,
        status: u16,
        kind: &str,
        code: Option<&str>,
        param: Option<String>,
        message: &str,
    ) -> Reply {
        let code = match self.flavour {
            Flavour::OpenAi => json!(code),
            Flavour::Local => json!(status),
        };
        let body =
            json!({"error": {"message": message, "type": kind, "param": param, "code": code}});
        Reply::json(status, &body).with("x-request-id", "req_local")
    }

    pub(crate) fn problem(&self, problem: &Problem) -> Reply {
        let invalid = "invalid_request_error";
        let message = problem.to_string();
        match problem {
            Problem::Route { .. } => self.error(404, invalid, Some("unknown_url"), None, &message),
            Problem::Authentication(why) => {
                self.error(401, invalid, Some("invalid_api_key"), None, why)
            }
            Problem::Model(_) => self.error(404, invalid, Some("model_not_found"), None, &message),
            Problem::TooLarge { .. } => {
                self.error(413, invalid, Some("request_too_large"), None, &message)
            }
            Problem::Invalid { at, fault } => {
                let param = at.bracketed();
                let (code, message) = match fault {
                    Fault::Missing => (
                        "missing_required_parameter",
                        format!("Missing required parameter: '{param}'."),
                    ),
                    Fault::Unknown => (
                        "unknown_parameter",
                        format!("Unknown parameter: '{param}'."),
                    ),
                    Fault::Expected(what) => (
                        "invalid_type",
                        format!("Invalid type for '{param}': expected {what}."),
                    ),
                    Fault::Other(what) => (
                        "invalid_value",
                        format!("Invalid value for '{param}': {what}"),
                    ),
                };
                self.error(400, invalid, Some(code), Some(param), &message)
            }
            Problem::Header(_) | Problem::NotJson(_) | Problem::NoRule => {
                self.error(400, invalid, None, None, &message)
            }
        }
    }

    pub(crate) fn fault(&self, kind: FaultKind, retry_after: Option<f64>) -> Reply {
        let invalid = "invalid_request_error";
        let error = |status, kind, code: &str, message: &str| {
            self.error(status, kind, Some(code), None, message)
        };
        let reply = match kind {
            FaultKind::RateLimited => error(
                429,
                "requests",
                "rate_limit_exceeded",
                "Rate limit reached for requests",
            ),
            FaultKind::Overloaded => error(
                503,
                "server_error",
                "server_is_overloaded",
                "The server is overloaded",
            ),
            FaultKind::Quota => error(
                429,
                "insufficient_quota",
                "insufficient_quota",
                "You exceeded your current quota",
            ),
            FaultKind::Authentication => error(
                401,
                invalid,
                "invalid_api_key",
                "Incorrect API key provided",
            ),
            FaultKind::Permission => error(
                403,
                invalid,
                "unsupported_country_region_territory",
                "Not available here",
            ),
            FaultKind::NoModel => {
                error(404, invalid, "model_not_found", "The model does not exist")
            }
            FaultKind::TooLarge => error(
                413,
                invalid,
                "request_too_large",
                "The request is too large",
            ),
            FaultKind::ContextLength => error(
                400,
                invalid,
                "context_length_exceeded",
                "Your input exceeds the context window of this model",
            ),
            FaultKind::BadRequest => error(
                400,
                invalid,
                "invalid_value",
                "The script wants this request to be wrong",
            ),
            FaultKind::ServerError => error(
                500,
                "server_error",
                "server_error",
                "The server had an error",
            ),
            FaultKind::Timeout => error(504, "server_error", "timeout", "The request timed out"),
        };
        match retry_after {
            Some(seconds) => reply
                .with("retry-after-ms", (seconds * 1000.0).round() as u64)
                .with("retry-after", seconds.ceil() as u64),
            None => reply,
        }
    }
}

/// A function's name and schema.
fn function(function: &Node<'_>, strict: bool, seen: &mut NeutralRequest) -> Checked<()> {
    let name = function.field("name");
    let text = schema::plain_name(&name)?;
    schema::distinct(&name, &text, &mut seen.tools)?;
    match function.given("parameters") {
        Some(parameters) => schema::arguments(&parameters, strict, true),
        None => Ok(()),
    }
}

/// What the protocol has and a server of one answer at a time has not.
fn not_served(body: &Node<'_>, names: &[&str]) -> Checked<()> {
    match names.iter().find_map(|name| body.given(name)) {
        Some(given) if given.value != &Value::Bool(false) => {
            Err(given.wrong("this server does not do that"))
        }
        _ => Ok(()),
    }
}

/// The address of a picture, which here is a data URI.
fn picture(address: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let (kind, data) = media::data_uri(address.text()).map_err(|what| address.wrong(what))?;
    let decoded = media::picture(kind, data).map_err(|what| address.wrong(what))?;
    seen.add_picture(decoded);
    if seen.images > MOST_PICTURES {
        return Err(address.wrong(format!("at most {MOST_PICTURES} pictures are taken")));
    }
    Ok(())
}

/// Tokens of a picture: patches of 32 pixels.
fn picture_tokens(width: u32, height: u32) -> u64 {
    u64::from(width.div_ceil(32)) * u64::from(height.div_ceil(32))
}
