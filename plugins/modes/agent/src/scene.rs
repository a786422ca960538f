//! One observation as it stays with the agent: texts, times and the ids of pictures, no frames.

use dynacu_sdk::record_text::{KeyframeLine, RecordText};
use dynacu_sdk::{AudioContext, BlobId, Instant, PriorAction, RecentAudio, Sentence, Size};

/// A keyframe, with its picture where it was encoded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shot {
    pub(crate) line: KeyframeLine,
    pub(crate) blob: Option<BlobId>,
}

/// What came after the observation, while the model thought.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Sentence(Sentence),
    Keyframe { line: KeyframeLine, blob: BlobId },
}

#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) step: u32,
    pub(crate) taken_at: Instant,
    /// The size of the pictures as they are sent.
    pub(crate) sent: Size,
    pub(crate) screenshot: BlobId,
    /// None when the channel is not granted.
    pub(crate) keyframes: Option<Vec<Shot>>,
    pub(crate) keyframes_dropped: u32,
    pub(crate) recent_audio: Option<RecentAudio>,
    pub(crate) audio_context: Option<AudioContext>,
    pub(crate) news: Vec<News>,
}

impl Scene {
    /// Places of the keyframes that have a picture.
    pub(crate) fn pictured(&self) -> Vec<usize> {
        let keyframes = self.keyframes.iter().flatten().enumerate();
        keyframes
            .filter(|(_, shot)| shot.blob.is_some())
            .map(|(place, _)| place)
            .collect()
    }

    /// The record's text, with the pictures of these keyframes beside it.
    pub(crate) fn record<'a>(
        &'a self,
        task: &'a str,
        prior_actions: &'a [PriorAction],
        shown: &[usize],
    ) -> RecordText<'a> {
        let keyframes = self.keyframes.as_ref().map(|shots| {
            let lines = shots.iter().enumerate();
            lines
                .map(|(place, shot)| KeyframeLine {
                    shown: shown.contains(&place),
                    ..shot.line
                })
                .collect()
        });
        RecordText {
            step: self.step,
            taken_at: self.taken_at,
            screen: self.sent,
            audio_context: self.audio_context.as_ref(),
            recent_audio: self.recent_audio.as_ref(),
            keyframes,
            keyframes_dropped: self.keyframes_dropped,
            task,
            prior_actions,
        }
    }

    /// The pictures of these keyframes and the screenshot, in the order of time.
    pub(crate) fn pictures(&self, shown: &[usize]) -> Vec<(String, BlobId)> {
        let shots = self.keyframes.iter().flatten().enumerate();
        let mut pictures: Vec<(String, BlobId)> = shots
            .filter(|(place, _)| shown.contains(place))
            .filter_map(|(_, shot)| Some((shot.line.to_string(), shot.blob.clone()?)))
            .collect();
        let name = format!("→ screenshot_step_{}.png", self.step);
        pictures.push((name, self.screenshot.clone()));
        pictures
    }
}
