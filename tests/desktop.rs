//! One lane, for real: display, sound, browser, hands, and what is left when it ends.
//!
//! The lane's supervisor is the built `dynacu-host`, named by `$DYNACU_HOST_EXE` or found beside the test's own program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "in a test a panic is the report"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use dynacu_host::desktop::browser::BrowserEvent;
use dynacu_host::desktop::sound;
use dynacu_host::input::keymap;
use dynacu_record::vocabulary::{MouseButton, ScrollDirection};
use tokio::time::{sleep, timeout};

#[path = "desktop/bench.rs"]
mod bench;
#[path = "desktop/dialogs.rs"]
mod dialogs;
#[path = "desktop/isolation.rs"]
mod isolation;
#[path = "desktop/playing.rs"]
mod playing;
#[path = "desktop/watching.rs"]
mod watching;

use bench::{Host, chord, on_page, processes_of, serve, with_lanes, x_socket};

/// How long what is sure to come is waited for, on a machine that is busy with other work too.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_stopped_lane_leaves_nothing() {
    with_lanes(|parent| async move {
        let (lane, browser, input) = on_page(&parent).await;
        assert!(browser.version.contains("Chrom"), "{}", browser.version);
        let (folder, socket) = (lane.folder.clone(), x_socket(&lane.display));
        assert!(processes_of(&folder).len() > 5);
        assert!(socket.exists());
        let result = browser.page_result().await.unwrap();
        assert!(result.contains("\"text\":\"\""), "{result}");
        // A second browser, with a fresh profile, in the same lane.
        lane.close_browser(browser).await.unwrap();
        assert!(processes_of(&folder.join("browser-0")).is_empty());
        let second = lane.launch_browser(&serve().await).await.unwrap();
        second.check_geometry().await.unwrap();
        drop(input);
        lane.stop().await.unwrap();
        assert!(!folder.exists());
        assert!(!socket.exists());
        assert!(processes_of(&folder).is_empty());
    });
}

#[test]
fn any_text_arrives_as_it_is() {
    with_lanes(|parent| async move {
        let (lane, browser, mut input) = on_page(&parent).await;
        let texts = [
            "adds_r0_r0_8.csv",
            "Spaß ÀÉØ ñ",
            r#"a<b && "c"; d|e~^`"#,
            "It's 50% – “ok”",
            "日本語",
            "😀",
            "two\nlines",
            "ASCII: !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~",
        ];
        input.click(400, 200, MouseButton::Left, 1).unwrap();
        for round in 0..10 {
            for text in texts {
                let () = browser.evaluate("void (text.value = '')").await.unwrap();
                input.type_text(text).unwrap();
                let mut value = String::new();
                for _ in 0..60 {
                    value = browser.evaluate("text.value").await.unwrap();
                    if value == text {
                        break;
                    }
                    sleep(Duration::from_millis(50)).await;
                }
                assert_eq!(value, text, "round {round}");
            }
        }
        // More characters than there are spare keys.
        let many: String = ('一'..).take(300).collect();
        let () = browser.evaluate("void (text.value = '')").await.unwrap();
        input.type_text(&many).unwrap();
        sleep(Duration::from_secs(1)).await;
        assert_eq!(
            browser.evaluate::<String>("text.value").await.unwrap(),
            many
        );
        drop(input);
        lane.stop().await.unwrap();
    });
}

#[test]
fn hands_reach_every_point_and_let_go() {
    with_lanes(|parent| async move {
        let (lane, browser, mut input) = on_page(&parent).await;
        for (x, y) in [(0, 0), (1279, 0), (0, 719), (1279, 719), (640, 360)] {
            let () = browser.evaluate("void (points.length = 0)").await.unwrap();
            input.click(x, y, MouseButton::Left, 1).unwrap();
            let points: Vec<[i32; 6]> = browser.evaluate("points").await.unwrap();
            assert_eq!(points, [[x, y, x, y, 0, 1]]);
            assert_eq!(input.pointer().unwrap(), (x, y));
        }
        for (x, y) in [(1280, 5), (-1, 5), (640, 720)] {
            assert!(input.click(x, y, MouseButton::Left, 1).is_err());
        }
        let () = browser.evaluate("void (points.length = 0)").await.unwrap();
        input.click(900, 400, MouseButton::Right, 1).unwrap();
        input.click(900, 500, MouseButton::Left, 3).unwrap();
        let points: Vec<[i32; 6]> = browser.evaluate("points").await.unwrap();
        let details: Vec<_> = points.iter().map(|point| (point[4], point[5])).collect();
        assert_eq!(details, [(2, 1), (0, 1), (0, 2), (0, 3)]);

        let () = browser.evaluate("void (drags.length = 0)").await.unwrap();
        input.drag((800, 300), (1100, 600)).unwrap();
        let drags: Vec<[i32; 2]> = browser.evaluate("drags").await.unwrap();
        assert!(drags.len() >= 8, "{drags:?}");
        assert_eq!(drags.last(), Some(&[1100, 600]));

        input
            .scroll(Some((900, 400)), ScrollDirection::Down, 5)
            .unwrap();
        sleep(Duration::from_secs(1)).await;
        assert!(browser.evaluate::<f64>("scrollY").await.unwrap() > 100.0);
        let () = browser.evaluate("void scrollTo(0, 0)").await.unwrap();

        // Editing chords do what they say.
        input.click(400, 200, MouseButton::Left, 1).unwrap();
        input.type_text("one two").unwrap();
        for written in [
            "ctrl+a",
            "ctrl+c",
            "End",
            "Return",
            "ctrl+v",
            "shift+Home",
            "ctrl+x",
            "ctrl+z",
        ] {
            chord(&mut input, written);
        }
        sleep(Duration::from_millis(500)).await;
        assert_eq!(
            browser.evaluate::<String>("text.value").await.unwrap(),
            "one two\none two"
        );
        drop(input);
        lane.stop().await.unwrap();
    });
}

#[test]
fn no_key_and_no_button_leaves_the_page() {
    with_lanes(|parent| async move {
        let (lane, mut browser, mut input) = on_page(&parent).await;
        browser.arm().await.unwrap();
        let born: f64 = browser.evaluate("born").await.unwrap();
        for written in [
            "F5",
            "F12",
            "ctrl+u",
            "ctrl+l",
            "alt+Left",
            "ctrl+t",
            "ctrl+w",
            "ctrl+shift+i",
            "shift+F10",
        ] {
            assert!(keymap::parse(written).is_err(), "{written}");
        }
        // What is permitted, pressed where it could do harm: outside any field.
        input.click(900, 600, MouseButton::Left, 1).unwrap();
        for written in [
            "Escape",
            "BackSpace",
            "Delete",
            "Insert",
            "Home",
            "End",
            "Page_Up",
            "Page_Down",
            "space",
            "shift+space",
            "Tab",
            "shift+Tab",
            "shift+Insert",
            "ctrl+a",
            "ctrl+c",
            "ctrl+v",
            "ctrl+x",
            "ctrl+z",
            "ctrl+y",
            "ctrl+b",
            "ctrl+i",
            "ctrl+.",
            "ctrl+/",
            "ctrl+Return",
            "ctrl+space",
            "ctrl+BackSpace",
            "ctrl+Insert",
            "ctrl+Left",
            "ctrl+Up",
            "ctrl+shift+z",
            "ctrl+shift+v",
            "ctrl+shift+Return",
            "shift+Return",
        ] {
            chord(&mut input, written);
        }
        // On a link, the keys that would open it in a new window.
        let () = browser
            .evaluate("void document.links[0].focus()")
            .await
            .unwrap();
        for written in ["ctrl+Return", "shift+Return", "ctrl+shift+Return"] {
            chord(&mut input, written);
        }
        // Past the page's last control the browser's own would come, and with it the address bar.
        for _ in 0..3 {
            chord(&mut input, "Tab");
        }
        input.type_text("about:version\n").unwrap();
        let () = browser.evaluate("void text.focus()").await.unwrap();
        for _ in 0..2 {
            chord(&mut input, "shift+Tab");
        }
        input.type_text("about:version\n").unwrap();
        // The context menu's exits: its first entries are back, forward, reload.
        input.click(900, 600, MouseButton::Right, 1).unwrap();
        for written in ["Down", "Down", "Down", "Return"] {
            chord(&mut input, written);
        }
        input.click(910, 645, MouseButton::Left, 1).unwrap();
        // Middle click on a link opens a window, dragging one onto the page follows it.
        input.click(815, 108, MouseButton::Middle, 1).unwrap();
        input.drag((815, 108), (900, 500)).unwrap();
        let event = timeout(Duration::from_secs(2), browser.events.recv()).await;
        assert!(event.is_err(), "{event:?}");
        assert_eq!(browser.evaluate::<f64>("born").await.unwrap(), born);
        browser.check_geometry().await.unwrap();

        // And a link followed all the same is told.
        input.click(815, 108, MouseButton::Left, 1).unwrap();
        let event = timeout(PATIENCE, browser.events.recv()).await.unwrap();
        assert!(
            matches!(&event, Some(BrowserEvent::LeftPage(url)) if url.ends_with("/elsewhere")),
            "{event:?}"
        );
        drop(input);
        lane.stop().await.unwrap();
    });
}

#[test]
fn a_window_a_reload_and_a_dead_browser_are_events() {
    with_lanes(|parent| async move {
        let (lane, mut browser, _input) = on_page(&parent).await;
        browser.arm().await.unwrap();
        let () = browser
            .evaluate("void history.pushState(0, '', '#there')")
            .await
            .unwrap();
        let () = browser
            .evaluate("void setTimeout(() => location.reload(), 50)")
            .await
            .unwrap();
        let event = timeout(PATIENCE, browser.events.recv()).await.unwrap();
        assert!(
            matches!(event, Some(BrowserEvent::LeftPage(_))),
            "{event:?}"
        );
        browser.arm().await.unwrap();
        let () = browser
            .evaluate("void location.assign('http://192.0.2.1/')")
            .await
            .unwrap();
        let event = timeout(PATIENCE, browser.events.recv()).await.unwrap();
        assert!(
            matches!(event, Some(BrowserEvent::LeftPage(_))),
            "{event:?}"
        );
        lane.close_browser(browser).await.unwrap();

        let mut browser = lane.launch_browser(&serve().await).await.unwrap();
        let pid = *processes_of(&lane.folder.join("browser-1"))
            .first()
            .unwrap();
        assert!(
            std::process::Command::new("kill")
                .args(["-9", &pid.to_string()])
                .status()
                .unwrap()
                .success()
        );
        let event = timeout(PATIENCE, browser.events.recv()).await.unwrap();
        assert!(matches!(event, Some(BrowserEvent::Lost(_))), "{event:?}");
        lane.stop().await.unwrap();
    });
}

#[test]
fn the_page_has_its_speaker_its_microphone_and_no_network() {
    with_lanes(|parent| async move {
        let (lane, browser, _input) = on_page(&parent).await;
        // A listener on another loopback address: reachable for everyone but the page.
        let other = tokio::net::TcpListener::bind("127.0.0.2:0").await.unwrap();
        let url = format!("http://{}/", other.local_addr().unwrap());
        let fetch =
            format!("fetch('{url}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'closed')");
        assert_eq!(browser.evaluate::<String>(&fetch).await.unwrap(), "closed");

        // The page plays without a gesture.
        let play = "void (() => { const c = window.sounding = new AudioContext(); const o = c.createOscillator();
            const g = c.createGain(); g.gain.value = 0.3; o.frequency.value = 700; o.connect(g).connect(c.destination); o.start(); })()";
        let () = browser.evaluate(play).await.unwrap();
        sleep(Duration::from_millis(700)).await;
        let server = lane.pulse_server.clone();
        let level = tokio::task::spawn_blocking(move || {
            sound::level_while_playing(
                &server,
                sound::SPEAKER_MONITOR,
                None,
                700.0,
                Duration::from_millis(1300),
            )
        });
        let level = level.await.unwrap().unwrap();
        assert!(level.tone > -25.0, "{level:?}");
        let () = browser.evaluate("void sounding.close()").await.unwrap();

        // The page hears its microphone, and nobody else does.
        let listen = "navigator.mediaDevices.getUserMedia({audio: {echoCancellation: false, noiseSuppression: false, autoGainControl: false}})
            .then(async stream => { const c = new AudioContext(); const a = window.ear = c.createAnalyser();
              a.fftSize = 8192; c.createMediaStreamSource(stream).connect(a); return (await navigator.mediaDevices.enumerateDevices()).filter(d => d.kind === 'audioinput').map(d => d.label); })";
        let labels: Vec<String> = browser.evaluate(listen).await.unwrap();
        assert_eq!(labels, ["Default", "Microphone"]);
        let server = lane.pulse_server.clone();
        let playing = tokio::task::spawn_blocking(move || {
            let play = Some((server.as_str(), sound::MICROPHONE_FEED));
            sound::level_while_playing(
                &server,
                sound::SPEAKER_MONITOR,
                play,
                1000.0,
                Duration::from_millis(2500),
            )
        });
        sleep(Duration::from_millis(1500)).await;
        let strongest = "(() => { const bins = new Float32Array(ear.frequencyBinCount); ear.getFloatFrequencyData(bins);
            let best = 0; bins.forEach((v, i) => { if (v > bins[best]) best = i; });
            return [best * ear.context.sampleRate / ear.fftSize, bins[best]]; })()";
        let [frequency, loudness]: [f32; 2] = browser.evaluate(strongest).await.unwrap();
        assert!(
            (frequency - 1000.0).abs() < 30.0 && loudness > -40.0,
            "{frequency} Hz at {loudness} dB"
        );
        let speaker = playing.await.unwrap().unwrap();
        assert!(speaker.all < -80.0, "{speaker:?}");
        lane.stop().await.unwrap();
    });
}

/// Not a test of its own: the host that [`a_killed_host_leaves_nothing`] kills.
#[test]
#[ignore = "started by a_killed_host_leaves_nothing"]
fn host_to_be_killed() {
    let Some(parent) = std::env::var_os("DYNACU_TEST_LANES") else {
        return;
    };
    with_lanes(|_| async move {
        let (lane, _browser, _input) = on_page(Path::new(&parent)).await;
        std::fs::write(Path::new(&parent).join("ready"), &lane.display).unwrap();
        sleep(Duration::from_secs(120)).await;
    });
}

#[test]
fn a_killed_host_leaves_nothing() {
    with_lanes(|parent| async move {
        let host = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "host_to_be_killed"])
            .env("DYNACU_TEST_LANES", &parent)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut host = Host(host);
        let ready = parent.join("ready");
        for _ in 0..600 {
            if ready.exists() {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        sleep(Duration::from_millis(200)).await;
        let socket = x_socket(&std::fs::read_to_string(&ready).unwrap());
        assert!(socket.exists());
        // The lane's processes, by its folder; the host itself knows only the folder above.
        let lane = parent.join(format!("{}-0", host.0.id()));
        assert!(lane.is_dir());
        assert!(processes_of(&lane).len() > 5);
        host.0.kill().unwrap();
        host.0.wait().unwrap();
        let killed = Instant::now();
        while killed.elapsed() < PATIENCE && (!processes_of(&lane).is_empty() || lane.exists()) {
            sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(processes_of(&lane), BTreeSet::new());
        assert!(!lane.exists());
        assert!(!socket.exists());
    });
}
