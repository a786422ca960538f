//! The policies that solve tasks from their scripts, and those that every task must withstand, each as built, before a
//! scripted stage.
//!
//! They are built by `make guests` into `plugins/dist`.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

#[path = "support/png.rs"]
mod png;
#[path = "support/stage.rs"]
mod stage;

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use dynacu_runtime::types::{Action, Brief, Channels};
use dynacu_runtime::{Engine, Limits, Plugin, PolicyEnd};
use stage::{SCREEN, Seen, Shown, Stage, rect};

fn load(name: &str) -> Plugin {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
        Engine::with_cache(Some(cache)).unwrap()
    });
    let file = format!("../../plugins/dist/{name}.wasm");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    assert!(path.exists(), "{name}.wasm is not built: run `make guests`");
    Plugin::load(&ENGINE, &path).unwrap()
}

fn full() -> Channels {
    Channels::KEYFRAMES | Channels::AUDIO | Channels::SPEECH | Channels::READING
}

async fn run(
    name: &str,
    settings: &str,
    script: &str,
    stage: Stage,
) -> (PolicyEnd, Arc<Mutex<Seen>>) {
    let brief = Brief {
        episode: "e1".to_owned(),
        instruction: "Do it.".to_owned(),
        screen: SCREEN,
        pace: 5_000,
        time_limit: 60_000,
        step_limit: 40,
        granted: stage.granted,
        solution: (!script.is_empty()).then(|| script.to_owned()),
    };
    let seen = stage.seen.clone();
    let limits = Limits::policy(Duration::from_secs(60), [7; 32]);
    let end = load(name)
        .run_policy(Box::new(stage), brief, settings.to_owned(), limits)
        .ended()
        .await;
    (end, seen)
}

/// What was done, in short: `click 640,360`, `type 4711`, `key Return`, `speak …`; waits and `done` are left out.
fn done(seen: &Arc<Mutex<Seen>>) -> Vec<String> {
    let seen = seen.lock().unwrap();
    let told = seen
        .performed
        .iter()
        .filter_map(|(_, action)| match action {
            Action::Click(click) => Some(format!("click {},{}", click.at.x, click.at.y)),
            Action::TypeText(text) => Some(format!("type {text}")),
            Action::Key(chord) => Some(format!("key {chord}")),
            Action::Speak(text) => Some(format!("speak {text}")),
            Action::Drag(drag) => Some(format!(
                "drag {},{} {},{}",
                drag.start.x, drag.start.y, drag.end.x, drag.end.y
            )),
            _ => None,
        });
    told.collect()
}

async fn solve(script: &str, screens: Vec<(u64, Shown)>, said: &[(u64, &str)]) -> Vec<String> {
    let (end, seen) = run("reference", "{}", script, Stage::new(full(), screens, said)).await;
    assert_eq!(end, PolicyEnd::Returned, "{:#?}", seen.lock().unwrap().log);
    done(&seen)
}

fn words(words: &[(&'static str, i32, i32)]) -> Shown {
    Shown {
        words: words.to_vec(),
        lit: None,
        changed: (300, 100, 400, 300),
    }
}

#[tokio::test]
async fn alerts_are_acknowledged_as_they_come_each_once() {
    let script = r#"
[[step]]
watch = { see = { area = [300, 100, 400, 400], text = 'Critical\s+(?<alert>A-\d{4})' } }
for = 20
then = [{ click = { at = "alert", x = 1180 } }]
[[step]]
done = true
"#;
    // New rows push the others down.
    let screens = vec![
        (1_000, words(&[("Warning A-1001", 300, 100)])),
        (
            2_000,
            words(&[("Critical A-1002", 300, 100), ("Warning A-1001", 300, 140)]),
        ),
        (
            9_000,
            words(&[
                ("Critical A-1004", 300, 100),
                ("Critical A-1003", 300, 140),
                ("Critical A-1002", 300, 180),
            ]),
        ),
        (9_333, words(&[("Critical A-1004", 300, 140)])),
    ];
    let stage = Stage::new(full(), screens, &[]);
    let (end, seen) = run("reference", "{}", script, stage).await;
    assert_eq!(end, PolicyEnd::Returned);
    assert_eq!(
        done(&seen),
        ["click 1180,110", "click 1180,110", "click 1180,150"]
    );
    let first = seen.lock().unwrap().performed[0].0;
    assert_eq!(first, 2_040, "at the keyframe, not at the next observation");
}

#[tokio::test]
async fn the_cheapest_and_the_code_on_the_slide_after_it() {
    let script = r#"
[[step]]
for = 12
[step.collect]
into = "offers"
see = { area = [300, 100, 400, 300], text = '''\$(?<price>\d+)|code\s+(?<code>\w+)''' }
begins = "price"
[[step]]
choose = { from = "offers", smallest = "price" }
[[step]]
type = "{code} for {price}"
[[step]]
choose = { from = "offers", count = "offers", where = { price = '^8' } }
[[step]]
type = "{offers}"
"#;
    let screens = vec![
        (1_000, words(&[("$84", 310, 120)])),
        (2_000, words(&[("code R2D2", 310, 120)])),
        (3_000, words(&[("$63", 310, 120)])),
        (4_000, words(&[("code K7", 310, 120)])),
        (6_000, words(&[("$89", 310, 120)])),
        (7_000, words(&[("code X9", 310, 120)])),
    ];
    assert_eq!(
        solve(script, screens, &[]).await,
        ["type K7 for 63", "type 2"]
    );
}

#[tokio::test]
async fn a_pattern_of_lights_is_repeated() {
    let script = r##"
[[step]]
collect = { into = "lights", see-colour = { colour = "#ffd24a", areas = { left = [400, 300, 60, 60], right = [500, 300, 60, 60] }, as = "pad" }, repeats = true }
until = { see = { area = [600, 0, 300, 50], text = 'Your turn' } }
within = 30
[[step]]
repeat = { each = "lights" }
then = [{ click = "pad" }, { wait = 0.3 }]
"##;
    let left = (rect((400, 300, 60, 60)), [255, 210, 74]);
    let right = (rect((500, 300, 60, 60)), [250, 205, 80]);
    let light = |lit: Option<_>| Shown {
        words: Vec::new(),
        lit,
        changed: (400, 300, 160, 60),
    };
    let mut turn = light(None);
    turn.words = vec![("Your turn", 620, 10)];
    turn.changed = (620, 10, 90, 20);
    let screens = vec![
        (500, light(Some(left))),
        (1_000, light(None)),
        (1_500, light(Some(left))),
        (2_000, light(Some(right))),
        (2_500, light(Some(left))),
        (3_000, light(None)),
        (6_000, turn),
    ];
    let wanted = [
        "click 430,330",
        "click 430,330",
        "click 530,330",
        "click 430,330",
    ];
    assert_eq!(solve(script, screens, &[]).await, wanted);
}

#[tokio::test]
async fn the_figure_of_the_region_that_is_asked_for() {
    let script = r#"
[[step]]
hear = 'about the (?<region>\w+) region'
[[step]]
see = { text = '{region}\s+(?<figure>\d\.\d)' }
[[step]]
unless = { region = 'west' }
type = "not west"
[[step]]
when = { region = '(?i)west' }
speak = "It is {figure}, order {order:spelled}, {boss}."
[[step]]
find = { pattern = '{region} (?<button>chat)' }
[[step]]
watch = { hear = 'number (?<answer>\w+)' }
for = 10
then = [{ type = "{answer:number}" }]
[[step]]
see = { text = 'never shown' }
optional = true
within = 6
[[step]]
drag = { from = "button", to = { at = "figure", offset = [0, 50] } }
[lookup.order]
key = "region"
values = { west = "AB-4" }
[lookup.boss]
key = "region"
values = { west = "Ms Lee" }
"#;
    let screens = vec![
        (
            1_000,
            words(&[("East 4.1", 300, 100), ("West 2.7", 300, 140)]),
        ),
        (2_500, words(&[("West chat", 300, 200)])),
    ];
    let said = [
        (4_000, "Now about the West region, please."),
        (9_000, "Number nine."),
        (12_000, "And again number nine, then number twelve."),
    ];
    let wanted = [
        "type not west",
        "speak It is 2.7, order A B 4, Ms Lee.",
        "click 370,210",
        "type 12",
        "drag 370,210 365,200",
    ];
    assert_eq!(solve(script, screens, &said).await, wanted);
}

#[tokio::test]
async fn what_does_not_come_is_named_with_its_step() {
    let script = r#"
[[step]]
repeat = { times = 2 }
then = [{ key = "Tab" }, { see = { text = 'Total (?<sum>\d+)' }, within = 3 }]
"#;
    let stage = Stage::new(full(), vec![(0, words(&[("Sum 3", 300, 100)]))], &[]);
    let (end, seen) = run("reference", "{}", script, stage).await;
    let PolicyEnd::Failed(failure) = end else {
        panic!("{end:?}")
    };
    let wanted = "step 1.2 (see): nothing read matched within 3 s";
    assert!(failure.detail.contains(wanted), "{failure}");
    assert_eq!(done(&seen), ["key Tab"]);

    let deaf = Stage::new(Channels::READING, Vec::new(), &[]);
    let (end, _) = run("reference", "{}", "[[step]]\nhear = 'x'", deaf).await;
    let PolicyEnd::Failed(failure) = end else {
        panic!("{end:?}")
    };
    assert!(
        failure.detail.contains("the audio channel is not granted"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_guess_has_its_senses_shut() {
    let script = r##"
[[step]]
hear = 'paying (?<price>\w+) for'
guess = 7
[[step]]
click = [640, 512]
[[step]]
type = "{price}"
[[step]]
collect = { into = "lights", see-colour = { colour = "#ffffff", areas = { left = [0, 0, 20, 20], right = [40, 0, 20, 20] }, as = "pad" } }
for = 9
[[step]]
repeat = { each = "lights" }
then = [{ click = "pad" }]
[[step]]
watch = { see = { text = 'Critical (?<alert>\w+)' } }
for = 30
then = [{ click = { at = "alert", x = 1180 } }]
[guess]
price = "50"
lights = [{ pad = "right" }]
alert = { text = "A1", at = [300, 205] }
"##;
    let said = [(2_000, "I was paying ninety for it.")];
    let screens = vec![(1_000, words(&[("Critical B7", 300, 100)]))];
    let (end, seen) = run("guess", "{}", script, Stage::new(full(), screens, &said)).await;
    assert_eq!(end, PolicyEnd::Returned);
    assert_eq!(
        done(&seen),
        ["click 640,512", "type 50", "click 50,10", "click 1180,205"]
    );
    let seen = seen.lock().unwrap();
    assert_eq!(seen.read, 0);
    assert!(matches!(seen.performed[0], (0, Action::Wait(7_000))));
    assert_eq!(seen.performed[1].0, 7_000);
}

#[tokio::test]
async fn random_runs_are_repeated_by_their_seed() {
    let play = async |settings: &str| {
        let stage = Stage::new(full(), Vec::new(), &[]);
        let (end, seen) = run("random", settings, "", stage).await;
        assert_eq!(end, PolicyEnd::Returned);
        done(&seen)
    };
    let first = play(r#"{"seed": 3}"#).await;
    assert!(first.len() >= 8, "{first:?}");
    assert_eq!(first, play(r#"{"seed": 3}"#).await);
    assert_ne!(first, play(r#"{"seed": 4}"#).await);
    // The key of the guest's random numbers is the test's, so a run without a seed is repeated as well.
    assert_eq!(play("{}").await, play("{}").await);

    let (end, _) = run(
        "random",
        r#"{"sede": 3}"#,
        "",
        Stage::new(full(), Vec::new(), &[]),
    )
    .await;
    let PolicyEnd::BadSettings(why) = end else {
        panic!("{end:?}")
    };
    assert!(why.contains("sede"), "{why}");
}

#[tokio::test]
async fn the_replayer_clicks_all_words_and_types_what_it_has_read() {
    let screens = vec![(0, words(&[("Total 84", 300, 20), ("Send", 900, 650)]))];
    let (end, seen) = run(
        "replayer",
        "{}",
        "",
        Stage::new(Channels::READING, screens, &[]),
    )
    .await;
    assert_eq!(end, PolicyEnd::Returned);
    let done = done(&seen);
    assert_eq!(done[..3], ["click 340,30", "key ctrl+a", "type 84"]);
    for wanted in ["click 920,660", "type Total 84", "type Send"] {
        assert!(done.iter().any(|done| done == wanted), "{wanted}");
    }
    let clicks: std::collections::BTreeSet<&String> = done
        .iter()
        .filter(|done| done.starts_with("click"))
        .collect();
    assert!(clicks.len() > 100, "{}", clicks.len());
}
