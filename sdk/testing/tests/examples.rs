//! The SDK's examples do what they say, as built by `make guests` into `plugins/dist/examples`.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

use std::path::Path;

use dynacu_runtime::types::{Action, Channel, Point};
use dynacu_runtime::{Plugin, PolicyEnd};
use dynacu_sdk_testing::{Model, Picture, Ran, Script, load};

fn example(name: &str) -> Plugin {
    let file = format!("../../plugins/dist/examples/{name}.wasm");
    let path = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/sdk/testing")).join(file);
    assert!(path.exists(), "{name}.wasm is not built: run `make guests`");
    load(path).unwrap()
}

#[tokio::test]
async fn click_once_clicks_the_middle_and_is_done() {
    let ran = Script::new("Click.")
        .shows(0, Picture::named("form"))
        .run(&example("click-once"), Model::nobody(), "{}")
        .await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert_eq!(ran.observations, 2);
    let done = ran.done();
    let [Action::Click { at, .. }, Action::Done] = done.as_slice() else {
        panic!("{done:?}")
    };
    assert_eq!(*at, Point { x: 640, y: 360 });
}

/// When it pressed Enter.
async fn presses(settings: &str) -> (Ran, Vec<u64>) {
    let ran = Script::new("Press Enter when you are told to.")
        .granting([Channel::Audio])
        .recognised_after(500)
        .shows(0, Picture::named("form"))
        .says(1_000, 2_000, "Not yet.")
        .says(6_000, 7_000, "Do it now.")
        .says(11_000, 12_000, "And go again.")
        .run(&example("reacts-at-once"), Model::nobody(), settings)
        .await;
    let pressed = ran
        .performed
        .iter()
        .filter(|one| matches!(&one.action, Action::Key { combo } if combo == "Return"))
        .map(|one| one.at)
        .collect();
    (ran, pressed)
}

#[tokio::test]
async fn reacts_at_once_presses_enter_at_its_word_and_at_no_other() {
    let (ran, pressed) = presses("{}").await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert_eq!(pressed, [7_500], "as soon as the sentence is known");
    let (_, pressed) = presses(r#"{"word": "go"}"#).await;
    assert_eq!(pressed, [12_500]);
    let (ran, _) = presses(r#"{"word": 1}"#).await;
    assert_eq!(
        ran.end,
        PolicyEnd::BadSettings("`word`: invalid type: integer `1`, expected a string".to_owned())
    );
}
