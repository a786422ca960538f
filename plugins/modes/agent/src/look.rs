//! From an observation to a scene: what is encoded, what is transcribed.

use dynacu_sdk::{
    AskFailure, AudioContext, BlobId, Channels, Frame, Interrupted, Keyframe, Observation,
    PolicyError, logging,
};

use crate::agent::Episode;
use crate::answer;
use crate::scene::{Scene, Shot};
use crate::spread::spread;
use crate::transcriber::{self, WINDOW};

impl Episode<'_> {
    pub(crate) fn scene(&mut self, seen: &Observation) -> Result<Scene, Interrupted> {
        let screenshot = self.encode(&seen.screenshot).ok_or_else(|| {
            PolicyError::Other("the host gave up the screenshot before it was encoded".to_owned())
        })?;
        let granted = self.composer.brief.granted.contains(Channels::KEYFRAMES);
        Ok(Scene {
            step: seen.step,
            taken_at: seen.taken_at,
            sent: seen.screenshot.size_as(&self.encoding),
            screenshot,
            keyframes: granted.then(|| self.shots(&seen.keyframes)),
            keyframes_dropped: seen.keyframes_dropped,
            recent_audio: seen.recent_audio.clone(),
            audio_context: seen.audio_context.clone(),
            news: Vec::new(),
        })
    }

    /// The keyframes, those that are to be shown with their pictures.
    fn shots(&mut self, keyframes: &[Keyframe]) -> Vec<Shot> {
        let most = self.composer.settings.keyframes.unwrap_or(usize::MAX);
        let shown = spread(keyframes.len(), most);
        let mut shots = Vec::with_capacity(keyframes.len());
        for (place, keyframe) in keyframes.iter().enumerate() {
            let blob = shown
                .contains(&place)
                .then(|| self.encode(&keyframe.frame))
                .flatten();
            if let Some(blob) = &blob {
                self.pictures.add(keyframe.captured_at, blob);
            }
            shots.push(Shot {
                line: keyframe.into(),
                blob,
            });
        }
        shots
    }

    pub(crate) fn encode(&self, frame: &Frame) -> Option<BlobId> {
        frame
            .encode(self.encoding)
            .map_err(|error| logging::warn(&format!("a picture is missing: {error:?}")))
            .ok()
    }

    /// Replaces the host's transcript of the last 60 seconds by the model's. Where there is none the host's stays.
    pub(crate) fn transcribe(&mut self, scene: &mut Scene) -> Result<(), Interrupted> {
        let end = scene.taken_at;
        let start = (self.session.now() - WINDOW).min(end);
        if start == end {
            return Ok(());
        }
        let clip = match self.session.clip(start, end) {
            Ok(clip) => clip,
            Err(error) => {
                logging::warn(&format!("no sound for the model to transcribe: {error:?}"));
                return Ok(());
            }
        };
        let most = self
            .composer
            .max_images
            .map_or(usize::MAX, |most| most as usize);
        let limit = self.composer.settings.max_output_tokens;
        let request = transcriber::request(&clip, start, &mut self.pictures, most, limit);
        match self.session.ask(&request) {
            Ok(response) => {
                let written = answer::said(&response);
                let context: AudioContext = transcriber::transcript(&written, start, end);
                scene.audio_context = Some(context);
            }
            Err(AskFailure::Model(error)) => {
                logging::warn(&format!("the model did not transcribe: {error:?}"));
            }
            Err(AskFailure::Stopped(cause)) => return Err(cause.into()),
        }
        Ok(())
    }
}
