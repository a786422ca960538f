//! The least that a request can cost: what left is counted by the host itself, since an adapter may report any usage or none.
//!
//! The figures are below those of every provider, so that nobody who reports honestly is charged for more. English text has some four
//! bytes a token by the providers' own rule of thumb, long runs of one letter or of blanks up to eight. A picture takes 64 tokens at
//! the least that any provider has (Gemini's low media resolution; OpenAI's `detail: low` has 70 to 85, Claude one for about 750
//! pixels), a small one by its size at Claude's. Sound takes ten tokens a second or more, and a second has at most 192 kB (48 kHz, stereo).

use std::io::Cursor;

use image::ImageReader;

use super::exchange::each_run;

const TEXT_BYTES: u64 = 8;
/// 64 × 64.
const PICTURE_PIXELS: u64 = 4096;
const PICTURE_TOKENS: u64 = 64;
const SOUND_BYTES: u64 = 19_200;

/// Tokens of text.
#[must_use]
pub fn of_text(bytes: usize) -> u64 {
    bytes as u64 / TEXT_BYTES
}

/// Tokens of a picture or sound; none where it is neither.
#[must_use]
pub fn of_medium(bytes: &[u8]) -> Option<u64> {
    if bytes.starts_with(b"RIFF") || bytes.starts_with(b"fLaC") {
        return Some(bytes.len() as u64 / SOUND_BYTES);
    }
    let picture = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let (width, height) = picture.ok()?.into_dimensions().ok()?;
    let pixels = u64::from(width) * u64::from(height);
    Some((pixels / PICTURE_PIXELS).min(PICTURE_TOKENS))
}

/// Tokens of the bytes that an adapter wrote itself, media that it encoded by itself included.
#[must_use]
pub fn of_body(body: &[u8]) -> u64 {
    let mut text = 0;
    let mut media = 0;
    each_run(body, |run, decoded| match decoded.and_then(of_medium) {
        Some(tokens) => media += tokens,
        None => text += run.len(),
    });
    of_text(text) + media
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    fn picture(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        // Noise, so that it is as long as a screenshot.
        image::RgbImage::from_fn(width, height, |x, y| {
            let mixed = x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503);
            image::Rgb(mixed.to_le_bytes()[..3].try_into().unwrap())
        })
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
        bytes.into_inner()
    }

    #[test]
    fn text_counts_by_its_bytes_and_media_by_their_size() {
        assert_eq!(of_body(b""), 0);
        assert_eq!(of_body(&[b' '; 800]), 100);
        // A long run of letters is text as well.
        assert_eq!(of_body(&[b'a'; 800]), 100);
        let (small, large) = (picture(128, 64), picture(640, 480));
        assert_eq!(of_medium(&small), Some(2));
        assert_eq!(of_medium(&large), Some(PICTURE_TOKENS));
        let body = format!("{:>80},{:>80}", BASE64_STANDARD.encode(&large), "x");
        assert_eq!(of_body(body.as_bytes()), PICTURE_TOKENS + 10);
        let mut sound = vec![0; 192_000];
        sound[..4].copy_from_slice(b"RIFF");
        assert_eq!(of_medium(&sound), Some(10));
        assert_eq!(of_medium(b"neither"), None);
    }
}
