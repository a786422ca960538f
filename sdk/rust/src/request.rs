//! Short ways to make model requests, pictures to send, and points.

use crate::model::{Capabilities, Message, Part, Request, Role, Tool, ToolCall};
use crate::{Encoding, Frame, ImageFormat, Point, Rect, Size};

impl Request {
    /// A request of these messages, without tools and limits.
    ///
    /// ```
    /// use dynacu_sdk::{BlobId, Size};
    /// use dynacu_sdk::model::{Message, Part, Request};
    /// use dynacu_sdk::tools::Tools;
    ///
    /// let screen = Size::from((1280, 720));
    /// let screenshot = Part::Image(BlobId::new("the blob's SHA-256"));
    /// let request = Request::new(vec![
    ///     Message::system("You operate a desktop."),
    ///     Message::user(vec!["Task: mute the call.".into(), screenshot]),
    /// ])
    /// .with_tools(Tools::new(screen).list())
    /// .with_display(screen)
    /// .with_output_limit(8192);
    /// assert_eq!(request.display, Some((1280, 720)));
    /// ```
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            tools: Vec::new(),
            display: None,
            max_output_tokens: None,
            temperature: None,
        }
    }

    /// Offers these tools.
    #[must_use]
    pub fn with_tools(self, tools: Vec<Tool>) -> Self {
        Self { tools, ..self }
    }

    /// The size of the screenshot as it is sent, in which points come back.
    #[must_use]
    pub fn with_display(self, size: Size) -> Self {
        let display = Some((size.width, size.height));
        Self { display, ..self }
    }

    /// At most this many tokens, a model's hidden reasoning included.
    #[must_use]
    pub fn with_output_limit(self, tokens: u32) -> Self {
        let max_output_tokens = Some(tokens);
        Self {
            max_output_tokens,
            ..self
        }
    }
}

impl Message {
    /// A message of the system.
    pub fn system(text: impl Into<String>) -> Self {
        Self::text(Role::System, text)
    }

    /// A message of the user.
    pub fn user(parts: Vec<Part>) -> Self {
        Self {
            role: Role::User,
            parts,
        }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<ToolCall> for Part {
    fn from(call: ToolCall) -> Self {
        Self::ToolCall(call)
    }
}

/// A model that takes text and nothing else.
impl Default for Capabilities {
    fn default() -> Self {
        Self {
            images: false,
            max_images: None,
            audio: false,
            tools: false,
            coordinate_grid: None,
        }
    }
}

impl Encoding {
    /// The whole frame in its own size.
    ///
    /// ```
    /// use dynacu_sdk::{Encoding, ImageFormat, Rect};
    ///
    /// let toast = Encoding::new(ImageFormat::Jpeg).of(Rect::new(900, 20, 320, 64)).within(160);
    /// assert_eq!(toast.max_side, Some(160));
    /// ```
    pub fn new(format: ImageFormat) -> Self {
        Self {
            format,
            max_side: None,
            crop: None,
        }
    }

    /// Scaled down, where it is larger, so that the longer side has this many pixels.
    #[must_use]
    pub fn within(self, max_side: u32) -> Self {
        let max_side = Some(max_side);
        Self { max_side, ..self }
    }

    /// Only this part of the frame.
    #[must_use]
    pub fn of(self, area: Rect) -> Self {
        let crop = Some(area);
        Self { crop, ..self }
    }

    /// The size that the picture will have, of a frame of this size.
    pub fn size_of(&self, frame: Size) -> Size {
        let Size { width, height } = self.crop.map_or(frame, |area| area.size);
        let longer = width.max(height);
        match self.max_side {
            Some(max) if longer > max => {
                // As the host computes it.
                let side = |side: u32| {
                    (u64::from(side) * u64::from(max) / u64::from(longer)).max(1) as u32
                };
                Size {
                    width: side(width),
                    height: side(height),
                }
            }
            _ => Size { width, height },
        }
    }
}

impl Frame {
    /// The size of this frame under an encoding.
    pub fn size_as(&self, encoding: &Encoding) -> Size {
        encoding.size_of(self.size())
    }
}

impl From<(i32, i32)> for Point {
    fn from((x, y): (i32, i32)) -> Self {
        Self { x, y }
    }
}

impl From<(u32, u32)> for Size {
    fn from((width, height): (u32, u32)) -> Self {
        Self { width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_keeps_its_shape_and_is_never_enlarged() {
        let screen = Size::from((1280, 720));
        let png = Encoding::new(ImageFormat::Png);
        assert_eq!(png.size_of(screen), screen);
        assert_eq!(png.within(2000).size_of(screen), screen);
        assert_eq!(png.within(1000).size_of(screen), Size::from((1000, 562)));
        let line = png.of(Rect::new(0, 0, 1280, 1)).within(640);
        assert_eq!(line.size_of(screen), Size::from((640, 1)));
    }
}
