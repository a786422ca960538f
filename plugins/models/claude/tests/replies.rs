//! Every recorded reply of `tests/replies` comes to what its folder says.

use std::path::Path;

use model_wire::fixtures::{run, tools};

#[test]
fn replies_come_to_what_is_expected() {
    let folder =
        Path::new(concat!(env!("DYNACU_CHECKOUT"), "/plugins/models/claude")).join("tests/replies");
    let (count, faults) = run(&folder, &tools(None), |case, request, reply| {
        let _ = request;
        claude::conversions::answer(&case.model, reply)
    })
    .unwrap();
    assert!(count >= 50, "only {count} cases were found");
    assert!(faults.is_empty(), "{faults}");
}
