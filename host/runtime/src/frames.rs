//! The frames that a policy holds. Pixels stay with the host; only so many stay alive.

use std::collections::VecDeque;
use std::sync::Arc;

use wasmtime::component::{Resource, ResourceTable};

use crate::policy_host::Frame;
use crate::types::Size;

/// Frames with pixels that one policy may hold; beyond it the oldest is given up. About 470 MiB at 1280x720.
pub const HELD_FRAMES: usize = 128;

/// What a guest's `frame` handle stands for.
#[expect(
    unreachable_pub,
    reason = "the generated bindings export it from their own module"
)]
pub struct HeldFrame {
    /// None once it was given up.
    frame: Option<Arc<dyn Frame>>,
    captured_at: u64,
    size: Size,
}

impl HeldFrame {
    pub(crate) fn captured_at(&self) -> u64 {
        self.captured_at
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// None if it was given up.
    pub(crate) fn frame(&self) -> Option<Arc<dyn Frame>> {
        self.frame.clone()
    }
}

/// The order in which frames were handed out.
#[derive(Default)]
pub(crate) struct FrameOrder(VecDeque<u32>);

impl FrameOrder {
    /// A handle for the guest.
    ///
    /// # Errors
    /// The guest holds more handles than it may.
    pub(crate) fn hand_out(
        &mut self,
        table: &mut ResourceTable,
        frame: Arc<dyn Frame>,
    ) -> wasmtime::Result<Resource<HeldFrame>> {
        let held = HeldFrame {
            captured_at: frame.captured_at(),
            size: frame.size(),
            frame: Some(frame),
        };
        let resource = table.push(held)?;
        self.0.push_back(resource.rep());
        while self.0.len() > HELD_FRAMES {
            if let Some(oldest) = self.0.pop_front()
                && let Ok(held) = table.get_mut(&Resource::<HeldFrame>::new_borrow(oldest))
            {
                held.frame = None;
            }
        }
        Ok(resource)
    }

    /// The guest dropped its handle.
    pub(crate) fn take_back(
        &mut self,
        table: &mut ResourceTable,
        resource: Resource<HeldFrame>,
    ) -> wasmtime::Result<()> {
        let rep = resource.rep();
        self.0.retain(|held| *held != rep);
        table.delete(resource)?;
        Ok(())
    }
}
