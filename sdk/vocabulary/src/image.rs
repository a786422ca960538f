//! Pictures as a policy asks for them, and text read out of them.

use serde::{Deserialize, Serialize};

use crate::geometry::Rect;

/// An image's file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ImageFormat {
    /// Lossless.
    Png,
    /// Smaller.
    Jpeg,
}

/// How a frame is to be encoded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Encoding {
    /// The file format.
    pub format: ImageFormat,
    /// Scaled down so that the longer side has at most this many pixels; none is the frame's own size.
    pub max_side: Option<u32>,
    /// The part that is wanted, pixels; none is all of it.
    pub crop: Option<Rect>,
}

/// One line of text that was read out of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextLine {
    /// What it says.
    pub text: String,
    /// Where, in pixels of the frame.
    pub area: Rect,
    /// 0 to 1.
    pub confidence: f32,
}
