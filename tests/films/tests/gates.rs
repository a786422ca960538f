//! Holds the gates to what the films show. With the stand-in encoder, which every machine has.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use dynacu_films::{Film, Graded, Kept, all, wall};
use dynacu_media::perception::encoder::{Encoder, StandIn};
use dynacu_media::perception::keyframe::GateKind;

const INTERVAL: Duration = Duration::from_nanos(333_333_333);

fn encoder() -> Result<Arc<dyn Encoder>> {
    Ok(Arc::new(StandIn::load()?))
}

/// All films whose name begins so, with what a gate keeps of them.
fn played(kind: GateKind, name: &str) -> Result<(Film, Vec<Kept>)> {
    let film = all()
        .into_iter()
        .find(|film| film.name.starts_with(name))
        .with_context(|| format!("there is no film {name}"))?;
    let kept = film.play(kind, &encoder()?, INTERVAL, &film.steady(INTERVAL))?;
    eprintln!("{} by {}: {kept:?}", film.name, kind.name());
    Ok((film, kept))
}

fn all_seen(name: &str, at_most: usize) -> Result<()> {
    let (film, kept) = played(GateKind::Local, name)?;
    assert_eq!(film.seen(&kept), film.events.len(), "{name}: {kept:?}");
    assert!(kept.len() <= at_most, "{name}: {} kept", kept.len());
    Ok(())
}

#[test]
fn local_keeps_what_tells_something() {
    // An event and its end are two changes.
    all_seen("toast", 8).unwrap();
    all_seen("number, 36 px, each", 20).unwrap();
    all_seen("one digit", 3).unwrap();
    all_seen("number, 36 px, beside", 12).unwrap();
    all_seen("word", 12).unwrap();
    all_seen("slide", 6).unwrap();
    all_seen("lamp", 6).unwrap();
    all_seen("flash", 24).unwrap();
    all_seen("banner", 8).unwrap();
}

#[test]
fn local_bounds_what_only_moves() {
    let mut too_many = Vec::new();
    for (name, at_most) in [
        ("caret", 0),
        ("colon", 5),
        ("spinner", 4),
        ("progress bar, smooth", 4),
        ("progress bar, a step", 4),
        ("still picture", 1),
        ("waveform", 12),
        ("seconds of a clock", 5),
        ("player", 16),
    ] {
        let (_, kept) = played(GateKind::Local, name).unwrap();
        if kept.len() > at_most {
            too_many.push((name, kept));
        }
    }
    assert!(too_many.is_empty(), "{too_many:?}");
}

#[test]
fn a_page_of_noise_gives_fewer_than_ten_keyframes_a_minute() {
    let (film, kept) = played(GateKind::Local, "noise").unwrap();
    assert_eq!(film.seconds, 60.0);
    assert!(kept.len() < 10, "{}", kept.len());
}

#[test]
fn the_other_gates_do_what_their_names_say() {
    let count = |kind: GateKind, name: &str| played(kind, name).unwrap().1.len();
    assert_eq!(count(GateKind::None, "slide"), 0);
    assert_eq!(count(GateKind::Uniform1, "toast"), 24);
    assert_eq!(count(GateKind::Uniform3, "toast"), 71);
    // A toast is two percent of the screen: enough for the first stage alone, not for both.
    assert_eq!(count(GateKind::Pixel, "toast"), 6);
    assert_eq!(count(GateKind::Spec, "toast"), 0);
    assert_eq!(count(GateKind::Pixel, "lamp"), 0);
    assert!(count(GateKind::Spec, "slide") >= 1);
}

#[test]
fn random_keeps_as_many_as_local_at_other_times() {
    let (film, local) = played(GateKind::Local, "number, 36 px, each").unwrap();
    let encoder = encoder().unwrap();
    let play = |key: u64| {
        let mut gate = GateKind::Random.build(Arc::clone(&encoder), INTERVAL, key);
        film.show(&mut *gate, &film.steady(INTERVAL)).unwrap()
    };
    let random = play(3);
    // What `local` keeps in the last window of five seconds is not answered.
    let answered = local.iter().filter(|kept| kept.at < 15.0).count();
    assert!(
        random.len().abs_diff(answered) <= 1,
        "{} of {answered}",
        random.len()
    );
    assert_eq!(random, play(3), "the key decides");
    assert_ne!(random, play(4));
}

/// How many of these events are seen, and of how many.
fn recall(events: &[&Graded], kept: &[Kept]) -> (usize, usize) {
    (
        events
            .iter()
            .filter(|graded| graded.event.is_in(kept))
            .count(),
        events.len(),
    )
}

#[test]
fn local_sees_the_wall() {
    let (film, graded) = wall();
    let encoder = encoder().unwrap();
    let steady = film
        .play(GateKind::Local, &encoder, INTERVAL, &film.steady(INTERVAL))
        .unwrap();
    let burst = film
        .play(
            GateKind::Local,
            &encoder,
            INTERVAL,
            &film.with_burst(INTERVAL),
        )
        .unwrap();
    let of = |length: std::ops::Range<f32>, share: f32| {
        graded
            .iter()
            .filter(|graded| length.contains(&graded.length) && graded.share >= share)
            .collect::<Vec<_>>()
    };
    let long = of(0.7..f32::INFINITY, 0.001);
    let stay: Vec<&Graded> = graded
        .iter()
        .filter(|graded| !graded.length.is_finite())
        .collect();
    let short = of(0.3..0.5, 0.001);
    let flash = of(0.1..0.2, 0.001);
    for (name, events) in [
        ("700 ms and more", &long),
        ("350 ms", &short),
        ("150 ms", &flash),
        ("that stay", &stay),
    ] {
        eprintln!(
            "{name}: {:?} steady, {:?} burst",
            recall(events, &steady),
            recall(events, &burst)
        );
    }
    eprintln!("kept {} steady, {} burst", steady.len(), burst.len());
    let all = |(seen, of): (usize, usize)| of > 0 && seen == of;
    assert!(all(recall(&long, &steady)) && all(recall(&stay, &steady)));
    let (seen, of) = recall(&short, &steady);
    assert!(seen * 10 >= of * 9, "{seen} of {of}");
    assert!(all(recall(&short, &burst)) && all(recall(&flash, &burst)));
}
