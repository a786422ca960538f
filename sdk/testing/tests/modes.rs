//! The five bundled modes, each as built, in front of a scripted desk and a scripted model.
//!
//! They are built by `make guests` into `plugins/dist`.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

use std::path::Path;

use dynacu_runtime::types::{
    Action, Capabilities, Channel, ImageFormat, ModelError, Part, Point, StopCause, StopReason,
    ToolCall,
};
use dynacu_runtime::{Plugin, PolicyEnd};
use dynacu_sdk_testing::{Model, Picture, Ran, Reply, Script, load};

const CLICK: (&str, &str) = ("click", r#"{"x": 640, "y": 360}"#);
const DONE: (&str, &str) = ("done", "{}");

fn mode(name: &str) -> Plugin {
    let file = format!("../../plugins/dist/{name}.wasm");
    let path = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/sdk/testing")).join(file);
    assert!(path.exists(), "{name}.wasm is not built: run `make guests`");
    load(path).unwrap()
}

const FULL: &[Channel] = &[Channel::Keyframes, Channel::Audio];

/// Looks at 5, 10, 15 … seconds; before each three keyframes and a sentence.
fn desk(granted: &[Channel]) -> Script {
    let script = Script::new("Enter the code.")
        .granting(granted.iter().copied())
        .beginning_at(5_000)
        .shows(0, Picture::named("first"));
    (1..11).fold(script, |script, step| {
        let from = (step - 1) * 5_000;
        let script = [1_000, 2_000, 3_000].iter().fold(script, |script, after| {
            let name = format!("key-{step}-{after}");
            script.shows(from + after, Picture::named(name))
        });
        script.says(from, from + 5_000, format!("Words of step {step}."))
    })
}

async fn script(name: &str, granted: &[Channel], settings: &str, replies: Vec<Reply>) -> Ran {
    let model = Model::answering(replies);
    desk(granted).run(&mode(name), model, settings).await
}

/// What the model was shown at its so manieth request.
fn shown(ran: &Ran, request: usize) -> String {
    ran.shown(&ran.requests[request])
}

#[tokio::test]
async fn every_mode_asks_with_its_channels_and_does_what_is_answered() {
    let modes: [(&str, &[Channel]); 5] = [
        ("standard", &[]),
        ("aoi-visual", &[Channel::Keyframes]),
        ("aoi-audio", &[Channel::Audio]),
        ("aoi-full", FULL),
        ("aoi-interactive", &Channel::ALL),
    ];
    for (name, granted) in modes {
        let plugin = mode(name);
        assert_eq!(plugin.name, name.replace('-', "_"));
        assert_eq!(plugin.manifest.channels, granted);
        assert!(plugin.manifest.needs_model);
        let replies = vec![
            Reply::calls(&[("wait", r#"{"seconds": 2}"#)]),
            Reply::calls(&[
                CLICK,
                ("type", r#"{"text": "4711"}"#),
                ("key", r#"{"combo": "Return"}"#),
            ]),
            Reply::calls(&[DONE]),
        ];
        let ran = script(name, granted, "{}", replies).await;
        assert_eq!(ran.end, PolicyEnd::Returned, "{name}");
        let done = ran.done();
        assert_eq!(done.len(), 5, "{done:?}");
        assert!(matches!(done[0], Action::Wait { ms: 2_000 }));
        assert!(matches!(done[2], Action::Type { text } if text == "4711"));
        assert!(matches!(done[4], Action::Done));
        let text = shown(&ran, 2);
        let keyframes = granted.contains(&Channel::Keyframes);
        assert_eq!(text.contains("<key-3-1000>"), keyframes, "{text}");
        assert_eq!(
            text.contains("Words of step 3."),
            granted.contains(&Channel::Audio)
        );
        assert!(
            text.contains("Step 2: type \"4711\"\nStep 2: click(640, 360)\n"),
            "{text}"
        );
        assert!(text.ends_with("<key-3-3000>\n"), "{text}");
        let speaks = ran.requests[0]
            .tools
            .iter()
            .any(|tool| tool.name == "speak");
        assert_eq!(speaks, granted.contains(&Channel::Speech), "{name}");
    }
}

#[tokio::test]
async fn an_unusable_answer_gets_one_turn_with_its_reason() {
    let replies = vec![
        Reply::text("The task is complete."),
        Reply::calls(&[("click", r#"{"x": 640}"#)]),
        Reply::calls(&[DONE]),
    ];
    let ran = script("standard", &[], "{}", replies).await;
    let PolicyEnd::ModelMalformed(why) = &ran.end else {
        panic!("{:?}", ran.end)
    };
    assert!(why.starts_with("`y` of `click` is missing"), "{why}");
    {
        assert_eq!(ran.requests.len(), 2);
        let told = shown(&ran, 1);
        assert!(told.contains("it asked for no action"), "{told}");
        assert!(told.contains("It was: The task is complete."), "{told}");
        assert!(
            told.ends_with("<key-1-3000>\n"),
            "the same observation: {told}"
        );
        assert!(ran.performed.is_empty(), "done was never invented");
    }

    let repaired = vec![
        Reply::text("Hm."),
        Reply::calls(&[CLICK]),
        Reply::text("Hm."),
        Reply::calls(&[DONE]),
    ];
    let ran = script("standard", &[], "{}", repaired).await;
    assert_eq!(ran.end, PolicyEnd::Returned, "each step has its own turn");
    assert!(!shown(&ran, 2).contains("[YOUR LAST ANSWER]"));
}

#[tokio::test]
async fn an_answer_cut_at_the_limit_is_asked_for_again_with_more_room() {
    let parts = vec![Part::Text("I think".to_owned())];
    let cut = Reply::parts(parts, StopReason::MaxTokens);
    let settings = r#"{"max-output-tokens": 500}"#;
    let replies = vec![cut, Reply::calls(&[DONE])];
    let ran = script("standard", &[], settings, replies).await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    let limits: Vec<_> = ran
        .requests
        .iter()
        .map(|request| request.max_output_tokens)
        .collect();
    assert_eq!(limits, [Some(500), Some(1_000)]);

    let cut = || {
        let call = ToolCall {
            id: "c1".to_owned(),
            name: "click".to_owned(),
            arguments: r#"{"x": 640, "y": 360}"#.to_owned(),
        };
        Reply::parts(vec![Part::ToolCall(call)], StopReason::MaxTokens)
    };
    let ran = script("standard", &[], "{}", vec![cut(), cut()]).await;
    let PolicyEnd::ModelMalformed(why) = &ran.end else {
        panic!("{:?}", ran.end)
    };
    assert!(why.starts_with("it was cut off"), "{why}");
    assert!(ran.performed.is_empty(), "a call that was cut off was done");
}

#[tokio::test]
async fn a_model_that_declines_twice_in_a_row_ends_the_run_by_name() {
    let refuse = || Reply::fails(ModelError::Refused("not this".to_owned()));
    let replies = vec![refuse(), Reply::calls(&[CLICK]), refuse(), refuse()];
    let ran = script("standard", &[], "{}", replies).await;
    assert_eq!(ran.end, PolicyEnd::ModelRefused("not this".to_owned()));
    assert_eq!(ran.done().len(), 1);
}

#[tokio::test]
async fn no_answer_is_waited_for_and_a_request_that_is_too_long_is_shortened() {
    let silent = || Reply::fails(ModelError::Overloaded(None));
    let replies = vec![
        silent(),
        silent(),
        Reply::calls(&[CLICK]),
        silent(),
        silent(),
        silent(),
    ];
    let ran = script("aoi-full", FULL, "{}", replies).await;
    let PolicyEnd::Failed(failure) = &ran.end else {
        panic!("{:?}", ran.end)
    };
    assert!(failure.detail.contains("no answer in 3 steps"), "{failure}");
    assert_eq!(ran.requests.len(), 6);

    let long = || Reply::fails(ModelError::ContextExceeded("200k".to_owned()));
    let settings = r#"{"images-kept": 9}"#;
    let replies = vec![Reply::calls(&[CLICK]), long(), Reply::calls(&[DONE])];
    let ran = script("aoi-full", FULL, settings, replies).await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert!(shown(&ran, 1).contains("<key-1-1000>"), "kept");
    assert!(!shown(&ran, 2).contains("<key-1-1000>"), "left out");
}

#[tokio::test]
async fn actions_of_one_answer_stop_at_the_first_failure_and_the_model_is_told() {
    let wide = ("click", r#"{"x": 1300, "y": 4}"#);
    let replies = vec![Reply::calls(&[CLICK, wide, DONE]), Reply::calls(&[DONE])];
    let ran = script("standard", &[], "{}", replies).await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert_eq!(
        ran.done().len(),
        2,
        "the first click, and done in the second answer"
    );
    let told = shown(&ran, 1);
    assert!(
        told.contains("click(1300, 4) → error: (1300, 4) is outside the screen"),
        "{told}"
    );
    assert!(told.contains("done → error: cancelled"), "{told}");
}

#[tokio::test]
async fn one_action_at_a_time_where_the_settings_say_so() {
    let replies = vec![Reply::calls(&[CLICK, CLICK, CLICK]), Reply::calls(&[DONE])];
    let settings = r#"{"several-actions": false}"#;
    let ran = script("standard", &[], settings, replies).await;
    assert_eq!(ran.performed.len(), 2);
    assert!(shown(&ran, 1).contains("It asked for 3 actions; only the first was done."));
}

#[tokio::test]
async fn pictures_are_sent_as_the_settings_say_and_points_come_back() {
    let settings = r#"{"image-format": "jpeg", "image-side": 640, "keyframes": 2}"#;
    let replies = vec![
        Reply::calls(&[("click", r#"{"x": 320, "y": 180}"#)]),
        Reply::calls(&[DONE]),
    ];
    let ran = script("aoi-visual", &[Channel::Keyframes], settings, replies).await;
    let encoding = &ran.encodings[0];
    assert_eq!(
        (encoding.format, encoding.max_side),
        (ImageFormat::Jpeg, Some(640))
    );
    assert_eq!(ran.requests[0].display, Some((640, 360)));
    let Action::Click { at, .. } = ran.performed[0].action else {
        panic!("{:?}", ran.performed)
    };
    assert_eq!(at, Point { x: 640, y: 360 });
    let text = shown(&ran, 1);
    assert!(
        text.contains("<key-2-1000>") && text.contains("<key-2-3000>"),
        "{text}"
    );
    assert!(
        !text.contains("<key-2-2000>") && text.contains("(left out: 1)"),
        "{text}"
    );
    assert!(
        text.contains("click(320, 180)"),
        "told as the model said it: {text}"
    );
}

#[tokio::test]
async fn notes_and_old_pictures_are_shown_again() {
    let settings = r#"{"narration": true, "images-kept": 1}"#;
    let noted = ("click", r#"{"x": 1, "y": 2, "note": "The code is 4711."}"#);
    let ran = script(
        "standard",
        &[],
        settings,
        vec![Reply::calls(&[noted]), Reply::calls(&[DONE])],
    )
    .await;
    let text = shown(&ran, 1);
    assert!(text.contains("noted: The code is 4711."), "{text}");
    assert!(text.contains("<key-1-3000>"), "{text}");
    assert!(ran.requests[0].tools[0].input_schema.contains("\"note\""));
}

#[tokio::test]
async fn so_many_earlier_steps_are_told_again_as_the_settings_say() {
    let noted = |note: &str| {
        let arguments = format!(r#"{{"x": 1, "y": 2, "note": "{note}"}}"#);
        Reply::calls(&[("click", arguments.as_str())])
    };
    for (steps, told) in [("0", ""), ("1", "Two."), ("2", "One. Two.")] {
        let replies = vec![noted("One."), noted("Two."), Reply::calls(&[DONE])];
        let settings = format!(r#"{{"narration": true, "memory-steps": {steps}}}"#);
        let ran = script("standard", &[], &settings, replies).await;
        let text = shown(&ran, 2);
        let found: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("noted: "))
            .collect();
        assert_eq!(found.join(" "), told, "{text}");
        assert!(
            text.contains("Step 1: click(1, 2)"),
            "what was done is always told: {text}"
        );
    }
}

#[tokio::test]
async fn a_model_that_hears_writes_the_transcript() {
    let settings = r#"{"transcriber": "model"}"#;
    let hears = |audio: bool| {
        let replies = [
            Reply::text("(0.5) What is the code?\n(2.0) – 4711."),
            Reply::calls(&[DONE]),
        ];
        Model::answering(replies).taking(Capabilities { audio, ..SEES })
    };
    let plugin = mode("aoi-full");
    let ran = desk(FULL).run(&plugin, hears(false), settings).await;
    let PolicyEnd::BadSettings(why) = &ran.end else {
        panic!("it began")
    };
    assert!(
        why.contains("`transcriber = \"model\"` sends sound, and scripted takes none"),
        "{why}"
    );
    let ran = desk(FULL).run(&plugin, hears(true), settings).await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert_eq!(ran.clips, [(0, 5_000)]);
    let sent = shown(&ran, 0);
    assert!(
        sent.contains("<key-1-1000>") && sent.ends_with("<clip-0-5000>\n"),
        "{sent}"
    );
    let text = shown(&ran, 1);
    assert!(
        text.contains("(0.5s) What is the code?\n(2.0s) – 4711.\n[RECENT AUDIO"),
        "{text}"
    );
}

/// One look at 5 s; what was said before it becomes an event only after it, as with a recogniser.
fn news() -> Script {
    Script::new("Enter the code.")
        .granting(FULL.iter().copied())
        .beginning_at(5_000)
        .recognised_after(700)
        .shows(0, Picture::named("first"))
        .says(3_000, 4_900, "Old words.")
        .says(5_100, 6_000, "New words.")
        .shows(5_500, Picture::named("toast"))
}

#[tokio::test]
async fn what_happens_while_the_model_thinks_is_shown_at_once_where_asked_for() {
    let thinks = || Model::answering([Reply::never(), Reply::calls(&[DONE])]);
    let plugin = mode("aoi-full");
    let ran = news().run(&plugin, thinks(), r#"{"react": true}"#).await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert_eq!(ran.cancelled, [1]);
    let text = shown(&ran, 1);
    let since = text.split("[SINCE THE SCREENSHOT]\n").nth(1).unwrap();
    assert!(since.starts_with("→ keyframe_5.5s.png"), "{since}");
    assert!(
        since.ends_with("<toast>\n") && !since.contains("Old words."),
        "{since}"
    );

    // Off by default: the model is left to think.
    let ran = news().run(&plugin, thinks(), "{}").await;
    assert_eq!(ran.requests.len(), 1);
    assert!(ran.cancelled.is_empty());
    assert_eq!(ran.stopped, Some(StopCause::TimeLimit));
}

#[tokio::test]
async fn a_step_is_interrupted_three_times_and_then_the_model_is_left_to_think() {
    let mut script = Script::new("Enter the code.")
        .granting([Channel::Keyframes])
        .beginning_at(5_000)
        .shows(0, Picture::named("first"));
    for number in 1..=5 {
        let name = format!("toast-{number}");
        script = script.shows(5_000 + 1_000 * number, Picture::named(name));
    }
    let model = Model::answering((0..6).map(|_| Reply::never()));
    let ran = script
        .run(&mode("aoi-visual"), model, r#"{"react": true}"#)
        .await;
    assert_eq!(ran.cancelled, [1, 2, 3]);
    assert_eq!(ran.requests.len(), 4);
    let text = shown(&ran, 3);
    assert!(
        text.contains("<toast-3>") && !text.contains("<toast-4>"),
        "{text}"
    );
}

#[tokio::test]
async fn what_happens_between_two_looks_is_shown_before_the_next_one() {
    let model = Model::answering([Reply::calls(&[CLICK]), Reply::calls(&[DONE])]);
    let script = Script::new("Enter the code.")
        .granting([Channel::Audio])
        .beginning_at(5_000)
        .says(5_100, 6_000, "Answer now!");
    let ran = script
        .run(&mode("aoi-audio"), model, r#"{"react": true}"#)
        .await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    let text = shown(&ran, 1);
    assert!(text.contains("Step 1 (t = 5.0s)"), "no second look: {text}");
    assert!(text.contains("Step 1: click(640, 360)"), "{text}");
    assert!(
        text.ends_with("[SINCE THE SCREENSHOT]\n(5.1s) heard: \"Answer now!\"\n"),
        "{text}"
    );
}

const SEES: Capabilities = Capabilities {
    images: true,
    max_images: None,
    audio: false,
    tools: true,
    coordinate_grid: None,
};

#[tokio::test]
async fn models_without_eyes_are_refused_and_those_without_tools_answer_in_json() {
    let blind = Capabilities {
        images: false,
        ..SEES
    };
    let plugin = mode("standard");
    let model = Model::nobody().taking(blind);
    let ran = desk(&[]).run(&plugin, model, "{}").await;
    let PolicyEnd::BadSettings(why) = &ran.end else {
        panic!("it began")
    };
    assert!(why.contains("scripted takes no images"), "{why}");
    let model = Model::answering([
        Reply::text("```json\n{\"action\": \"click\", \"x\": 500, \"y\": 500}\n```"),
        Reply::text("{\"action\": \"done\"}"),
    ])
    .taking(Capabilities {
        max_images: Some(1),
        tools: false,
        coordinate_grid: Some(1000),
        ..SEES
    });
    let ran = desk(&[]).run(&plugin, model, "{}").await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert!(ran.requests[0].tools.is_empty());
    let Action::Click { at, .. } = ran.performed[0].action else {
        panic!("{:?}", ran.performed)
    };
    assert_eq!(at, Point { x: 640, y: 360 }, "from the grid");
}

#[tokio::test]
async fn settings_that_it_cannot_use_are_named() {
    let ran = script("standard", &[], r#"{"keyframe": 3}"#, Vec::new()).await;
    let PolicyEnd::BadSettings(why) = &ran.end else {
        panic!("it began")
    };
    assert!(
        why.contains("unknown field `keyframe`, expected one of `keyframes`"),
        "{why}"
    );
}
