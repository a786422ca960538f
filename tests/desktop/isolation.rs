//! Several lanes at once: nothing of one is seen, heard or felt in another, and none is in another's way when they start.

use std::collections::BTreeSet;
use std::time::Duration;

use dynacu_host::desktop::check;
use dynacu_host::desktop::lane::Lane;
use dynacu_host::desktop::sound;
use dynacu_host::speech::Pcm;
use tokio::time::sleep;

use super::bench::{on_page, with_lanes, x_socket};

const TONE: f32 = 1300.0;

async fn level(lane: &Lane, source: &'static str) -> sound::Level {
    let server = lane.pulse_server.clone();
    let heard = tokio::task::spawn_blocking(move || {
        sound::level_while_playing(&server, source, None, TONE, Duration::from_millis(1300))
    });
    heard.await.unwrap().unwrap()
}

#[test]
fn a_tone_a_colour_and_a_typed_word_stay_in_their_lane() {
    with_lanes(|parent| async move {
        let (one, browser, mut input) = on_page(&parent).await;
        let (two, other, _other_input) = on_page(&parent).await;
        assert_ne!(one.display, two.display);
        assert_ne!(one.pulse_server, two.pulse_server);
        assert_ne!(one.folder, two.folder);

        // Sound, both ways.
        let play = format!(
            "void (() => {{ const c = window.sounding = new AudioContext();
                const o = new OscillatorNode(c, {{frequency: {TONE}}}); o.connect(c.destination); o.start(); }})()"
        );
        let () = browser.evaluate(&play).await.unwrap();
        sleep(Duration::from_millis(700)).await;
        let (own, elsewhere, microphone) = tokio::join!(
            level(&one, sound::SPEAKER_MONITOR),
            level(&two, sound::SPEAKER_MONITOR),
            level(&two, sound::MICROPHONE),
        );
        assert!(own.tone > -25.0, "{own:?}");
        assert!(
            elsewhere.all < -80.0 && microphone.all < -80.0,
            "{elsewhere:?} {microphone:?}"
        );

        // The screen.
        let patch = check::Patch::new().unwrap();
        browser.goto(&patch.url()).await.unwrap();
        patch.is_seen(&one).await.unwrap();
        assert!(patch.is_seen(&two).await.is_err());

        // The hands: the first lane's page is gone, so what is typed there lands nowhere.
        input.type_text("word").unwrap();
        input
            .click(300, 200, dynacu_record::vocabulary::MouseButton::Left, 1)
            .unwrap();
        sleep(Duration::from_millis(500)).await;
        assert_eq!(other.evaluate::<String>("text.value").await.unwrap(), "");
        assert_eq!(other.evaluate::<usize>("points.length").await.unwrap(), 0);
        drop(input);
        one.stop().await.unwrap();
        // And the end of one is not the end of the other.
        assert_eq!(other.evaluate::<usize>("1 + 1").await.unwrap(), 2);
        two.stop().await.unwrap();
    });
}

#[test]
fn eight_lanes_start_at_once_without_a_race() {
    with_lanes(|parent| async move {
        let starting = (0..8).map(|index| Lane::start(index, Some(&parent)));
        let lanes: Vec<Lane> = futures::future::join_all(starting)
            .await
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let displays: BTreeSet<&str> = lanes.iter().map(|lane| lane.display.as_str()).collect();
        let servers: BTreeSet<&str> = lanes
            .iter()
            .map(|lane| lane.pulse_server.as_str())
            .collect();
        assert_eq!((displays.len(), servers.len()), (8, 8));
        let sockets: Vec<_> = displays.iter().map(|display| x_socket(display)).collect();
        assert!(sockets.iter().all(|socket| socket.exists()));
        let stopped = futures::future::join_all(lanes.into_iter().map(Lane::stop)).await;
        stopped.into_iter().for_each(Result::unwrap);
        assert!(!sockets.iter().any(|socket| socket.exists()));
        assert_eq!(std::fs::read_dir(&parent).unwrap().count(), 0);
    });
}

#[test]
fn the_check_of_a_lane_notices_a_voice_that_does_not_arrive() {
    with_lanes(|parent| async move {
        let lane = Lane::start(0, Some(&parent)).await.unwrap();
        let voice = |loud: f32| Pcm {
            rate: 24_000,
            samples: (0..24_000_u16)
                .map(|index| loud * (f32::from(index) * 0.05).sin())
                .collect(),
        };
        check::all_work(check::check(&lane, Ok(voice(0.5))).await).unwrap();
        check::silence(&lane).await.unwrap();
        let error = check::all_work(check::check(&lane, Ok(voice(0.0))).await).unwrap_err();
        assert!(
            format!("{error:#}").starts_with("microphone heard: a voice speaks"),
            "{error:#}"
        );
        lane.stop().await.unwrap();
    });
}
