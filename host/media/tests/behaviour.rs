//! What perception does with a screen and a sound that are always the same, held to a committed file that has
//! [`perception::VERSION`] in its name. The gates' ledger trusts that number instead of hashing sources: whoever changes what perception
//! does has to raise it, and whoever changes a comment does not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dynacu_media::capture::screen::Frame;
use dynacu_media::capture::timebase::Timebase;
use dynacu_media::error::ModelError;
use dynacu_media::perception;
use dynacu_media::perception::encoder::{Encoder, StandIn};
use dynacu_media::perception::hearing::Hearing;
use dynacu_media::perception::keyframe::GateKind;
use dynacu_media::perception::reading::Reader;
use dynacu_media::perception::recognizer::RecognizerChoice;
use dynacu_weights::lock::Lock;
use dynacu_weights::{file, names};
use image::RgbImage;

#[path = "behaviour/film.rs"]
mod film;

const WRITE: &str = "DYNACU_WRITE_BEHAVIOUR";
/// Between two captures, ms.
const INTERVAL: u64 = 333;
/// Other weights or another runtime do something else, even where it does not show below.
const WEIGHTS: [&str; 6] = [
    names::ONNX_RUNTIME,
    names::LCNET,
    names::OCR_DETECTION,
    names::OCR_RECOGNITION,
    names::SILERO,
    names::WHISPER_BASE,
];

fn folder() -> PathBuf {
    Path::new(concat!(
        env!("DYNACU_CHECKOUT"),
        "/host/media/tests/behaviour"
    ))
    .to_owned()
}

/// The committed files, one for each version.
fn committed() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|extension| extension == "txt"))
        .collect()
}

#[test]
fn perception_does_what_its_version_says() {
    let encoder: Arc<dyn Encoder> = Arc::new(StandIn::load().expect("the tests need the models"));
    let seen = seen(&encoder);
    // A decision that hangs on the last digits is another one on the next processor: such a film would hold nothing.
    assert_eq!(
        seen,
        self::seen(&(Arc::new(Shaken(encoder)) as Arc<dyn Encoder>))
    );
    let now = format!("{}{seen}{}{}", weights(), read(), heard());

    let version = perception::VERSION;
    let path = folder().join(format!("v{version}.txt"));
    let was = std::fs::read_to_string(&path).ok();
    if std::env::var_os(WRITE).is_some() {
        assert!(
            was.is_none_or(|was| was == now),
            "v{version}.txt says something else: raise perception::VERSION, then write"
        );
        for other in committed() {
            std::fs::remove_file(other).unwrap();
        }
        std::fs::write(&path, now).unwrap();
        return;
    }
    assert_eq!(
        committed(),
        [path],
        "one file, of this version, is committed: {WRITE}=1 writes it"
    );
    let was = was.unwrap();
    let lines = was.lines().map(Some).chain(std::iter::repeat(None));
    let mut both = (1..).zip(lines.zip(now.lines().map(Some).chain([None])));
    if let Some((line, (was, is))) = both.find(|(_, (was, is))| was != is) {
        panic!(
            "perception does something else than v{version}.txt says, first in line {line}:\n  was {was:?}\n  is  {is:?}\n\
             If that is wanted, raise perception::VERSION and run this test with {WRITE}=1. All of the gates' ledger is then out of date."
        );
    }
}

/// The locked hash of each file that perception works with.
fn weights() -> String {
    let lock = Lock::embedded().unwrap();
    let mut text = String::from("weights\n");
    for name in WEIGHTS {
        let locked = lock.files.iter().find(|file| file.name == name).unwrap();
        writeln!(text, "  {name} {}", locked.sha256.as_ref().unwrap()).unwrap();
    }
    text
}

/// What each gate keeps of the film: when, why, and the box around what changed.
fn seen(encoder: &Arc<dyn Encoder>) -> String {
    let mut text = String::new();
    let pictures: Vec<RgbImage> = (0..film::LENGTH / INTERVAL)
        .map(|index| film::picture(index * INTERVAL))
        .collect();
    for kind in GateKind::ALL {
        writeln!(text, "kept by {}", kind.name()).unwrap();
        let interval = Duration::from_millis(INTERVAL);
        let mut gate = kind.build(Arc::clone(encoder), interval, 7);
        let start = Instant::now();
        let mut last: Option<Arc<Frame>> = None;
        for (index, picture) in (0..).zip(&pictures) {
            let captured = start + interval * index;
            let frame = Arc::new(Frame::from_rgb(captured, picture));
            let same = last.as_ref().is_some_and(|last| last.looks_like(&frame));
            let decision = if index == 0 {
                gate.rebase(&frame);
                None
            } else if same && !gate.wants_every_frame() {
                gate.rest(captured).unwrap()
            } else {
                gate.offer(&frame).unwrap()
            };
            if let Some(kept) = decision {
                let at = kept.frame.captured.duration_since(start).as_millis();
                let why = if kept.settled { "settled" } else { "changed" };
                writeln!(text, "  {at} ms {why} {:?}", kept.changed).unwrap();
            }
            last = Some(frame);
        }
    }
    text
}

/// The same encoder on a processor that rounds otherwise.
struct Shaken(Arc<dyn Encoder>);

impl Encoder for Shaken {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
        let values = self.0.embed(image)?;
        let shake = [1.0002, 0.9999, 1.0001, 0.9998, 1.0];
        let shaken = values.iter().zip(shake.iter().cycle());
        Ok(shaken.map(|(value, shake)| value * shake).collect())
    }
}

/// The lines that are read off a picture; where they stand differs by a pixel between processors.
fn read() -> String {
    let picture = folder().join("../../src/perception/reading/tests/console.png");
    let picture = image::open(picture).unwrap().into_rgb8();
    let mut text = String::from("read\n");
    for line in Reader::load().unwrap().read(&picture).unwrap() {
        writeln!(text, "  {}", line.text).unwrap();
    }
    text
}

/// The sentences of two speakers, word by word: case, marks and times are left out.
fn heard() -> String {
    let quiet = vec![0.0; 8_000];
    let (question, remark) = (spoken("question.flac"), spoken("remark.flac"));
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let recognizer = RecognizerChoice::Base.load().unwrap();
    let silero = file(names::SILERO).unwrap();
    let (hearing, _events) = Hearing::fed(timebase, recognizer, &silero).unwrap();
    hearing.feed(&[quiet.clone(), question, quiet.clone(), remark, quiet].concat());
    let mut text = String::from("heard\n");
    for sentence in hearing.stop().sentences {
        let words = sentence.text.to_lowercase();
        let words: Vec<&str> = words
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let turn = if sentence.starts_turn { "turn" } else { "same" };
        writeln!(text, "  {turn} {}", words.join(" ")).unwrap();
    }
    text
}

/// 16 kHz, one channel.
fn spoken(name: &str) -> Vec<f32> {
    let decoded = Command::new("flac")
        .args(["--decode", "--stdout", "--silent", "--force-raw-format"])
        .args(["--endian=little", "--sign=signed"])
        .arg(folder().join(name))
        .output()
        .expect("flac is installed by `make setup`");
    assert!(decoded.status.success(), "{decoded:?}");
    let pairs = decoded.stdout.chunks_exact(2);
    pairs
        .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0)
        .collect()
}
