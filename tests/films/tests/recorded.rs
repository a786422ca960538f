//! A recorded episode as a film: what a gate keeps of a real page, again and again on the same pictures.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dynacu_media::capture::screen::Frame;
use dynacu_media::perception::encoder::{Encoder, StandIn};
use dynacu_media::perception::keyframe::GateKind;

/// Prints what `local` keeps of an episode that was recorded with `--gate uniform-3`; its folder is named by
/// `DYNACU_RECORD`.
#[test]
#[ignore = "prints what is kept of a record"]
fn print_what_is_kept_of_a_record() {
    let folder = std::env::var_os("DYNACU_RECORD").unwrap();
    let frames = frames(Path::new(&folder)).unwrap();
    let encoder: Arc<dyn Encoder> = Arc::new(StandIn::load().unwrap());
    let mut gate = GateKind::Local.build(encoder, Duration::from_nanos(333_333_333), 1);
    let mut count = 0;
    let mut last: Option<Arc<Frame>> = None;
    for (at, frame) in frames {
        let decision = match &last {
            None => {
                gate.rebase(&frame);
                None
            }
            Some(last) if last.looks_like(&frame) => gate.rest(frame.captured).unwrap(),
            Some(_) => gate.offer(&frame).unwrap(),
        };
        if let Some(decision) = decision {
            count += 1;
            eprintln!(
                "{at:>6} ms: {:?}, distance {:?}{}",
                decision.changed,
                decision.semantic_distance,
                if decision.settled { ", settled" } else { "" }
            );
        }
        last = Some(frame);
    }
    eprintln!("{count} kept");
}

fn frames(folder: &Path) -> Result<Vec<(u64, Arc<Frame>)>> {
    let start = Instant::now();
    let mut frames = Vec::new();
    for line in std::fs::read_to_string(folder.join("events.jsonl"))?.lines() {
        let event: serde_json::Value = serde_json::from_str(line)?;
        if event["event"] != "keyframe" {
            continue;
        }
        let (Some(at), Some(blob)) = (event["captured-at"].as_u64(), event["blob"].as_str()) else {
            continue;
        };
        let picture = std::fs::read(folder.join("blobs").join(blob))
            .or_else(|_| std::fs::read(folder.join("blobs").join(format!("{blob}.png"))))?;
        let picture = image::load_from_memory(&picture)?.into_rgb8();
        let captured = start + Duration::from_millis(at);
        frames.push((at, Arc::new(Frame::from_rgb(captured, &picture))));
    }
    Ok(frames)
}
