//! What the desktop tests stand on: a page, a lane with that page in it, and a look at what processes there are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dynacu_host::desktop::browser::Browser;
use dynacu_host::desktop::lane::Lane;
use dynacu_host::input::Input;
use dynacu_host::input::keymap;
use dynacu_host::program::EXECUTABLE_VARIABLE;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><title>test page</title>
<style>body{margin:0;height:3000px} textarea{position:absolute;left:100px;top:100px;width:600px;height:300px}
a{position:fixed;left:800px;top:100px}</style>
<textarea id="text" autofocus></textarea><a href="/elsewhere">a link</a>
<script>
  window.born = Math.random();
  window.points = []; window.drags = [];
  addEventListener('mousedown', e => points.push([e.screenX, e.screenY, e.clientX, e.clientY, e.button, e.detail]));
  addEventListener('mousemove', e => { if (e.buttons) drags.push([e.clientX, e.clientY]); });
  window.getTaskResult = () => ({text: text.value, born});
</script>"#;

/// Finds the host's program and says so to the library. Before any thread of the runtime exists.
fn host_program() -> PathBuf {
    if let Some(named) = std::env::var_os(EXECUTABLE_VARIABLE) {
        return PathBuf::from(named);
    }
    let own = std::env::current_exe().unwrap();
    let found = own
        .ancestors()
        .map(|folder| folder.join("dynacu-host"))
        .find(|file| file.is_file())
        .expect("build the host first: cargo build -p dynacu-host");
    // SAFETY: called first thing in each test's process or under the once-guard below, before other threads read it.
    unsafe { std::env::set_var(EXECUTABLE_VARIABLE, &found) };
    found
}

/// Runs one test on its own runtime, with a folder for its lanes.
pub(crate) fn with_lanes<F: Future<Output = ()>>(test: impl FnOnce(PathBuf) -> F) {
    static PROGRAM: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    PROGRAM.get_or_init(host_program);
    let folder = tempfile::Builder::new().prefix("lanes").tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test(folder.path().to_owned()));
}

/// Serves [`PAGE`] for every path, on the loopback.
pub(crate) async fn serve() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0_u8; 8192];
                let _ = stream.read(&mut request).await;
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{PAGE}",
                    PAGE.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    format!("http://{address}/")
}

pub(crate) async fn on_page(parent: &Path) -> (Lane, Browser, Input) {
    let lane = Lane::start(0, Some(parent)).await.unwrap();
    let browser = lane.launch_browser(&serve().await).await.unwrap();
    browser.check_geometry().await.unwrap();
    let input = Input::connect(&lane.display).unwrap();
    (lane, browser, input)
}

pub(crate) fn chord(input: &mut Input, written: &str) {
    input.key(&keymap::parse(written).unwrap()).unwrap();
}

/// All processes of a lane, by the folder's name in their environment.
pub(crate) fn processes_of(folder: &Path) -> BTreeSet<u32> {
    let mark = folder.display().to_string();
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let text = [read("environ"), read("cmdline")].concat();
        if String::from_utf8_lossy(&text).contains(&mark) {
            found.insert(pid);
        }
    }
    found
}

pub(crate) fn x_socket(display: &str) -> PathBuf {
    format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':')).into()
}

/// Ends the process that a failed test would leave.
pub(crate) struct Host(pub std::process::Child);

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
