//! What a policy is handed: frames that stay on the host, and their encodings as blobs of the record.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use dynacu_record::{ObservedKeyframe, Recorder};
use dynacu_runtime::types::{EncodeError, Encoding, ImageFormat, Rect, Size};
use dynacu_runtime::{Frame as PolicyFrame, Keyframe};
use parking_lot::Mutex;

use crate::capture::screen::{Area, Frame, rect};
use crate::perception::keyframe::Decision;

/// Keyframes in one observation.
pub const KEYFRAMES: usize = 64;

/// A captured screen in a policy's hands.
pub struct ScreenFrame {
    captured_at: u64,
    width: u32,
    height: u32,
    pixels: Mutex<Arc<Frame>>,
    encoded: Mutex<HashMap<Encoding, String>>,
    shelf: Arc<Shelf>,
}

/// Where the frames of one episode are encoded to: each encoding once, as a blob of the record.
pub struct Shelf {
    recorder: Recorder,
    encode_ms: Mutex<Vec<u64>>,
}

impl Shelf {
    #[must_use]
    pub fn new(recorder: Recorder) -> Arc<Shelf> {
        Arc::new(Shelf {
            recorder,
            encode_ms: Mutex::default(),
        })
    }

    /// A frame for a policy. The runtime bounds how many a policy holds.
    pub fn hold(self: &Arc<Shelf>, frame: Arc<Frame>, captured_at: u64) -> Arc<ScreenFrame> {
        Arc::new(ScreenFrame {
            captured_at,
            width: frame.width,
            height: frame.height,
            pixels: Mutex::new(frame),
            encoded: Mutex::default(),
            shelf: Arc::clone(self),
        })
    }

    /// Milliseconds that each encoding took.
    #[must_use]
    pub fn encode_ms(&self) -> Vec<u64> {
        self.encode_ms.lock().clone()
    }
}

impl ScreenFrame {
    #[must_use]
    pub fn pixels(&self) -> Arc<Frame> {
        self.pixels.lock().clone()
    }

    /// A rectangle as an area of this frame, if it lies inside and is not empty.
    #[must_use]
    pub fn area(&self, rect: &Rect) -> Option<Area> {
        crop_inside(rect, self.width, self.height).ok()
    }

    /// The whole frame as a PNG of the record: the id of its blob, by which the record names the frame. From then on only the
    /// PNG is held: a policy may keep a frame as long as it likes, and raw pixels are twenty times as large.
    ///
    /// # Errors
    /// It cannot be encoded, so the record cannot be whole.
    pub fn record(&self) -> Result<String, EncodeError> {
        let id = self.encode_now(&Encoding {
            format: ImageFormat::Png,
            max_side: None,
            crop: None,
        })?;
        if let Ok(compact) = self.pixels().compact() {
            *self.pixels.lock() = Arc::new(compact);
        }
        Ok(id)
    }

    fn encode_now(&self, encoding: &Encoding) -> Result<String, EncodeError> {
        if let Some(id) = self.encoded.lock().get(encoding) {
            return Ok(id.clone());
        }
        let crop = encoding
            .crop
            .as_ref()
            .map(|rect| crop_inside(rect, self.width, self.height))
            .transpose()?;
        let started = Instant::now();
        let pixels = self.pixels();
        let (encoded, media_type) = match encoding.format {
            ImageFormat::Png => (pixels.png(crop, encoding.max_side), "image/png"),
            ImageFormat::Jpeg => (pixels.jpeg(crop, encoding.max_side), "image/jpeg"),
        };
        let bytes = encoded.map_err(|error| EncodeError::Other(format!("{error:#}")))?;
        let id = self.shelf.recorder.blob(bytes, media_type);
        self.shelf
            .encode_ms
            .lock()
            .push(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX));
        self.encoded.lock().insert(encoding.clone(), id.clone());
        Ok(id)
    }
}

fn crop_inside(rect: &Rect, width: u32, height: u32) -> Result<Area, EncodeError> {
    let (Ok(x), Ok(y)) = (u32::try_from(rect.origin.x), u32::try_from(rect.origin.y)) else {
        return Err(EncodeError::BadCrop);
    };
    let Size {
        width: w,
        height: h,
    } = rect.size;
    let inside = w > 0
        && h > 0
        && x.checked_add(w).is_some_and(|right| right <= width)
        && y.checked_add(h).is_some_and(|bottom| bottom <= height);
    if inside {
        Ok((x, y, w, h))
    } else {
        Err(EncodeError::BadCrop)
    }
}

#[async_trait]
impl PolicyFrame for ScreenFrame {
    fn captured_at(&self) -> u64 {
        self.captured_at
    }

    fn size(&self) -> Size {
        Size {
            width: self.width,
            height: self.height,
        }
    }

    async fn encode(&self, encoding: Encoding) -> Result<String, EncodeError> {
        self.encode_now(&encoding)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A kept frame on its way to the policy.
pub fn keyframe(held: &Arc<ScreenFrame>, decision: &Decision) -> Keyframe {
    Keyframe {
        frame: Arc::clone(held) as Arc<dyn PolicyFrame>,
        captured_at: held.captured_at,
        changed: rect(decision.changed),
        changed_fraction: decision.changed_fraction,
        semantic_distance: decision.semantic_distance,
    }
}

/// A keyframe as the record has it.
///
/// # Errors
/// It cannot be encoded, so the record cannot be whole.
pub fn observed(keyframe: &Keyframe) -> Result<ObservedKeyframe, EncodeError> {
    Ok(ObservedKeyframe {
        frame: recorded(&*keyframe.frame)?,
        captured_at: keyframe.captured_at,
        changed: keyframe.changed,
        changed_fraction: keyframe.changed_fraction,
        semantic_distance: keyframe.semantic_distance,
    })
}

/// The blob by which the record names a policy's frame.
///
/// # Errors
/// It cannot be encoded, or it is no frame of this host's.
pub fn recorded(frame: &dyn PolicyFrame) -> Result<String, EncodeError> {
    let frame = frame.as_any().downcast_ref::<ScreenFrame>();
    frame.ok_or(EncodeError::Gone)?.record()
}

/// Thins a list of keyframes to [`KEYFRAMES`]: again and again the one nearest in time to its neighbours goes. Returns how
/// many went.
pub fn thin(keyframes: &mut Vec<Keyframe>) -> u32 {
    let mut dropped = 0;
    while keyframes.len() > KEYFRAMES {
        let nearest = (1..keyframes.len() - 1)
            .min_by_key(|&index| {
                keyframes[index + 1].captured_at - keyframes[index - 1].captured_at
            })
            .unwrap_or(0);
        keyframes.remove(nearest);
        dropped += 1;
    }
    dropped
}

/// Which of the keyframes were captured in a window of the sound (ms on the episode's clock, both ends included).
pub fn in_window(keyframes: &[Keyframe], started_at: u64, ended_at: u64) -> Vec<u32> {
    (0u32..)
        .zip(keyframes)
        .filter(|(_, keyframe)| (started_at..=ended_at).contains(&keyframe.captured_at))
        .map(|(index, _)| index)
        .collect()
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    /// Frames that were kept at these times.
    fn kept_at(shelf: &Arc<Shelf>, times: &[u64]) -> Vec<Keyframe> {
        let kept = |at| {
            let picture = RgbImage::from_pixel(4, 4, Rgb([9; 3]));
            let frame = Arc::new(Frame::from_rgb(Instant::now(), &picture));
            let decision = Decision {
                frame: Arc::clone(&frame),
                changed: (0, 0, 4, 4),
                changed_fraction: 1.0,
                semantic_distance: None,
                settled: false,
            };
            keyframe(&shelf.hold(frame, at), &decision)
        };
        times.iter().map(|at| kept(*at)).collect()
    }

    #[test]
    fn a_window_of_sound_names_the_keyframes_captured_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, recorder) = dynacu_record::Writer::start(folder.path()).unwrap();
        let shelf = Shelf::new(recorder);
        // The sound lags behind: what was kept after its end is in the observation, not in its window.
        let keyframes = kept_at(&shelf, &[4900, 5000, 7333, 9800, 9801, 10050]);
        assert_eq!(in_window(&keyframes, 5000, 9800), [1, 2, 3]);
        assert_eq!(in_window(&keyframes, 9800, 9800), [3]);
        assert_eq!(in_window(&[], 0, 9800), [0_u32; 0]);
        // Thinned first, so that the numbers are those of what the policy gets.
        let times: Vec<u64> = (0..70).map(|index| index * 100).collect();
        let mut many = kept_at(&shelf, &times);
        assert_eq!(thin(&mut many), 6);
        let linked = in_window(&many, 3000, 4000);
        let inside: Vec<u64> = linked
            .iter()
            .map(|index| many[*index as usize].captured_at)
            .collect();
        assert!(!inside.is_empty() && inside.iter().all(|at| (3000..=4000).contains(at)));
        let all = many
            .iter()
            .filter(|one| (3000..=4000).contains(&one.captured_at));
        assert_eq!(all.count(), linked.len());
        drop((keyframes, many, shelf));
        writer.finish().unwrap();
    }

    #[test]
    fn a_recorded_frame_holds_its_png_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, recorder) = dynacu_record::Writer::start(folder.path()).unwrap();
        let shelf = Shelf::new(recorder);
        let picture = RgbImage::from_fn(60, 40, |x, y| Rgb([x as u8, y as u8, 9]));
        let frame = Arc::new(Frame::from_rgb(Instant::now(), &picture));
        let held = shelf.hold(frame, 5);
        assert!(held.pixels().raw().is_some());
        let id = held.record().unwrap();
        assert!(held.pixels().raw().is_none());
        assert_eq!(held.pixels().rgb().unwrap(), picture);
        assert_eq!(held.record().unwrap(), id, "encoded once");
        drop((held, shelf));
        writer.finish().unwrap();
    }
}
