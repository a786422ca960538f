//! What was perceived, and what was spoken.

use super::{by_condition, of_conditions};
use crate::document::Block;
use crate::model::{Report, Speech};
use crate::text;

pub(super) fn perception(report: &Report) -> Vec<Block<'_>> {
    let perception = by_condition(report, "Perception")
        .column("moments perceived", |condition| {
            match condition.perception.moments {
                Some(moments) => of(moments.perceived, moments.shown),
                None => "not recorded or not granted".to_owned(),
            }
        })
        .column("delay, median / p95", |condition| {
            text::spread(condition.perception.delay_ms.as_ref(), text::millis)
        })
        .column("frames", |condition| {
            let perception = &condition.perception;
            format!(
                "{} ({} late intervals)",
                text::grouped(perception.frames),
                perception.late_frames
            )
        })
        .column("keyframes", |condition| {
            text::grouped(condition.perception.keyframes)
        })
        .column("sentences", |condition| {
            text::grouped(condition.perception.sentences)
        })
        .column("sound heard", |condition| {
            text::seconds(condition.perception.heard_s)
        })
        .column("sound lost", |condition| {
            let perception = &condition.perception;
            format!(
                "{} ms, {} failures",
                perception.sound_gaps_ms, perception.recognition_failures
            )
        });
    let mut blocks = vec![
        Block::Text("Moments are what pages report about themselves (a toast shown, a price spoken), in conditions that grant a channel for them.".to_owned()),
        perception.table(),
        Block::Heading("Speech".to_owned()),
    ];
    blocks.push(speech(report));
    blocks
}

fn speech(report: &Report) -> Block<'_> {
    if report.conditions.iter().all(|c| c.speech.is_none()) {
        return Block::Missing(
            "No counted episode spoke, so there is nothing to say about speech.".to_owned(),
        );
    }
    let of_speech = |speech: &Option<Speech>, say: fn(&Speech) -> String| {
        speech.as_ref().map_or(text::MISSING.to_owned(), say)
    };
    of_conditions(
        report,
        "Speech of counted episodes that spoke",
        |condition| condition.speech.is_some(),
    )
    .column("utterances", |condition| {
        of_speech(&condition.speech, |speech| speech.utterances.to_string())
    })
    .column("received by the page's microphone", |condition| {
        of_speech(&condition.speech, |speech| {
            of(speech.received, speech.utterances)
        })
    })
    .column("latency: episodes' p95, median / p95", |condition| {
        of_speech(&condition.speech, |speech| {
            text::spread(speech.latency_p95_ms.as_ref(), text::millis)
        })
    })
    .column("episodes passed [95 %]", |condition| {
        of_speech(&condition.speech, |speech| {
            text::share(speech.accepted.as_ref())
        })
    })
    .table()
}

/// `3 of 4 (75 %)`.
fn of(part: u64, whole: u64) -> String {
    let share = text::percent(part as f64 / whole.max(1) as f64);
    format!("{part} of {whole} ({share})")
}
