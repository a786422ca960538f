use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::compile::Compiler;
use crate::doors;
use crate::engine::Engine;
use crate::types::Instant;
use crate::world::PluginKind;

fn event(name: &str, data: &Value) -> PageEvent {
    PageEvent {
        at: Instant::at(0),
        name: name.to_owned(),
        data: data.to_string(),
    }
}

#[test]
fn what_a_scorer_reads_is_bounded_and_the_refusal_says_by_what() {
    let events = |number: usize, bytes: usize| -> Vec<PageEvent> {
        let event = PageEvent {
            at: Instant::at(0),
            name: "click".to_owned(),
            data: "x".repeat(bytes),
        };
        vec![event; number]
    };
    let refused = |outcome: Result<usize, GuestFailure>| {
        let failure = outcome.unwrap_err();
        assert_eq!(failure.kind, FailureKind::InputTooLarge);
        failure.detail
    };
    // Names count as well as data.
    assert_eq!(readable("{}", &events(3, 5), "pending"), Ok(2 + 30 + 7));
    assert!(readable("{}", &events(EVENTS, 100), "pending").is_ok());
    assert_eq!(
        refused(readable("{}", &events(EVENTS + 1, 0), "pending")),
        "a scorer may get at most 16384 page events, but there are 16385"
    );
    assert_eq!(
        refused(readable("{}", &events(16, 256 << 10), "pending")),
        "a scorer may get at most 4194304 bytes of page events, but there are 4194384"
    );
    let long = "x".repeat(VALUE_BYTES + 1);
    let said = refused(readable(&long, &[], "pending"));
    assert!(said.contains("of the variant's values"), "{said}");
    let said = refused(readable("{}", &[], &long));
    assert!(said.contains("of the page's result"), "{said}");
}

/// A bundled scorer that has not been asked yet; built by `make guests`.
fn bundled(name: &str) -> Actor {
    let dist = Path::new(env!("DYNACU_CHECKOUT")).join("plugins/dist");
    let bytes = std::fs::read(dist.join(format!("{name}.wasm"))).unwrap();
    let engine = Engine::with_cache(None, Compiler::InProcess).unwrap();
    let component = engine
        .component(PluginKind::Scorer, &bytes, "unused")
        .unwrap();
    let mut linker = Linker::new(component.engine());
    link(&mut linker).unwrap();
    wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
    doors::close(&mut linker, &component).unwrap();
    let scorer = world::ScorerPre::new(linker.instantiate_pre(&component).unwrap()).unwrap();
    Actor {
        name: name.to_owned(),
        scorer,
        open: None,
    }
}

/// The label, and how many times over the work would have been enough.
async fn spare(scorer: &mut Actor, settings: Value, events: &[PageEvent]) -> (String, u64) {
    let values = json!({ "values": {}, "settings": settings }).to_string();
    let work = WORK + WORK_PER_BYTE * readable(&values, events, "").unwrap() as u64;
    let label = scorer
        .within(Bounds::counted(HANGS, work), async |scorer, store| {
            scorer
                .dynacu_scoring_scorer()
                .call_judge(store, &values, events)
                .await
        })
        .await
        .unwrap()
        .expect("an event that ends the task is among them");
    let left = scorer.open.as_ref().unwrap().0.get_fuel().unwrap();
    let spare = work / (work - left);
    eprintln!("{}: {spare} times over, {} taken", scorer.name, work - left);
    (label, spare)
}

#[tokio::test]
async fn an_honest_scorer_has_twenty_times_the_work_that_it_needs_for_the_most_that_it_reads() {
    let form = |value: &str| {
        event(
            "submit",
            &json!({ "form": "answer", "values": { "text": value } }),
        )
    };
    let clicks = |number: usize, last: PageEvent| {
        let click = event("click", &json!({ "control": "pad-red" }));
        let mut events = vec![event("window-opened", &json!({ "window": "replay" }))];
        events.resize(number, click);
        events.push(last);
        events
    };
    let closed = event("window-closed", &json!({ "window": "replay" }));

    let typed = json!({
        "field": "text", "value": "64", "type": "money", "success": "right", "failure": "wrong",
    });
    let mut scorer = bundled("typed-answer");
    let (label, spare_of_many) =
        spare(&mut scorer, typed.clone(), &clicks(EVENTS - 1, form("$64"))).await;
    assert_eq!(label, "right");
    // A text that somebody pasted over and over again: as long as a page may send one.
    let long = form(&"sixty-four dollars ".repeat(13_000));
    let (label, spare_of_long) = spare(&mut scorer, typed, &[long]).await;
    assert_eq!(label, "wrong");

    let order = json!({
        "expected": ["red", "blue"], "prefix": "pad-", "ends": { "window": "replay" },
        "success": "right", "failure": "wrong",
    });
    let mut scorer = bundled("sequence");
    let (_, spare_of_order) = spare(&mut scorer, order, &clicks(EVENTS - 1, closed.clone())).await;

    let timed = json!({
        "ends": { "window": "replay" }, "decoys": "pad-*", "success": "right", "failure": "wrong",
        "actions": [{ "moment": "lit", "within": 2.0, "click": "pad-red" }],
    });
    let mut scorer = bundled("timed-actions");
    let (_, spare_of_timed) = spare(&mut scorer, timed, &clicks(EVENTS - 1, closed)).await;

    let wanted = "the harbour opens again on the third of March ".repeat(100);
    let edited = json!({
        "form": "answer", "success": "right", "failure": "wrong",
        "sections": [{ "section": "text", "text": wanted }],
    });
    let mut scorer = bundled("document-edit");
    let (label, spare_of_edit) = spare(&mut scorer, edited.clone(), &[form(&wanted)]).await;
    assert_eq!(label, "right");
    let long = form(&wanted.repeat(50));
    let (label, spare_of_paste) = spare(&mut scorer, edited, &[long]).await;
    assert_eq!(label, "wrong");

    for spare in [
        spare_of_many,
        spare_of_long,
        spare_of_order,
        spare_of_timed,
        spare_of_edit,
        spare_of_paste,
    ] {
        assert!(spare >= 20, "its work is enough {spare} times over");
    }
}
