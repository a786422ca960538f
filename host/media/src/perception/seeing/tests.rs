//! On a real display of its own: what is drawn on it and how often it is captured.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use image::RgbImage;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, Rectangle};
use x11rb::rust_connection::RustConnection;

use super::*;

/// An X server that ends with the test.
struct Xvfb {
    server: Child,
    name: String,
}

impl Xvfb {
    fn start() -> Result<Self> {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "640x360x24",
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut number = String::new();
        let output = server.stdout.take().context("no output")?;
        let read = BufReader::new(output).read_line(&mut number);
        let started = Self {
            server,
            name: format!(":{}", number.trim()),
        };
        read?;
        Ok(started)
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Draws boxes on the root window.
struct Brush {
    connection: RustConnection,
    root: u32,
    pen: u32,
}

impl Brush {
    fn new(display: &str) -> Result<Self> {
        let (connection, screen) = x11rb::connect(Some(display))?;
        let root = connection.setup().roots[screen].root;
        let pen = connection.generate_id()?;
        connection
            .create_gc(pen, root, &CreateGCAux::new())?
            .check()?;
        Ok(Self {
            connection,
            root,
            pen,
        })
    }

    fn draw(&self, (x, y, width, height): (i16, i16, u16, u16), colour: u32) -> Result<()> {
        self.connection.change_gc(
            self.pen,
            &x11rb::protocol::xproto::ChangeGCAux::new().foreground(colour),
        )?;
        self.connection.poly_fill_rectangle(
            self.root,
            self.pen,
            &[Rectangle {
                x,
                y,
                width,
                height,
            }],
        )?;
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }
}

/// Mean colour of a grid of 4x4.
struct Grid;

impl Encoder for Grid {
    fn name(&self) -> &str {
        "grid"
    }

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
        let (width, height) = image.dimensions();
        let mut sums = vec![0.0; 48];
        for (x, y, pixel) in image.enumerate_pixels() {
            let cell = (y * 4 / height * 4 + x * 4 / width) as usize;
            for (sum, value) in sums[cell * 3..].iter_mut().zip(pixel.0) {
                *sum += f32::from(value) - 100.0;
            }
        }
        Ok(sums)
    }
}

/// Captures a second as in the specification, …
const STEADY: f32 = 3.0;
/// … and so few that whatever is captured after the first frame was captured because something was drawn.
const HARDLY: f32 = 0.01;

fn seeing(
    display: &Xvfb,
    gate: GateKind,
    fps: f32,
    burst: bool,
) -> (Seeing, mpsc::Receiver<SeeingEvent>) {
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    let started = Seeing::start(SeeingConfig {
        display: display.name.clone(),
        fps,
        gate,
        gate_key: 1,
        burst,
        encoder: Arc::new(Grid),
        timebase,
    });
    started.unwrap()
}

/// Waits until so many frames were captured.
fn captured(seeing: &Seeing, frames: u64) -> SeeingStats {
    loop {
        let stats = seeing.stats();
        if stats.frames >= frames {
            return stats;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The middle pixel's colour of the next frame that is kept.
fn next_colour(events: &mut mpsc::Receiver<SeeingEvent>) -> [u8; 3] {
    match events.blocking_recv().unwrap() {
        SeeingEvent::Kept(kept) => middle(&kept),
        SeeingEvent::Lost(why) => panic!("{why}"),
    }
}

fn middle(kept: &Kept) -> [u8; 3] {
    kept.decision.frame.rgb().unwrap().get_pixel(320, 180).0
}

const BOX: (i16, i16, u16, u16) = (220, 100, 200, 160);

#[test]
fn a_burst_sees_what_comes_and_goes_between_two_steady_captures() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    let (seeing, mut events) = seeing(&display, GateKind::Pixel, HARDLY, true);
    captured(&seeing, 1);
    for index in 0..8_u32 {
        let colour = 0x0020_40f0 ^ (index * 0x0020_0c10);
        brush.draw(BOX, colour).unwrap();
        let [_, red, green, blue] = colour.to_be_bytes();
        assert_eq!(next_colour(&mut events), [red, green, blue]);
        brush.draw(BOX, 0).unwrap();
        assert_eq!(next_colour(&mut events), [0; 3]);
    }
    let stats = seeing.stats();
    assert_eq!(stats.on_damage, 16, "{stats:?}");
    assert!(events.try_recv().is_err());
}

#[test]
fn a_still_screen_is_captured_steadily_also_with_burst() {
    let display = Xvfb::start().unwrap();
    let (seeing, mut events) = seeing(&display, GateKind::Local, STEADY, true);
    let stats = captured(&seeing, 5);
    assert_eq!((stats.on_damage, stats.kept), (0, 0), "{stats:?}");
    assert!(events.try_recv().is_err());
}

#[test]
fn a_screen_that_never_rests_is_captured_ten_times_a_second_at_most() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    let (seeing, _events) = seeing(&display, GateKind::None, HARDLY, true);
    let began = Instant::now();
    let before = captured(&seeing, 1).frames;
    let mut drawn = 0;
    while seeing.stats().on_damage < 10 {
        brush.draw(BOX, drawn * 1000).unwrap();
        drawn += 1;
        std::thread::sleep(Duration::from_millis(8));
    }
    let frames = seeing.stats().frames - before;
    // However fast the machine is, and however slow.
    let most = began.elapsed().as_secs_f64() * 10.0 + 1.0;
    assert!(frames as f64 <= most, "{frames} of at most {most}");
}

#[test]
fn uniform_keeps_also_what_does_not_change_and_none_keeps_nothing() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    brush.draw(BOX, 0x00ff_0000).unwrap();
    let (_uniform, mut every) = seeing(&display, GateKind::Uniform3, STEADY, false);
    let (nothing, mut none) = seeing(&display, GateKind::None, STEADY, false);
    for _ in 0..4 {
        assert_eq!(next_colour(&mut every), [255, 0, 0]);
    }
    assert_eq!(captured(&nothing, 4).kept, 0);
    assert!(none.try_recv().is_err());
}

#[test]
fn a_display_that_goes_away_is_told() {
    for burst in [false, true] {
        let display = Xvfb::start().unwrap();
        let (_seeing, mut events) = seeing(&display, GateKind::Local, STEADY, burst);
        drop(display);
        assert!(
            matches!(events.blocking_recv(), Some(SeeingEvent::Lost(_))),
            "burst {burst}"
        );
    }
}

/// Prints how well the pace is kept while another process takes a core, and what pixels and frames cost.
#[test]
#[ignore = "prints figures, takes half a minute"]
fn print_the_pace_beside_a_busy_guest() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    for guests in 0..=2 {
        let spinning: Vec<Child> = (0..guests)
            .map(|_| {
                Command::new("nice")
                    .args(["-n", "10", "sh", "-c", "while :; do :; done"])
                    .spawn()
                    .unwrap()
            })
            .collect();
        let (seeing, _events) = seeing(&display, GateKind::Local, STEADY, false);
        for index in 0..200_u32 {
            brush.draw(BOX, index * 1000).unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        let stats = seeing.stats();
        for mut guest in spinning {
            let _ = guest.kill();
            let _ = guest.wait();
        }
        eprintln!(
            "{guests} busy guests at nice 10: intervals {:?}, late {} of {}",
            stats.intervals_ms, stats.late_intervals, stats.frames
        );
        eprintln!(
            "  grab ms {:?}\n  gate us {:?}\n  decision ms {:?}",
            stats.grab_ms, stats.gate_us, stats.decision_delay_ms
        );
    }
}
