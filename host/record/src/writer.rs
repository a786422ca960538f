//! Writing a record while the episode runs: one thread, a bounded queue, nothing waits on the disk that must not.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::event::{Event, Line};
use crate::file::{clear, hash, point, put, write_atomically};

/// Entries that may wait for the disk.
const QUEUE: usize = 4096;
/// How many of them may be a guest's: a guest that floods the record must not push out what the host has to say.
const GUEST_QUEUE: usize = 1024;

/// The record can no longer be complete.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RecordError {
    #[error("cannot make the record's folder {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("the record is full or its disk is too slow: an event was lost")]
    Lost,
    #[error("cannot write the record: {0}")]
    Write(String),
}

enum Job {
    Event(u64, Box<Event>),
    /// The same on behalf of a guest.
    GuestEvent(u64, Box<Event>),
    Blob {
        id: String,
        path: PathBuf,
        bytes: Arc<[u8]>,
    },
}

/// Is told each event once it is on the disk, on the thread that writes: it must not wait for anything.
pub type Tap = Box<dyn Fn(u64, &Event) + Send>;

/// Media type and size of each blob of an episode, by id.
pub type BlobIndex = HashMap<String, (String, u64)>;

struct Shared {
    folder: PathBuf,
    lost: AtomicBool,
    failure: Mutex<Option<String>>,
    blobs: Mutex<BlobIndex>,
    /// Blobs that are on their way to the disk, so that a reader need not wait for it.
    unwritten: Mutex<HashMap<String, Arc<[u8]>>>,
    /// Places left for guests' events; none is left for good once the writing thread is gone.
    guest_places: Mutex<Places>,
    place_freed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    Free(usize),
    Closed,
}

impl Shared {
    fn places(&self, change: impl FnOnce(&mut Places)) {
        change(&mut self.guest_places.lock());
        self.place_freed.notify_all();
    }

    /// Waits for a place. False where nobody writes any more.
    fn take_place(&self) -> bool {
        let mut places = self.guest_places.lock();
        loop {
            match &mut *places {
                Places::Closed => return false,
                Places::Free(0) => {
                    self.place_freed.wait(&mut places);
                }
                Places::Free(left) => {
                    *left -= 1;
                    return true;
                }
            }
        }
    }

    fn give_place(&self) {
        self.places(|places| {
            if let Places::Free(left) = places {
                *left += 1;
            }
        });
    }
}

/// A cheap handle to one episode's record.
#[derive(Clone)]
pub struct Recorder {
    jobs: SyncSender<Job>,
    shared: Arc<Shared>,
}

/// The writing thread's owner: [`Writer::finish`] waits until all is on disk.
pub struct Writer {
    thread: Option<JoinHandle<io::Result<()>>>,
    shared: Arc<Shared>,
}

impl Writer {
    /// Begins a record in `folder`, which is made; what an unfinished attempt left there is removed.
    pub fn start(folder: &Path) -> Result<(Writer, Recorder), RecordError> {
        Self::tapped(folder, Box::new(|_, _| {}))
    }

    /// The same with somebody who watches.
    pub fn tapped(folder: &Path, tap: Tap) -> Result<(Writer, Recorder), RecordError> {
        let failed = |source| RecordError::Folder {
            path: folder.to_owned(),
            source,
        };
        clear(folder).map_err(failed)?;
        fs::create_dir_all(folder.join("blobs")).map_err(failed)?;
        let log = BufWriter::new(File::create(folder.join("events.jsonl")).map_err(failed)?);
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            lost: AtomicBool::new(false),
            failure: Mutex::new(None),
            blobs: Mutex::new(HashMap::new()),
            unwritten: Mutex::new(HashMap::new()),
            guest_places: Mutex::new(Places::Free(GUEST_QUEUE)),
            place_freed: Condvar::new(),
        });
        let (jobs, queue) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("record".to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                move || {
                    let result = write_all(log, &queue, &shared, tap.as_ref());
                    shared.places(|places| *places = Places::Closed);
                    if let Err(error) = &result {
                        *shared.failure.lock() = Some(error.to_string());
                    }
                    result
                }
            })
            .map_err(failed)?;
        Ok((
            Writer {
                thread: Some(thread),
                shared: Arc::clone(&shared),
            },
            Recorder { jobs, shared },
        ))
    }

    /// Waits for the disk. Call it when every [`Recorder`] of this record is gone.
    pub fn finish(mut self) -> Result<(), RecordError> {
        if let Some(thread) = self.thread.take() {
            match thread.join() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(RecordError::Write(error.to_string())),
                Err(_) => return Err(RecordError::Write("the writing thread panicked".to_owned())),
            }
        }
        if self.shared.lost.load(Ordering::Relaxed) {
            Err(RecordError::Lost)
        } else {
            Ok(())
        }
    }
}

impl Recorder {
    /// Adds an event. Never waits: where the queue is full the event is lost and [`Recorder::health`] says so.
    pub fn event(&self, t: u64, event: Event) {
        self.offer(Job::Event(t, Box::new(event)));
    }

    /// Adds an event on behalf of a guest, which waits where a quarter of the queue is guests' already.
    pub fn event_waiting(&self, t: u64, event: Event) {
        let taken = self.shared.take_place();
        if !taken || self.jobs.send(Job::GuestEvent(t, Box::new(event))).is_err() {
            self.shared.lost.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps bytes under their content address and returns it. The same bytes are written once.
    pub fn blob(&self, bytes: impl Into<Arc<[u8]>>, media_type: &str) -> String {
        let bytes = bytes.into();
        let id = hash(&bytes);
        let new = self
            .shared
            .blobs
            .lock()
            .insert(id.clone(), (media_type.to_owned(), bytes.len() as u64))
            .is_none();
        if new {
            self.shared
                .unwritten
                .lock()
                .insert(id.clone(), Arc::clone(&bytes));
            self.offer(Job::Blob {
                id: id.clone(),
                path: self.blob_path(&id, media_type),
                bytes,
            });
        }
        id
    }

    /// The bytes of a blob of this episode, wherever they are by now; none if there is no such blob.
    #[must_use]
    pub fn blob_bytes(&self, id: &str) -> Option<Arc<[u8]>> {
        let (media_type, _) = self.blob_info(id)?;
        if let Some(bytes) = self.shared.unwritten.lock().get(id) {
            return Some(Arc::clone(bytes));
        }
        let bytes = fs::read(self.blob_path(id, &media_type)).ok()?;
        Some(bytes.into())
    }

    /// Where a blob of this episode lies once it is written.
    #[must_use]
    pub fn blob_path(&self, id: &str, media_type: &str) -> PathBuf {
        self.shared
            .folder
            .join("blobs")
            .join(format!("{id}.{}", extension(media_type)))
    }

    /// Media type and size of a blob of this episode.
    #[must_use]
    pub fn blob_info(&self, id: &str) -> Option<(String, u64)> {
        self.shared.blobs.lock().get(id).cloned()
    }

    /// The episode's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// Whether everything so far could be taken.
    pub fn health(&self) -> Result<(), RecordError> {
        if let Some(failure) = &*self.shared.failure.lock() {
            return Err(RecordError::Write(failure.clone()));
        }
        if self.shared.lost.load(Ordering::Relaxed) {
            Err(RecordError::Lost)
        } else {
            Ok(())
        }
    }

    fn offer(&self, job: Job) {
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.jobs.try_send(job)
        {
            self.shared.lost.store(true, Ordering::Relaxed);
        }
    }
}

fn extension(media_type: &str) -> &str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "audio/wav" => "wav",
        "audio/flac" => "flac",
        "application/json" => "json",
        "text/plain" => "txt",
        _ => "bin",
    }
}

fn write_all(
    mut log: BufWriter<File>,
    queue: &Receiver<Job>,
    shared: &Shared,
    tap: &dyn Fn(u64, &Event),
) -> io::Result<()> {
    let mut seq = 0;
    let mut previous = String::new();
    while let Ok(job) = queue.recv() {
        if matches!(job, Job::GuestEvent(..)) {
            shared.give_place();
        }
        match job {
            Job::Event(t, event) | Job::GuestEvent(t, event) => {
                let entry = Line {
                    seq,
                    t,
                    event: *event,
                    previous,
                };
                let mut line = serde_json::to_string(&entry)?;
                previous = hash(line.as_bytes());
                seq += 1;
                line.push('\n');
                put(&mut log, line.as_bytes())?;
                // An event must outlive the process that wrote it, so each line leaves the buffer at once.
                log.flush()?;
                point();
                tap(t, &entry.event);
            }
            Job::Blob { id, path, bytes } => {
                write_atomically(&path, &bytes)?;
                shared.unwritten.lock().remove(&id);
            }
        }
    }
    log.flush()?;
    log.get_ref().sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_events;

    #[test]
    fn what_was_recorded_is_read_back_and_a_changed_line_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("episode");
        let (writer, recorder) = Writer::start(&at).unwrap();
        let id = recorder.blob(b"pixels".to_vec(), "image/png");
        recorder.event(
            0,
            Event::Note {
                text: "before".to_owned(),
            },
        );
        recorder.event(
            12,
            Event::Verdict {
                label: "price_correct".to_owned(),
            },
        );
        assert_eq!(recorder.blob_info(&id), Some(("image/png".to_owned(), 6)));
        assert_eq!(recorder.blob_bytes(&id).as_deref(), Some(&b"pixels"[..]));
        assert_eq!(recorder.blob_bytes("none"), None);
        drop(recorder);
        writer.finish().unwrap();

        assert_eq!(
            fs::read(at.join(format!("blobs/{id}.png"))).unwrap(),
            b"pixels"
        );
        let entries = read_events(&at).unwrap();
        assert_eq!(
            entries
                .iter()
                .map(|entry| (entry.seq, entry.t))
                .collect::<Vec<_>>(),
            [(0, 0), (1, 12)]
        );

        let text = fs::read_to_string(at.join("events.jsonl")).unwrap();
        fs::write(at.join("events.jsonl"), text.replace("before", "after")).unwrap();
        assert!(read_events(&at).unwrap_err().to_string().contains("line 2"));
    }

    #[test]
    fn a_guest_that_floods_the_record_leaves_room_for_the_host_and_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, recorder) = Writer::start(&folder.path().join("episode")).unwrap();
        let note = |text: &str| Event::Note {
            text: text.to_owned(),
        };
        let flood = std::thread::Builder::new()
            .name("flood".to_owned())
            .spawn({
                let recorder = recorder.clone();
                move || (0..20_000).for_each(|_| recorder.event_waiting(0, note("guest")))
            })
            .unwrap();
        let mut own = 0;
        while !flood.is_finished() {
            recorder.event(0, note("host"));
            own += 1;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        flood.join().unwrap();
        recorder.health().unwrap();
        drop(recorder);
        writer.finish().unwrap();
        let entries = read_events(&folder.path().join("episode")).unwrap();
        assert_eq!(entries.len(), 20_000 + own);
    }
}
