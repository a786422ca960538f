//! Anthropic's Messages API, version headers 2026-10-21 and 2023-06-01.

mod check;
mod content;
mod model;
mod reply;

use serde_json::{Value, json};

use crate::http::{Reply, Request};
use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::problem::{Checked, Fault, Problem};
use crate::protocol::{Protocol, Route};
use crate::script::{Answer, FaultKind};
use crate::server::ServerError;
use crate::structure::Structure;

const VERSIONS: [&str; 2] = ["2026-10-21", "2023-06-01"];
const BETAS: [&str; 3] = [
    "computer-use-2025-11-24",
    "computer-use-2025-01-24",
    "thinking-binding-controls-2026-08-01",
];
const LARGEST_BODY: usize = 32 << 20;
const SCHEMA: &str = include_str!("../schemas/anthropic/request.json");
const BETA_SCHEMA: &str = include_str!("../schemas/anthropic/beta-request.json");
/// What the older version has besides; the SDK of the newer one knows these fields no longer.
const SAMPLING: [&str; 3] = ["temperature", "top_p", "top_k"];

pub(crate) struct Anthropic {
    key: Option<String>,
    models: Vec<String>,
    issued: Issued,
    requests: u32,
    /// For each of [`VERSIONS`], without and with a beta header.
    structures: [[Structure; 2]; 2],
}

impl Anthropic {
    pub(crate) fn new(options: &crate::Options) -> Result<Self, ServerError> {
        let models = if options.models.is_empty() {
            model::KNOWN.iter().map(|name| (*name).to_owned()).collect()
        } else {
            options.models.clone()
        };
        let sampling = |schema: &mut Value| {
            for name in SAMPLING {
                schema["properties"][name] = json!({"type": "number"});
            }
        };
        Ok(Self {
            key: options.key.clone(),
            models,
            issued: Issued::default(),
            requests: 0,
            structures: [
                [Structure::of(SCHEMA)?, Structure::of(BETA_SCHEMA)?],
                [
                    Structure::changed(SCHEMA, sampling)?,
                    Structure::changed(BETA_SCHEMA, sampling)?,
                ],
            ],
        })
    }

    fn authenticate(&self, request: &Request) -> Checked<()> {
        let plain = request
            .header("x-api-key")
            .filter(|key| !key.trim().is_empty());
        let Some(key) = plain.or_else(|| request.bearer()) else {
            return Err(Problem::Authentication(
                "neither x-api-key nor Authorization: Bearer was sent".into(),
            ));
        };
        match &self.key {
            Some(expected) if expected != key => {
                Err(Problem::Authentication("the key is not valid".into()))
            }
            _ => Ok(()),
        }
    }

    fn error(status: u16, kind: &str, message: &str) -> Reply {
        let body = json!({
            "type": "error",
            "error": {"type": kind, "message": message},
            "request_id": "req_local",
        });
        Reply::json(status, &body).with("request-id", "req_local")
    }
}

impl Protocol for Anthropic {
    fn route(&self, request: &Request) -> Checked<Route> {
        let path = request.path.split('?').next().unwrap_or_default();
        let route = match (request.method.as_str(), path) {
            ("POST", "/v1/messages") => Route::Complete { model: None },
            ("GET", "/v1/models") => Route::Models,
            _ => {
                return Err(Problem::Route {
                    method: request.method.clone(),
                    path: path.to_owned(),
                });
            }
        };
        self.authenticate(request)?;
        match request.header("anthropic-version") {
            Some(version) if VERSIONS.contains(&version) => Ok(route),
            Some(version) => Err(Problem::Header(format!(
                "anthropic-version: `{version}` is no version, there are {}",
                VERSIONS.join(", ")
            ))),
            None => Err(Problem::Header(
                "anthropic-version: the header is required".into(),
            )),
        }
    }

    fn largest_body(&self) -> usize {
        LARGEST_BODY
    }

    fn check(&self, request: &Request, _: Option<&str>, body: &Value) -> Checked<NeutralRequest> {
        let betas: Vec<&str> = request
            .header("anthropic-beta")
            .map(|names| names.split(',').map(str::trim).collect())
            .unwrap_or_default();
        if let Some(unknown) = betas.iter().find(|name| !BETAS.contains(name)) {
            return Err(Problem::Header(format!(
                "anthropic-beta: `{unknown}` is no beta"
            )));
        }
        let version = request.header("anthropic-version");
        let older = version != Some(VERSIONS[0]);
        self.structures[usize::from(older)][usize::from(!betas.is_empty())].check(body)?;
        let context = check::Context {
            betas,
            models: &self.models,
            issued: &self.issued,
        };
        check::body(&context, body)
    }

    fn can_call(&self, seen: &NeutralRequest, tool: &str) -> bool {
        seen.offers(tool) || (seen.native.is_some() && reply::native(tool, &json!({})).is_some())
    }

    fn answer(&mut self, seen: &NeutralRequest, answer: &Answer) -> Reply {
        self.requests += 1;
        let body = reply::message(seen, answer, &mut self.issued);
        Reply::json(200, &body)
            .with("request-id", format!("req_{:04}", self.requests))
            .with(
                "anthropic-ratelimit-requests-remaining",
                1_000_u32.saturating_sub(self.requests),
            )
    }

    fn models(&self) -> Reply {
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|name| json!({"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active"}))
            .collect();
        let (first, last) = (self.models.first(), self.models.last());
        let body = json!({"data": models, "has_more": false, "first_id": first, "last_id": last});
        Reply::json(200, &body)
    }

    fn problem(&self, problem: &Problem) -> Reply {
        let invalid = |message: &str| Self::error(400, "invalid_request_error", message);
        match problem {
            Problem::Route { .. } => Self::error(404, "not_found_error", "Not found"),
            Problem::Authentication(why) => Self::error(401, "authentication_error", why),
            Problem::Model(name) => Self::error(404, "not_found_error", &format!("model: {name}")),
            Problem::TooLarge { .. } => {
                Self::error(413, "request_too_large", "Request exceeds the maximum size")
            }
            Problem::Invalid { at, fault } => {
                let what = match fault {
                    Fault::Missing => "Field required".to_owned(),
                    Fault::Unknown => "Extra inputs are not permitted".to_owned(),
                    other => other.to_string(),
                };
                invalid(&format!("{}: {what}", at.dotted()))
            }
            Problem::Header(_) | Problem::NotJson(_) | Problem::NoRule => {
                invalid(&problem.to_string())
            }
        }
    }

    fn fault(&self, kind: FaultKind, retry_after: Option<f64>) -> Reply {
        let reply = match kind {
            FaultKind::RateLimited => Self::error(
                429,
                "rate_limit_error",
                "This request would exceed the rate limit of your organization",
            )
            .with("anthropic-ratelimit-requests-remaining", 0),
            FaultKind::Overloaded => Self::error(529, "overloaded_error", "Overloaded"),
            FaultKind::Quota => {
                let body = json!({
                    "type": "error",
                    "error": {
                        "type": "rate_limit_error",
                        "message": "The spend limit of this workspace is reached",
                        "details": {"error_code": "enforced_spend_limit_reached"},
                    },
                    "request_id": "req_local",
                });
                return Reply::json(429, &body).with("request-id", "req_local");
            }
            FaultKind::Authentication => {
                Self::error(401, "authentication_error", "invalid x-api-key")
            }
            FaultKind::Permission => Self::error(
                403,
                "permission_error",
                "Your key may not use this resource",
            ),
            FaultKind::NoModel => Self::error(404, "not_found_error", "model: unknown"),
            FaultKind::TooLarge => {
                Self::error(413, "request_too_large", "Request exceeds the maximum size")
            }
            FaultKind::ContextLength => Self::error(
                400,
                "invalid_request_error",
                "prompt is too long: 200100 tokens > 200000 maximum",
            ),
            FaultKind::BadRequest => Self::error(
                400,
                "invalid_request_error",
                "messages: the script wants this request to be wrong",
            ),
            FaultKind::ServerError => Self::error(500, "api_error", "Internal server error"),
            FaultKind::Timeout => Self::error(504, "timeout_error", "Request timed out"),
        };
        match retry_after {
            Some(seconds) => reply.with("retry-after", seconds.ceil() as u64),
            None => reply,
        }
    }
}
