//! Reads the screen of one X display through shared memory (MIT-SHM).
//!
//! The server writes a screenshot into memory that both sides map, so a full 1280x720 screen costs a few milliseconds
//! and nothing is drawn, scrolled or repainted for it. There is no slower second way: a display without MIT-SHM is an error.

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::time::Instant;

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ImageFormat, ImageOrder};
use x11rb::rust_connection::RustConnection;

mod damage;
mod error;
mod frame;
mod tiles;

pub use error::ScreenError;
pub use frame::{Area, Frame, FrameError, rect};
pub use tiles::{BLOCK, TILE};

/// One connection to a display, with a shared segment as large as its screen.
pub struct Screen {
    connection: RustConnection,
    root: u32,
    width: u16,
    height: u16,
    segment: u32,
    memory: Memory,
    damage: Option<damage::Damage>,
}

impl Screen {
    /// Connects to a display such as `:7`.
    ///
    /// # Errors
    /// When the display cannot be reached, has no MIT-SHM 1.2, or is not 24-bit colour in 32-bit little-endian pixels.
    pub fn connect(display: &str) -> Result<Self, ScreenError> {
        let unfit = |what: String| ScreenError::Unfit {
            display: display.to_owned(),
            what,
        };
        let (connection, number) = x11rb::connect(Some(display))
            .map_err(|error| unfit(format!("cannot connect to it: {error}")))?;
        connection
            .extension_information(shm::X11_EXTENSION_NAME)?
            .ok_or_else(|| unfit("it has no MIT-SHM".to_owned()))?;
        let version = connection.shm_query_version()?.reply()?;
        let version = (version.major_version, version.minor_version);
        if version < (1, 2) {
            return Err(unfit(format!(
                "it has MIT-SHM {}.{} where 1.2 is needed",
                version.0, version.1
            )));
        }
        let setup = connection.setup();
        let screen = setup
            .roots
            .get(number)
            .ok_or_else(|| unfit("it has no such screen".to_owned()))?;
        let (root, width, height, depth) = (
            screen.root,
            screen.width_in_pixels,
            screen.height_in_pixels,
            screen.root_depth,
        );
        let bits = setup
            .pixmap_formats
            .iter()
            .find(|format| format.depth == depth)
            .map(|format| format.bits_per_pixel);
        if depth != 24 || bits != Some(32) || setup.image_byte_order != ImageOrder::LSB_FIRST {
            return Err(unfit(format!(
                "it must have 24-bit colour in 32-bit little-endian pixels, not depth {depth}"
            )));
        }

        let bytes = usize::from(width) * usize::from(height) * 4;
        let file = memfd_create("dynacu-screen", MemfdFlags::CLOEXEC)
            .and_then(|file| ftruncate(&file, bytes as u64).map(|()| file))
            .map_err(|error| ScreenError::Memory(error.into()))?;
        let memory = Memory::map(&file, bytes)?;
        let segment = connection.generate_id()?;
        connection
            .shm_attach_fd(segment, file, false)?
            .check()
            .map_err(|_| {
                unfit("it refused the shared memory: is it on this machine?".to_owned())
            })?;
        Ok(Self {
            connection,
            root,
            width,
            height,
            segment,
            memory,
            damage: None,
        })
    }

    /// From now on the server says when something is drawn: [`Self::wait_for_damage`].
    ///
    /// # Errors
    /// When the display has no DAMAGE extension.
    pub fn watch_damage(&mut self) -> Result<(), ScreenError> {
        self.damage = Some(damage::Damage::watch(&self.connection, self.root)?);
        Ok(())
    }

    /// Waits until something is drawn that the last grab did not see, or until a time. Says whether something was; never,
    /// where damage is not watched.
    ///
    /// # Errors
    /// When the display has gone away.
    pub fn wait_for_damage(&mut self, until: Instant) -> Result<bool, ScreenError> {
        match &mut self.damage {
            Some(damage) => damage.wait(&self.connection, until),
            None => {
                std::thread::sleep(until.saturating_duration_since(Instant::now()));
                Ok(false)
            }
        }
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.width.into(), self.height.into())
    }

    /// Copies the screen as it is now.
    ///
    /// # Errors
    /// When the display has gone away.
    pub fn grab(&mut self) -> Result<Frame, ScreenError> {
        if let Some(damage) = &mut self.damage {
            // Before the picture is taken: what is drawn in between is told once too often rather than never.
            damage.forget(&self.connection)?;
        }
        let pixmap: u8 = ImageFormat::Z_PIXMAP.into();
        let reply = self
            .connection
            .shm_get_image(
                self.root,
                0,
                0,
                self.width,
                self.height,
                !0,
                pixmap,
                self.segment,
                0,
            )
            .map(x11rb::cookie::Cookie::reply)??;
        let captured = Instant::now();
        let expected = self.memory.length;
        if reply.size as usize != expected {
            return Err(ScreenError::Picture {
                bytes: reply.size,
                expected,
            });
        }
        // The reply says that the server has finished writing, and it writes again only when asked to.
        Ok(Frame::copied(
            captured,
            self.width.into(),
            self.height.into(),
            self.memory.bytes(),
        ))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.connection.shm_detach(self.segment);
        let _ = self.connection.flush();
    }
}

/// A mapped piece of shared memory.
struct Memory {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to this value alone; nothing in it is tied to a thread.
unsafe impl Send for Memory {}

impl Memory {
    fn map(file: &OwnedFd, length: usize) -> Result<Self, ScreenError> {
        // SAFETY: a fresh mapping of a file that is `length` bytes long; no existing memory is touched.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(ScreenError::Memory(std::io::Error::last_os_error()));
        }
        let start = NonNull::new(start.cast())
            .ok_or_else(|| ScreenError::Memory(std::io::ErrorKind::AddrNotAvailable.into()))?;
        Ok(Self { start, length })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is `length` bytes long and lives as long as `self`. The server writes into it only between
        // a request and its reply, and `Screen::grab` borrows it only after the reply.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map` and nobody can hold a borrow of it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}
