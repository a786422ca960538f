//! Any text as what a model wrote: at most one action, or a reason.

#![no_main]

use dynacu_sdk::Size;
use dynacu_sdk::model::ToolCall;
use dynacu_sdk::tools::Tools;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let tools = Tools::new(Size::from((1280, 720))).with_notes(true);
    let _ = tools.recover(text);
    let (name, arguments) = text.split_once('\n').unwrap_or(("click", text));
    let _ = tools.read(&ToolCall::new("1", name, arguments));
});
