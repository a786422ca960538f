//! Runs that ask a model, up to the point where an episode would begin: what is missing or refused is told before.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Result;
use dynacu_tests::{checkout, fixture, host};

const ADAPTER: &str = "schema = 2\nhosts = [\"api.example.com\"]\n";
const KEY: &str = "\n[[credentials]]\nsecret = \"DYNACU_TEST_KEY\"\nhost = \"api.example.com\"\nheader = \"x-api-key\"\n";
const SECRET: &str = "sk-test-0123456789";

/// The test adapter as somebody would have it: one file with a manifest beside it.
fn adapter(folder: &Path, manifest: &str) -> Result<PathBuf> {
    let path = folder.join("adapter.wasm");
    std::fs::copy(fixture("asks-a-provider")?, &path)?;
    std::fs::write(folder.join("adapter.plugin.toml"), manifest)?;
    Ok(path)
}

/// A provider that gives every request the same answer, and the endpoint that leads to it.
fn provider(status: &'static str) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("api.example.com=http://{}", listener.local_addr()?);
    std::thread::Builder::new()
        .name("provider".to_owned())
        .spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, status);
            }
        })?;
    Ok(url)
}

fn serve(mut stream: std::net::TcpStream, status: &str) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            count => request.extend_from_slice(&buffer[..count]),
        }
    }
    // What was sent comes back, key and all.
    let body = String::from_utf8_lossy(&request).replace(['\r', '\n'], " ");
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Asks for one episode in `standard` with that mode's own policy.
fn run(adapter: &Path, out: &Path, key: Option<&str>, more: &[&str]) -> Result<Output> {
    let mut command = Command::new(host()?);
    command
        .current_dir(checkout())
        .env_remove("DYNACU_TEST_KEY")
        .arg("--plugin")
        .arg(adapter)
        .args(["--task", "F-E1", "--mode", "standard", "--out"])
        .arg(out)
        .args(more);
    if let Some(key) = key {
        command.env("DYNACU_TEST_KEY", key);
    }
    Ok(command.output()?)
}

fn says(output: &Output, code: i32, words: &[&str]) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    let last = errors
        .lines()
        .rfind(|line| line.starts_with("dynacu-host: "));
    for word in words {
        assert!(
            last.is_some_and(|line| line.contains(word)),
            "`{word}` is not in: {errors}"
        );
    }
    assert!(!errors.contains("0123456789"), "{errors}");
}

#[test]
fn a_missing_key_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = adapter(folder.path(), &format!("{ADAPTER}{KEY}")).unwrap();
    let out = folder.path().join("run");
    says(
        &run(&adapter, &out, None, &[]).unwrap(),
        2,
        &["$DYNACU_TEST_KEY", "api.example.com", "export"],
    );
    assert!(!out.exists());
}

#[test]
fn a_wrong_key_stops_before_the_first_episode() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = adapter(folder.path(), &format!("{ADAPTER}{KEY}")).unwrap();
    let out = folder.path().join("run");
    let endpoint = provider("401 Unauthorized").unwrap();
    let output = run(&adapter, &out, Some(SECRET), &["--endpoint", &endpoint]).unwrap();
    says(&output, 1, &["honest", "refused the key", "401"]);
    assert!(!out.exists());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("[secret DYNACU_TEST_KEY]"),
        "the echo was cut: {errors}"
    );
}

#[test]
fn a_spent_quota_is_told_from_a_wrong_key() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = adapter(folder.path(), ADAPTER).unwrap();
    let endpoint = provider("402 Payment Required").unwrap();
    let out = folder.path().join("run");
    says(
        &run(&adapter, &out, None, &["--endpoint", &endpoint]).unwrap(),
        1,
        &["quota", "402"],
    );
}

#[test]
fn what_does_not_fit_the_adapter_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = adapter(folder.path(), ADAPTER).unwrap();
    let out = folder.path().join("run");
    let stray = folder.path().join("settings.toml");
    std::fs::write(&stray, "efort = \"low\"\n").unwrap();
    let stray = stray.to_string_lossy();
    for (more, words) in [
        (
            ["--endpoint", "api.example.org=http://127.0.0.1:1"],
            ["api.example.org", "no adapter"],
        ),
        (
            ["--endpoint", "http://127.0.0.1:1"],
            ["--endpoint", "HOST=URL"],
        ),
        (["--max-cost", "2.50"], ["--max-tokens", "honest"]),
        (["--max-cost", "much"], ["--max-cost", "US dollars"]),
        (
            ["--settings", &stray],
            ["`efort` stands in no table", "[NAME"],
        ),
        (
            ["--prices", "/nowhere.toml"],
            ["/nowhere.toml", "price table"],
        ),
    ] {
        says(&run(&adapter, &out, None, &more).unwrap(), 2, &words);
    }
    assert!(!out.exists());
}

#[test]
fn settings_that_nobody_reads_are_told_with_the_names_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = adapter(folder.path(), ADAPTER).unwrap();
    let out = folder.path().join("run");
    let settings = folder.path().join("settings.toml");
    // The mode calls itself otherwise than its file is called.
    std::fs::write(&settings, "[aoi-full]\nreact = true\n[adapter]\n").unwrap();
    let endpoint = provider("402 Payment Required").unwrap();
    let settings = settings.to_string_lossy();
    let more = ["--endpoint", &endpoint, "--settings", &settings];
    let output = run(&adapter, &out, None, &more).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let told: Vec<&str> = errors
        .lines()
        .filter(|line| line.starts_with("settings: "))
        .collect();
    assert_eq!(
        told,
        [
            "settings: [aoi-full] is not used, since no plugin of this run has that name (there are standard, adapter)"
        ]
    );
}

#[test]
fn a_model_without_an_adapter_is_told() {
    let output = Command::new(host().unwrap())
        .current_dir(checkout())
        .args([
            "--plugin",
            "idle",
            "--task",
            "F-E1",
            "--model",
            "some-model",
        ])
        .output()
        .unwrap();
    says(&output, 2, &["some-model", "--plugin"]);
    let output = Command::new(host().unwrap())
        .current_dir(checkout())
        .args([
            "--plugin", "standard", "--task", "F-E1", "--mode", "standard",
        ])
        .output()
        .unwrap();
    says(&output, 2, &["standard asks a model", "--plugin"]);
}
