//! Pictures and sounds in a body: their base64 is decoded and their bytes must be what the media type says.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::ImageFormat;

/// A picture that was decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    /// Characters of base64.
    pub encoded: usize,
}

fn bytes(base64: &str) -> Result<Vec<u8>, String> {
    if base64.is_empty() {
        return Err("the base64 is empty".into());
    }
    STANDARD
        .decode(base64)
        .map_err(|problem| format!("this is no base64: {problem}"))
}

/// Decodes the whole picture, as a provider has to.
pub(crate) fn picture(media_type: &str, base64: &str) -> Result<Picture, String> {
    let format = match media_type {
        "image/png" => ImageFormat::Png,
        "image/jpeg" => ImageFormat::Jpeg,
        other => {
            return Err(format!(
                "`{other}` is no media type of a PNG or JPEG picture"
            ));
        }
    };
    let decoded = image::load_from_memory_with_format(&bytes(base64)?, format)
        .map_err(|problem| format!("the bytes are no {media_type} picture: {problem}"))?;
    Ok(Picture {
        width: decoded.width(),
        height: decoded.height(),
        encoded: base64.len(),
    })
}

/// Checks a sound by its first bytes; returns how many bytes it has.
pub(crate) fn sound(format: &str, base64: &str) -> Result<usize, String> {
    let bytes = bytes(base64)?;
    let is = match format {
        "wav" => bytes.len() > 44 && bytes.starts_with(b"RIFF") && &bytes[8..12] == b"WAVE",
        "flac" => bytes.len() > 42 && bytes.starts_with(b"fLaC"),
        "mp3" => {
            bytes.len() > 100
                && (bytes.starts_with(b"ID3") || (bytes[0] == 0xff && bytes[1] & 0xe0 == 0xe0))
        }
        other => return Err(format!("`{other}` is no known sound format")),
    };
    if is {
        Ok(bytes.len())
    } else {
        Err(format!("the bytes are no {format} sound"))
    }
}

/// Splits `data:image/png;base64,…` into media type and base64.
pub(crate) fn data_uri(uri: &str) -> Result<(&str, &str), String> {
    let parts = uri
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"));
    parts.ok_or_else(|| {
        "a picture is given as `data:image/…;base64,…`; this server fetches no addresses".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_must_be_what_the_media_type_says() {
        let mut png = Vec::new();
        image::RgbImage::new(3, 2)
            .write_to(&mut std::io::Cursor::new(&mut png), ImageFormat::Png)
            .unwrap();
        let base64 = STANDARD.encode(&png);
        let decoded = picture("image/png", &base64).unwrap();
        assert_eq!((decoded.width, decoded.height), (3, 2));
        assert!(picture("image/jpeg", &base64).is_err());
        assert!(picture("image/bmp", &base64).is_err());
        let cut = STANDARD.encode(&png[..png.len() - 20]);
        assert!(picture("image/png", &cut).is_err());
        assert!(picture("image/png", "no base64!").is_err());
        assert!(picture("image/png", "").is_err());
    }

    #[test]
    fn a_sound_is_known_by_its_first_bytes() {
        let mut wav = b"RIFF\0\0\0\0WAVE".to_vec();
        wav.resize(60, 0);
        assert_eq!(sound("wav", &STANDARD.encode(&wav)), Ok(60));
        assert!(sound("mp3", &STANDARD.encode(&wav)).is_err());
        assert!(sound("ogg", &STANDARD.encode(&wav)).is_err());
    }
}
