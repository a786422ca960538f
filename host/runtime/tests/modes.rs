//! The five bundled modes, each as built, in front of a scripted desk and a scripted model.
//!
//! They are built by `make guests` into `plugins/dist`.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

#[path = "support/desk.rs"]
mod desk;

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use desk::{Desk, Reply, SCREEN, Seen, called, calls, keyframe, response, sentence, still, text};
use dynacu_runtime::types::{
    Action, Brief, Capabilities, Channels, ImageFormat, ModelError, ModelRequest, Part, StopReason,
};
use dynacu_runtime::{Engine, Event, Limits, Plugin, PolicyEnd};

const CLICK: (&str, &str) = ("click", r#"{"x": 640, "y": 360}"#);
const DONE: (&str, &str) = ("done", "{}");

fn load(mode: &str) -> Plugin {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
        Engine::with_cache(Some(cache)).unwrap()
    });
    let file = format!("../../plugins/dist/{mode}.wasm");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    assert!(path.exists(), "{mode}.wasm is not built: run `make guests`");
    Plugin::load(&ENGINE, &path).unwrap()
}

fn full() -> Channels {
    Channels::KEYFRAMES | Channels::AUDIO
}

async fn run(mode: &str, settings: &str, desk: Desk) -> PolicyEnd {
    let brief = Brief {
        episode: "e1".to_owned(),
        instruction: "Enter the code.".to_owned(),
        screen: SCREEN,
        pace: 5_000,
        time_limit: 60_000,
        step_limit: 10,
        granted: desk.granted,
        solution: None,
    };
    let limits = Limits::policy(Duration::from_secs(60), [7; 32]);
    load(mode)
        .run_policy(Box::new(desk), brief, settings.to_owned(), limits)
        .ended()
        .await
}

/// Runs a script, and gives the end and what was seen.
async fn script(
    mode: &str,
    granted: Channels,
    settings: &str,
    replies: Vec<Reply>,
) -> (PolicyEnd, Arc<Mutex<Seen>>) {
    let desk = Desk::new(granted, replies);
    let seen = desk.seen.clone();
    (run(mode, settings, desk).await, seen)
}

fn look(seen: &Arc<Mutex<Seen>>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap()
}

/// The user's side of a request, pictures and sounds as `<their blob>`.
fn shown(request: &ModelRequest) -> String {
    let parts = request.messages[1].parts.iter();
    parts
        .map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Image(blob) | Part::Audio(blob) => format!("<{blob}>\n"),
            other => format!("{other:?}\n"),
        })
        .collect()
}

#[tokio::test]
async fn every_mode_asks_with_its_channels_and_does_what_is_answered() {
    for (mode, granted) in [
        ("standard", Channels::empty()),
        ("aoi-visual", Channels::KEYFRAMES),
        ("aoi-audio", Channels::AUDIO),
        ("aoi-full", full()),
        ("aoi-interactive", full() | Channels::SPEECH),
    ] {
        let descriptor = load(mode).describe_policy().await.unwrap();
        assert_eq!(descriptor.name, mode.replace('-', "_"));
        assert_eq!(
            (descriptor.channels, descriptor.needs_model),
            (granted, true)
        );
        let replies = vec![
            calls(&[("wait", r#"{"seconds": 2}"#)]),
            calls(&[
                CLICK,
                ("type", r#"{"text": "4711"}"#),
                ("key", r#"{"combo": "Return"}"#),
            ]),
            calls(&[DONE]),
        ];
        let (end, seen) = script(mode, granted, "{}", replies).await;
        assert_eq!(end, PolicyEnd::Returned, "{mode}");
        let seen = look(&seen);
        assert_eq!(seen.performed.len(), 5, "{:?}", seen.performed);
        assert!(matches!(seen.performed[0], Action::Wait(2_000)));
        assert!(matches!(&seen.performed[2], Action::TypeText(text) if text == "4711"));
        assert!(matches!(seen.performed[4], Action::Done));
        let text = shown(&seen.requests[2]);
        let keyframes = granted.contains(Channels::KEYFRAMES);
        assert_eq!(text.contains("<key-3-1000>"), keyframes, "{text}");
        assert_eq!(
            text.contains("Words of step 3."),
            granted.contains(Channels::AUDIO)
        );
        assert!(
            text.contains("Step 2: type \"4711\"\nStep 2: click(640, 360)\n"),
            "{text}"
        );
        assert!(text.ends_with("<screen-3>\n"), "{text}");
        let speaks = seen.requests[0]
            .tools
            .iter()
            .any(|tool| tool.name == "speak");
        assert_eq!(speaks, granted.contains(Channels::SPEECH), "{mode}");
    }
}

#[tokio::test]
async fn an_unusable_answer_gets_one_turn_with_its_reason() {
    let replies = vec![
        text("The task is complete."),
        calls(&[("click", r#"{"x": 640}"#)]),
        calls(&[DONE]),
    ];
    let (end, seen) = script("standard", Channels::empty(), "{}", replies).await;
    let PolicyEnd::ModelMalformed(why) = end else {
        panic!("{end:?}")
    };
    assert!(why.starts_with("`y` of `click` is missing"), "{why}");
    {
        let one = look(&seen);
        assert_eq!(one.requests.len(), 2);
        let told = shown(&one.requests[1]);
        assert!(told.contains("it asked for no action"), "{told}");
        assert!(told.contains("It was: The task is complete."), "{told}");
        assert!(
            told.ends_with("<screen-1>\n"),
            "the same observation: {told}"
        );
        assert!(one.performed.is_empty(), "done was never invented");
    }

    let repaired = vec![text("Hm."), calls(&[CLICK]), text("Hm."), calls(&[DONE])];
    let (end, seen) = script("standard", Channels::empty(), "{}", repaired).await;
    assert_eq!(end, PolicyEnd::Returned, "each step has its own turn");
    assert!(!shown(&look(&seen).requests[2]).contains("[YOUR LAST ANSWER]"));
}

#[tokio::test]
async fn an_answer_cut_at_the_limit_is_asked_for_again_with_more_room() {
    let parts = vec![Part::Text("I think".to_owned())];
    let cut = Reply::Answers(Ok(response(parts, StopReason::MaxTokens)));
    let settings = r#"{"max-output-tokens": 500}"#;
    let replies = vec![cut, calls(&[DONE])];
    let (end, seen) = script("standard", Channels::empty(), settings, replies).await;
    assert_eq!(end, PolicyEnd::Returned);
    let limits: Vec<_> = look(&seen)
        .requests
        .iter()
        .map(|request| request.max_output_tokens)
        .collect();
    assert_eq!(limits, [Some(500), Some(1_000)]);
}

#[tokio::test]
async fn a_model_that_declines_twice_in_a_row_ends_the_run_by_name() {
    let refuse = || Reply::Answers(Err(ModelError::Refused("not this".to_owned())));
    let replies = vec![refuse(), calls(&[CLICK]), refuse(), refuse()];
    let (end, seen) = script("standard", Channels::empty(), "{}", replies).await;
    assert_eq!(end, PolicyEnd::ModelRefused("not this".to_owned()));
    assert_eq!(look(&seen).performed.len(), 1);
}

#[tokio::test]
async fn no_answer_is_waited_for_and_a_request_that_is_too_long_is_shortened() {
    let silent = || Reply::Answers(Err(ModelError::Overloaded(None)));
    let replies = vec![
        silent(),
        silent(),
        calls(&[CLICK]),
        silent(),
        silent(),
        silent(),
    ];
    let (end, seen) = script("aoi-full", full(), "{}", replies).await;
    let PolicyEnd::Failed(failure) = end else {
        panic!("{end:?}")
    };
    assert!(failure.detail.contains("no answer in 3 steps"), "{failure}");
    assert_eq!(look(&seen).requests.len(), 6);

    let long = || Reply::Answers(Err(ModelError::ContextExceeded("200k".to_owned())));
    let settings = r#"{"images-kept": 9}"#;
    let replies = vec![calls(&[CLICK]), long(), calls(&[DONE])];
    let (end, seen) = script("aoi-full", full(), settings, replies).await;
    assert_eq!(end, PolicyEnd::Returned);
    let seen = look(&seen);
    assert!(shown(&seen.requests[1]).contains("<key-1-1000>"), "kept");
    assert!(
        !shown(&seen.requests[2]).contains("<key-1-1000>"),
        "left out"
    );
}

#[tokio::test]
async fn actions_of_one_answer_stop_at_the_first_failure_and_the_model_is_told() {
    let wide = ("click", r#"{"x": 1300, "y": 4}"#);
    let replies = vec![calls(&[CLICK, wide, DONE]), calls(&[DONE])];
    let (end, seen) = script("standard", Channels::empty(), "{}", replies).await;
    assert_eq!(end, PolicyEnd::Returned);
    let seen = look(&seen);
    assert_eq!(
        seen.performed.len(),
        2,
        "the first click, and done in the second answer"
    );
    let told = shown(&seen.requests[1]);
    assert!(
        told.contains("click(1300, 4) → error: (1300, 4) is outside the screen"),
        "{told}"
    );
    assert!(told.contains("done → error: cancelled"), "{told}");
}

#[tokio::test]
async fn one_action_at_a_time_where_the_settings_say_so() {
    let replies = vec![calls(&[CLICK, CLICK, CLICK]), calls(&[DONE])];
    let settings = r#"{"several-actions": false}"#;
    let (_, seen) = script("standard", Channels::empty(), settings, replies).await;
    let seen = look(&seen);
    assert_eq!(seen.performed.len(), 2);
    assert!(shown(&seen.requests[1]).contains("It asked for 3 actions; only the first was done."));
}

#[tokio::test]
async fn pictures_are_sent_as_the_settings_say_and_points_come_back() {
    let settings = r#"{"image-format": "jpeg", "image-side": 640, "keyframes": 2}"#;
    let replies = vec![
        calls(&[("click", r#"{"x": 320, "y": 180}"#)]),
        calls(&[DONE]),
    ];
    let (_, seen) = script("aoi-visual", Channels::KEYFRAMES, settings, replies).await;
    let seen = look(&seen);
    let encoding = &seen.encodings[0];
    assert_eq!(
        (encoding.format, encoding.max_side),
        (ImageFormat::Jpeg, Some(640))
    );
    assert_eq!(seen.requests[0].display, Some((640, 360)));
    let Action::Click(click) = &seen.performed[0] else {
        panic!("{:?}", seen.performed)
    };
    assert_eq!((click.at.x, click.at.y), (640, 360));
    let text = shown(&seen.requests[1]);
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
    let (_, seen) = script(
        "standard",
        Channels::empty(),
        settings,
        vec![calls(&[noted]), calls(&[DONE])],
    )
    .await;
    let seen = look(&seen);
    let text = shown(&seen.requests[1]);
    assert!(text.contains("noted: The code is 4711."), "{text}");
    assert!(text.contains("<screen-1>"), "{text}");
    assert!(seen.requests[0].tools[0].input_schema.contains("\"note\""));
}

#[tokio::test]
async fn a_model_that_hears_writes_the_transcript() {
    let settings = r#"{"transcriber": "model"}"#;
    let hears = |audio: bool| {
        let mut desk = Desk::new(
            full(),
            vec![
                text("(0.5) What is the code?\n(2.0) – 4711."),
                calls(&[DONE]),
            ],
        );
        desk.capabilities.audio = audio;
        desk
    };
    let PolicyEnd::BadSettings(why) = run("aoi-full", settings, hears(false)).await else {
        panic!("it began")
    };
    assert!(
        why.contains("`transcriber = \"model\"` sends sound, and scripted takes none"),
        "{why}"
    );
    let desk = hears(true);
    let seen = desk.seen.clone();
    assert_eq!(run("aoi-full", settings, desk).await, PolicyEnd::Returned);
    let seen = look(&seen);
    assert_eq!(seen.clips, [(0, 5_000)]);
    let sent = shown(&seen.requests[0]);
    assert!(
        sent.contains("<key-1-1000>") && sent.ends_with("<clip-5000>\n"),
        "{sent}"
    );
    let text = shown(&seen.requests[1]);
    assert!(
        text.contains("(0.5s) What is the code?\n(2.0s) – 4711.\n[RECENT AUDIO"),
        "{text}"
    );
}

#[tokio::test]
async fn what_happens_while_the_model_thinks_is_shown_at_once_where_asked_for() {
    let desk = || {
        let mut desk = Desk::new(full(), Vec::new());
        let news = vec![
            Event::Sentence(sentence(3_000, 4_900, "Old words.")),
            Event::Sentence(sentence(5_100, 6_000, "New words.")),
            Event::Keyframe(keyframe(still(&desk.seen, "toast", 5_500))),
        ];
        desk.replies.push_back(Reply::Thinks(news));
        desk.replies.push_back(calls(&[DONE]));
        desk
    };
    let reacts = desk();
    let seen = reacts.seen.clone();
    assert_eq!(
        run("aoi-full", r#"{"react": true}"#, reacts).await,
        PolicyEnd::Returned
    );
    {
        let hasty = look(&seen);
        assert_eq!(hasty.cancelled, [1]);
        let text = shown(&hasty.requests[1]);
        let since = text.split("[SINCE THE SCREENSHOT]\n").nth(1).unwrap();
        assert!(
            since.starts_with("(5.1s) heard: \"New words.\"\n→ keyframe_5.5s.png"),
            "{since}"
        );
        assert!(
            since.ends_with("<toast>\n") && !since.contains("Old words."),
            "{since}"
        );
    }

    // Off by default: the model is left to think.
    let patient = desk();
    let seen = patient.seen.clone();
    run("aoi-full", "{}", patient).await;
    assert_eq!(look(&seen).requests.len(), 1);
    assert_eq!(look(&seen).cancelled, []);
}

#[tokio::test]
async fn what_happens_between_two_looks_is_shown_before_the_next_one() {
    let late = vec![Event::Sentence(sentence(5_100, 6_000, "Answer now!"))];
    let replies = vec![Reply::AnswersBefore(called(&[CLICK]), late), calls(&[DONE])];
    let (end, seen) = script("aoi-audio", Channels::AUDIO, r#"{"react": true}"#, replies).await;
    assert_eq!(end, PolicyEnd::Returned);
    let text = shown(&look(&seen).requests[1]);
    assert!(text.contains("Step 1 (t = 5.0s)"), "no second look: {text}");
    assert!(text.contains("Step 1: click(640, 360)"), "{text}");
    assert!(
        text.ends_with("[SINCE THE SCREENSHOT]\n(5.1s) heard: \"Answer now!\"\n"),
        "{text}"
    );
}

#[tokio::test]
async fn models_without_eyes_are_refused_and_those_without_tools_answer_in_json() {
    let with = |capabilities: Capabilities, replies| {
        let mut desk = Desk::new(Channels::empty(), replies);
        desk.capabilities = capabilities;
        desk
    };
    let sees = Capabilities {
        images: true,
        max_images: Some(1),
        audio: false,
        tools: false,
        coordinate_grid: Some(1000),
    };
    let blind = Capabilities {
        images: false,
        ..sees
    };
    let PolicyEnd::BadSettings(why) = run("standard", "{}", with(blind, Vec::new())).await else {
        panic!("it began")
    };
    assert!(why.contains("scripted takes no images"), "{why}");
    let replies = vec![
        text("```json\n{\"action\": \"click\", \"x\": 500, \"y\": 500}\n```"),
        text("{\"action\": \"done\"}"),
    ];
    let desk = with(sees, replies);
    let seen = desk.seen.clone();
    assert_eq!(run("standard", "{}", desk).await, PolicyEnd::Returned);
    let seen = look(&seen);
    assert!(seen.requests[0].tools.is_empty());
    let Action::Click(click) = &seen.performed[0] else {
        panic!("{:?}", seen.performed)
    };
    assert_eq!((click.at.x, click.at.y), (640, 360), "from the grid");
}

#[tokio::test]
async fn settings_that_it_cannot_use_are_named() {
    let desk = Desk::new(Channels::empty(), Vec::new());
    let PolicyEnd::BadSettings(why) = run("standard", r#"{"keyframe": 3}"#, desk).await else {
        panic!("it began")
    };
    assert!(
        why.contains("unknown field `keyframe`, expected one of `keyframes`"),
        "{why}"
    );
}
