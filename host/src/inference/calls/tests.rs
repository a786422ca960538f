//! Model calls from the policy's request to its completion, through a real adapter, against a provider that follows a
//! script.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use dynacu_record::{Line, Writer, read_events};
use dynacu_runtime::types::{Message, Part, Role};
use dynacu_runtime::{Compiler, Engine, Plugin};
use tokio::sync::mpsc;

use super::*;
use crate::inference::budget::{Budget, Spent};
use crate::inference::egress::network::Network;
use crate::inference::ping::ping;
use crate::inference::prices::Prices;
use crate::inference::provider::ModelService;
use crate::inference::provider::{Provider, ProviderError, choose};
use crate::inference::seal::Seal;

/// Answers of a provider, in order; the last one stays.
type Script = Arc<Mutex<(VecDeque<(u16, &'static str)>, u32)>>;

async fn answer(Shared(script): Shared<Script>) -> Response {
    let (status, wait) = {
        let mut script = script.lock();
        script.1 += 1;
        match script.0.len() {
            1 => script.0[0],
            _ => script.0.pop_front().unwrap(),
        }
    };
    let body = match status {
        429 if wait == "spent" => r#"{"error": {"code": "insufficient_quota"}}"#.to_owned(),
        // Six times as long in the record.
        200 if wait == "escaped" => "\u{1}".repeat(6 << 20),
        _ => r#"{"text": "ready"}"#.to_owned(),
    };
    let status = StatusCode::from_u16(status).unwrap();
    match wait {
        "" | "spent" | "escaped" => (status, body).into_response(),
        wait => (status, [("retry-after", wait)], body).into_response(),
    }
}

/// What came out of an inference.
#[derive(Debug)]
enum Delivered {
    Completion(Completion),
    End(EndCause, String),
}

struct Probe {
    step: Arc<AtomicU32>,
    delivered: mpsc::Sender<Delivered>,
}

impl Asker for Probe {
    fn step(&self) -> u32 {
        self.step.load(Ordering::Relaxed)
    }

    fn deliver(&self, completion: Completion) {
        self.delivered
            .try_send(Delivered::Completion(completion))
            .unwrap();
    }

    fn end(&self, cause: EndCause, detail: String) {
        self.delivered
            .try_send(Delivered::End(cause, detail))
            .unwrap();
    }
}

struct Bed {
    folder: tempfile::TempDir,
    script: Script,
    model: Arc<Model>,
    inference: Arc<Inference>,
    delivered: mpsc::Receiver<Delivered>,
    recorder: Recorder,
    writer: Writer,
}

/// The adapter with a manifest of its own, as somebody would install it.
fn plugin(folder: &Path) -> Plugin {
    let fixtures = std::env::var_os("DYNACU_FIXTURES").map_or_else(
        || Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("../plugins/dist/fixtures"),
        Into::into,
    );
    let own = folder.join("fixture.wasm");
    std::fs::copy(fixtures.join("asks-a-provider.wasm"), &own).expect("run `make guests` first");
    std::fs::write(
        folder.join("fixture.plugin.toml"),
        "schema = 2\nhosts = [\"api.example.com\"]\n",
    )
    .unwrap();
    Plugin::load(&Engine::new(Compiler::InProcess).unwrap(), &own).unwrap()
}

async fn bed(
    name: &str,
    answers: &[(u16, &'static str)],
    budget: Budget,
    deadline: Duration,
) -> Bed {
    let script: Script = Arc::new(Mutex::new((answers.iter().copied().collect(), 0)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&script));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let folder = tempfile::tempdir().unwrap();
    let prices = folder.path().join("prices.toml");
    let mut table = "schema = 1\ndate = 2026-11-30\n".to_owned();
    for model in ["honest", "free"] {
        table += &format!(
            "[[price]]\nprovider = \"fixture\"\nmodel = \"{model}\"\ninput = 100.0\ncached-input = 50.0\noutput = 1000.0\nread = 2026-11-30\nsource = \"made for this test\"\n"
        );
    }
    std::fs::write(&prices, table).unwrap();
    let service = Arc::new(ModelService {
        network: Arc::new(Network::default()),
        prices: Prices::load(Some(&prices)).unwrap(),
        budget,
        seal: Seal::new().unwrap(),
        deadline,
    });
    let endpoint = format!("api.example.com={url}").parse().unwrap();
    let provider = Provider::open(
        plugin(folder.path()),
        "{}".to_owned(),
        &[endpoint],
        [0; 32],
        false,
        false,
    )
    .await
    .unwrap();
    let models = choose(&[Arc::new(provider)], &[name.to_owned()], &service)
        .await
        .unwrap();
    let model = Arc::new(models.into_iter().next().unwrap());
    let (writer, recorder) = Writer::start(&folder.path().join("episode")).unwrap();
    let (delivered, receiver) = mpsc::channel(64);
    let step = Arc::new(AtomicU32::new(1));
    let probe = Probe { step, delivered };
    let timebase = Arc::new(Timebase::new());
    let inference = Inference::new(Arc::clone(&model), recorder.clone(), timebase, probe);
    Bed {
        folder,
        script,
        model,
        inference,
        delivered: receiver,
        recorder,
        writer,
    }
}

async fn usual(name: &str, answers: &[(u16, &'static str)]) -> Bed {
    bed(name, answers, Budget::default(), Duration::from_secs(30)).await
}

/// May be answered with ten tokens.
fn request(part: Part) -> ModelRequest {
    ModelRequest {
        messages: vec![Message {
            role: Role::User,
            parts: vec![part],
        }],
        tools: Vec::new(),
        display: None,
        max_output_tokens: Some(10),
        temperature: None,
    }
}

impl Bed {
    async fn ask(&mut self) -> Delivered {
        self.inference
            .submit(request(Part::Text("ready?".to_owned())));
        self.delivered.recv().await.unwrap()
    }

    fn requests(&self) -> u32 {
        self.script.lock().1
    }

    /// Names of the record's events about model calls, in order.
    async fn record(self) -> (Vec<&'static str>, Vec<Line>) {
        self.inference.close().await;
        drop((self.inference, self.model, self.recorder));
        self.writer.finish().unwrap();
        let lines = read_events(&self.folder.path().join("episode")).unwrap();
        let names = lines
            .iter()
            .filter_map(|line| match &line.event {
                Event::ModelCall { .. } => Some("call"),
                Event::ModelExchange { .. } => Some("exchange"),
                Event::ModelRetry { .. } => Some("retry"),
                Event::ModelAnswer { .. } => Some("answer"),
                _ => None,
            })
            .collect();
        (names, lines)
    }
}

#[tokio::test]
async fn a_call_is_answered_counted_and_recorded() {
    let mut bed = usual("honest", &[(200, "")]).await;
    let Delivered::Completion(Completion {
        call: 1,
        outcome: Ok(response),
    }) = bed.ask().await
    else {
        panic!("no answer")
    };
    assert!(matches!(response.parts.as_slice(), [Part::Text(text)] if text.contains("ready")));
    let tally = bed.inference.tally();
    assert_eq!(
        (tally.calls, tally.answered, tally.model_ms.len()),
        (1, 1, 1)
    );
    assert_eq!(
        (tally.usage.input_tokens, tally.usage.output_tokens),
        (1000, 10)
    );
    // 600 tokens at 100, 400 at 50, 10 at 1000 dollars a million, by the dated snapshot's name.
    assert!((tally.usage.cost_usd.unwrap() - 0.09).abs() < 1e-9);
    let (names, lines) = bed.record().await;
    assert_eq!(names, ["call", "exchange", "answer"]);
    assert!(lines.iter().any(|line| matches!(
        &line.event,
        Event::ModelAnswer { error: None, attempts: 1, usage: Some(_), model: Some(model), .. }
            if model == "honest-2026-11-30"
    )));
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_after_its_wait_and_the_step_stays() {
    let mut bed = usual(
        "honest",
        &[(429, "0.2"), (529, "0.1"), (503, "0"), (200, "")],
    )
    .await;
    assert!(matches!(
        bed.ask().await,
        Delivered::Completion(Completion { outcome: Ok(_), .. })
    ));
    assert_eq!(bed.requests(), 4);
    assert_eq!(bed.inference.tally().answered, 1);
    let (names, lines) = bed.record().await;
    assert_eq!(
        names,
        [
            "call", "exchange", "retry", "exchange", "retry", "exchange", "retry", "exchange",
            "answer"
        ]
    );
    let waits: Vec<u64> = lines
        .iter()
        .filter_map(|line| match line.event {
            Event::ModelRetry {
                after_ms,
                trouble: true,
                ..
            } => Some(after_ms),
            _ => None,
        })
        .collect();
    assert!(
        waits[0] >= 200 && waits[1] >= 100 && waits.len() == 3,
        "{waits:?}"
    );
    let steps: Vec<u32> = lines
        .iter()
        .filter_map(|line| match line.event {
            Event::ModelCall { step, .. } | Event::ModelAnswer { step, .. } => Some(step),
            _ => None,
        })
        .collect();
    assert_eq!(steps, [1, 1]);
}

#[tokio::test]
async fn a_wait_beyond_the_steps_limit_ends_the_episode_as_an_outage() {
    let mut bed = usual("honest", &[(429, "30")]).await;
    let Delivered::End(EndCause::ProviderOutage, why) = bed.ask().await else {
        panic!("the episode goes on")
    };
    assert!(why.contains("5 s in one step"), "{why}");
    assert_eq!(bed.requests(), 1);
}

#[tokio::test]
async fn quota_and_key_end_the_episode_at_once() {
    for (answer, cause) in [
        ((429, "spent"), EndCause::ModelQuota),
        ((402, ""), EndCause::ModelQuota),
        ((429, "86400"), EndCause::ModelQuota),
        ((401, ""), EndCause::ModelAuthentication),
    ] {
        let mut bed = usual("honest", &[answer]).await;
        let delivered = bed.ask().await;
        assert!(
            matches!(delivered, Delivered::End(found, _) if found == cause),
            "{answer:?}: {delivered:?}"
        );
        assert_eq!(bed.requests(), 1, "{answer:?}");
    }
}

#[tokio::test]
async fn a_guests_word_alone_is_no_infrastructure() {
    let mut bed = usual("lying", &[(200, "")]).await;
    let delivered = bed.ask().await;
    assert!(
        matches!(
            delivered,
            Delivered::Completion(Completion {
                outcome: Err(ModelError::QuotaExceeded(_)),
                ..
            })
        ),
        "{delivered:?}"
    );
    assert_eq!(bed.requests(), 0);
    let mut bed = usual("dying", &[(200, "")]).await;
    let Delivered::End(EndCause::GuestTrap, why) = bed.ask().await else {
        panic!("an adapter that trapped")
    };
    assert!(
        why.contains("the model adapter fixture") && why.contains("nothing to say"),
        "{why}"
    );
}

#[tokio::test]
async fn faults_of_the_request_go_to_the_policy_unrepeated() {
    let mut bed = usual("honest", &[(400, "")]).await;
    let delivered = bed.ask().await;
    assert!(
        matches!(
            delivered,
            Delivered::Completion(Completion {
                outcome: Err(ModelError::InvalidRequest(_)),
                ..
            })
        ),
        "{delivered:?}"
    );
    assert_eq!(bed.requests(), 1);
}

#[tokio::test]
async fn the_budget_stops_before_the_next_request() {
    for (budget, word) in [
        (Budget::new(Some(0.05), None), "--max-cost"),
        (Budget::new(None, Some(500)), "--max-tokens"),
    ] {
        let mut bed = bed("honest", &[(200, "")], budget, Duration::from_secs(30)).await;
        assert!(matches!(
            bed.ask().await,
            Delivered::Completion(Completion { outcome: Ok(_), .. })
        ));
        let Delivered::End(EndCause::Budget, why) = bed.ask().await else {
            panic!("spent, and goes on")
        };
        assert!(why.contains(word), "{why}");
        assert_eq!(bed.requests(), 1);
    }
}

/// An adapter that reports nothing is charged for what left, and for what came back.
#[tokio::test]
async fn an_adapter_that_reports_no_usage_comes_to_the_limit_all_the_same() {
    for (budget, word) in [
        (Budget::new(Some(0.05), None), "--max-cost"),
        (Budget::new(None, Some(250)), "--max-tokens"),
    ] {
        let mut bed = bed("free", &[(200, "")], budget, Duration::from_secs(30)).await;
        // A hundred tokens and those of the settings, at 100 dollars a million.
        let asked = || request(Part::Text(" ".repeat(800)));
        let mut calls = 0;
        let why = loop {
            bed.inference.submit(asked());
            calls += 1;
            match bed.delivered.recv().await.unwrap() {
                Delivered::Completion(Completion { outcome, .. }) => assert!(outcome.is_ok()),
                Delivered::End(cause, why) => {
                    assert_eq!(cause, EndCause::Budget);
                    break why;
                }
            }
            assert!(calls < 10, "no end");
        };
        assert!(why.contains(word), "{why}");
        assert_eq!(bed.requests(), calls - 1);
        let spent = bed.model.service.budget.spent();
        // Two tokens of each answer of sixteen bytes.
        assert_eq!(spent.tokens, 102 * u64::from(bed.requests()));
        // Its own word stands in the record.
        assert_eq!(bed.inference.tally().usage.input_tokens, 0);
    }
}

/// Each may cost 110 tokens, so no more than nine have room; the others leave nothing behind.
#[tokio::test]
async fn sixteen_calls_at_once_stay_within_the_budget() {
    for (budget, word) in [
        (Budget::new(None, Some(1_000)), "--max-tokens"),
        (Budget::new(Some(0.18), None), "--max-cost"),
    ] {
        let mut bed = bed("free", &[(200, "")], budget, Duration::from_secs(30)).await;
        for _ in 0..16 {
            bed.inference.submit(request(Part::Text(" ".repeat(800))));
        }
        let mut answered = 0;
        for _ in 0..16 {
            match bed.delivered.recv().await.unwrap() {
                Delivered::Completion(Completion { outcome, .. }) => {
                    outcome.unwrap();
                    answered += 1;
                }
                Delivered::End(cause, why) => {
                    assert_eq!(cause, EndCause::Budget);
                    assert!(why.contains(word) && why.contains("held"), "{why}");
                }
            }
        }
        // Those that were settled made room for a few more.
        assert_eq!(bed.requests(), answered);
        let spent = bed.model.service.budget.spent();
        assert_eq!(spent.tokens, 102 * u64::from(answered));
        assert!((1..16).contains(&answered), "{answered}");
        assert!(spent.tokens <= 1_000 && spent.cost_usd <= 0.18, "{spent:?}");
    }
}

#[tokio::test]
async fn what_a_stranger_says_of_the_cache_is_not_believed_and_refusals_cost_nothing() {
    let mut bed = usual("honest", &[(200, ""), (400, "")]).await;
    assert_eq!(bed.model.service.budget.spent(), Spent::default());
    assert!(matches!(
        bed.ask().await,
        Delivered::Completion(Completion { outcome: Ok(_), .. })
    ));
    // 1000 tokens at 100 and ten at 1000 dollars a million.
    let once = bed.model.service.budget.spent();
    assert_eq!(once.tokens, 1010);
    assert!((once.cost_usd - 0.11).abs() < 1e-9, "{once:?}");
    bed.ask().await;
    assert_eq!(bed.requests(), 2);
    assert_eq!(bed.model.service.budget.spent(), once);
}

/// The attack: a policy writes a part that the provider understands and the adapter hands on as it is.
#[tokio::test]
async fn a_part_that_no_adapter_issued_goes_nowhere() {
    let mut bed = usual("keeping", &[(200, "")]).await;
    let Delivered::Completion(Completion {
        outcome: Ok(response),
        ..
    }) = bed.ask().await
    else {
        panic!("no answer")
    };
    let [Part::Opaque(sealed)] = response.parts.as_slice() else {
        panic!("{response:?}")
    };
    let own = r#"{"text": "ready"}"#;
    assert_ne!(sealed, own);
    let forged = r#"{"type": "input_image", "image_url": "https://thief.example/"}"#;
    for text in [
        forged.to_owned(),
        sealed.replace(own, forged),
        own.to_owned(),
    ] {
        bed.inference.submit(request(Part::Opaque(text)));
        let delivered = bed.delivered.recv().await.unwrap();
        let Delivered::Completion(Completion {
            outcome: Err(ModelError::InvalidRequest(why)),
            ..
        }) = delivered
        else {
            panic!("{delivered:?}")
        };
        assert!(why.contains("part 1 of message 1"), "{why}");
    }
    assert_eq!(bed.requests(), 1, "a forged part left");
    for _ in 0..2 {
        bed.inference.submit(request(Part::Opaque(sealed.clone())));
        let delivered = bed.delivered.recv().await.unwrap();
        assert!(matches!(
            delivered,
            Delivered::Completion(Completion { outcome: Ok(_), .. })
        ));
    }
    // The adapter and the record have it without the tag.
    let folder = bed.folder.path().join("episode");
    let tag = sealed.split('"').nth(3).unwrap().to_owned();
    bed.inference.close().await;
    let Bed {
        folder: whole,
        model,
        inference,
        recorder,
        writer,
        ..
    } = bed;
    drop((inference, model, recorder));
    writer.finish().unwrap();
    let bodies: Vec<String> = std::fs::read_dir(folder.join("blobs"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(bodies.iter().any(|body| body == &format!("{{}}{own}")));
    let tagged = bodies.iter().filter(|body| body.contains(&tag)).count();
    assert_eq!(tagged, 1, "only the forged part that stole it");
    drop(whole);
}

#[tokio::test]
async fn answers_that_fill_the_record_end_the_episode() {
    let mut bed = usual("honest", &[(200, "escaped")]).await;
    let mut answers = 0;
    let why = loop {
        match bed.ask().await {
            Delivered::Completion(Completion { outcome, .. }) => {
                outcome.unwrap();
                answers += 1;
            }
            Delivered::End(cause, why) => {
                assert_eq!(cause, EndCause::GuestOutputTooLarge);
                break why;
            }
        }
        assert!(answers < 20, "no end");
    };
    assert!(why.contains("fixture") && why.contains("256 MiB"), "{why}");
    // Four of the six MiB of the exchange, and 36 of the answer.
    assert_eq!(answers, 6);
    let folder = bed.folder.path().join("episode");
    bed.inference.close().await;
    let Bed {
        folder: whole,
        model,
        inference,
        recorder,
        writer,
        ..
    } = bed;
    drop((inference, model, recorder));
    writer.finish().unwrap();
    let cut = std::fs::read_dir(folder.join("blobs"))
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .filter(|bytes| bytes.ends_with(b"[cut by the host: 4194304 of 6291456 bytes are kept]"))
        .count();
    assert_eq!(cut, 1, "the body that came each time");
    drop(whole);
}

#[tokio::test]
async fn cancelled_calls_and_those_open_at_the_end_are_told_and_written() {
    let mut bed = usual("honest", &[(429, "4")]).await;
    let call = bed.inference.submit(request(Part::Text("one".to_owned())));
    bed.inference.submit(request(Part::Text("two".to_owned())));
    bed.inference.cancel(call);
    let Delivered::Completion(Completion {
        call: first,
        outcome: Err(ModelError::Cancelled),
    }) = bed.delivered.recv().await.unwrap()
    else {
        panic!("not cancelled")
    };
    assert_eq!(first, call);
    bed.inference.close().await;
    let late = bed
        .inference
        .submit(request(Part::Text("three".to_owned())));
    assert_eq!(late, 3);
    let (names, _) = bed.record().await;
    assert_eq!(
        names.iter().filter(|name| **name == "answer").count(),
        3,
        "{names:?}"
    );
}

#[tokio::test]
async fn pictures_of_the_episode_reach_the_provider() {
    let mut bed = usual("honest", &[(200, "")]).await;
    let picture = bed.recorder.blob(vec![9; 999], "image/png");
    bed.inference
        .submit(request(Part::Image(picture.clone().into())));
    assert!(matches!(
        bed.delivered.recv().await,
        Some(Delivered::Completion(Completion { outcome: Ok(_), .. }))
    ));
    bed.inference
        .submit(request(Part::Image("0".repeat(64).into())));
    assert!(matches!(
        bed.delivered.recv().await,
        Some(Delivered::Completion(Completion {
            outcome: Err(_),
            ..
        }))
    ));
    bed.inference.close().await;
    let Bed {
        folder,
        model,
        inference,
        recorder,
        writer,
        ..
    } = bed;
    drop((inference, model, recorder));
    writer.finish().unwrap();
    let folder = folder.path().join("episode");
    let lines = read_events(&folder).unwrap();
    let sent = lines
        .iter()
        .find_map(|line| match &line.event {
            Event::ModelExchange {
                request,
                status: Some(200),
                ..
            } => Some(request.clone()),
            _ => None,
        })
        .unwrap();
    let body = std::fs::read_to_string(folder.join(format!("blobs/{sent}.txt"))).unwrap();
    assert_eq!(body, format!("{{}}\nblob:{picture}"));
}

#[tokio::test]
async fn the_preflight_finds_a_wrong_key_and_a_busy_provider() {
    let bed = usual("honest", &[(503, "0"), (200, "")]).await;
    assert_eq!(ping(&bed.model).await.unwrap().model, "honest-2026-11-30");
    assert_eq!(bed.requests(), 2);
    let bed = usual("honest", &[(401, "")]).await;
    let error = ping(&bed.model).await.err().unwrap();
    assert_eq!(error.cause, Some(EndCause::ModelAuthentication));
    assert!(error.to_string().contains("honest"), "{error}");
    // A wait beyond the preflight's patience: told at once, with what the host itself saw.
    let bed = usual("honest", &[(503, "60")]).await;
    let error = ping(&bed.model).await.err().unwrap();
    assert_eq!(error.cause, Some(EndCause::ProviderOutage));
    assert!(error.why.contains("(status 503)"), "{error}");
    let bed = usual("honest", &[(404, "")]).await;
    assert!(
        ping(&bed.model)
            .await
            .err()
            .unwrap()
            .to_string()
            .contains("404")
    );
    assert_eq!(bed.requests(), 1);
}

#[tokio::test]
async fn a_missing_secret_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut plugin = plugin(folder.path());
    plugin.manifest = dynacu_runtime::Manifest::parse(
        "schema = 2\nhosts = [\"api.example.com\"]\n[[credentials]]\nsecret = \"DYNACU_TEST_UNSET\"\nhost = \"api.example.com\"\nheader = \"x-api-key\"\n",
        "plugin.toml",
    )
    .unwrap();
    let error = Provider::open(plugin, "{}".to_owned(), &[], [0; 32], false, false)
        .await
        .err()
        .unwrap();
    assert!(matches!(error, ProviderError::Credential(_)));
    assert!(error.to_string().contains("DYNACU_TEST_UNSET"), "{error}");
}
