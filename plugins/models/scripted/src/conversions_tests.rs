use dynacu_sdk::BlobId;
use dynacu_sdk::model::{Message, Tool};

use super::*;

fn script(toml: &str) -> Script {
    let mut table: toml::Table = toml::from_str(toml).unwrap();
    table.remove("scripted").unwrap().try_into().unwrap()
}

fn request(text: &str, pictures: usize) -> Request {
    let mut parts = vec![Part::Text(text.to_owned())];
    parts.extend((0..pictures).map(|number| Part::Image(BlobId::new(format!("picture{number}")))));
    Request {
        messages: vec![
            Message::text(Role::System, "You ended up paying 1 for this text."),
            Message {
                role: Role::User,
                parts,
            },
        ],
        tools: vec![Tool {
            name: "wait".to_owned(),
            description: String::new(),
            input_schema: "{}".to_owned(),
        }],
        display: None,
        max_output_tokens: None,
        temperature: None,
    }
}

fn written(outcome: Outcome) -> Vec<String> {
    match outcome {
        Ok(answer) => answer
            .response
            .parts
            .iter()
            .map(|part| match part {
                Part::ToolCall(call) => format!("{} {}", call.name, call.arguments),
                Part::Text(text) => text.clone(),
                Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) | Part::Opaque(_) => {
                    format!("{part:?}")
                }
            })
            .collect(),
        Err(error) => vec![format!("{error:?}")],
    }
}

#[test]
fn the_price_is_typed_once_it_was_heard() {
    let script = script(include_str!("../scripts/A-E1.toml"));
    let before = "(3.1s) The maker lists it at ninety dollars.\n[PRIOR ACTIONS]\n(none)";
    assert_eq!(
        written(answer("script", &script, &request(before, 1))),
        [r#"wait {"seconds":1}"#]
    );
    let heard = "(8.1s) I ended up paying 64 dollars for the kettle.\n[PRIOR ACTIONS]\n(none)";
    assert_eq!(
        written(answer("script", &script, &request(heard, 1))),
        [
            "The reviewer paid 64 dollars.",
            r#"click {"x":1103,"y":297}"#,
            r#"type {"text":"64 dollars"}"#,
            r#"key {"combo":"Return"}"#,
            r#"wait {"seconds":1}"#,
            "done {}",
        ]
    );
    let typed = format!("{heard}\nStep 2: type \"64 dollars\"");
    assert_eq!(
        written(answer("script", &script, &request(&typed, 1))),
        [r#"wait {"seconds":1}"#]
    );
}

#[test]
fn the_capital_is_looked_up() {
    let script = script(include_str!("../scripts/H-E1.toml"));
    let heard = "What is the capital of new  Zealand?";
    assert_eq!(
        written(answer("script", &script, &request(heard, 1)))[0],
        r#"speak {"text":"The answer is Wellington."}"#
    );
}

#[test]
fn the_messages_are_answered_only_where_their_keyframes_were_shown() {
    let script = script(include_str!("../scripts/F-E1.toml"));
    let first = "[PRIOR ACTIONS]\n(none)";
    let pressed = "[PRIOR ACTIONS]\nStep 1: click(853, 668)";
    assert_eq!(
        written(answer("script", &script, &request(first, 1)))[0],
        r#"click {"x":853,"y":668}"#
    );
    let line = "→ keyframe_3.1s.png (changed 2.4% of the screen, 421x64 at 360, 72)\n";
    let without = written(answer("script", &script, &request(pressed, 1)));
    assert_eq!(without, [r#"wait {"seconds":1}"#]);
    let seen = |text: &str, pictures| {
        let answered = written(answer(
            "script",
            &script,
            &request(&format!("{text}{pressed}"), pictures),
        ));
        answered.last().cloned().unwrap_or_default()
    };
    assert_eq!(seen(&line.repeat(2), 3), "done {}");
    assert_eq!(
        seen(&line.repeat(2), 1),
        r#"wait {"seconds":1}"#,
        "lines without pictures are nothing that was seen"
    );
    let one = written(answer(
        "script",
        &script,
        &request(&format!("{line}{pressed}"), 2),
    ));
    assert_eq!(one[0], "I saw the code.");
    assert_eq!(seen(&format!("said: {}\n{line}", one[0]), 2), "done {}");
}

#[test]
fn rules_look_at_pictures_and_take_the_newest_match() {
    let script = script(
        r#"
[[scripted.rule]]
images = 2
answer = [{ text = "two pictures" }]
[[scripted.rule]]
when = ['price (?<price>\d+)']
answer = [{ call = "type", with = { text = "{price}", list = ["{price}", 2] } }]
"#,
    );
    assert_eq!(
        written(answer("script", &script, &request("price 1", 2))),
        ["two pictures"]
    );
    assert_eq!(
        written(answer("script", &script, &request("price 1, price 2", 1))),
        [r#"type {"list":["2",2],"text":"2"}"#]
    );
}

#[test]
fn errors_stop_reasons_and_a_model_without_tools() {
    let script = script(
        r#"
[scripted.takes]
tools = false
[[scripted.rule]]
when = ["busy"]
error = "rate-limited"
after-ms = 250
[[scripted.rule]]
when = ["rude"]
answer = [{ text = "No." }]
stop = "refusal"
"#,
    );
    assert_eq!(
        answer("script", &script, &request("busy", 1)),
        Err(ModelError::RateLimited(Some(Duration::from_millis(250))))
    );
    let refused = answer("script", &script, &request("rude", 1)).unwrap();
    assert_eq!(refused.response.stop_reason, StopReason::Refusal);
    assert_eq!(
        written(answer("script", &script, &request("nothing", 1))),
        [r#"{"action":"wait","seconds":1}"#]
    );
}

#[test]
fn faults_of_a_script_name_the_rule() {
    for (toml, wanted) in [
        ("[[scripted.rule]]\nwhen = ['(']\n", "rule 1"),
        (
            "[[scripted.rule]]\nanswer = [{ text = '{nobody}' }]\n",
            "{nobody}",
        ),
        (
            "[[scripted.rule]]\nanswer = [{ text = '{open' }]\n",
            "not closed",
        ),
        ("[[scripted.rule]]\nerror = 'hiccup'\n", "hiccup"),
        ("[[scripted.rule]]\nstop = 'tired'\n", "tired"),
    ] {
        let error = answer("script", &script(toml), &request("x", 1)).unwrap_err();
        let ModelError::InvalidRequest(told) = error else {
            panic!("{toml}: {error:?}");
        };
        assert!(told.contains(wanted), "{told}");
    }
    for toml in [
        "[[rule]]\nwhat = 1",
        "[[rule]]\nanswer = [{ call = 'x', text = 'y' }]",
        "rules = []",
    ] {
        let json = serde_json::to_string(&toml::from_str::<toml::Table>(toml).unwrap()).unwrap();
        let read: Result<Script, String> = dynacu_sdk::settings::parse(&json);
        assert!(read.is_err(), "{toml}");
    }
}
