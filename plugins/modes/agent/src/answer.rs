//! What a model's answer comes to.

use dynacu_sdk::Action;
use dynacu_sdk::model::{ModelError, Part, Response, StopReason};
use dynacu_sdk::tools::{ReadCall, Tools};

/// Actions that the host takes in one batch.
const BATCH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Do these, in order.
    Act { calls: Vec<ReadCall>, said: String },
    /// The model answered, but not usably; the reason is a sentence for it.
    Unusable {
        reason: String,
        said: String,
        /// The answer ended at the limit.
        cut: bool,
    },
    /// The model or a filter declined.
    Refused(String),
    /// The request is more than the model takes.
    TooLong(String),
    /// No answer this time; another time there may be one.
    NoAnswer(String),
    /// No answer now or later.
    Hopeless(String),
}

pub(crate) fn judge(outcome: Result<Response, ModelError>, tools: &Tools) -> Verdict {
    match outcome {
        Ok(response) => read(&response, tools),
        Err(ModelError::Refused(why)) => Verdict::Refused(why),
        Err(ModelError::ContextExceeded(why)) => Verdict::TooLong(why),
        Err(ModelError::Protocol(why)) => Verdict::Unusable {
            reason: format!("it could not be read: {why}"),
            said: String::new(),
            cut: false,
        },
        Err(
            error @ (ModelError::Timeout
            | ModelError::Cancelled
            | ModelError::RateLimited(_)
            | ModelError::Overloaded(_)
            | ModelError::Other(_)),
        ) => Verdict::NoAnswer(error.reason()),
        Err(
            ModelError::InvalidRequest(why)
            | ModelError::Authentication(why)
            | ModelError::QuotaExceeded(why),
        ) => Verdict::Hopeless(why),
    }
}

fn read(response: &Response, tools: &Tools) -> Verdict {
    let said = said(response);
    let unusable = |reason: String, cut: bool| Verdict::Unusable {
        reason,
        said: said.clone(),
        cut,
    };
    // Before any call is looked at: a call inside such an answer was never finished, or never meant.
    match response.stop_reason {
        StopReason::Refusal => return Verdict::Refused(said),
        StopReason::MaxTokens => {
            return unusable(
                "it was cut off at the limit of its length; answer in fewer words".to_owned(),
                true,
            );
        }
        StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::ToolCall
        | StopReason::Other => {}
    }
    let calls: Result<Vec<ReadCall>, _> = response
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(tools.read(call)),
            _ => None,
        })
        .collect();
    let (mut calls, mut aside) = match calls {
        Ok(calls) => (calls, said.clone()),
        Err(reason) => return unusable(reason.0, false),
    };
    if calls.is_empty() {
        match tools.recover(&said) {
            Ok(Some(call)) => {
                calls.push(call);
                // The text is the call: what there was to say is its note.
                aside.clear();
            }
            Ok(None) => {
                let reason = "it asked for no action; use `wait` to look again, `done` if the task is finished";
                return unusable(reason.to_owned(), false);
            }
            Err(reason) => return unusable(reason.0, false),
        }
    }
    if calls.len() > BATCH {
        let count = calls.len();
        return unusable(
            format!("it asked for {count} actions; at most {BATCH} are done at once"),
            false,
        );
    }
    let finished = calls.iter().position(|call| call.action == Action::Done);
    if finished.is_some_and(|place| place + 1 < calls.len()) {
        return unusable(
            "`done` came before other actions; it is the last".to_owned(),
            false,
        );
    }
    Verdict::Act { calls, said: aside }
}

/// The text of an answer.
pub(crate) fn said(response: &Response) -> String {
    let texts: Vec<&str> = response
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) if !text.trim().is_empty() => Some(text.trim()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use dynacu_sdk::model::ToolCall;
    use dynacu_sdk::{Duration, Size};

    use super::*;

    fn tools() -> Tools {
        Tools::new(Size::from((1280, 720)))
    }

    fn call(name: &str, arguments: &str) -> Part {
        ToolCall::new("c", name, arguments).into()
    }

    fn answer(stop_reason: StopReason, parts: Vec<Part>) -> Verdict {
        let response = Response {
            parts,
            stop_reason,
            usage: None,
            model: "m".to_owned(),
        };
        judge(Ok(response), &tools())
    }

    fn actions(verdict: &Verdict) -> Vec<String> {
        match verdict {
            Verdict::Act { calls, .. } => {
                calls.iter().map(|call| call.action.to_string()).collect()
            }
            other => vec![format!("{other:?}")],
        }
    }

    fn reason(verdict: Verdict) -> String {
        match verdict {
            Verdict::Unusable { reason, .. } => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn calls_are_taken_by_kind_and_in_order() {
        let parts = vec![
            Part::Opaque("{\"type\": \"thinking\"}".to_owned()),
            " ".into(),
            call("click", r#"{"x": 300, "y": 200}"#),
            "I type.".into(),
            call("type", r#"{"text": "hello"}"#),
            call("done", ""),
        ];
        let verdict = answer(StopReason::ToolCall, parts);
        assert_eq!(
            actions(&verdict),
            ["click(300, 200)", "type \"hello\"", "done"]
        );
        let Verdict::Act { said, .. } = verdict else {
            return;
        };
        assert_eq!(said, "I type.");
    }

    #[test]
    fn text_is_no_action_and_never_done() {
        let parts = vec!["The microphone is muted now, so the task is complete.".into()];
        assert!(reason(answer(StopReason::EndTurn, parts)).starts_with("it asked for no action"));
        assert!(
            reason(answer(StopReason::EndTurn, Vec::new())).starts_with("it asked for no action")
        );
        let written = vec![
            "```json\n{\"action\": \"scroll\", \"direction\": \"down\", \"amount\": 3}\n```".into(),
        ];
        assert_eq!(
            actions(&answer(StopReason::EndTurn, written)),
            ["scroll down 3"]
        );
    }

    #[test]
    fn one_bad_call_spoils_the_answer_before_any_of_it_is_done() {
        let parts = vec![call("click", r#"{"x": 1, "y": 2}"#), call("type", "{}")];
        assert_eq!(
            reason(answer(StopReason::ToolCall, parts)),
            "`text` of `type` is missing"
        );
        let early = vec![call("done", ""), call("click", r#"{"x": 1, "y": 2}"#)];
        assert!(reason(answer(StopReason::ToolCall, early)).starts_with("`done` came before"));
        let many = vec![call("wait", ""); 65];
        assert!(reason(answer(StopReason::ToolCall, many)).starts_with("it asked for 65 actions"));
    }

    #[test]
    fn a_call_in_a_cut_or_refused_answer_is_not_done() {
        let parts = || vec![call("type", r#"{"text": "Dear Ms"}"#)];
        let Verdict::Unusable { cut, .. } = answer(StopReason::MaxTokens, parts()) else {
            panic!("it was taken")
        };
        assert!(cut);
        assert_eq!(
            answer(StopReason::Refusal, parts()),
            Verdict::Refused(String::new())
        );
    }

    #[test]
    fn errors_are_told_apart_by_what_comes_next() {
        let judged = |error| judge(Err(error), &tools());
        assert_eq!(
            judged(ModelError::Refused("no".into())),
            Verdict::Refused("no".into())
        );
        assert_eq!(
            judged(ModelError::ContextExceeded("big".into())),
            Verdict::TooLong("big".into())
        );
        assert!(matches!(
            judged(ModelError::Protocol("x".into())),
            Verdict::Unusable { .. }
        ));
        for transient in [
            ModelError::Timeout,
            ModelError::Overloaded(None),
            ModelError::RateLimited(Some(Duration::from_secs(3))),
        ] {
            assert!(matches!(judged(transient), Verdict::NoAnswer(_)));
        }
        assert_eq!(
            judged(ModelError::Authentication("key".into())),
            Verdict::Hopeless("key".into())
        );
    }
}
