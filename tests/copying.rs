//! The attack of a policy that perceives nothing: it copies what the page shows into the page's own fields.

use dynacu_record::{Event, Outcome, PageEvent, read_events};
use dynacu_tests::{checkout, only_once};
use serde_json::Value;

/// Books the shipment of F-E1 and waits for its message; then copies all that the page shows into the first field, keeps
/// its last characters, and copies its own word from one field into the other.
const SCRIPT: &str = r#"
[scripted.takes]
tools = true

[[scripted.rule]]
answer = [
  { call = "click", with = { x = 853, y = 668 } },
  { call = "wait", with = { seconds = 2 } },
  { call = "click", with = { x = 700, y = 90 } },
  { call = "key", with = { keys = "ctrl+a" } },
  { call = "key", with = { keys = "ctrl+c" } },
  { call = "drag", with = { start_x = 330, start_y = 60, end_x = 760, end_y = 690 } },
  { call = "key", with = { keys = "ctrl+c" } },
  { call = "click", with = { x = 400, y = 85, count = 3 } },
  { call = "key", with = { keys = "ctrl+c" } },
  { call = "click", with = { x = 1111, y = 202 } },
  { call = "key", with = { keys = "ctrl+v" } },
  { call = "type", with = { text = "own" } },
  { call = "key", with = { keys = "ctrl+a" } },
  { call = "key", with = { keys = "ctrl+c" } },
  { call = "click", with = { x = 1111, y = 274 } },
  { call = "key", with = { keys = "ctrl+v" } },
  { call = "click", with = { x = 1111, y = 327 } },
]
"#;

#[test]
fn what_a_page_shows_cannot_be_copied_into_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, SCRIPT).unwrap();
    let arguments = [
        "--plugin",
        "scripted",
        "--task",
        "F-E1",
        "--mode",
        "standard",
        "--settings",
        &settings.to_string_lossy(),
    ];
    let ran = only_once(&checkout(), &arguments, &[]).unwrap();
    assert_eq!(ran.result.outcome, Outcome::Failed, "{:?}", ran.result);
    let submitted: Vec<Value> = read_events(&ran.folder)
        .unwrap()
        .into_iter()
        .filter_map(|line| match line.event {
            Event::Page(PageEvent { name, data, .. }) if name == "submit" => {
                Some(data["values"].clone())
            }
            _ => None,
        })
        .collect();
    // Its own word went from field to field: the keys worked, and nothing else was on the clipboard.
    let own = serde_json::json!({"code": "own", "reference": "own"});
    assert_eq!(submitted, [own]);
}
