//! Any bytes as a reply of a server of one's own.

#![no_main]

mod reply;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(reply) = reply::reply(bytes) {
        reply::holds(openai_compatible::conversions::answer(
            "m",
            1,
            &reply::request(),
            &reply,
        ));
    }
});
