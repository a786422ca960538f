use dynacu_sdk::model::Capabilities;
use dynacu_sdk::record_text::KeyframeLine;
use dynacu_sdk::{
    Action, ActionId, AudioContext, Channels, Duration, Instant, RecentAudio, Sentence,
};

use super::*;
use crate::memory::Past;
use crate::scene::Shot;

fn at(milliseconds: u64) -> Instant {
    Instant::from_millis(milliseconds)
}

fn composer(granted: Channels, settings: Settings, takes: Capabilities) -> Composer {
    let screen = Size::from((1280, 720));
    let brief = Brief {
        episode: "e".to_owned(),
        instruction: "Enter the price.".to_owned(),
        screen,
        pace: Duration::from_secs(5),
        time_limit: Duration::from_secs(60),
        step_limit: 10,
        granted,
    };
    Composer {
        tools: Tools::new(screen)
            .sent_as(settings.encoding().size_of(screen))
            .on_grid(takes.coordinate_grid)
            .with_speech(granted.contains(Channels::SPEECH))
            .with_notes(settings.narration),
        brief,
        settings,
        by_tool: takes.tools,
        max_images: takes.max_images,
    }
}

fn full() -> Channels {
    Channels::KEYFRAMES | Channels::AUDIO
}

fn takes(max_images: Option<u32>) -> Capabilities {
    Capabilities {
        images: true,
        max_images,
        tools: true,
        ..Capabilities::default()
    }
}

fn line(captured_at: u64) -> KeyframeLine {
    KeyframeLine {
        captured_at: at(captured_at),
        changed: Rect::new(40, 60, 320, 64),
        changed_fraction: 0.022,
        shown: true,
    }
}

fn sentence(started_at: u64, text: &str) -> Sentence {
    Sentence {
        started_at: at(started_at),
        ended_at: at(started_at + 1_000),
        text: text.to_owned(),
        confidence: 0.9,
        is_final: true,
        starts_turn: false,
    }
}

fn scene(granted: Channels) -> Scene {
    let audio = granted.contains(Channels::AUDIO);
    let shot = |captured_at: u64| Shot {
        line: line(captured_at),
        blob: Some(BlobId::new(format!("key{captured_at}"))),
    };
    Scene {
        step: 3,
        taken_at: at(12_000),
        sent: Size::from((1280, 720)),
        screenshot: BlobId::new("shot3"),
        keyframes: granted
            .contains(Channels::KEYFRAMES)
            .then(|| vec![shot(8_000), shot(9_000), shot(11_500)]),
        keyframes_dropped: 0,
        recent_audio: audio.then(|| RecentAudio {
            started_at: at(7_000),
            ended_at: at(12_000),
            transcript: "It costs 64 dollars.".to_owned(),
            keyframes: vec![0, 1, 2],
        }),
        audio_context: audio.then(|| AudioContext {
            started_at: at(0),
            ended_at: at(12_000),
            sentences: vec![
                sentence(1_000, "Welcome."),
                sentence(8_000, "It costs 64 dollars."),
            ],
        }),
        news: Vec::new(),
    }
}

fn prior() -> Vec<PriorAction> {
    let failed = |number, action, error| PriorAction {
        id: ActionId { number },
        step: 2,
        action,
        outcome: Some(Err(error)),
    };
    vec![
        failed(
            1,
            Action::click(1300, 4),
            ActionError::OffScreen((1300, 4).into()),
        ),
        failed(2, Action::type_text("64"), ActionError::Cancelled),
    ]
}

fn memory() -> Memory {
    let mut memory = Memory::new(10, 2);
    let past = Past {
        step: 1,
        taken_at: at(2_000),
        heard: None,
        said: "I wait for the price.".to_owned(),
        notes: vec!["A podcast player.".to_owned()],
    };
    let picture = |n| {
        let blob = BlobId::new(format!("shot{n}"));
        (format!("→ screenshot_step_{n}.png"), blob)
    };
    let silent = Past {
        said: String::new(),
        notes: Vec::new(),
        ..past.clone()
    };
    memory.keep(past, vec![picture(1)]);
    memory.keep(silent, vec![picture(2)]);
    memory
}

fn request(composer: &Composer, scene: &Scene, told: Option<&str>, lean: bool) -> Request {
    let turn = Turn {
        scene,
        memory: &memory(),
        prior_actions: &prior(),
        told,
        lean,
        output_limit: composer.settings.max_output_tokens,
    };
    composer.compose(&turn, &composer.choose(scene, lean))
}

/// A request as text, one block for each part.
fn written(request: &Request) -> String {
    let mut text = String::new();
    for message in &request.messages {
        text.push_str(&format!("======== {:?}\n", message.role));
        for part in &message.parts {
            match part {
                Part::Text(said) => text.push_str(&format!("{}\n--------\n", said.trim_end())),
                Part::Image(blob) => text.push_str(&format!("<image {blob}>\n--------\n")),
                other => text.push_str(&format!("{other:?}\n")),
            }
        }
    }
    let tools: Vec<&str> = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    text.push_str(&format!(
        "======== tools {tools:?}, display {:?}, limit {:?}",
        request.display, request.max_output_tokens
    ));
    text
}

fn images(request: &Request) -> Vec<&str> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::Image(blob) => Some(blob.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn everything_that_aoi_interactive_shows() {
    let settings = Settings {
        images_kept: 2,
        narration: true,
        ..Settings::default()
    };
    let granted = full() | Channels::SPEECH;
    let composer = composer(granted, settings, takes(None));
    insta::assert_snapshot!(written(&request(&composer, &scene(granted), None, false)));
}

#[test]
fn standard_for_a_model_without_tools() {
    let settings = Settings {
        image_side: Some(640),
        ..Settings::default()
    };
    let seen = Scene {
        sent: Size::from((640, 360)),
        ..scene(Channels::empty())
    };
    let blunt = Capabilities {
        tools: false,
        ..takes(None)
    };
    let composer = composer(Channels::empty(), settings, blunt);
    let told = "It could not be used: it asked for no action.";
    insta::assert_snapshot!(written(&request(&composer, &seen, Some(told), false)));
}

#[test]
fn each_mode_shows_its_channels_and_the_screenshot_last() {
    for granted in [
        Channels::empty(),
        Channels::KEYFRAMES,
        Channels::AUDIO,
        full(),
    ] {
        let composer = composer(granted, Settings::default(), takes(None));
        let request = request(&composer, &scene(granted), None, false);
        let keyframes = granted.contains(Channels::KEYFRAMES);
        let expected = if keyframes { 4 } else { 1 };
        assert_eq!(images(&request).len(), expected, "{granted:?}");
        let text = written(&request);
        assert_eq!(
            text.contains("[AUDIO CONTEXT"),
            granted.contains(Channels::AUDIO)
        );
        assert_eq!(text.contains("keyframe"), keyframes, "{granted:?}");
        assert!(!request.tools.iter().any(|tool| tool.name == "speak"));
        let last = request.messages[1].parts.last();
        assert_eq!(last, Some(&Part::Image(BlobId::new("shot3"))));
    }
}

#[test]
fn pictures_are_left_out_by_age_where_the_model_takes_few() {
    let settings = Settings {
        images_kept: 2,
        ..Settings::default()
    };
    let all = ["shot1", "shot2", "key8000", "key9000", "key11500", "shot3"];
    for (most, left) in [
        (None, &all[..]),
        (
            Some(5),
            &["shot2", "key8000", "key9000", "key11500", "shot3"],
        ),
        (Some(3), &["key8000", "key11500", "shot3"]),
        (Some(1), &["shot3"]),
    ] {
        let composer = composer(full(), settings.clone(), takes(most));
        let request = request(&composer, &scene(full()), None, false);
        assert_eq!(images(&request), left);
    }
    let few = composer(full(), settings.clone(), takes(Some(3)));
    let text = written(&request(&few, &scene(full()), None, false));
    assert!(text.contains("(left out: 1)"), "{text}");
    assert!(
        text.contains("3 keyframes captured (8.0s, 9.0s, 11.5s)"),
        "{text}"
    );
    let composer = composer(full(), settings, takes(None));
    let lean = request(&composer, &scene(full()), None, true);
    assert_eq!(images(&lean), ["key8000", "key9000", "key11500", "shot3"]);
    assert!(!written(&lean).contains("[EARLIER STEPS]"));
}

#[test]
fn news_come_after_the_screenshot_in_their_order() {
    let mut seen = scene(full());
    for captured_at in [12_500, 13_500] {
        seen.news.push(News::Keyframe {
            line: line(captured_at),
            blob: BlobId::new(format!("new{captured_at}")),
        });
        seen.news
            .push(News::Sentence(sentence(captured_at + 100, "Too late.")));
    }
    let roomy = composer(full(), Settings::default(), takes(None));
    let shown = request(&roomy, &seen, None, false);
    assert_eq!(images(&shown)[3..], ["shot3", "new12500", "new13500"]);
    let text = written(&shown);
    let since = text.split("[SINCE THE SCREENSHOT]").nth(1).unwrap();
    assert!(since.contains("(12.6s) heard: \"Too late.\""), "{since}");
    let narrow = composer(full(), Settings::default(), takes(Some(2)));
    assert_eq!(
        images(&request(&narrow, &seen, None, false)),
        ["shot3", "new13500"]
    );
}

#[test]
fn the_model_is_told_everything_in_its_own_coordinates() {
    let grid = Capabilities {
        coordinate_grid: Some(1000),
        ..takes(None)
    };
    let composer = composer(Channels::KEYFRAMES, Settings::default(), grid);
    let text = written(&request(
        &composer,
        &scene(Channels::KEYFRAMES),
        None,
        false,
    ));
    assert!(
        text.contains("click(1016, 6) → error: (1016, 6) is outside"),
        "{text}"
    );
    assert!(text.contains("250x89 at 32, 84"), "{text}");
}
