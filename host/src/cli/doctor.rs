//! `dynacu-host doctor`: is everything there that an episode needs, and does it work? One line a part, advice where it is not.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use dynacu_figures::table;
use serde::Serialize;

use crate::config::settings::RunSettings;
use crate::desktop::lane::Lane;
use crate::desktop::{browser, check};
use crate::speech::Voice;
use crate::speech::piper::Piper;
use crate::weights;

mod asked;

/// A run of three tasks fits into this much; models and compiled guests come on top.
const DISK_WANTED: u64 = 2 * GIBIBYTE;
/// Chromium's own shared memory; below it the lane falls back to files.
const SHARED_MEMORY_WANTED: u64 = GIBIBYTE / 2;
const GIBIBYTE: u64 = 1 << 30;
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// What was found out about one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub part: String,
    pub works: bool,
    /// The version, the size, or what was seen.
    pub found: String,
    /// What to do, where it does not work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    fn good(part: &str, found: impl Into<String>) -> Self {
        Self {
            part: part.to_owned(),
            works: true,
            found: found.into(),
            advice: None,
        }
    }

    /// A row, and one below it for the advice.
    fn rows(&self) -> Vec<Vec<String>> {
        let mark = if self.works { "ok" } else { "FAULT" };
        let mut rows = vec![vec![mark.to_owned(), self.part.clone(), self.found.clone()]];
        if let Some(advice) = &self.advice {
            rows.push(vec![String::new(), String::new(), format!("-> {advice}")]);
        }
        rows
    }

    fn bad(part: &str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            part: part.to_owned(),
            works: false,
            found: found.into(),
            advice: Some(advice.into()),
        }
    }
}

/// Prints all findings, as lines or as one JSON array, and says whether everything works. Adapters that are named are
/// asked for a word of each of their models.
pub async fn run(json: bool, asked: RunSettings) -> anyhow::Result<bool> {
    let asked = asked::findings(asked).await?;
    let mut findings = programs().await;
    findings.extend(model_files());
    findings.extend(space());
    if findings.iter().take(4).all(|finding| finding.works) {
        findings.extend(live().await);
    } else {
        findings.push(Finding::bad(
            "lane",
            "not tried",
            "install what is missing above, then run doctor again",
        ));
    }
    findings.extend(asked);
    let mut output = std::io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut output, &findings)?;
        writeln!(output)?;
    } else {
        let rows: Vec<Vec<String>> = findings.iter().flat_map(Finding::rows).collect();
        write!(output, "{}", table::list(&rows))?;
    }
    Ok(findings.iter().all(|finding| finding.works))
}

/// The programs. The first four are what a lane cannot start without.
async fn programs() -> Vec<Finding> {
    let chromium = browser::find_program()
        .map_or_else(|| "chromium".to_owned(), |path| path.display().to_string());
    let wanted: [(&str, &str, &[&str], &str); 7] = [
        ("chromium", &chromium, &["--version"], "chromium"),
        ("xvfb", "Xvfb", &["-help"], "xvfb"),
        ("pulseaudio", "pulseaudio", &["--version"], "pulseaudio"),
        (
            "window manager",
            "matchbox-window-manager",
            &["-h"],
            "matchbox-window-manager",
        ),
        ("espeak-ng", "espeak-ng", &["--version"], "espeak-ng"),
        (
            "speech-dispatcher",
            "speech-dispatcher",
            &["--version"],
            "speech-dispatcher speech-dispatcher-espeak-ng",
        ),
        ("opusenc", "opusenc", &["--version"], "opus-tools"),
    ];
    let mut findings = Vec::new();
    for (part, program, arguments, package) in wanted {
        findings.push(match first_words(program, arguments).await {
            // Xvfb has no switch that tells its version.
            Some(_) if part == "xvfb" => Finding::good(part, xvfb_version().await),
            Some(words) => Finding::good(part, words),
            None => Finding::bad(part, "not found", format!("apt-get install {package}")),
        });
    }
    findings
}

/// The first line with a number in it that a program prints; none if it cannot be started.
async fn first_words(program: &str, arguments: &[&str]) -> Option<String> {
    let running = tokio::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(ANSWER_WITHIN, running)
        .await
        .ok()?
        .ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|line| {
        line.split_whitespace()
            .any(|word| word.contains('.') && word.contains(|letter: char| letter.is_ascii_digit()))
    });
    Some(line.unwrap_or("found").trim().to_owned())
}

async fn xvfb_version() -> String {
    let asked = first_words("dpkg-query", &["-W", "-f", "${Version}", "xvfb"]).await;
    asked.map_or_else(|| "found".to_owned(), |version| format!("Xvfb {version}"))
}

fn model_files() -> Vec<Finding> {
    use weights::names;
    let wanted = [
        names::ONNX_RUNTIME,
        names::WHISPER_BASE,
        names::PIPER,
        names::PIPER_CONFIG,
        names::KOKORO,
        names::KOKORO_VOCABULARY,
        names::KOKORO_VOICES,
        names::SILERO,
        names::OCR_DETECTION,
        names::OCR_RECOGNITION,
        names::LCNET,
    ];
    let missing: Vec<&str> = wanted
        .into_iter()
        .filter(|name| weights::file(name).is_err())
        .collect();
    let place = weights::directory();
    vec![if missing.is_empty() {
        Finding::good(
            "models",
            format!("{} files in {}", wanted.len(), place.display()),
        )
    } else {
        Finding::bad(
            "models",
            format!("{} not in {}", missing.join(", "), place.display()),
            "dynacu-host models pull",
        )
    }]
}

fn space() -> Vec<Finding> {
    let models = weights::directory();
    let current = std::env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
    let mut findings = Vec::new();
    for (part, folder, wanted, advice) in [
        (
            "disk: models",
            models.as_path(),
            DISK_WANTED,
            "free some space, or name another folder in $DYNACU_MODELS",
        ),
        (
            "disk: runs",
            current.as_path(),
            DISK_WANTED,
            "free some space, or start where there is more",
        ),
        (
            "/dev/shm",
            Path::new("/dev/shm"),
            SHARED_MEMORY_WANTED,
            "give the container more: --shm-size=1g (lanes work without, but slower)",
        ),
    ] {
        findings.push(match free_bytes(folder) {
            Some(free) if free >= wanted => Finding::good(part, size(free)),
            Some(free) => Finding::bad(part, size(free), advice),
            None => Finding::bad(
                part,
                format!("the free space of {} is unknown", folder.display()),
                advice,
            ),
        });
    }
    findings
}

/// What is free where `folder` lies or will lie.
fn free_bytes(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().find(|path| path.exists())?;
    let status = rustix::fs::statvfs(existing).ok()?;
    Some(status.f_bavail.saturating_mul(status.f_frsize))
}

fn size(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) / GIBIBYTE;
    format!("{}.{} GiB free", tenths / 10, tenths % 10)
}

/// Starts a lane and tries what an episode rests on: the same check as at the start of each lane of a run.
async fn live() -> Vec<Finding> {
    let lane = match Lane::start(0, None).await {
        Ok(lane) => lane,
        Err(error) => {
            return vec![Finding::bad(
                "lane",
                error.to_string(),
                "see the reason; the programs above are installed",
            )];
        }
    };
    let mut findings = vec![Finding::good(
        "lane",
        format!("display {}, sound {}", lane.display, lane.pulse_server),
    )];
    let speak = || Ok(Piper::load()?.synthesize(check::WORDS)?);
    let voice = speak();
    for part in check::check(&lane, voice).await {
        findings.push(match part.result {
            Ok(found) => Finding::good(part.name, found),
            Err(error) => Finding::bad(part.name, format!("{error:#}"), part.advice),
        });
    }
    if let Err(error) = lane.stop().await {
        findings.push(Finding::bad(
            "lane ends",
            error.to_string(),
            "end the processes by hand",
        ));
    }
    findings
}
