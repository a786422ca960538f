//! What a policy is handed: frames that stay on the host, and their encodings as blobs of the record.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use async_trait::async_trait;
use dynacu_record::Recorder;
use dynacu_runtime::types::{EncodeError, Encoding, ImageFormat, Point, Rect, Size};
use dynacu_runtime::{Frame as PolicyFrame, Keyframe};

use crate::capture::screen::Frame;
use crate::perception::seeing::Kept;

/// Frames whose pixels are held for a policy; the oldest are given up beyond it (`wit/README.md` tells authors).
pub const HELD_FRAMES: usize = 256;
/// Keyframes in one observation.
pub const KEYFRAMES: usize = 64;

/// A captured screen in a policy's hands.
pub struct HeldFrame {
    captured_at: u64,
    width: u32,
    height: u32,
    pixels: Mutex<Option<Arc<Frame>>>,
    encoded: Mutex<HashMap<String, String>>,
    shelf: Arc<Shelf>,
}

/// All frames of one episode that a policy may still look at.
pub struct Shelf {
    recorder: Recorder,
    held: Mutex<VecDeque<Weak<HeldFrame>>>,
    encode_ms: Mutex<Vec<u64>>,
}

impl Shelf {
    #[must_use]
    pub fn new(recorder: Recorder) -> Arc<Shelf> {
        Arc::new(Shelf { recorder, held: Mutex::default(), encode_ms: Mutex::default() })
    }

    /// Puts a frame on the shelf; where there are too many, the oldest loses its pixels.
    pub fn hold(self: &Arc<Shelf>, frame: Arc<Frame>, captured_at: u64) -> Arc<HeldFrame> {
        let held = Arc::new(HeldFrame {
            captured_at,
            width: frame.width,
            height: frame.height,
            pixels: Mutex::new(Some(frame)),
            encoded: Mutex::default(),
            shelf: Arc::clone(self),
        });
        let mut all = lock(&self.held);
        all.retain(|frame| frame.strong_count() > 0);
        while all.len() >= HELD_FRAMES {
            if let Some(oldest) = all.pop_front().and_then(|frame| frame.upgrade()) {
                lock(&oldest.pixels).take();
            }
        }
        all.push_back(Arc::downgrade(&held));
        held
    }

    /// Milliseconds that each encoding took.
    #[must_use]
    pub fn encode_ms(&self) -> Vec<u64> {
        lock(&self.encode_ms).clone()
    }
}

impl HeldFrame {
    /// The pixels, if they were not given up.
    #[must_use]
    pub fn pixels(&self) -> Option<Arc<Frame>> {
        lock(&self.pixels).clone()
    }

    fn encode_now(&self, encoding: &Encoding) -> Result<String, EncodeError> {
        let key = format!("{encoding:?}");
        if let Some(id) = lock(&self.encoded).get(&key) {
            return Ok(id.clone());
        }
        let frame = self.pixels().ok_or(EncodeError::Gone)?;
        let crop = encoding.crop.as_ref().map(|rect| crop_inside(rect, self.width, self.height)).transpose()?;
        let started = Instant::now();
        let encoded = match encoding.format {
            ImageFormat::Png => frame.png(crop, encoding.max_side),
            ImageFormat::Jpeg => frame.jpeg(crop, encoding.max_side),
        };
        let (bytes, media_type) = match (encoded, encoding.format) {
            (Ok(bytes), ImageFormat::Png) => (bytes, "image/png"),
            (Ok(bytes), ImageFormat::Jpeg) => (bytes, "image/jpeg"),
            (Err(error), _) => {
                tracing::warn!("cannot encode a frame: {error:#}");
                return Err(EncodeError::BadCrop);
            }
        };
        let id = self.shelf.recorder.blob(bytes, media_type);
        lock(&self.shelf.encode_ms).push(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX));
        lock(&self.encoded).insert(key, id.clone());
        Ok(id)
    }
}

fn crop_inside(rect: &Rect, width: u32, height: u32) -> Result<(u32, u32, u32, u32), EncodeError> {
    let (Ok(x), Ok(y)) = (u32::try_from(rect.origin.x), u32::try_from(rect.origin.y)) else {
        return Err(EncodeError::BadCrop);
    };
    let Size { width: w, height: h } = rect.size;
    let inside = w > 0
        && h > 0
        && x.checked_add(w).is_some_and(|right| right <= width)
        && y.checked_add(h).is_some_and(|bottom| bottom <= height);
    if inside { Ok((x, y, w, h)) } else { Err(EncodeError::BadCrop) }
}

#[async_trait]
impl PolicyFrame for HeldFrame {
    fn captured_at(&self) -> u64 {
        self.captured_at
    }

    fn size(&self) -> Size {
        Size { width: self.width, height: self.height }
    }

    async fn encode(&self, encoding: Encoding) -> Result<String, EncodeError> {
        self.encode_now(&encoding)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A kept frame on its way to the policy.
pub fn keyframe(shelf: &Arc<Shelf>, kept: &Kept, captured_at: u64) -> Keyframe {
    let (x, y, width, height) = kept.changed;
    Keyframe {
        frame: shelf.hold(Arc::clone(&kept.frame), captured_at),
        captured_at,
        changed: Rect { origin: Point { x: x as i32, y: y as i32 }, size: Size { width, height } },
        changed_fraction: kept.changed_fraction,
        semantic_distance: kept.semantic_distance,
    }
}

/// Thins a list of keyframes to [`KEYFRAMES`]: again and again the one nearest in time to its neighbours goes. Returns how
/// many went.
pub fn thin(keyframes: &mut Vec<Keyframe>) -> u32 {
    let mut dropped = 0;
    while keyframes.len() > KEYFRAMES {
        let nearest = (1..keyframes.len() - 1)
            .min_by_key(|&index| keyframes[index + 1].captured_at - keyframes[index - 1].captured_at)
            .unwrap_or(0);
        keyframes.remove(nearest);
        dropped += 1;
    }
    dropped
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
