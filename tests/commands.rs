//! Wrong commands and missing parts: one clear line, the right exit code, nothing harmed.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::Result;
use dynacu_tests::{checkout, dynacu_host, fixture, host};

fn says(output: &Output, code: i32, words: &[&str]) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    let last = errors
        .lines()
        .rfind(|line| line.starts_with("dynacu-host: "))
        .unwrap_or_else(|| panic!("no line: {errors}"));
    for word in words {
        assert!(last.contains(word), "`{word}` is not in: {last}");
    }
}

fn with_environment(name: &str, value: &Path, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(host()?);
    command
        .args(arguments)
        .current_dir(checkout())
        .env(name, value);
    Ok(command.output()?)
}

#[test]
fn unknown_task() {
    let output = dynacu_host(&["--plugin", "reference", "--task", "A-E9"]).unwrap();
    says(&output, 2, &["A-E9", "A-E1"]);
}

#[test]
fn unknown_mode() {
    let output =
        dynacu_host(&["--plugin", "reference", "--task", "A-E1", "--mode", "fast"]).unwrap();
    says(&output, 2, &["fast", "aoi_interactive"]);
}

#[test]
fn a_file_that_is_no_component() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.wasm");
    std::fs::write(&file, "not WebAssembly").unwrap();
    let output = dynacu_host(&["--plugin", file.to_str().unwrap(), "--task", "A-E1"]).unwrap();
    says(&output, 2, &["notes.wasm"]);
}

#[test]
fn a_component_of_no_known_world() {
    let path = fixture("no-world").unwrap();
    let output = dynacu_host(&["plugin", "inspect", path.to_str().unwrap()]).unwrap();
    says(&output, 2, &["no-world"]);
}

#[test]
fn a_plugin_that_is_not_there() {
    let output = dynacu_host(&["--plugin", "nobody", "--task", "A-E1"]).unwrap();
    says(&output, 2, &["nobody", "reference"]);
    // Somebody who has no checkout looks for a file of their own.
    let folder = tempfile::tempdir().unwrap();
    for command in ["inspect", "check", "pack"] {
        let output = Command::new(host().unwrap())
            .args(["plugin", command, "mine.wasm"])
            .current_dir(folder.path())
            .env_remove("DYNACU_HOME")
            .output()
            .unwrap();
        says(
            &output,
            2,
            &["mine.wasm: no such file", "build the plugin first"],
        );
    }
}

#[test]
fn a_manifest_that_cannot_be_used_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("mine.wasm");
    std::fs::copy(fixture("traps").unwrap(), &plugin).unwrap();
    std::fs::write(folder.path().join("plugin.toml"), "schema = 2\nhost = []\n").unwrap();
    let plugin = plugin.to_string_lossy();
    for arguments in [
        ["plugin", "inspect", &plugin].as_slice(),
        &["plugin", "pack", &plugin],
        &["--plugin", &plugin, "--task", "A-E1"],
    ] {
        let output = dynacu_host(arguments).unwrap();
        says(&output, 2, &["plugin.toml: line 2: unknown field `host`"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.matches("unknown field").count(), 1, "{errors}");
    }
}

#[test]
fn missing_model_file() {
    let empty = tempfile::tempdir().unwrap();
    let out = empty.path().join("run");
    let output = with_environment(
        "DYNACU_MODELS",
        empty.path(),
        &[
            "--plugin",
            "idle",
            "--task",
            "F-E1",
            "--mode",
            "standard",
            "--out",
            out.to_str().unwrap(),
        ],
    )
    .unwrap();
    says(&output, 2, &["dynacu-host models pull"]);
}

#[test]
fn missing_chromium() {
    let empty = tempfile::tempdir().unwrap();
    let output = with_environment(
        "PATH",
        empty.path(),
        &["--plugin", "idle", "--task", "F-E1", "--mode", "standard"],
    )
    .unwrap();
    says(&output, 2, &["chromium"]);
}

/// With `--dry-run` nothing is installed, so this asks for a package that is missing nowhere but on this test's path.
#[test]
fn setup_names_what_is_missing_before_it_installs_anything() {
    let folder = tempfile::tempdir().unwrap();
    let dpkg = folder.path().join("dpkg-query");
    std::fs::write(
        &dpkg,
        "#!/bin/sh\ncase \"$4\" in xvfb) exit 1 ;; *) printf 'install ok installed' ;; esac\n",
    )
    .unwrap();
    std::fs::set_permissions(&dpkg, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let setup = || {
        let mut command = Command::new(host().unwrap());
        command.args(["setup", "--dry-run"]);
        command
    };
    let told = setup().env("PATH", folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(
        told.status.success() && text.contains("apt-get install -y --no-install-recommends xvfb\n"),
        "{text}"
    );
    let empty = tempfile::tempdir().unwrap();
    let told = setup().env("DYNACU_MODELS", empty.path()).output().unwrap();
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(
        text.contains("Model files that are missing: ") && !text.contains("apt-get"),
        "{text}"
    );
    // Where it cannot know what is missing it says what to install.
    let told = setup().env("PATH", empty.path()).output().unwrap();
    says(&told, 2, &["dpkg-query", "chromium", "xvfb"]);
}

#[test]
fn a_run_folder_that_holds_a_run_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.json"), "{}").unwrap();
    let output = dynacu_host(&[
        "--plugin",
        "idle",
        "--task",
        "F-E1",
        "--out",
        folder.path().to_str().unwrap(),
    ])
    .unwrap();
    says(&output, 2, &["--out"]);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("run.json")).unwrap(),
        "{}"
    );
}

#[test]
fn a_run_folder_that_cannot_be_written() {
    let output = dynacu_host(&[
        "--plugin",
        "idle",
        "--task",
        "F-E1",
        "--out",
        "/proc/nowhere",
    ])
    .unwrap();
    says(&output, 1, &["/proc/nowhere", "--out"]);
}

#[test]
fn a_wrong_hash_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("silero-vad-16k.onnx"), "not a model").unwrap();
    let output = with_environment("DYNACU_MODELS", folder.path(), &["models", "verify"]).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("silero-vad-16k.onnx"), "{text}");
}

#[test]
fn models_are_pulled_through_the_proxy_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let asked = std::thread::Builder::new()
        .name("proxy".to_owned())
        .spawn(move || {
            let (mut stream, _) = proxy.accept().unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").unwrap();
            line
        })
        .unwrap();
    let output = Command::new(host().unwrap())
        .args(["models", "pull", "clip-vit-b32-image.onnx"])
        .env("DYNACU_MODELS", folder.path())
        .env("HTTPS_PROXY", &address)
        .env_remove("https_proxy")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("cannot be reached"), "{errors}");
    assert!(
        asked
            .join()
            .unwrap()
            .starts_with("CONNECT huggingface.co:443 ")
    );
}

#[test]
fn help_of_every_command_ends_with_an_example() {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = open.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let output = dynacu_host(&arguments).unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let examples = said.split_once("Examples:\n");
        let (before, examples) = examples.unwrap_or_else(|| panic!("{command:?} has none: {said}"));
        let called = format!("  dynacu-host {}", command.join(" "));
        assert!(examples.starts_with(called.trim_end()), "{said}");
        let listed = before
            .split_once("Commands:\n")
            .map_or("", |(_, list)| list);
        let below = listed.lines().take_while(|line| !line.is_empty());
        open.extend(below.filter_map(|line| {
            let name = line.strip_prefix("  ")?.split(' ').next()?;
            let inner = !name.is_empty() && name != "help";
            inner.then(|| [command.as_slice(), &[name.to_owned()]].concat())
        }));
        seen += 1;
    }
    assert!(seen > 15, "{seen} commands");
}

#[test]
fn the_tasks_keep_the_rules_that_need_no_browser() {
    let output = dynacu_host(&["tasks", "lint", "--no-browser"]).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.lines()
            .any(|line| line.split_whitespace().take(3).eq(["F-E1", "0.0", "%"])),
        "{said}"
    );
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for item in std::fs::read_dir(from)? {
        let item = item?;
        let target = to.join(item.file_name());
        if item.file_type()?.is_dir() {
            copy(&item.path(), &target)?;
        } else {
            std::fs::copy(item.path(), target)?;
        }
    }
    Ok(())
}

#[test]
fn lint_says_what_a_person_could_not_read_or_reach() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["tasks/page-lib", "tasks/F-E1-error-toast"] {
        copy(&checkout().join(folder), &root.path().join(folder)).unwrap();
    }
    let style = root.path().join("tasks/F-E1-error-toast/page/style.css");
    let mut text = std::fs::read_to_string(&style).unwrap();
    text.push_str(
        "\n.options small { color: #ddd; font-size: 8px; }\n#book { position: fixed; left: 1200px; width: 200px; }\n",
    );
    std::fs::write(&style, text).unwrap();
    let output = Command::new(host().unwrap())
        .args(["tasks", "lint", "F-E1"])
        .env("DYNACU_HOME", root.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    for wanted in [
        "is 8 px: at least 11",
        "has a contrast of",
        "the control button#book is not wholly on the screen",
    ] {
        assert!(said.contains(wanted), "{wanted} is not in {said}");
    }
}
