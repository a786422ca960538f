//! Any bytes as a reply of Anthropic's Messages.

#![no_main]

mod reply;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(reply) = reply::reply(bytes) {
        reply::holds(claude::conversions::answer("claude-opus-5-5", &reply));
    }
});
