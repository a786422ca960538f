//! `dynacu-host doctor`: is everything there that an episode needs, and does it work? One line a part, advice where it is not.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Serialize;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat};

use crate::config::model::ModelArguments;
use crate::desktop::browser::{self, Browser};
use crate::desktop::display::{HEIGHT, WIDTH};
use crate::desktop::lane::Lane;
use crate::desktop::sound;
use crate::models;

mod asked;

/// A run of three tasks fits into this much; models and compiled guests come on top.
const DISK_WANTED: u64 = 2 * GIBIBYTE;
/// Chromium's own shared memory; below it the lane falls back to files.
const SHARED_MEMORY_WANTED: u64 = GIBIBYTE / 2;
const GIBIBYTE: u64 = 1 << 30;
const ANSWER_WITHIN: Duration = Duration::from_secs(15);
const TONE_HERTZ: f32 = 997.0;
/// The tone is played at -9 dB; a microphone or speaker that loses 20 dB of it is broken.
const TONE_HEARD: f32 = -30.0;

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
pub async fn run(
    json: bool,
    adapters: Vec<String>,
    settings: Option<PathBuf>,
    model: ModelArguments,
) -> anyhow::Result<bool> {
    let asked = asked::findings(adapters, settings, model).await?;
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
        for finding in &findings {
            let mark = if finding.works { "ok   " } else { "FAULT" };
            writeln!(output, "{mark}  {:<18} {}", finding.part, finding.found)?;
            if let Some(advice) = &finding.advice {
                writeln!(output, "       {:<18} -> {advice}", "")?;
            }
        }
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
    use models::names;
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
        .filter(|name| models::file(name).is_err())
        .collect();
    let place = models::directory();
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
    let models = models::directory();
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
                format!("{} cannot be asked", folder.display()),
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

/// Starts a lane and tries what an episode rests on.
async fn live() -> Vec<Finding> {
    let lane = match Lane::start(0, None).await {
        Ok(lane) => lane,
        Err(error) => {
            return vec![Finding::bad(
                "lane",
                error.to_string(),
                "see the reason; the programs above are there",
            )];
        }
    };
    let mut findings = vec![Finding::good(
        "lane",
        format!("display {}, sound {}", lane.display, lane.pulse_server),
    )];
    match lane.launch_browser("about:blank").await {
        Ok(browser) => {
            findings.push(Finding::good("browser", browser.version.clone()));
            findings.push(geometry(&browser).await);
            findings.push(patch(&lane, &browser).await);
            if let Err(error) = lane.close_browser(browser).await {
                findings.push(Finding::bad(
                    "browser ends",
                    error.to_string(),
                    "end the process by hand",
                ));
            }
        }
        Err(error) => findings.push(Finding::bad(
            "browser",
            error.to_string(),
            "try `chromium --version`; in a container try as root or allow user namespaces",
        )),
    }
    findings.push(
        heard(
            &lane,
            "speaker heard",
            &lane.speaker_sink,
            &lane.speaker_monitor,
        )
        .await,
    );
    findings.push(
        heard(
            &lane,
            "microphone heard",
            &lane.microphone_sink,
            sound::MICROPHONE,
        )
        .await,
    );
    if let Err(error) = lane.stop().await {
        findings.push(Finding::bad(
            "lane ends",
            error.to_string(),
            "end the processes by hand",
        ));
    }
    findings
}

async fn geometry(browser: &Browser) -> Finding {
    match browser.check_geometry().await {
        Ok(()) => Finding::good("page size", format!("{WIDTH}x{HEIGHT}, pixel ratio 1")),
        Err(error) => Finding::bad(
            "page size",
            error.to_string(),
            "another window manager may be in the way: is the display shared?",
        ),
    }
}

/// Lets the page draw a colour and looks for it on the screen.
async fn patch(lane: &Lane, browser: &Browser) -> Finding {
    let drawn = browser
        .goto("data:text/html,<body style='margin:0;background:rgb(12,200,90)'>")
        .await;
    let advice = "Chromium does not draw on this display";
    if let Err(error) = drawn {
        return Finding::bad("page seen", error.to_string(), advice);
    }
    let mut seen = Err("nothing yet".to_owned());
    for _ in 0..50 {
        seen = pixel(&lane.display);
        if seen == Ok([12, 200, 90]) {
            return Finding::good("page seen", "a patch drawn by the page is on the screen");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Finding::bad(
        "page seen",
        format!("{seen:?} in place of [12, 200, 90]"),
        advice,
    )
}

/// Red, green and blue in the middle of the screen.
fn pixel(display: &str) -> Result<[u8; 3], String> {
    fn text(error: impl std::fmt::Display) -> String {
        error.to_string()
    }
    let (connection, screen) = x11rb::connect(Some(display)).map_err(text)?;
    let root = connection
        .setup()
        .roots
        .get(screen)
        .ok_or("no screen")?
        .root;
    let (x, y) = ((WIDTH / 2).cast_signed(), (HEIGHT / 2).cast_signed());
    let image = connection
        .get_image(ImageFormat::Z_PIXMAP, root, x, y, 1, 1, u32::MAX)
        .map_err(text)?
        .reply()
        .map_err(text)?;
    match image.data.as_slice() {
        [blue, green, red, ..] => Ok([*red, *green, *blue]),
        _ => Err("no pixel".to_owned()),
    }
}

/// Plays a tone into a sink and listens to a source.
async fn heard(lane: &Lane, part: &str, sink: &str, source: &str) -> Finding {
    let (server, sink, source) = (
        lane.pulse_server.clone(),
        sink.to_owned(),
        source.to_owned(),
    );
    let measured = tokio::task::spawn_blocking(move || {
        let play = Some((server.as_str(), sink.as_str()));
        sound::level_while_playing(
            &server,
            &source,
            play,
            TONE_HERTZ,
            Duration::from_millis(1200),
        )
    })
    .await;
    let advice = "the lane's sound server does not carry sound";
    match measured {
        Ok(Ok(level)) if level.tone > TONE_HEARD => {
            Finding::good(part, format!("a tone arrives at {:.0} dB", level.tone))
        }
        Ok(Ok(level)) => Finding::bad(part, format!("only {:.0} dB of a tone", level.tone), advice),
        Ok(Err(error)) => Finding::bad(part, error.to_string(), advice),
        Err(error) => Finding::bad(part, error.to_string(), advice),
    }
}
