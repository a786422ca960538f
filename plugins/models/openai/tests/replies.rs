//! Every recorded reply of `tests/replies` comes to what its folder says.

use std::path::Path;

use model_wire::fixtures::{run, tools};
use openai::conversions::{Settings, responses};

#[test]
fn replies_come_to_what_is_expected() {
    let folder =
        Path::new(concat!(env!("DYNACU_CHECKOUT"), "/plugins/models/openai")).join("tests/replies");
    let (count, faults) = run(&folder, &tools(None), |case, request, reply| {
        let settings: Settings = case.settings()?;
        if settings.is_chat(&case.model)? {
            chat_completions::answer(&case.model, request.messages.len(), reply)
        } else {
            responses::answer(&case.model, &settings, reply)
        }
    })
    .unwrap();
    assert!(count >= 95, "only {count} cases were found");
    assert!(faults.is_empty(), "{faults}");
}
