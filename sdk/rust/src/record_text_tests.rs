use super::*;
use crate::{Action, ActionError, ActionId, ActionReceipt, Duration, Point, Sentence};

const SCREEN: Size = Size {
    width: 1280,
    height: 720,
};

fn sentence(started_at: u64, ended_at: u64, text: &str) -> Sentence {
    Sentence {
        started_at: Instant::from_millis(started_at),
        ended_at: Instant::from_millis(ended_at),
        text: text.to_owned(),
        confidence: 0.9,
        is_final: true,
        starts_turn: false,
    }
}

fn prior(
    id: u64,
    step: u32,
    action: Action,
    outcome: Option<Result<(), ActionError>>,
) -> PriorAction {
    let receipt = ActionReceipt {
        started_at: Instant::from_millis(0),
        ended_at: Instant::from_millis(1),
    };
    PriorAction {
        id: ActionId { number: id },
        step,
        action,
        outcome: outcome.map(|outcome| outcome.map(|()| receipt)),
    }
}

#[test]
fn all_channels() {
    let context = AudioContext {
        started_at: Instant::from_millis(18_700),
        ended_at: Instant::from_millis(48_700),
        sentences: vec![
            sentence(18_700, 20_000, "Good morning everyone."),
            sentence(20_100, 23_000, "Let me walk through the Q3 budget."),
            sentence(42_900, 48_600, "And marketing is finalized at 1.4 million."),
        ],
    };
    let recent = RecentAudio {
        started_at: Instant::from_millis(45_200),
        ended_at: Instant::from_millis(48_700),
        transcript: "And marketing is finalized at 1.4 million.".to_owned(),
        keyframes: vec![0],
    };
    let keyframes = vec![
        KeyframeLine {
            captured_at: Instant::from_millis(46_100),
            changed: Rect::new(40, 60, 1200, 600),
            changed_fraction: 0.31,
            shown: true,
        },
        KeyframeLine {
            captured_at: Instant::from_millis(47_810),
            changed: Rect::new(900, 20, 320, 64),
            changed_fraction: 0.022,
            shown: true,
        },
    ];
    let actions = [
        prior(1, 5, Action::click(1300, 400), {
            let at = Point { x: 1300, y: 400 };
            Some(Err(ActionError::OffScreen(at)))
        }),
        prior(2, 6, Action::click(640, 400), Some(Ok(()))),
        prior(3, 6, Action::type_text("1.4 \"million\""), Some(Ok(()))),
        prior(4, 6, Action::wait(Duration::from_secs(3)), None),
    ];
    insta::assert_snapshot!(RecordText {
        step: 7,
        taken_at: Instant::from_millis(48_700),
        screen: SCREEN,
        audio_context: Some(&context),
        recent_audio: Some(&recent),
        keyframes: Some(keyframes),
        keyframes_dropped: 2,
        task: "What is the finalized marketing budget?",
        prior_actions: &actions,
    });
}

#[test]
fn screenshot_alone() {
    insta::assert_snapshot!(RecordText {
        step: 1,
        taken_at: Instant::from_millis(40),
        screen: SCREEN,
        audio_context: None,
        recent_audio: None,
        keyframes: None,
        keyframes_dropped: 0,
        task: "Enter the price.",
        prior_actions: &[],
    });
}

#[test]
fn silence_and_stillness_are_said() {
    let context = AudioContext {
        started_at: Instant::from_millis(0),
        ended_at: Instant::from_millis(5_000),
        sentences: Vec::new(),
    };
    let recent = RecentAudio {
        started_at: Instant::from_millis(0),
        ended_at: Instant::from_millis(5_000),
        transcript: String::new(),
        keyframes: Vec::new(),
    };
    let actions: Vec<PriorAction> = (0..22)
        .map(|id| prior(id, 1, Action::key("Tab"), Some(Ok(()))))
        .collect();
    insta::assert_snapshot!(RecordText {
        step: 2,
        taken_at: Instant::from_millis(5_000),
        screen: SCREEN,
        audio_context: Some(&context),
        recent_audio: Some(&recent),
        keyframes: Some(Vec::new()),
        keyframes_dropped: 0,
        task: "Enter the price.",
        prior_actions: &actions,
    });
}

#[test]
fn turns_open_ends_and_pictures_that_are_not_shown() {
    let mut context = AudioContext {
        started_at: Instant::from_millis(0),
        ended_at: Instant::from_millis(9_000),
        sentences: vec![
            sentence(1_000, 2_000, "Where are you from?"),
            sentence(4_000, 5_000, "From Canberra."),
            sentence(8_000, 9_000, "And what do you"),
        ],
    };
    context.sentences[0].starts_turn = true;
    context.sentences[1].starts_turn = true;
    context.sentences[2].is_final = false;
    let recent = RecentAudio {
        started_at: Instant::from_millis(5_000),
        ended_at: Instant::from_millis(9_000),
        transcript: "And what do you".to_owned(),
        keyframes: vec![0, 1],
    };
    let keyframe = |captured_at, shown| KeyframeLine {
        captured_at: Instant::from_millis(captured_at),
        changed: Rect::new(0, 0, 10, 10),
        changed_fraction: 0.001,
        shown,
    };
    let record = RecordText {
        step: 2,
        taken_at: Instant::from_millis(9_000),
        screen: SCREEN,
        audio_context: Some(&context),
        recent_audio: Some(&recent),
        keyframes: Some(vec![keyframe(6_000, false), keyframe(7_000, true)]),
        keyframes_dropped: 1,
        task: "Answer the interviewer.",
        prior_actions: &[],
    };
    insta::assert_snapshot!(record);
    let joined: String = Section::ALL
        .iter()
        .map(|section| record.section(*section).to_string())
        .collect();
    assert_eq!(joined, record.to_string());
}
