//! What each part of a lane costs: CPU time and memory by process, and by thread inside the host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use procfs::process::{Process, Stat};

/// The host's own threads that are gone when one looks: their CPU time is what the process has beyond its living threads.
pub const ENDED_THREADS: &str = "threads that ended";

/// The parts by name.
pub const HOST: &str = "host";
pub const CHROMIUM: &str = "Chromium";

/// One look at everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// Seconds since sampling began.
    pub at: f64,
    pub parts: BTreeMap<String, Cost>,
    /// CPU seconds of the host's threads, by name.
    pub threads: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// CPU seconds so far.
    pub cpu: f64,
    /// Resident memory in MiB; of Chromium's processes each page that they share counts once.
    pub memory: f64,
}

/// Looks at regular times, on a thread of its own.
pub struct Sampler {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Look>>>,
}

impl Sampler {
    /// Starts to look at this process and at all descendants of the lane's supervisor.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn start(supervisor: u32, every: Duration) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("measure".to_owned())
            .spawn(move || {
                let began = Instant::now();
                let mut looks = Vec::new();
                loop {
                    let mut seen = look(supervisor.cast_signed());
                    seen.at = began.elapsed().as_secs_f64();
                    looks.push(seen);
                    if stopped.load(Ordering::Relaxed) {
                        return looks;
                    }
                    std::thread::park_timeout(every);
                }
            })
            .context("cannot start the thread that measures")?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }

    /// Every look, the last one taken now.
    #[must_use]
    pub fn finish(mut self) -> Vec<Look> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread
            .take()
            .and_then(|thread| {
                thread.thread().unpark();
                thread.join().ok()
            })
            .unwrap_or_default()
    }
}

/// CPU in cores that a part used between two looks.
#[must_use]
pub fn cores(looks: &[Look], part: &str) -> Option<f64> {
    let (first, last) = (looks.first()?, looks.last()?);
    let used = last.parts.get(part)?.cpu - first.parts.get(part).map_or(0.0, |cost| cost.cpu);
    Some(used / (last.at - first.at)).filter(|cores| cores.is_finite())
}

/// CPU in cores that each of the host's threads used between two looks, the largest first.
#[must_use]
pub fn thread_cores(looks: &[Look]) -> Vec<(String, f64)> {
    let (Some(first), Some(last)) = (looks.first(), looks.last()) else {
        return Vec::new();
    };
    let length = last.at - first.at;
    let mut used: BTreeMap<&str, f64> = BTreeMap::new();
    // A thread that begins and ends between two looks shows only in the process's sum.
    for pair in looks.windows(2) {
        for (name, cpu) in &pair[1].threads {
            let before = pair[0].threads.get(name).copied().unwrap_or(0.0);
            *used.entry(name).or_default() += (cpu - before).max(0.0);
        }
    }
    let living: f64 = used.values().sum();
    let all = cores(looks, HOST).unwrap_or(0.0) * length;
    used.insert(ENDED_THREADS, (all - living).max(0.0));
    let mut threads: Vec<(String, f64)> = used
        .into_iter()
        .map(|(name, cpu)| (name.to_owned(), cpu / length))
        .filter(|(_, cores)| cores.is_finite())
        .collect();
    threads.sort_by(|one, other| other.1.total_cmp(&one.1));
    threads
}

/// Of a process, as much as says what it belongs to.
struct Known {
    name: String,
    parent: i32,
}

fn look(supervisor: i32) -> Look {
    let living: Vec<(Process, Stat)> = procfs::process::all_processes()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|process| {
            let stat = process.stat().ok()?;
            Some((process, stat))
        })
        .collect();
    let all: BTreeMap<i32, Known> = living
        .iter()
        .map(|(_, stat)| {
            let (name, parent) = (stat.comm.clone(), stat.ppid);
            (stat.pid, Known { name, parent })
        })
        .collect();
    let mut look = Look::default();
    let own = std::process::id().cast_signed();
    for (process, stat) in &living {
        let Some(part) = part(&all, stat.pid, own, supervisor) else {
            continue;
        };
        let memory = if part == CHROMIUM {
            shared_out(process)
        } else {
            let status = process.status().ok();
            status.and_then(|status| status.vmrss).map(|kib| kib << 10)
        };
        let cost = look.parts.entry(part).or_default();
        cost.cpu += cpu(stat);
        cost.memory += memory.unwrap_or(0) as f64 / f64::from(1 << 20);
    }
    let own = Process::myself().and_then(|process| process.tasks());
    for stat in own
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|task| task.stat())
    {
        *look.threads.entry(stat.comm.clone()).or_default() += cpu(&stat);
    }
    look
}

/// Bytes in memory; of a page that several processes map, each has its share.
fn shared_out(process: &Process) -> Option<u64> {
    let maps = process.smaps_rollup().ok()?.memory_map_rollup;
    maps.0.first()?.extension.map.get("Pss").copied()
}

/// CPU seconds of a process or thread.
fn cpu(stat: &Stat) -> f64 {
    (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64
}

/// What a process belongs to: the host, or the child of the supervisor that it descends from.
fn part(all: &BTreeMap<i32, Known>, pid: i32, own: i32, supervisor: i32) -> Option<String> {
    if pid == own {
        return Some(HOST.to_owned());
    }
    if pid == supervisor {
        return Some("supervisor".to_owned());
    }
    let mut stat = all.get(&pid)?;
    while stat.parent != supervisor {
        // The first process has no parent; one that began while the list was read may lack its own.
        stat = all.get(&stat.parent).filter(|_| stat.parent > 1)?;
    }
    Some(if stat.name.starts_with("chrom") {
        CHROMIUM.to_owned()
    } else {
        stat.name.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_belong_to_the_supervisors_child_above_them() {
        let stat = |name: &str, parent| Known {
            name: name.to_owned(),
            parent,
        };
        let all: BTreeMap<i32, Known> = [
            (10, stat("dynacu-host", 1)),
            (11, stat("dynacu-host", 10)),
            (12, stat("Xvfb", 11)),
            (13, stat("chromium", 11)),
            (14, stat("chromium", 13)),
            (15, stat("zygote", 14)),
            (16, stat("bash", 1)),
            (17, stat("orphan", 99)),
        ]
        .into();
        let part = |pid| part(&all, pid, 10, 11);
        assert_eq!(part(10).as_deref(), Some(HOST));
        assert_eq!(part(12).as_deref(), Some("Xvfb"));
        assert_eq!(part(15).as_deref(), Some(CHROMIUM));
        assert_eq!((part(16), part(17)), (None, None));
    }

    #[test]
    fn this_process_costs_something() {
        let sampler = Sampler::start(u32::MAX, Duration::from_millis(10)).unwrap();
        let began = Instant::now();
        let mut sum = 0_u64;
        while began.elapsed() < Duration::from_millis(200) {
            sum = sum.wrapping_mul(31).wrapping_add(7);
        }
        std::hint::black_box(sum);
        let looks = sampler.finish();
        assert!(looks.len() >= 2);
        assert!(cores(&looks, HOST).unwrap() > 0.0);
        assert!(looks[0].parts[HOST].memory > 1.0);
        assert!(!thread_cores(&looks).is_empty());
        assert_eq!(cores(&looks, "nobody"), None);
    }
}
