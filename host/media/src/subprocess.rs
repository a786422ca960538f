//! Running a program to its end: input by pipe, output collected, time bounded.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::{Builder, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// What a program that ended by itself left behind.
#[derive(Debug)]
pub struct Ended {
    pub stdout: Vec<u8>,
    /// Standard error as text, for messages.
    pub stderr: String,
    pub success: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum SubprocessError {
    #[error("the program {0} is not installed")]
    NotInstalled(String),
    #[error("the program {program} could not be run")]
    Io {
        program: String,
        source: std::io::Error,
    },
    #[error("the program {program} did not end within {} s and was ended", limit.as_secs_f32())]
    TooSlow { program: String, limit: Duration },
}

/// Runs a program, gives it `input` on standard input, and waits for its end; past `limit` it is killed.
///
/// # Errors
/// When the program is not installed, cannot be run, or is too slow. An exit status other than 0 is no error here.
pub fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Ended, SubprocessError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let io = |source| SubprocessError::Io {
        program: program.clone(),
        source,
    };
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                SubprocessError::NotInstalled(program.clone())
            } else {
                io(error)
            }
        })?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());

    std::thread::scope(|scope| {
        // Reading and writing at once: a program that answers while it reads would otherwise block on a full pipe.
        let writer = Builder::new()
            .name("subprocess-in".to_owned())
            .spawn_scoped(scope, move || {
                // A program may end before it has read everything; its exit status tells whether that was wrong.
                let _ = stdin.map(|mut pipe| pipe.write_all(input));
            });
        let out = Builder::new()
            .name("subprocess-out".to_owned())
            .spawn_scoped(scope, move || read_all(stdout));
        let err = Builder::new()
            .name("subprocess-err".to_owned())
            .spawn_scoped(scope, move || read_all(stderr));
        let (writer, out, err) = match (writer, out, err) {
            (Ok(writer), Ok(out), Ok(err)) => (writer, out, err),
            (writer, out, err) => {
                let _ = child.kill();
                let _ = child.wait();
                let first = [writer.err(), out.err(), err.err()]
                    .into_iter()
                    .flatten()
                    .next();
                return Err(io(first.unwrap_or_else(|| std::io::ErrorKind::Other.into())));
            }
        };
        let status = wait(&mut child, limit).map_err(io)?;
        let _ = writer.join();
        let (stdout, stderr) = (joined(out).map_err(io)?, joined(err).map_err(io)?);
        match status {
            Some(success) => Ok(Ended {
                stdout,
                stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
                success,
            }),
            None => Err(SubprocessError::TooSlow {
                program: program.clone(),
                limit,
            }),
        }
    })
}

fn read_all(pipe: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn joined(thread: ScopedJoinHandle<'_, std::io::Result<Vec<u8>>>) -> std::io::Result<Vec<u8>> {
    thread
        .join()
        .unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))
}

/// Whether the program succeeded, or nothing when it had to be killed.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<bool>> {
    let start = Instant::now();
    // Short programs (20 ms) must not cost a long nap, long ones must not cost a busy loop.
    let mut nap = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(nap);
        nap = (nap * 5 / 4).min(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_pipe_holds_goes_through() {
        let input = vec![b'x'; 1 << 20];
        let ended = run(&mut Command::new("cat"), &input, Duration::from_secs(20)).unwrap();
        assert!(ended.success);
        assert_eq!(ended.stdout.len(), input.len());
    }

    #[test]
    fn a_program_without_end_is_ended() {
        let error = run(
            Command::new("sleep").arg("60"),
            b"",
            Duration::from_millis(50),
        )
        .unwrap_err();
        assert!(matches!(error, SubprocessError::TooSlow { .. }));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(
            &mut Command::new("no-such-program-here"),
            b"",
            Duration::from_secs(1),
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the program no-such-program-here is not installed"
        );
    }
}
