//! A model adapter in front of a provider that answers well, badly, or not at all.

use dynacu_runtime::types::{HttpError, Message, ModelError, ModelRequest, Part, Role, Tool};
use dynacu_runtime::{GuestFailure, Limits, Plugin};
use dynacu_sdk_testing::{Exchange, Exchanges, Media, Picture, complete};
use reqwest::Url;

use super::Findings;
use crate::inference::egress::secrets::Secrets;

/// In place of a key, to see whether the manifest's credentials can be sent at all.
const KEY: &str = "a-key-for-a-check";

pub(super) async fn check(plugin: &Plugin, settings: &str, findings: &mut Findings) {
    let credentials = Secrets::read(&plugin.name, &plugin.manifest, |_| Some(KEY.to_owned()));
    if let Err(error) = credentials {
        findings.fault("credentials", error.to_string());
    }
    let model = match describe(plugin, settings, findings).await {
        Some(model) => model,
        None => return,
    };
    let media = Media::default();
    let request = request(&media.keep(Picture::named("screen").png(), "image/png", "screen"));
    let mut reached = 0;
    for trouble in troubles() {
        // A second one is there for adapters that ask twice.
        let exchanges =
            Exchanges::new([trouble.exchange.clone(), trouble.exchange.clone()]).with_media(&media);
        let answered = match complete(plugin, &model, settings, request.clone(), &exchanges).await {
            Ok(answered) => answered,
            Err(failure) => return findings.failed("answers", &failure),
        };
        let sent = exchanges.sent();
        reached += sent.len();
        if !hosts(plugin, &sent, findings) {
            return;
        }
        match answered.outcome {
            Err(failure) => findings.failed(trouble.name, &failure),
            Ok(_) if sent.is_empty() => {}
            Ok(Ok(_)) => findings.fault(
                trouble.name,
                "it returned an answer for this: return an error",
            ),
            Ok(Err(error)) if !(trouble.fine)(&error) => findings.note(
                trouble.name,
                format!("reported as {}; {}", case(&error), trouble.wanted),
            ),
            Ok(Err(error)) => findings.ok(trouble.name, format!("reported as {}", case(&error))),
        }
    }
    if reached == 0 {
        findings.note("network", "it sent no request");
    }
}

async fn describe(plugin: &Plugin, settings: &str, findings: &mut Findings) -> Option<String> {
    let said = async {
        let adapter = plugin.adapter(Limits::adapter([7; 32]))?;
        let descriptor = adapter.describe().await?;
        let first = descriptor.models.first().cloned();
        let model = first.unwrap_or_else(|| "a-model".to_owned());
        let takes = adapter.capabilities_of(&model, settings).await?;
        Ok::<_, GuestFailure>((descriptor, model, takes))
    };
    match said.await {
        Ok((descriptor, model, takes)) => {
            findings.ok(
                "describe",
                format!(
                    "{}, {} models; {model} takes images: {}, tools: {}, audio: {}",
                    descriptor.provider,
                    descriptor.models.len(),
                    takes.images,
                    takes.tools,
                    takes.audio
                ),
            );
            if descriptor.provider.is_empty() {
                findings.fault("describe", "the provider has no name: fill it in");
            }
            if !takes.images {
                findings.note("describe", "a model without images cannot play any mode");
            }
            Some(model)
        }
        Err(failure) => {
            findings.failed("describe", &failure);
            None
        }
    }
}

/// Whether it keeps to the hosts of its manifest.
fn hosts(
    plugin: &Plugin,
    sent: &[dynacu_runtime::types::HttpRequest],
    findings: &mut Findings,
) -> bool {
    for request in sent {
        let url = Url::parse(&request.url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        if !plugin.manifest.hosts.iter().any(|known| known == host) {
            findings.fault(
                "network",
                format!(
                    "it asks `{host}`, which is not among `hosts` in plugin.toml: add it there"
                ),
            );
            return false;
        }
        if url.is_some_and(|url| url.scheme() != "https") {
            findings.fault("network", format!("{} is not https", request.url));
            return false;
        }
    }
    true
}

struct Trouble {
    name: &'static str,
    exchange: Exchange,
    /// Which errors serve the host.
    fine: fn(&ModelError) -> bool,
    wanted: &'static str,
}

fn troubles() -> Vec<Trouble> {
    let trouble = |name, exchange, fine: fn(&ModelError) -> bool, wanted| Trouble {
        name,
        exchange,
        fine,
        wanted,
    };
    let error = r#"{"error": {"type": "error", "message": "no"}}"#;
    vec![
        trouble(
            "no answer",
            Exchange::answered(200, "{}"),
            |error| matches!(error, ModelError::Protocol(_)),
            "`protocol` says that the answer could not be read",
        ),
        trouble(
            "no JSON",
            Exchange::answered(200, "<html>busy</html>"),
            |error| matches!(error, ModelError::Protocol(_) | ModelError::Overloaded(_)),
            "`protocol` says that the answer could not be read",
        ),
        trouble(
            "HTTP 401",
            Exchange::answered(401, error),
            |error| matches!(error, ModelError::Authentication(_)),
            "`authentication` stops a run before it wastes its tasks",
        ),
        trouble(
            "HTTP 429",
            Exchange::answered(429, error),
            |error| {
                matches!(
                    error,
                    ModelError::RateLimited(_) | ModelError::QuotaExceeded(_)
                )
            },
            "`rate-limited` makes the host wait and retry",
        ),
        trouble(
            "HTTP 500",
            Exchange::answered(500, error),
            |error| matches!(error, ModelError::Overloaded(_)),
            "`overloaded` makes the host wait and retry",
        ),
        trouble(
            "no connection",
            Exchange::broken(HttpError::Connect("refused".to_owned())),
            |error| matches!(error, ModelError::Overloaded(_) | ModelError::Timeout),
            "`overloaded` makes the host wait and retry",
        ),
        trouble(
            "time out",
            Exchange::broken(HttpError::Timeout),
            |error| matches!(error, ModelError::Timeout | ModelError::Overloaded(_)),
            "`timeout` makes the host retry",
        ),
    ]
}

fn case(error: &ModelError) -> &'static str {
    match error {
        ModelError::RateLimited(_) => "rate-limited",
        ModelError::Overloaded(_) => "overloaded",
        ModelError::Timeout => "timeout",
        ModelError::QuotaExceeded(_) => "quota-exceeded",
        ModelError::Authentication(_) => "authentication",
        ModelError::InvalidRequest(_) => "invalid-request",
        ModelError::ContextExceeded(_) => "context-exceeded",
        ModelError::Refused(_) => "refused",
        ModelError::Protocol(_) => "protocol",
        ModelError::Cancelled => "cancelled",
        ModelError::Other(_) => "other",
    }
}

/// What a policy's step looks like.
fn request(picture: &str) -> ModelRequest {
    let said = |role, parts| Message { role, parts };
    ModelRequest {
        messages: vec![
            said(
                Role::System,
                vec![Part::Text("You operate a desktop.".to_owned())],
            ),
            said(
                Role::User,
                vec![
                    Part::Text("Click the button.".to_owned()),
                    Part::Image(picture.to_owned().into()),
                ],
            ),
        ],
        tools: vec![Tool {
            name: "done".to_owned(),
            description: "Says that the task is finished.".to_owned(),
            input_schema:
                r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
                    .to_owned(),
        }],
        display: Some((1280, 720)),
        max_output_tokens: None,
        temperature: None,
    }
}
