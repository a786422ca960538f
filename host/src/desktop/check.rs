//! Does a lane carry pictures and sound both ways? Tried by using it: a page draws a patch, plays a tone and listens to its
//! microphone. The whole check is made once for each lane and by `doctor`, a glance before each episode.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use axum::Router;
use axum::response::Html;
use tokio::time::{Instant, sleep};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat};

use super::browser::Browser;
use super::display::{HEIGHT, WIDTH};
use super::lane::Lane;
use super::sound;
use crate::capture::timebase::Timebase;
use crate::speech::Pcm;
use crate::speech::playback::Microphone;

/// What is said into the microphone.
pub const WORDS: &str = "This is a check of the microphone.";

const TONE_HERTZ: f32 = 997.0;
/// The page plays at -9 dB; a speaker that loses 20 dB of it is broken.
const TONE_HEARD: f32 = -30.0;
/// Digital silence reads -200 dB; what is louder than this is somebody's sound.
const SILENT: f32 = -60.0;
/// Of full scale: speech peaks far above, an idle microphone stays far below.
const VOICE_HEARD: f32 = 0.05;
const VOICE_SILENT: f32 = 0.01;
/// How long what the page draws may take to be on the screen.
const DRAWN_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);
const TONE_FOR: Duration = Duration::from_millis(1200);
/// The first 300 ms are the probe's own beginning.
const SILENCE_FOR: Duration = Duration::from_millis(600);

const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><title>lane check</title><body><script>
const sound = new AudioContext();
let tone, loudest = 0;
window.paint = colour => { document.body.style.background = colour; };
window.play = hertz => {
  tone = new OscillatorNode(sound, {frequency: hertz});
  tone.connect(new GainNode(sound, {gain: 0.5})).connect(sound.destination);
  tone.start();
};
window.hush = () => tone.stop();
window.listen = async () => {
  const plain = {echoCancellation: false, noiseSuppression: false, autoGainControl: false};
  const stream = await navigator.mediaDevices.getUserMedia({audio: plain});
  const ear = new AnalyserNode(sound, {fftSize: 8192});
  sound.createMediaStreamSource(stream).connect(ear);
  const wave = new Float32Array(ear.fftSize);
  setInterval(() => {
    ear.getFloatTimeDomainData(wave);
    for (const sample of wave) loudest = Math.max(loudest, Math.abs(sample));
  }, 40);
};
window.heard = () => { const was = loudest; loudest = 0; return was; };
</script>"#;

/// One thing that was tried.
#[derive(Debug)]
pub struct Part {
    pub name: &'static str,
    /// What was found, or what is wrong.
    pub result: Result<String>,
    /// What to do where it does not work.
    pub advice: &'static str,
}

/// Starts a browser on the lane, tries everything with it and closes it. `voice` is what is said into the microphone.
pub async fn check(lane: &Lane, voice: Result<Pcm>) -> Vec<Part> {
    let mut parts = Vec::new();
    let tried = async {
        let (url, serving) = serve().await?;
        match lane.launch_browser(&url).await {
            Ok(browser) => Ok((browser, serving)),
            Err(error) => {
                serving.abort();
                Err(anyhow::Error::from(error))
            }
        }
    };
    let (browser, serving) = match tried.await {
        Ok(started) => started,
        Err(error) => {
            parts.push(Part {
                name: "browser",
                result: Err(error),
                advice: "try `chromium --version`; in a container try as root or allow user namespaces",
            });
            return parts;
        }
    };
    parts.push(Part {
        name: "browser",
        result: Ok(browser.version.clone()),
        advice: "",
    });
    parts.push(Part {
        name: "page size",
        result: geometry(&browser).await,
        advice: "another window manager may be in the way: is the display shared?",
    });
    parts.push(Part {
        name: "page seen",
        result: patch(lane, &browser).await,
        advice: "Chromium does not draw on this display",
    });
    let silent = "the lane's sound server does not carry sound";
    parts.push(Part {
        name: "speaker heard",
        result: tone(lane, &browser).await,
        advice: silent,
    });
    parts.push(Part {
        name: "microphone heard",
        result: match voice {
            Ok(voice) => microphone(lane, &browser, voice).await,
            Err(error) => Err(error.context("there is no voice for the test")),
        },
        advice: silent,
    });
    serving.abort();
    if let Err(error) = lane.close_browser(browser).await {
        parts.push(Part {
            name: "browser ends",
            result: Err(error.into()),
            advice: "end the process by hand",
        });
    }
    parts
}

/// The first thing that is wrong with a checked lane.
///
/// # Errors
/// That one.
pub fn all_work(parts: Vec<Part>) -> Result<()> {
    for part in parts {
        part.result.context(part.name)?;
    }
    Ok(())
}

async fn serve() -> std::io::Result<(String, tokio::task::JoinHandle<()>)> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let router = Router::new().fallback(|| async { Html(PAGE) });
    let serving = tokio::spawn(async move {
        // Ends when the check aborts it.
        let _ = axum::serve(listener, router).await;
    });
    Ok((url, serving))
}

async fn geometry(browser: &Browser) -> Result<String> {
    browser.check_geometry().await?;
    Ok(format!("{WIDTH}x{HEIGHT}, pixel ratio 1"))
}

async fn patch(lane: &Lane, browser: &Browser) -> Result<String> {
    let patch = Patch::new()?;
    let paint = format!("void paint('{}')", patch.css());
    let () = browser.evaluate(&paint).await?;
    patch.is_seen(lane).await?;
    Ok("a patch drawn by the page is on the screen".to_owned())
}

async fn tone(lane: &Lane, browser: &Browser) -> Result<String> {
    let () = browser
        .evaluate(&format!("void play({TONE_HERTZ})"))
        .await?;
    let level = listen(lane, sound::SPEAKER_MONITOR, TONE_FOR).await;
    let () = browser.evaluate("void hush()").await?;
    let level = level?.tone;
    ensure!(
        level > TONE_HEARD,
        "the page plays a tone, but only {level:.0} dB arrive"
    );
    Ok(format!("a tone of the page arrives at {level:.0} dB"))
}

async fn microphone(lane: &Lane, browser: &Browser, voice: Pcm) -> Result<String> {
    let () = browser.evaluate("listen()").await?;
    sleep(SILENCE_FOR).await;
    let _: f32 = browser.evaluate("heard()").await?;
    sleep(SILENCE_FOR).await;
    let idle: f32 = browser.evaluate("heard()").await?;
    ensure!(
        idle < VOICE_SILENT,
        "the page's microphone hears something while nobody speaks ({idle:.3} of full scale)"
    );
    let speaking = Duration::from_millis(voice.millis()).max(SILENCE_FOR);
    let (server, sink) = (lane.pulse_server.clone(), lane.microphone_sink.clone());
    let said = tokio::task::spawn_blocking(move || {
        let microphone = Microphone::connect(&server, &sink, Arc::new(Timebase::new()))?;
        microphone.play(&voice, &AtomicBool::new(false))
    });
    let (said, leaked) = tokio::join!(said, listen(lane, sound::SPEAKER_MONITOR, speaking));
    said.context("the voice was not played to its end")??;
    sleep(SILENCE_FOR).await;
    let heard: f32 = browser.evaluate("heard()").await?;
    ensure!(
        heard > VOICE_HEARD,
        "a voice speaks, but the page's microphone hears only {heard:.3} of full scale"
    );
    let leaked = leaked?.all;
    ensure!(
        leaked < SILENT,
        "what is said into the microphone comes out of the speaker at {leaked:.0} dB"
    );
    Ok(format!(
        "the page hears a voice at {heard:.2} of full scale"
    ))
}

/// A page of one colour that no page before it had.
pub struct Patch([u8; 3]);

impl Patch {
    /// # Errors
    /// The system gives no random numbers.
    pub fn new() -> Result<Patch> {
        let mut colour = [0_u8; 3];
        getrandom::fill(&mut colour).map_err(|error| anyhow!("no random colour: {error}"))?;
        Ok(Patch(colour))
    }

    fn css(&self) -> String {
        let [red, green, blue] = self.0;
        format!("rgb({red},{green},{blue})")
    }

    /// An address that shows it.
    #[must_use]
    pub fn url(&self) -> String {
        format!(
            "data:text/html,<body style='margin:0;background:{}'>",
            self.css()
        )
    }

    /// Waits until the middle of the lane's screen has the colour.
    ///
    /// # Errors
    /// It has another one.
    pub async fn is_seen(&self, lane: &Lane) -> Result<()> {
        let deadline = Instant::now() + DRAWN_WITHIN;
        loop {
            let seen = pixel(&lane.display)?;
            if seen == self.0 {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!(
                    "the screen shows {seen:?} where the page draws {:?}",
                    self.0
                );
            }
            sleep(LOOK_EVERY).await;
        }
    }
}

/// Red, green and blue in the middle of the screen.
fn pixel(display: &str) -> Result<[u8; 3]> {
    let (connection, screen) = x11rb::connect(Some(display))?;
    let root = connection
        .setup()
        .roots
        .get(screen)
        .context("the display has no screen")?
        .root;
    let (x, y) = ((WIDTH / 2).cast_signed(), (HEIGHT / 2).cast_signed());
    let image = connection
        .get_image(ImageFormat::Z_PIXMAP, root, x, y, 1, 1, u32::MAX)?
        .reply()?;
    match image.data.as_slice() {
        [blue, green, red, ..] => Ok([*red, *green, *blue]),
        _ => bail!("the display returned no pixel"),
    }
}

/// Nothing plays and nobody speaks on the lane.
///
/// # Errors
/// Something is heard, or the sound server does not answer.
pub async fn silence(lane: &Lane) -> Result<()> {
    let (speaker, microphone) = tokio::join!(
        listen(lane, sound::SPEAKER_MONITOR, SILENCE_FOR),
        listen(lane, sound::MICROPHONE, SILENCE_FOR)
    );
    for (device, level) in [("speaker", speaker?), ("microphone", microphone?)] {
        ensure!(
            level.all < SILENT,
            "the {device} is at {:.0} dB before anything plays",
            level.all
        );
    }
    Ok(())
}

async fn listen(lane: &Lane, source: &'static str, time: Duration) -> Result<sound::Level> {
    let server = lane.pulse_server.clone();
    let heard = tokio::task::spawn_blocking(move || {
        sound::level_while_playing(&server, source, None, TONE_HERTZ, time)
    });
    Ok(heard.await??)
}
