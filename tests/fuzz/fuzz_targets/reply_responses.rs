//! Any bytes as a reply of OpenAI's Responses.

#![no_main]

mod reply;

use libfuzzer_sys::fuzz_target;
use openai::conversions::Settings;

fuzz_target!(|bytes: &[u8]| {
    if let Some(reply) = reply::reply(bytes) {
        reply::holds(openai::conversions::responses::answer(
            "gpt-6-sol",
            &Settings::default(),
            &reply,
        ));
    }
});
