//! From the vocabulary's types to those that are generated out of `wit/`, where [`dynacu_vocabulary::wit_conversions`] does
//! not have them: what only a host hands over.

use crate::bindings::policy::dynacu::assist::reading;
use crate::bindings::policy::dynacu::environment::{action, observation};
use crate::bindings::policy::dynacu::model::inference;
use crate::bindings::policy::dynacu::policy::session;
use crate::bindings::policy::exports::dynacu::policy::policy;
use crate::policy_host::{ActionOutcome, Completion};
use crate::types::{
    AudioContext, Brief, Channel, Duration, Encoding, ImageFormat, Instant, PerformError,
    RecentAudio, Rect, Sentence, Size, StopCause, TextLine,
};

pub(crate) fn size(size: Size) -> observation::Size {
    observation::Size {
        width: size.width,
        height: size.height,
    }
}

pub(crate) fn rect(rect: Rect) -> observation::Rect {
    observation::Rect {
        origin: rect.origin.into(),
        size: size(rect.size),
    }
}

pub(crate) fn rect_back(rect: observation::Rect) -> Rect {
    Rect {
        origin: rect.origin.into(),
        size: Size {
            width: rect.size.width,
            height: rect.size.height,
        },
    }
}

pub(crate) fn encoding_back(encoding: observation::Encoding) -> Encoding {
    Encoding {
        format: match encoding.format {
            observation::ImageFormat::Png => ImageFormat::Png,
            observation::ImageFormat::Jpeg => ImageFormat::Jpeg,
        },
        max_side: encoding.max_side,
        crop: encoding.crop.map(rect_back),
    }
}

pub(crate) fn sentence(sentence: Sentence) -> observation::Sentence {
    observation::Sentence {
        started_at: Instant::at(sentence.started_at),
        ended_at: Instant::at(sentence.ended_at),
        text: sentence.text,
        confidence: sentence.confidence,
        is_final: sentence.is_final,
        starts_turn: sentence.starts_turn,
    }
}

pub(crate) fn recent_audio(recent: RecentAudio) -> observation::RecentAudio {
    observation::RecentAudio {
        started_at: Instant::at(recent.started_at),
        ended_at: Instant::at(recent.ended_at),
        transcript: recent.transcript,
        keyframes: recent.keyframes,
    }
}

pub(crate) fn audio_context(context: AudioContext) -> observation::AudioContext {
    observation::AudioContext {
        started_at: Instant::at(context.started_at),
        ended_at: Instant::at(context.ended_at),
        sentences: context.sentences.into_iter().map(sentence).collect(),
    }
}

pub(crate) fn text_line(line: TextLine) -> reading::TextLine {
    reading::TextLine {
        text: line.text,
        area: rect(line.area),
        confidence: line.confidence,
    }
}

pub(crate) fn stop_cause(cause: StopCause) -> session::StopCause {
    match cause {
        StopCause::Done => session::StopCause::Done,
        StopCause::TaskEnded => session::StopCause::TaskEnded,
        StopCause::TimeLimit => session::StopCause::TimeLimit,
        StopCause::StepLimit => session::StopCause::StepLimit,
        StopCause::Budget => session::StopCause::Budget,
        StopCause::LeftPage => session::StopCause::LeftPage,
        StopCause::Operator => session::StopCause::Operator,
        StopCause::Infrastructure => session::StopCause::Infrastructure,
    }
}

pub(crate) fn perform_error(error: PerformError) -> session::PerformError {
    match error {
        PerformError::TooMany { count } => session::PerformError::TooMany(count),
        PerformError::Stopped { cause } => session::PerformError::Stopped(stop_cause(cause)),
    }
}

pub(crate) fn completion(completion: Completion) -> session::Completion {
    session::Completion {
        call: inference::CallId {
            number: completion.call,
        },
        outcome: completion.outcome,
    }
}

pub(crate) fn action_outcome(outcome: ActionOutcome) -> session::ActionOutcome {
    session::ActionOutcome {
        action: session::ActionId { number: outcome.id },
        outcome: outcome
            .outcome
            .map(|receipt| action::ActionReceipt {
                started_at: Instant::at(receipt.started_at),
                ended_at: Instant::at(receipt.ended_at),
            })
            .map_err(Into::into),
    }
}

pub(crate) fn channels(channels: &[Channel]) -> policy::Channels {
    channels
        .iter()
        .map(|channel| match channel {
            Channel::Keyframes => policy::Channels::KEYFRAMES,
            Channel::Audio => policy::Channels::AUDIO,
            Channel::Speech => policy::Channels::SPEECH,
        })
        .fold(policy::Channels::empty(), |all, channel| all | channel)
}

pub(crate) fn brief(brief: Brief) -> policy::Brief {
    policy::Brief {
        episode: brief.episode,
        instruction: brief.instruction,
        screen: size(brief.screen),
        pace: Duration::of(brief.pace_ms),
        time_limit: Duration::of(brief.time_limit_ms),
        step_limit: brief.step_limit,
        granted: channels(&brief.granted),
    }
}
