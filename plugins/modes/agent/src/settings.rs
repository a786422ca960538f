//! A mode's table of the run configuration.

use dynacu_sdk::model::Capabilities;
use dynacu_sdk::{Channels, Encoding, ImageFormat};
use serde::Deserialize;

/// A smaller picture is of no use to anybody.
const SMALLEST_SIDE: u32 = 64;

/// The table; every key may be left out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Keyframes shown of one step, spread evenly over those that there are. All of them where there is no number.
    pub(crate) keyframes: Option<usize>,
    pub(crate) image_format: Format,
    /// Pixels of the longer side; as captured where there is no number.
    pub(crate) image_side: Option<u32>,
    /// Pictures of earlier steps shown again, the newest.
    pub(crate) images_kept: usize,
    /// Earlier steps told again: what was heard, said and noted.
    pub(crate) memory_steps: usize,
    /// Whether all actions of one answer are done, or the first alone.
    pub(crate) several_actions: bool,
    pub(crate) transcriber: Transcriber,
    /// Whether a keyframe or a sentence that comes while the model thinks is shown to it at once.
    pub(crate) react: bool,
    /// Whether the model is asked to note what it saw.
    pub(crate) narration: bool,
    /// Tokens of one answer, hidden reasoning included.
    pub(crate) max_output_tokens: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    Png,
    Jpeg,
}

/// Who writes down the last 60 seconds of sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Transcriber {
    Host,
    Model,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            keyframes: None,
            image_format: Format::Png,
            image_side: None,
            images_kept: 0,
            memory_steps: 10,
            several_actions: true,
            transcriber: Transcriber::Host,
            react: false,
            narration: false,
            max_output_tokens: 8192,
        }
    }
}

impl Settings {
    /// Whether the values are possible, and whether this mode and this model can do what is asked of them.
    pub(crate) fn check(
        &self,
        model: &str,
        takes: &Capabilities,
        granted: Channels,
    ) -> Result<(), String> {
        if self.image_side.is_some_and(|side| side < SMALLEST_SIDE) {
            return Err(format!("`image-side` is at least {SMALLEST_SIDE} pixels"));
        }
        if self.max_output_tokens == 0 {
            return Err("`max-output-tokens` is at least 1".to_owned());
        }
        let audio = granted.contains(Channels::AUDIO);
        if !takes.images || takes.max_images == Some(0) {
            return Err(format!(
                "{model} takes no images, and every mode shows a screenshot: choose a model that sees"
            ));
        }
        if self.transcriber == Transcriber::Model && !audio {
            return Err(
                "`transcriber = \"model\"` needs sound, which this mode does not have: leave it out, or use a mode with audio"
                    .to_owned(),
            );
        }
        if self.transcriber == Transcriber::Model && !takes.audio {
            return Err(format!(
                "`transcriber = \"model\"` sends sound, and {model} takes none: choose a model that hears, or `transcriber = \"host\"`"
            ));
        }
        if self.react && !audio && !granted.contains(Channels::KEYFRAMES) {
            return Err(
                "`react` needs keyframes or sound, and this mode has neither: leave it out"
                    .to_owned(),
            );
        }
        Ok(())
    }

    pub(crate) fn encoding(&self) -> Encoding {
        let encoding = Encoding::new(match self.image_format {
            Format::Png => ImageFormat::Png,
            Format::Jpeg => ImageFormat::Jpeg,
        });
        match self.image_side {
            Some(side) => encoding.within(side),
            None => encoding,
        }
    }
}

#[cfg(test)]
mod tests {
    use dynacu_sdk::settings::parse;

    use super::*;

    fn sees() -> Capabilities {
        Capabilities {
            images: true,
            ..Capabilities::default()
        }
    }

    #[test]
    fn an_empty_table_is_the_default_and_keys_are_as_in_toml() {
        assert_eq!(parse("{}"), Ok(Settings::default()));
        let all = r#"{"keyframes": 4, "image-format": "jpeg", "image-side": 640, "images-kept": 2, "memory-steps": 0,
            "several-actions": false, "transcriber": "model", "react": true, "narration": true, "max-output-tokens": 100}"#;
        let settings: Settings = parse(all).unwrap();
        assert_eq!(
            settings.encoding(),
            Encoding::new(ImageFormat::Jpeg).within(640)
        );
        assert_eq!(
            (settings.keyframes, settings.several_actions),
            (Some(4), false)
        );
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (json, reason) in [
            (r#"{"keyframe": 4}"#, "unknown field `keyframe`"),
            (r#"{"keyframes": -1}"#, "`keyframes`: invalid value"),
            (
                r#"{"image-format": "webp"}"#,
                "`image-format`: unknown variant `webp`",
            ),
            (r#"{"image-side": 1}"#, "`image-side` is at least 64"),
            (r#"{"max-output-tokens": 0}"#, "`max-output-tokens`"),
        ] {
            let usable = |settings: Settings| settings.check("m", &sees(), Channels::empty());
            let error = parse(json).and_then(usable).unwrap_err();
            assert!(error.starts_with(reason), "{json}: {error}");
            assert!(!error.contains(" line "), "{error}");
        }
    }

    #[test]
    fn a_mode_or_a_model_that_cannot_do_it_is_told_so() {
        let plain = Settings::default();
        assert_eq!(plain.check("m", &sees(), Channels::empty()), Ok(()));
        let blind = plain.check("m", &Capabilities::default(), Channels::empty());
        assert!(blind.unwrap_err().starts_with("m takes no images"));
        let hears = Settings {
            transcriber: Transcriber::Model,
            ..Settings::default()
        };
        let deaf = hears.check("m", &sees(), Channels::AUDIO).unwrap_err();
        assert!(deaf.contains("m takes none"), "{deaf}");
        let silent = hears.check("m", &sees(), Channels::KEYFRAMES).unwrap_err();
        assert!(silent.contains("needs sound"), "{silent}");
        let reacts = Settings {
            react: true,
            ..Settings::default()
        };
        assert!(reacts.check("m", &sees(), Channels::empty()).is_err());
        assert_eq!(reacts.check("m", &sees(), Channels::AUDIO), Ok(()));
    }
}
