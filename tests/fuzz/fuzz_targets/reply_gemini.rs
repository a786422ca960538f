//! Any bytes as a reply of Google's generateContent.

#![no_main]

mod reply;

use gemini::conversions::Settings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(reply) = reply::reply(bytes) {
        reply::holds(gemini::conversions::answer(
            "gemini-3.8-flash",
            &Settings::default(),
            &reply::request(),
            &reply,
        ));
    }
});
