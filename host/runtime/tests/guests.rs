//! Guests that misbehave, each against the limits: a named cause, in bounded time, and a clean next one.
//!
//! They are built from `tests/fixtures/plugins` by `make guests`; `DYNACU_FIXTURES` may name another folder.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

#[path = "support/scripted.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dynacu_runtime::types::{
    Capabilities, Channel, Duration as Milliseconds, EndCause, HttpError, HttpRequest,
    HttpResponse, Instant as EpisodeTime, ModelError, ModelRequest, PageEvent, ScoredEpisode,
};
use dynacu_runtime::{
    Adapter, Compiler, DenyEgress, Egress, FailureKind, Limits, NoBlobs, Outside, Plugin,
    PluginKind, PolicyEnd,
};
use support::{ScriptedHost, brief, engine, fixture, load};

fn limits() -> Limits {
    Limits::policy(Duration::from_secs(60), [7; 32])
}

/// For guests that do nothing but compute.
fn impatient() -> Limits {
    Limits {
        cpu_without_call: Duration::from_millis(300),
        ..limits()
    }
}

async fn run(name: &str, limits: Limits) -> PolicyEnd {
    let host = ScriptedHost::default();
    load(name)
        .run_policy(Box::new(host), brief(), "{}".to_owned(), limits)
        .ended()
        .await
}

fn kind(end: PolicyEnd) -> FailureKind {
    match end {
        PolicyEnd::Failed(failure) => failure.kind,
        other => panic!("expected a failure, not {other:?}"),
    }
}

#[tokio::test]
async fn a_loop_is_a_timeout_by_cpu_time_and_by_deadline() {
    assert_eq!(
        kind(run("loops-forever", impatient()).await),
        FailureKind::Timeout
    );
    let short = Limits {
        deadline: Duration::from_millis(300),
        cpu_without_call: Duration::MAX,
        ..limits()
    };
    assert_eq!(
        kind(run("loops-forever", short).await),
        FailureKind::Timeout
    );
}

#[tokio::test]
async fn a_loop_in_the_start_function_is_a_timeout() {
    assert_eq!(
        kind(run("loops-in-start", impatient()).await),
        FailureKind::Timeout
    );
}

#[tokio::test]
async fn growing_for_ever_is_out_of_memory() {
    let small = Limits {
        memory: 32 << 20,
        ..limits()
    };
    let PolicyEnd::Failed(failure) = run("grows-memory", small).await else {
        panic!("it did not fail")
    };
    assert_eq!(failure.kind, FailureKind::OutOfMemory, "{failure}");
    assert!(failure.detail.contains("32 MiB"), "{failure}");
    // Not even its first page.
    let none = Limits {
        memory: 64 << 10,
        ..limits()
    };
    assert_eq!(
        kind(run("grows-memory", none).await),
        FailureKind::OutOfMemory
    );
}

#[tokio::test]
async fn a_panic_is_a_trap_with_its_message_and_the_next_guest_is_clean() {
    let host = ScriptedHost::default();
    let (log, dropped) = (host.log.clone(), host.dropped.clone());
    let mut run = load("traps").run_policy(Box::new(host), brief(), "{}".to_owned(), limits());
    let PolicyEnd::Failed(failure) = run.ended().await else {
        panic!("it did not fail")
    };
    assert_eq!(failure.kind, FailureKind::Trap, "{failure}");
    assert_eq!(failure.kind.cause(), "guest-trap");
    assert!(
        failure.detail.contains("nothing to do at step 3"),
        "{failure}"
    );
    assert!(
        log.lock()
            .unwrap()
            .iter()
            .any(|line| line.contains("nothing to do at step 3"))
    );
    assert!(
        dropped.load(Ordering::SeqCst),
        "the host's side is gone when the end is told"
    );
    let next = ScriptedHost::ending_after(3);
    let mut run =
        load("observes-in-a-loop").run_policy(Box::new(next), brief(), "{}".to_owned(), limits());
    assert_eq!(run.ended().await, PolicyEnd::Returned);
    assert_eq!(
        run.ended().await,
        PolicyEnd::Returned,
        "asking twice gives the same answer"
    );
}

#[tokio::test]
async fn stop_leaves_its_grace_and_no_more() {
    let host = ScriptedHost::default();
    let patient = Limits {
        cpu_without_call: Duration::MAX,
        stop_grace: Duration::from_millis(200),
        ..limits()
    };
    let mut run =
        load("loops-forever").run_policy(Box::new(host), brief(), "{}".to_owned(), patient);
    let early = tokio::time::timeout(Duration::from_millis(300), run.ended()).await;
    assert!(early.is_err(), "it runs until it is stopped");
    run.stop();
    let PolicyEnd::Failed(failure) = run.ended().await else {
        panic!("it did not fail")
    };
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(failure.detail.contains("after stop"), "{failure}");
}

#[tokio::test]
async fn a_blocked_host_call_is_cut_by_the_deadline() {
    let host = ScriptedHost::blocking();
    let short = Limits {
        deadline: Duration::from_millis(300),
        ..limits()
    };
    let mut run =
        load("observes-in-a-loop").run_policy(Box::new(host), brief(), "{}".to_owned(), short);
    assert_eq!(kind(run.ended().await), FailureKind::Timeout);
}

#[tokio::test]
async fn dropping_the_run_ends_the_guest() {
    let host = ScriptedHost::blocking();
    let dropped = host.dropped.clone();
    drop(load("observes-in-a-loop").run_policy(Box::new(host), brief(), "{}".to_owned(), limits()));
    let began = Instant::now();
    while !dropped.load(Ordering::SeqCst) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the guest outlived its run"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_manifest_says_what_a_policy_is_called_and_a_scorer_is_no_policy() {
    let policy = load("asks-for-everything");
    let named = (policy.name.as_str(), policy.version.as_str());
    assert_eq!(named, ("asks-for-everything", "0.1.0"));
    assert_eq!(policy.manifest.channels, Channel::ALL);
    assert_eq!(load("traps").version, "", "it brings no manifest");
    let scorer = load("returns-too-much");
    assert_eq!(scorer.kind, PluginKind::Scorer);
    let host = Box::new(ScriptedHost::default());
    let mut run = scorer.run_policy(host, brief(), "{}".to_owned(), limits());
    let PolicyEnd::Failed(failure) = run.ended().await else {
        panic!("a scorer ran as a policy")
    };
    assert!(
        failure.detail.contains("is a scorer, not a policy"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_scorer_that_answers_with_too_much_fails_and_answers_again() {
    let scorer = load("returns-too-much").scorer().unwrap();
    let event = PageEvent {
        at: EpisodeTime::at(1),
        name: "submit".to_owned(),
        data: "{}".to_owned(),
    };
    let judged = scorer
        .judge("plain", vec![event.clone(), event.clone()])
        .await;
    assert_eq!(judged, Ok(Some("2".to_owned())));
    // To fill its 100 MB takes a tenth of its work, so it is the size that ends it, on any machine.
    let big = scorer.judge("big", Vec::new()).await.unwrap_err();
    assert_eq!(big.kind, FailureKind::OutputTooLarge, "{big}");
    let busy = scorer.judge("busy", Vec::new()).await.unwrap_err();
    assert_eq!(busy.kind, FailureKind::Timeout, "{busy}");
    assert!(
        busy.detail
            .contains("used up its 1200 million instructions"),
        "{busy}"
    );
    let clicks = vec![event.clone(); 20_000];
    let unread = scorer.judge("plain", clicks).await.unwrap_err();
    assert_eq!(unread.kind, FailureKind::InputTooLarge, "{unread}");
    assert_eq!(unread.kind.cause(), "guest-input-too-large");
    let many = scorer.score_episode(episode()).await.unwrap_err();
    assert_eq!(many.kind, FailureKind::OutputTooLarge, "{many}");
    assert_eq!(
        scorer.judge("plain", Vec::new()).await,
        Ok(Some("0".to_owned()))
    );
}

fn episode() -> ScoredEpisode {
    ScoredEpisode {
        task: "X-E1".to_owned(),
        variant_values: "{}".to_owned(),
        page_events: Vec::new(),
        page_result: "pending".to_owned(),
        ended: EndCause::Done,
        duration: Milliseconds::of(1),
    }
}

fn adapter(limits: Limits) -> Adapter {
    load("sends-a-request").adapter(limits).unwrap()
}

async fn answer(adapter: &Adapter, model: &str) -> String {
    ask(adapter, model, DenyEgress, Duration::from_secs(60)).await
}

async fn ask(adapter: &Adapter, model: &str, egress: impl Egress, deadline: Duration) -> String {
    let outside = Outside {
        egress: Arc::new(egress),
        blobs: Arc::new(NoBlobs),
        log: Arc::new(|_, _| {}),
        deadline,
    };
    let request = ModelRequest {
        messages: Vec::new(),
        tools: Vec::new(),
        display: None,
        max_output_tokens: None,
        temperature: None,
    };
    match adapter.complete(model, "{}", request, outside).await {
        Ok(Err(ModelError::Other(found))) => found,
        Err(failure) => failure.to_string(),
        other => panic!("unexpected: {other:?}"),
    }
}

#[tokio::test]
async fn an_adapter_meets_closed_doors_everywhere() {
    let adapter = adapter(Limits::adapter([0; 32]));
    assert_eq!(adapter.describe().await.unwrap().provider, "fixture");
    let Capabilities {
        coordinate_grid, ..
    } = adapter.capabilities_of("http", "{}").await.unwrap();
    assert_eq!(coordinate_grid, Some(1000));
    let denied = answer(&adapter, "http").await;
    assert!(
        denied.contains("Denied") && denied.contains("`hosts`"),
        "{denied}"
    );
    let door = answer(&adapter, "door").await;
    assert!(
        door.contains("guest-error") && door.contains("wasi:nowhere/door@0.2.4#open"),
        "{door}"
    );
    assert!(answer(&adapter, "file").await.starts_with("Err"));
    assert!(answer(&adapter, "socket").await.starts_with("Err"));
    assert_eq!(answer(&adapter, "environment").await, "0");
}

#[tokio::test]
async fn a_scratch_folder_random_numbers_floods_and_recursion() {
    let folder = tempfile::tempdir().unwrap();
    let with_seed = |seed: u8| {
        let limits = Limits::adapter([seed; 32]);
        let scratch = Some(folder.path().to_owned());
        adapter(Limits { scratch, ..limits })
    };
    let (first, again, other) = (with_seed(1), with_seed(1), with_seed(2));
    assert_eq!(answer(&first, "scratch").await, "Ok(\"kept\")");
    assert_eq!(
        answer(&first, "random").await,
        answer(&again, "random").await
    );
    assert_ne!(
        answer(&first, "random").await,
        answer(&other, "random").await
    );
    assert_eq!(answer(&first, "flood").await, "done");
    for (greedy, wanted) in [
        ("fill", "64 MiB of its scratch"),
        ("files", "too many handles"),
    ] {
        let cut = answer(&first, greedy).await;
        assert!(
            cut.contains("guest-output-too-large") && cut.contains(wanted),
            "{cut}"
        );
    }
    let deep = answer(&first, "recursion").await;
    // Which of its two stacks runs out first is the compiler's choice.
    assert!(deep.contains("guest-trap"), "{deep}");
}

/// A network that never answers.
struct Silence;

#[async_trait::async_trait]
impl Egress for Silence {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_silent_network_holds_up_neither_the_deadline_nor_other_calls() {
    let adapter = adapter(Limits::adapter([0; 32]));
    let (stuck, other) = tokio::join!(
        ask(&adapter, "http", Silence, Duration::from_millis(500)),
        answer(&adapter, "environment")
    );
    assert!(stuck.contains("guest-timeout"), "{stuck}");
    assert_eq!(other, "0");
}

#[test]
fn a_second_load_takes_the_compiled_code() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("compiled");
    let files = || {
        let mut found: Vec<_> = std::fs::read_dir(&cache)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        found.sort();
        found
    };
    for _ in 0..2 {
        let engine =
            dynacu_runtime::Engine::with_cache(Some(cache.clone()), Compiler::InProcess).unwrap();
        let plugin = Plugin::load(&engine, &fixture("traps")).unwrap();
        let [file] = files().try_into().unwrap();
        assert!(
            file.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(&plugin.sha256)
        );
    }
    // What somebody else could have written is not run.
    let [file] = files().try_into().unwrap();
    let loose = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    std::fs::write(&file, b"not code").unwrap();
    std::fs::set_permissions(&file, loose).unwrap();
    Plugin::load(
        &dynacu_runtime::Engine::with_cache(Some(cache.clone()), Compiler::InProcess).unwrap(),
        &fixture("traps"),
    )
    .unwrap();
}

#[test]
fn an_inspection_says_everything() {
    let inspection = serde_json::to_value(load("sends-a-request").inspect()).unwrap();
    assert_eq!(inspection["kind"], "model-adapter");
    assert_eq!(inspection["interface_version"], "0.2.0");
    let imports = inspection["imports"].as_array().unwrap();
    assert!(
        imports.contains(&"dynacu:host/http@0.2.0".into()),
        "{imports:?}"
    );
    assert_eq!(inspection["sha256"].as_str().unwrap().len(), 64);
    drop(engine());
}
