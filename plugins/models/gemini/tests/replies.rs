//! Every recorded reply of `tests/replies` comes to what its folder says.

use std::path::Path;

use model_wire::fixtures::{run, tools};

#[test]
fn replies_come_to_what_is_expected() {
    let folder =
        Path::new(concat!(env!("DYNACU_CHECKOUT"), "/plugins/models/gemini")).join("tests/replies");
    let (count, faults) = run(&folder, &tools(Some(1000)), |case, request, reply| {
        let settings = case.settings()?;
        gemini::conversions::answer(&case.model, &settings, request, reply)
    })
    .unwrap();
    assert!(count >= 45, "only {count} cases were found");
    assert!(faults.is_empty(), "{faults}");
}
