//! Any bytes as a reply of Chat Completions.

#![no_main]

mod reply;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(reply) = reply::reply(bytes) {
        reply::holds(chat_completions::answer("gpt-4o", 1, &reply));
    }
});
