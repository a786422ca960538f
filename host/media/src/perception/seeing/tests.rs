//! On a real display of its own: what is drawn on it and how often it is captured.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

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

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>> {
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

fn seeing(
    display: &Xvfb,
    gate: GateKind,
    burst: bool,
) -> Result<(Seeing, mpsc::Receiver<SeeingEvent>)> {
    let timebase = Arc::new(Timebase::new());
    timebase.start();
    Seeing::start(SeeingConfig {
        display: display.name.clone(),
        fps: 3.0,
        gate,
        gate_key: 1,
        burst,
        encoder: Arc::new(Grid),
        timebase,
    })
}

/// The middle pixel's colours of all frames kept so far, in order.
fn colours(events: &mut mpsc::Receiver<SeeingEvent>) -> Vec<[u8; 3]> {
    let mut colours = Vec::new();
    while let Ok(event) = events.try_recv() {
        match event {
            SeeingEvent::Kept(kept) => {
                colours.push(kept.frame.rgb().unwrap().get_pixel(320, 180).0)
            }
            SeeingEvent::Lost(why) => panic!("{why}"),
        }
    }
    colours
}

const BOX: (i16, i16, u16, u16) = (220, 100, 200, 160);

/// Flashes of 150 ms, one in each 433 ms, so that they come at all phases of a steady capture.
fn flashes(brush: &Brush) -> Vec<[u8; 3]> {
    let shown: Vec<u32> = (0..8)
        .map(|index| 0x0020_40f0 ^ (index * 0x0020_0c10))
        .collect();
    for colour in &shown {
        brush.draw(BOX, *colour).unwrap();
        std::thread::sleep(Duration::from_millis(150));
        brush.draw(BOX, 0).unwrap();
        std::thread::sleep(Duration::from_millis(283));
    }
    shown
        .iter()
        .map(|colour| [(colour >> 16) as u8, (colour >> 8) as u8, *colour as u8])
        .collect()
}

#[test]
fn a_burst_sees_what_comes_and_goes_between_two_steady_captures() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    let (seeing, mut events) = seeing(&display, GateKind::Local, true).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let shown = flashes(&brush);
    std::thread::sleep(Duration::from_millis(600));
    let seen = colours(&mut events);
    let missed: Vec<_> = shown
        .iter()
        .filter(|colour| !seen.contains(colour))
        .collect();
    let stats = seeing.stats();
    assert_eq!(missed, Vec::<&[u8; 3]>::new(), "{seen:?} {stats:?}");
    assert!(
        stats.intervals_ms.count > 0 && stats.on_damage >= 8,
        "{stats:?}"
    );
}

#[test]
fn a_still_screen_is_captured_steadily_also_with_burst() {
    let display = Xvfb::start().unwrap();
    let (seeing, mut events) = seeing(&display, GateKind::Local, true).unwrap();
    std::thread::sleep(Duration::from_millis(2100));
    let stats = seeing.stats();
    assert_eq!(colours(&mut events), Vec::<[u8; 3]>::new());
    assert_eq!(stats.on_damage, 0);
    assert!((4..=8).contains(&stats.frames), "{stats:?}");
}

#[test]
fn a_screen_that_never_rests_is_captured_ten_times_a_second_at_most() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    let (seeing, _events) = seeing(&display, GateKind::None, true).unwrap();
    let (before, began) = (seeing.stats().frames, Instant::now());
    for index in 0..200_u32 {
        brush.draw(BOX, index * 1000).unwrap();
        std::thread::sleep(Duration::from_millis(8));
    }
    let (frames, seconds) = (
        seeing.stats().frames - before,
        began.elapsed().as_secs_f64(),
    );
    assert!(
        frames as f64 <= seconds * 10.0 + 2.0,
        "{frames} in {seconds} s"
    );
    assert!(
        frames as f64 > seconds * 3.0 + 1.0,
        "{frames} in {seconds} s"
    );
}

#[test]
fn uniform_keeps_also_what_does_not_change_and_none_keeps_nothing() {
    let display = Xvfb::start().unwrap();
    let brush = Brush::new(&display.name).unwrap();
    let (uniform, mut every) = seeing(&display, GateKind::Uniform3, false).unwrap();
    let (nothing, mut none) = seeing(&display, GateKind::None, false).unwrap();
    brush.draw(BOX, 0x00ff_0000).unwrap();
    std::thread::sleep(Duration::from_millis(1800));
    let (kept, captured) = (colours(&mut every), uniform.stats().frames);
    assert!(
        kept.len() >= 3 && kept.len() as u64 <= captured,
        "{kept:?} of {captured}"
    );
    assert_eq!(colours(&mut none), Vec::<[u8; 3]>::new());
    assert!(nothing.stats().frames >= 3);
}

#[test]
fn a_display_that_goes_away_is_told() {
    for burst in [false, true] {
        let display = Xvfb::start().unwrap();
        let (_seeing, mut events) = seeing(&display, GateKind::Local, burst).unwrap();
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
        let (seeing, _events) = seeing(&display, GateKind::Local, false).unwrap();
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
