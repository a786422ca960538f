//! What a desk hands out: screens that never change, and clips of silence.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use dynacu_runtime::Frame;
use dynacu_runtime::types::{EncodeError, Encoding, Size};
use parking_lot::Mutex;

use crate::Picture;
use crate::ran::Recording;

/// A screen that never changes.
pub(super) struct Still {
    pub(super) picture: Picture,
    pub(super) captured_at: u64,
    pub(super) recording: Arc<Mutex<Recording>>,
}

#[async_trait]
impl Frame for Still {
    fn captured_at(&self) -> u64 {
        self.captured_at
    }

    fn size(&self) -> Size {
        self.picture.size()
    }

    async fn encode(&self, encoding: Encoding) -> Result<String, EncodeError> {
        let (bytes, media_type) = self.picture.encode(&encoding)?;
        let mut recording = self.recording.lock();
        recording.encodings.push(encoding);
        Ok(recording.media.keep(bytes, media_type, self.picture.name()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A WAV of all but nothing: 16 kHz, mono, 16 bits. Its first samples are the instant, so that no two clips are one.
pub(super) fn silence(start: u64, end: u64) -> Vec<u8> {
    let bytes = ((end - start) * 32) as u32;
    let mut wav = Vec::with_capacity(44 + bytes as usize);
    wav.extend(b"RIFF");
    wav.extend((36 + bytes).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(16_000_u32.to_le_bytes());
    wav.extend(32_000_u32.to_le_bytes());
    wav.extend(b"\x02\0\x10\0data");
    wav.extend(bytes.to_le_bytes());
    wav.extend(start.to_le_bytes());
    wav.resize(44 + bytes as usize, 0);
    wav
}
