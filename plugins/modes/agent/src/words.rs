//! What the model is told once and for all.

use std::fmt::Write as _;

use dynacu_sdk::tools::Tools;
use dynacu_sdk::{Brief, Channels, Size};

/// How the model is to answer.
pub(crate) struct Answering<'a> {
    pub(crate) tools: &'a Tools,
    /// Whether the model has tools, or is to write one JSON object.
    pub(crate) by_tool: bool,
    pub(crate) several: bool,
    pub(crate) narration: bool,
}

pub(crate) fn system(brief: &Brief, sent: Size, answering: &Answering<'_>) -> String {
    let granted = |channel| brief.granted.contains(channel);
    let (audio, speech) = (granted(Channels::AUDIO), granted(Channels::SPEECH));
    let mut senses = vec!["its screen"];
    senses.extend(audio.then_some("its speakers"));
    senses.extend(["mouse", "keyboard"]);
    senses.extend(speech.then_some("microphone"));
    let last = senses.pop().unwrap_or_default();
    let mut text = format!(
        "You operate a computer through {} and {last}, as a person would. You were given a task: work on it until it is finished.\n\n",
        senses.join(", ")
    );
    let pace = brief.pace.as_seconds();
    let _ = writeln!(text, "About every {pace} seconds you are shown:");
    text.push_str("- the task, and what you did so far, newest first, with what went wrong\n");
    if audio {
        text.push_str("- a transcript of the last 60 seconds of sound, and what of it is new\n");
    }
    if granted(Channels::KEYFRAMES) {
        text.push_str(
            "- keyframes: pictures of moments at which the screen changed since you last looked\n",
        );
    }
    let Size { width, height } = sent;
    let _ = writeln!(
        text,
        "- a screenshot of the screen as it is now, {width}x{height} pixels, after everything else"
    );
    text.push_str(
        "Times are seconds since the task began. The page goes on while you think, and what it shows or says may not come again.\n\n",
    );
    match (answering.by_tool, answering.several) {
        (true, true) => text.push_str(
            "Act by calling tools. Several calls in one answer are done in their order, up to the first that fails.",
        ),
        (true, false) => {
            text.push_str("Act by calling one tool. Of several calls only the first is done.");
        }
        (false, _) => {
            text.push_str(
                "Act by answering with one JSON object and nothing else, for example {\"action\": \"wait\", \"seconds\": 2}. These are the actions and their other keys:\n",
            );
            text.push_str(&answering.tools.in_words());
        }
    }
    let act = if answering.by_tool { "call" } else { "action" };
    let _ = write!(
        text,
        "\nText without {} does nothing. To look again without acting, use `wait`. Use `done` when the task is finished, and only then.",
        if answering.by_tool {
            "a call"
        } else {
            "such an object"
        }
    );
    if speech {
        text.push_str(" Where somebody speaks to you, answer with `speak`.");
    }
    if answering.narration {
        let _ = write!(
            text,
            "\nWith each {act} write into `note` what you saw or heard that you will need later: you keep the text, not the pictures."
        );
    }
    text
}
