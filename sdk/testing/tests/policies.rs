//! The policies that solve tasks from their scripts, and those that every task must withstand, each as built, in front of a
//! scripted screen.
//!
//! They are built by `make guests` into `plugins/dist`.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

use std::collections::BTreeSet;
use std::path::Path;

use dynacu_runtime::types::{Action, Channel, Point, Rect, Size};
use dynacu_runtime::{Plugin, PolicyEnd};
use dynacu_sdk_testing::{Model, Picture, Ran, Script, load};

fn policy(name: &str) -> Plugin {
    let file = format!("../../plugins/dist/{name}.wasm");
    let path = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/sdk/testing")).join(file);
    assert!(path.exists(), "{name}.wasm is not built: run `make guests`");
    load(path).unwrap()
}

const FULL: &[Channel] = &Channel::ALL;

/// What the screen shows from some time on.
type Screens = Vec<(u64, Picture)>;

async fn run(name: &str, settings: &str, solution: &str, script: Script) -> Ran {
    let script = match solution {
        "" => script,
        toml => script.with_solution(toml),
    };
    script.run(&policy(name), Model::nobody(), settings).await
}

fn stage(granted: &[Channel], screens: Screens, said: &[(u64, &str)]) -> Script {
    let script = Script::new("Do it.")
        .granting(granted.iter().copied())
        .with_reading()
        .lasting(60_000, 40)
        .recognised_after(700)
        .shows(0, words(&[]));
    let script = screens
        .into_iter()
        .fold(script, |script, (at, picture)| script.shows(at, picture));
    said.iter().fold(script, |script, (ended_at, text)| {
        script.says(ended_at.saturating_sub(1_500), *ended_at, *text)
    })
}

fn words(words: &[(&str, i32, i32)]) -> Picture {
    let screen = Picture::named("screen");
    words.iter().fold(screen, |screen, (words, x, y)| {
        screen.with_words(words, Point { x: *x, y: *y }, 0.97)
    })
}

fn rect(x: i32, y: i32, width: u32, height: u32) -> Rect {
    Rect {
        origin: Point { x, y },
        size: Size { width, height },
    }
}

/// What was done, in short: `click 640,360`, `type 4711`, `key Return`, `speak …`; other actions are left out.
fn done(ran: &Ran) -> Vec<String> {
    let told = ran.done().into_iter().filter_map(|action| match action {
        Action::Click { at, .. } => Some(format!("click {},{}", at.x, at.y)),
        Action::Type { text } => Some(format!("type {text}")),
        Action::Key { combo } => Some(format!("key {combo}")),
        Action::Speak { text } => Some(format!("speak {text}")),
        Action::Drag { start, end } => {
            Some(format!("drag {},{} {},{}", start.x, start.y, end.x, end.y))
        }
        Action::Move { .. } | Action::Scroll { .. } | Action::Wait { .. } | Action::Done => None,
    });
    told.collect()
}

async fn solve(solution: &str, screens: Screens, said: &[(u64, &str)]) -> Vec<String> {
    let ran = run("reference", "{}", solution, stage(FULL, screens, said)).await;
    assert_eq!(ran.end, PolicyEnd::Returned, "{:#?}", ran.log);
    done(&ran)
}

fn failure(ran: &Ran) -> String {
    match &ran.end {
        PolicyEnd::GaveUp(why) => why.clone(),
        PolicyEnd::Failed(failure) => failure.detail.clone(),
        end => panic!("{end:?}"),
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
    let ran = run("reference", "{}", script, stage(FULL, screens, &[])).await;
    assert_eq!(ran.end, PolicyEnd::Returned, "{:#?}", ran.log);
    assert_eq!(
        done(&ran),
        ["click 1180,110", "click 1180,110", "click 1180,150"]
    );
    let first = ran.performed[0].at;
    assert_eq!(first, 2_000, "at the keyframe, not at the next observation");
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
    let dark = Picture::named("screen").with_box("screen", rect(400, 300, 160, 60), [40, 40, 40]);
    let left = dark.with_box("screen", rect(400, 300, 60, 60), [255, 210, 74]);
    let right = dark.with_box("screen", rect(500, 300, 60, 60), [250, 205, 80]);
    let turn = dark.with_words("Your turn", Point { x: 620, y: 10 }, 0.97);
    let screens = vec![
        (500, left.clone()),
        (1_000, dark.clone()),
        (1_500, left.clone()),
        (2_000, right),
        (2_500, left),
        (3_000, dark),
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
watch = { hear = '(?i)number (?<answer>\w+)' }
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
        "type 9",
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
    let screens = vec![(0, words(&[("Sum 3", 300, 100)]))];
    let ran = run("reference", "{}", script, stage(FULL, screens, &[])).await;
    let why = failure(&ran);
    assert!(
        why.contains("step 1.2 (see): nothing read matched within 3 s"),
        "{why}"
    );
    assert_eq!(done(&ran), ["key Tab"]);

    let deaf = stage(&[], Vec::new(), &[]);
    let why = failure(&run("reference", "{}", "[[step]]\nhear = 'x'", deaf).await);
    assert!(
        why.contains("step 1 (hear): the audio channel is not granted"),
        "{why}"
    );

    let unread = run(
        "reference",
        "{}",
        "[[step]]\nkey = 4",
        stage(FULL, Vec::new(), &[]),
    )
    .await;
    let why = failure(&unread);
    assert!(
        why.contains("solution.toml: ") && why.contains("a chord or a list"),
        "{why}"
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
    let ran = run("guess", "{}", script, stage(FULL, screens, &said)).await;
    assert_eq!(ran.end, PolicyEnd::Returned, "{:#?}", ran.log);
    assert_eq!(
        done(&ran),
        ["click 640,512", "type 50", "click 50,10", "click 1180,205"]
    );
    assert!(ran.readings.is_empty() && ran.encodings.is_empty());
    assert_eq!(ran.performed[0].action, Action::Wait { ms: 7_000 });
    assert_eq!(ran.performed[1].at, 7_000);
}

#[tokio::test]
async fn random_runs_are_repeated_by_their_seed() {
    let play = async |settings: &str| {
        let ran = run("random", settings, "", stage(FULL, Vec::new(), &[])).await;
        assert_eq!(ran.end, PolicyEnd::Returned);
        done(&ran)
    };
    let first = play(r#"{"seed": 3}"#).await;
    assert!(first.len() >= 8, "{first:?}");
    assert_eq!(first, play(r#"{"seed": 3}"#).await);
    assert_ne!(first, play(r#"{"seed": 4}"#).await);
    // The key of the guest's random numbers is the test's, so a run without a seed is repeated as well.
    assert_eq!(play("{}").await, play("{}").await);

    let ran = run("random", r#"{"sede": 3}"#, "", stage(FULL, Vec::new(), &[])).await;
    let PolicyEnd::BadSettings(why) = ran.end else {
        panic!("{:?}", ran.end)
    };
    assert!(why.contains("sede"), "{why}");
}

#[tokio::test]
async fn the_replayer_clicks_all_words_and_types_what_it_has_read() {
    let screens = vec![(0, words(&[("Total 84", 300, 20), ("Send", 900, 650)]))];
    let script = stage(&[], screens, &[]);
    let ran = run("replayer", "{}", "", script).await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    let done = done(&ran);
    assert_eq!(done[..3], ["click 340,30", "key ctrl+a", "type 84"]);
    for wanted in ["click 920,660", "type Total 84", "type Send"] {
        assert!(done.iter().any(|done| done == wanted), "{wanted}");
    }
    let clicks: BTreeSet<&String> = done
        .iter()
        .filter(|done| done.starts_with("click"))
        .collect();
    assert!(clicks.len() > 100, "{}", clicks.len());
}
