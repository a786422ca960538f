//! `measure speech`: how soon what is said reaches the page, and how soon a page is answered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dynacu_figures::Spread;
use dynacu_figures::plot::{self, Series};

use super::bed::{Bed, Watch};
use super::conversation::{self, Turns, caller};
use super::report::{Budget, By, Line, Plot, Report};
use super::scene;
use dynacu_host::perception::keyframe::GateKind;
use dynacu_host::speech::kokoro::Kokoro;
use dynacu_host::speech::{Pcm, SpeechError, Voice};

const SPARE: Duration = Duration::from_secs(60);
/// An answer that is there sooner began while the question was still being asked.
const TOO_SOON: f64 = 250.0;

/// A task speaker's voice in the agent's place.
struct Speaker {
    kokoro: Kokoro,
    voice: &'static str,
}

impl Voice for Speaker {
    fn synthesize(&self, text: &str) -> Result<Pcm, SpeechError> {
        self.kokoro.synthesize(self.voice, text, 1.0)
    }
}

/// Everything that `measure speech` tells. Leaves the bed with another voice.
///
/// # Errors
/// A part of the lane fails, or a model is missing.
pub async fn measure(bed: &mut Bed, quick: bool) -> Result<Report> {
    let mut report = Report::begin("speech", &bed.bench.home.root)?;
    let piper = if quick {
        Turns {
            spoken: 3,
            questions: 3,
        }
    } else {
        Turns {
            spoken: 15,
            questions: 12,
        }
    };
    let kokoro = Turns {
        spoken: if quick { 2 } else { 8 },
        questions: 0,
    };
    let heard = converse(bed, piper).await?;
    speak_line(
        &mut report,
        "Piper, the agent's voice",
        Budget::Below(700.0),
        &heard.first_samples,
    );
    let (early, answered): (Vec<f64>, Vec<f64>) = heard
        .answers
        .iter()
        .flatten()
        .partition(|latency| **latency < TOO_SOON);
    report.lines.push(Line::spread(
        "end of a sentence at the page, transcribed, answered at once: speech at the page",
        "ms",
        By::P95,
        Budget::Below(2000.0),
        Spread::of(&answered),
    ));
    report.lines.push(Line::number(
        "questions without an answer",
        "",
        Budget::Below(1.0),
        Some(
            heard
                .answers
                .iter()
                .filter(|answer| answer.is_none())
                .count() as f64,
        ),
    ));
    report.lines.push(Line::number(
        "questions answered before their end",
        "",
        Budget::None,
        Some(early.len() as f64),
    ));
    bed.bench.voice = Arc::new(Speaker {
        kokoro: Kokoro::load()?,
        voice: "af_heart",
    });
    let spoken = converse(bed, kokoro).await?.first_samples;
    speak_line(
        &mut report,
        "Kokoro, the tasks' voices",
        Budget::None,
        &spoken,
    );

    let title = "From speak to the first sample at the page, ten words";
    let longest = heard.first_samples.len().max(spoken.len());
    let groups: Vec<String> = (1..=longest).map(|number| number.to_string()).collect();
    let series =
        [("Piper", &heard.first_samples), ("Kokoro", &spoken)].map(|(name, values)| Series {
            name: name.to_owned(),
            values: values.iter().copied().map(Some).collect(),
        });
    report.plots.push(Plot {
        name: "speak-delays".to_owned(),
        title: title.to_owned(),
        svg: plot::bars(title, "ms", &groups, &series, Some(700.0)),
    });
    let title = "From the end of a question to the answer at the page";
    let groups: Vec<String> = (1..=heard.answers.len())
        .map(|number| number.to_string())
        .collect();
    let series = [Series {
        name: "answers".to_owned(),
        values: heard.answers,
    }];
    report.plots.push(Plot {
        name: "answer-delays".to_owned(),
        title: title.to_owned(),
        svg: plot::bars(title, "ms", &groups, &series, Some(2000.0)),
    });
    Ok(report)
}

fn speak_line(report: &mut Report, who: &str, budget: Budget, delays: &[f64]) {
    report.lines.push(Line::spread(
        format!("speak to the first sample at the page, ten words, {who}"),
        "ms",
        By::P95,
        budget,
        Spread::of(delays),
    ));
}

struct Conversed {
    first_samples: Vec<f64>,
    answers: Vec<Option<f64>>,
}

async fn converse(bed: &mut Bed, turns: Turns) -> Result<Conversed> {
    let work = tempfile::Builder::new()
        .prefix("dynacu-measure")
        .tempdir()?;
    let clips = scene::render(&conversation::clips(turns), work.path())?;
    let files: BTreeMap<String, PathBuf> = clips
        .iter()
        .map(|(id, clip)| (id.clone(), clip.file.clone()))
        .collect();
    eprintln!(
        "the conversation: {} sentences to speak, {} questions to answer …",
        turns.spoken, turns.questions
    );
    let watch = Watch {
        gate: GateKind::Local,
        burst: false,
        fps: 3.0,
        pace: Duration::from_secs(5),
        limit: SPARE + Duration::from_secs(12) * (turns.spoken + turns.questions) as u32,
    };
    let played = bed
        .play(
            &conversation::scene(turns, &clips),
            files,
            watch,
            move |session, page| caller(session, page, turns),
        )
        .await?;
    Ok(Conversed {
        first_samples: conversation::first_samples(&played.result, &played.microphone),
        answers: conversation::answers(played.reports("answered")),
    })
}
