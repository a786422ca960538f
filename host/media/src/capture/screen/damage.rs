//! When something is drawn on a display (the DAMAGE extension).

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::NONE;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::rust_connection::RustConnection;

use super::ScreenError;

/// Watches a window and all that is in it. The server speaks once; then it is silent until it is told to forget.
pub(crate) struct Damage {
    id: u32,
    damaged: bool,
}

impl Damage {
    pub(crate) fn watch(connection: &RustConnection, window: u32) -> Result<Self, ScreenError> {
        connection
            .extension_information(damage::X11_EXTENSION_NAME)?
            .ok_or(ScreenError::NoDamage)?;
        connection.damage_query_version(1, 1)?.reply()?;
        let id = connection.generate_id()?;
        connection
            .damage_create(id, window, ReportLevel::NON_EMPTY)?
            .check()?;
        Ok(Self { id, damaged: false })
    }

    /// What was drawn until now is known.
    pub(crate) fn forget(&mut self, connection: &RustConnection) -> Result<(), ScreenError> {
        self.take_events(connection)?;
        self.damaged = false;
        connection.damage_subtract(self.id, NONE, NONE)?;
        Ok(())
    }

    pub(crate) fn wait(
        &mut self,
        connection: &RustConnection,
        until: Instant,
    ) -> Result<bool, ScreenError> {
        loop {
            self.take_events(connection)?;
            let left = until.saturating_duration_since(Instant::now());
            if self.damaged || left.is_zero() {
                return Ok(self.damaged);
            }
            let mut socket = [PollFd::new(connection.stream(), PollFlags::IN)];
            match poll(&mut socket, Some(&timespec(left))) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(ScreenError::Gone(error.to_string())),
            }
        }
    }

    fn take_events(&mut self, connection: &RustConnection) -> Result<(), ScreenError> {
        while let Some(event) = connection.poll_for_event()? {
            if let Event::DamageNotify(notice) = event {
                self.damaged |= notice.damage == self.id;
            }
        }
        Ok(())
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
