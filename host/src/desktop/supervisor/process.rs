//! The supervisor's side: one thread, one loop.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use procfs::process::{FDTarget, MMapPath, Process};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

use super::{Notice, Order, Program, Request};

/// How often dead children are looked for while no order comes.
const REAP_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};
/// Everything is gone within five seconds of the host's death; this leaves one for the folders.
const KILL_WITHIN: Duration = Duration::from_secs(4);
const REMOVE_WITHIN: Duration = Duration::from_millis(800);

static TERMINATED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_terminate(_signal: libc::c_int) {
    TERMINATED.store(true, Ordering::Relaxed);
}

/// Serves one lane until standard input closes, then ends it: kills every descendant, removes `folder` and the files of
/// its X server. Meant to be the whole work of a process: `dynacu-host supervise <folder>`.
#[must_use]
pub fn run(folder: &Path) -> ExitCode {
    // A session of its own, so that ^C in the host's terminal reaches the host alone, which then ends the lane in order.
    let _ = rustix::process::setsid();
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        report(&format!("cannot adopt orphans: {error}"));
        return ExitCode::FAILURE;
    }
    // SAFETY: the handler only stores to an atomic; the calls take no pointers.
    unsafe {
        libc::signal(
            libc::SIGTERM,
            on_terminate as *const () as libc::sighandler_t,
        );
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
    let mut lane = LaneProcesses {
        folder: folder.to_owned(),
        own: HashSet::new(),
    };
    lane.serve();
    lane.end()
}

fn report(message: &str) {
    let _ = writeln!(io::stderr(), "supervisor: {message}");
}

struct LaneProcesses {
    folder: PathBuf,
    /// The programs that the host asked for, by process id.
    own: HashSet<u32>,
}

impl LaneProcesses {
    fn serve(&mut self) {
        let mut input = io::stdin().lock();
        let mut unread = Vec::new();
        let mut chunk = vec![0_u8; 16 * 1024];
        while !TERMINATED.load(Ordering::Relaxed) {
            let ready = {
                let stdin = io::stdin();
                let mut descriptors = [PollFd::new(&stdin, PollFlags::IN)];
                poll(&mut descriptors, Some(&REAP_EVERY)).unwrap_or(0) > 0
            };
            self.reap();
            if !ready {
                continue;
            }
            match input.read(&mut chunk) {
                Ok(0) => return,
                Ok(count) => unread.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            }
            while let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = unread.drain(..=end).collect();
                match serde_json::from_slice::<Request>(&line) {
                    Ok(request) => tell(&self.obey(request)),
                    Err(error) => report(&format!("unreadable order: {error}")),
                }
            }
        }
    }

    fn obey(&mut self, request: Request) -> Notice {
        let id = request.id;
        match request.order {
            Order::Spawn(program) => match start(&program, &self.folder) {
                Ok(pid) => {
                    self.own.insert(pid);
                    Notice::Started { id, pid }
                }
                Err(error) => Notice::Failed {
                    id,
                    reason: error.to_string(),
                },
            },
            Order::Kill { pid } => {
                if self.kill(pid) {
                    Notice::Done { id }
                } else {
                    Notice::Failed {
                        id,
                        reason: format!("process {pid} does not end"),
                    }
                }
            }
            Order::Status => Notice::Running {
                id,
                pids: self.own.iter().copied().collect(),
            },
        }
    }

    /// Collects the dead. The host hears of the programs it asked for, not of adopted orphans.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let pid = pid.as_raw_nonzero().get().unsigned_abs();
            if self.own.remove(&pid) {
                let how = std::process::ExitStatus::from_raw(status.as_raw());
                tell(&Notice::Ended {
                    pid,
                    how: how.to_string(),
                });
            }
        }
    }

    /// Kills one program's tree, then the orphans that it left to us: they are our direct children without being ours.
    fn kill(&mut self, pid: u32) -> bool {
        let deadline = Instant::now() + KILL_WITHIN;
        loop {
            let parents = parents();
            let mut doomed = below(pid, &parents);
            if self.own.contains(&pid) {
                doomed.insert(pid);
            }
            let orphans = parents
                .iter()
                .filter(|(child, parent)| {
                    **parent == std::process::id() && !self.own.contains(child)
                })
                .map(|(child, _)| *child);
            for orphan in orphans {
                doomed.insert(orphan);
                doomed.extend(below(orphan, &parents));
            }
            if doomed.is_empty() {
                return true;
            }
            slay(&doomed);
            self.reap();
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends everything. What spawns faster than it is killed still loses: each round kills all that is left.
    fn end(mut self) -> ExitCode {
        let me = std::process::id();
        let doomed = below(me, &parents());
        // Before the X server dies: while it lives no other server can take its number, so these files are still its own.
        remove_x_files(&doomed);
        let shared = shared_memory_files(&doomed);
        let deadline = Instant::now() + KILL_WITHIN;
        let mut clean = true;
        loop {
            let doomed = below(me, &parents());
            if doomed.is_empty() {
                break;
            }
            slay(&doomed);
            self.reap();
            if Instant::now() > deadline {
                report(&format!("processes {doomed:?} do not end"));
                clean = false;
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        for file in shared {
            let _ = fs::remove_file(file);
        }
        let deadline = Instant::now() + REMOVE_WITHIN;
        while let Err(error) = fs::remove_dir_all(&self.folder) {
            if error.kind() == io::ErrorKind::NotFound {
                break;
            }
            if Instant::now() > deadline {
                report(&format!("cannot remove {}: {error}", self.folder.display()));
                clean = false;
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        if clean {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

fn tell(notice: &Notice) {
    let Ok(mut line) = serde_json::to_vec(notice) else {
        return;
    };
    line.push(b'\n');
    let mut output = io::stdout().lock();
    // The host may be dead already; standard input says so in a moment.
    let _ = output.write_all(&line);
    let _ = output.flush();
}

fn start(program: &Program, folder: &Path) -> io::Result<u32> {
    let file = |path: &Option<PathBuf>| match path {
        Some(path) => Ok(Stdio::from(File::create(path)?)),
        None => Ok::<_, io::Error>(Stdio::null()),
    };
    let mut command = Command::new(&program.program);
    command
        .args(&program.arguments)
        .env_clear()
        .envs(&program.environment)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&program.output)?)
        .stderr(file(&program.errors)?)
        .process_group(0);
    // SAFETY: between fork and exec only async-signal-safe system calls are made, and nothing is allocated.
    unsafe {
        command.pre_exec(|| {
            // The second line of defence, for a supervisor that is itself killed. It is dependable here because this
            // process has one thread, and that thread does the spawning.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            Ok(())
        });
    }
    command.spawn().map(|child| child.id())
}

fn slay(pids: &HashSet<u32>) {
    for pid in pids {
        if let Some(pid) = i32::try_from(*pid).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Every process's parent.
fn parents() -> HashMap<u32, u32> {
    let all = procfs::process::all_processes().into_iter().flatten();
    all.flatten()
        .filter_map(|process| process.stat().ok())
        .map(|stat| (stat.pid.unsigned_abs(), stat.ppid.unsigned_abs()))
        .collect()
}

/// These processes, as far as they are still there.
fn living(pids: &HashSet<u32>) -> impl Iterator<Item = Process> {
    pids.iter()
        .filter_map(|pid| Process::new(i32::try_from(*pid).ok()?).ok())
}

/// All processes below `root`, without itself.
fn below(root: u32, parents: &HashMap<u32, u32>) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for (child, _) in parents.iter().filter(|(_, of)| **of == parent) {
            if found.insert(*child) {
                open.push(*child);
            }
        }
    }
    found
}

/// Removes the sockets of each X server among `pids`, and its lock file where there is one (a server that picks its own
/// number makes none). Which socket belongs to whom is known to the kernel alone, by inode.
fn remove_x_files(pids: &HashSet<u32>) {
    let sockets: HashMap<u64, PathBuf> = procfs::net::unix()
        .unwrap_or_default()
        .into_iter()
        .filter_map(|entry| Some((entry.inode, entry.path?)))
        .filter(|(_, path)| {
            path.to_str()
                .is_some_and(|path| path.starts_with(X_SOCKETS))
        })
        .collect();
    let mine: HashSet<&PathBuf> = living(pids)
        .filter_map(|process| process.fd().ok())
        .flatten()
        .flatten()
        .filter_map(|open| match open.target {
            FDTarget::Socket(inode) => sockets.get(&inode),
            _ => None,
        })
        .collect();
    for socket in mine {
        let _ = fs::remove_file(socket);
        let Some(number) = socket
            .to_str()
            .and_then(|path| path.strip_prefix(X_SOCKETS))
        else {
            continue;
        };
        let lock = format!("/tmp/.X{number}-lock");
        let owner = fs::read_to_string(&lock)
            .ok()
            .and_then(|text| text.trim().parse().ok());
        if owner.is_some_and(|pid: u32| pids.contains(&pid)) {
            let _ = fs::remove_file(lock);
        }
    }
}

const X_SOCKETS: &str = "/tmp/.X11-unix/X";

/// Named shared memory that these processes map; a killed process cannot remove its own.
fn shared_memory_files(pids: &HashSet<u32>) -> HashSet<PathBuf> {
    living(pids)
        .filter_map(|process| process.maps().ok())
        .flatten()
        .filter_map(|map| match map.pathname {
            MMapPath::Path(path) => Some(path),
            _ => None,
        })
        // What the kernel says of a file that is gone is a part of its name here.
        .filter(|path| path.starts_with("/dev/shm") && path.exists())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_at_any_depth() {
        let parents = HashMap::from([(2, 1), (3, 2), (4, 3), (5, 1), (1, 1)]);
        assert_eq!(below(2, &parents), HashSet::from([3, 4]));
        assert!(below(4, &parents).is_empty());
    }
}
