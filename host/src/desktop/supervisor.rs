//! The process that outlives the host by a moment, so that nothing else does.
//!
//! Every process of a lane is a child of its supervisor, a second copy of this binary. The supervisor reads orders from
//! a pipe held by the host alone; when the pipe closes, however the host died, it kills all descendants, removes the
//! lane's folder and exits. This file is the host's side and the protocol; `process` is the other side.

mod process;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

pub use process::run;

/// The name of the hidden subcommand that runs [`run`].
pub const SUBCOMMAND: &str = "supervise";

const ANSWER_WITHIN: Duration = Duration::from_secs(10);
const STOP_WITHIN: Duration = Duration::from_secs(7);

#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    #[error("cannot start the supervisor {}: {source}", program.display())]
    Start {
        program: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot start {program}: {reason}")]
    Spawn { program: String, reason: String },
    #[error("the supervisor is gone: {0}")]
    Lost(String),
    #[error("the supervisor did not answer within {} s", ANSWER_WITHIN.as_secs())]
    Silent,
    #[error("the supervisor failed: {0}")]
    Refused(String),
}

/// A program for the supervisor to start, in the lane's folder and with nothing of the host's environment (the host's
/// holds the keys of model providers).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    pub program: String,
    pub arguments: Vec<String>,
    pub environment: BTreeMap<String, String>,
    /// Where standard output goes; nowhere if none.
    pub output: Option<PathBuf>,
    /// Where standard error goes; nowhere if none.
    pub errors: Option<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Request {
    id: u64,
    order: Order,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Order {
    Spawn(Program),
    /// Kills a process, all below it, and whatever it had left behind as an orphan.
    Kill {
        pid: u32,
    },
    Status,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
enum Notice {
    Started { id: u64, pid: u32 },
    Done { id: u64 },
    Running { id: u64, pids: Vec<u32> },
    Failed { id: u64, reason: String },
    Ended { pid: u32, how: String },
}

/// A started program.
#[derive(Debug, Clone)]
pub struct Started {
    pub pid: u32,
    /// Holds how it ended, once it has.
    pub ended: watch::Receiver<Option<String>>,
}

impl Started {
    /// Waits until the process has ended and says how. A supervisor that is gone counts as the process's end.
    pub async fn end(&mut self) -> String {
        match self.ended.wait_for(Option::is_some).await {
            Ok(how) => how.clone().unwrap_or_default(),
            Err(_) => "its supervisor is gone".to_owned(),
        }
    }

    /// How the process ended, if it has.
    #[must_use]
    pub fn has_ended(&self) -> Option<String> {
        self.ended.borrow().clone()
    }
}

enum Answer {
    Started(Started),
    Done,
    Running(Vec<u32>),
    Failed(String),
}

type Pending = (Order, oneshot::Sender<Answer>);

/// The host's end of one lane's supervisor. Dropping it closes the pipe, and with that the lane.
#[derive(Debug)]
pub struct Supervisor {
    orders: mpsc::Sender<Pending>,
    child: Child,
    lost: watch::Receiver<Option<String>>,
}

impl Supervisor {
    /// Starts a supervisor that owns `folder` and will remove it. Call inside a tokio runtime.
    pub fn start(folder: &Path) -> Result<Self, SupervisorError> {
        let program = crate::program::executable();
        let start = |source| SupervisorError::Start {
            program: program.clone(),
            source,
        };
        let mut child = Command::new(&program)
            .arg(SUBCOMMAND)
            .arg(folder)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(start)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(start(std::io::Error::other("its pipes are missing")));
        };
        let (orders, inbox) = mpsc::channel(16);
        let (gone, lost) = watch::channel(None);
        tokio::spawn(converse(inbox, input, output, gone));
        Ok(Self {
            orders,
            child,
            lost,
        })
    }

    /// Starts a program as the supervisor's child.
    pub async fn spawn(&self, program: Program) -> Result<Started, SupervisorError> {
        let name = program.program.clone();
        match self.ask(Order::Spawn(program)).await? {
            Answer::Started(started) => Ok(started),
            Answer::Failed(reason) => Err(SupervisorError::Spawn {
                program: name,
                reason,
            }),
            Answer::Done | Answer::Running(_) => Err(SupervisorError::Silent),
        }
    }

    /// Kills a program and everything it started; returns when they are gone.
    pub async fn kill(&self, pid: u32) -> Result<(), SupervisorError> {
        match self.ask(Order::Kill { pid }).await? {
            Answer::Failed(reason) => Err(SupervisorError::Refused(reason)),
            Answer::Done => Ok(()),
            Answer::Started(_) | Answer::Running(_) => Err(SupervisorError::Silent),
        }
    }

    /// The programs that are running, without those that they started themselves.
    pub async fn running(&self) -> Result<Vec<u32>, SupervisorError> {
        match self.ask(Order::Status).await? {
            Answer::Running(pids) => Ok(pids),
            Answer::Failed(reason) => Err(SupervisorError::Refused(reason)),
            Answer::Started(_) | Answer::Done => Err(SupervisorError::Silent),
        }
    }

    /// The supervisor's own process id, while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Why the supervisor is gone, once it is.
    #[must_use]
    pub fn lost(&self) -> watch::Receiver<Option<String>> {
        self.lost.clone()
    }

    /// Ends every process of the lane, removes its folder and waits for both.
    pub async fn stop(self) -> Result<(), SupervisorError> {
        let Self {
            orders, mut child, ..
        } = self;
        drop(orders);
        match timeout(STOP_WITHIN, child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(SupervisorError::Lost(status.to_string())),
            Ok(Err(error)) => Err(SupervisorError::Lost(error.to_string())),
            Err(_) => {
                // Its children carry a parent-death signal, so that this is not the end of all order.
                let _ = child.kill().await;
                Err(SupervisorError::Silent)
            }
        }
    }

    async fn ask(&self, order: Order) -> Result<Answer, SupervisorError> {
        let (answer, answered) = oneshot::channel();
        let gone = || SupervisorError::Lost(self.lost.borrow().clone().unwrap_or_default());
        self.orders
            .send((order, answer))
            .await
            .map_err(|_| gone())?;
        match timeout(ANSWER_WITHIN, answered).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(gone()),
            Err(_) => Err(SupervisorError::Silent),
        }
    }
}

/// Carries orders and notices until either side closes.
async fn converse(
    mut inbox: mpsc::Receiver<Pending>,
    mut input: ChildStdin,
    output: ChildStdout,
    gone: watch::Sender<Option<String>>,
) {
    let mut notices = BufReader::new(output).lines();
    let mut waiting = HashMap::new();
    let mut running = HashMap::new();
    let mut next = 0_u64;
    let why = loop {
        tokio::select! {
            order = inbox.recv() => {
                // All senders are gone: closing the pipe is how the supervisor is told to end the lane.
                let Some((order, answer)) = order else { return };
                next += 1;
                waiting.insert(next, answer);
                if let Err(error) = write_line(&mut input, &Request { id: next, order }).await {
                    break error.to_string();
                }
            }
            notice = next_notice(&mut notices) => match notice {
                Ok(notice) => settle(notice, &mut waiting, &mut running),
                Err(why) => break why,
            },
        }
    };
    let _ = gone.send(Some(why));
}

async fn write_line(input: &mut ChildStdin, request: &Request) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    input.write_all(&line).await?;
    input.flush().await
}

async fn next_notice(notices: &mut Lines<BufReader<ChildStdout>>) -> Result<Notice, String> {
    match notices.next_line().await {
        Ok(Some(line)) => serde_json::from_str(&line).map_err(|error| format!("{error} in {line}")),
        Ok(None) => Err("it closed its pipe".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn settle(
    notice: Notice,
    waiting: &mut HashMap<u64, oneshot::Sender<Answer>>,
    running: &mut HashMap<u32, watch::Sender<Option<String>>>,
) {
    let (id, answer) = match notice {
        Notice::Started { id, pid } => {
            let (end, ended) = watch::channel(None);
            running.insert(pid, end);
            (id, Answer::Started(Started { pid, ended }))
        }
        Notice::Done { id } => (id, Answer::Done),
        Notice::Running { id, pids } => (id, Answer::Running(pids)),
        Notice::Failed { id, reason } => (id, Answer::Failed(reason)),
        Notice::Ended { pid, how } => {
            if let Some(end) = running.remove(&pid) {
                let _ = end.send(Some(how));
            }
            return;
        }
    };
    if let Some(waiter) = waiting.remove(&id) {
        let _ = waiter.send(answer);
    }
}
