//! The way out against a server that tries to lead it astray.

use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap as ServerHeaders, StatusCode, Uri};
use axum::response::{IntoResponse, Response as ServerResponse};
use dynacu_record::{Event as Entry, Writer, read_events};
use dynacu_runtime::types::{BlobError, BlobInfo};
use dynacu_runtime::{Manifest, NoBlobs};

use super::address::LookUp;
use super::answer::LARGEST_RESPONSE;
use super::*;
use crate::capture::timebase::Timebase;
use crate::inference::budget::Budget;
use crate::inference::prices::Prices;
use crate::inference::provider::ModelService;
use crate::inference::seal::Seal;

const SECRET: &str = "sk-example-0123456789";
const MANIFEST: &str = r#"
schema = 2
hosts = ["api.example.com", "other.example.com", "127.0.0.1"]
[[credentials]]
secret = "EXAMPLE_KEY"
host = "api.example.com"
header = "authorization"
prefix = "Bearer "
"#;

/// What reached the server.
#[derive(Default)]
struct Asked(Mutex<Vec<(Uri, ServerHeaders, Bytes)>>);

async fn answer(
    State(asked): State<Arc<Asked>>,
    uri: Uri,
    headers: ServerHeaders,
    body: Bytes,
) -> ServerResponse {
    let echo = format!("{headers:?}");
    asked
        .0
        .lock()
        .unwrap()
        .push((uri.clone(), headers, body.clone()));
    match uri.path() {
        "/echo" => ([("x-echo", echo.clone())], format!("{uri} {echo}")).into_response(),
        "/away" => (
            StatusCode::FOUND,
            [("location", "https://evil.example.org/")],
        )
            .into_response(),
        "/near" => (StatusCode::FOUND, [("location", "/echo")]).into_response(),
        "/large" => vec![b'x'; LARGEST_RESPONSE + 1].into_response(),
        "/packed" => ([("content-encoding", "gzip")], "packed").into_response(),
        "/slow" => std::future::pending().await,
        "/busy" => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "3")]).into_response(),
        _ => body.into_response(),
    }
}

async fn server() -> (SocketAddr, Arc<Asked>) {
    let asked = Arc::new(Asked::default());
    let app = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&asked));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        axum::serve(
            listener,
            app.layer(axum::extract::DefaultBodyLimit::disable()),
        )
        .await
    });
    (address, asked)
}

/// Every name is at this address.
struct At(IpAddr);

#[async_trait]
impl LookUp for At {
    async fn addresses(&self, _name: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(vec![self.0])
    }
}

struct OneBlob;

impl Blobs for OneBlob {
    fn stat(&self, _id: &str) -> Result<BlobInfo, BlobError> {
        Err(BlobError::NotFound)
    }

    fn read(&self, id: &str) -> Result<Vec<u8>, BlobError> {
        (id == "b1")
            .then(|| b"picture".to_vec())
            .ok_or(BlobError::NotFound)
    }
}

fn service() -> Arc<ModelService> {
    Arc::new(ModelService {
        network: Arc::default(),
        prices: Prices::load(None).unwrap(),
        budget: Budget::default(),
        seal: Seal::new().unwrap(),
        deadline: Duration::from_secs(30),
    })
}

fn egress(server: Option<SocketAddr>) -> CallEgress {
    let manifest = Manifest::parse(MANIFEST, "plugin.toml").unwrap();
    let endpoints: Vec<_> = server
        .map(|server| format!("api.example.com=http://{server}").parse().unwrap())
        .into_iter()
        .collect();
    CallEgress {
        network: Arc::new(Network::with_look_up(At("127.0.0.1".parse().unwrap()))),
        grant: Arc::new(Grant {
            allowed: Allowed::new(&manifest, &endpoints),
            secrets: Secrets::read("fixture", &manifest, |_| Some(SECRET.to_owned())).unwrap(),
        }),
        blobs: Arc::new(OneBlob),
        until: Instant::now() + Duration::from_secs(30),
        statuses: Arc::default(),
        requests: AtomicUsize::new(0),
        account: Arc::new(Account::new(service(), None, false, 16)),
        log: None,
    }
}

fn request(url: &str) -> HttpRequest {
    HttpRequest {
        method: HttpMethod::Post,
        url: url.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        timeout: None,
    }
}

async fn denied(egress: &CallEgress, request: HttpRequest) -> String {
    match egress.send(request).await {
        Err(HttpError::Denied(why)) => why,
        other => panic!("not denied: {other:?}"),
    }
}

#[tokio::test]
async fn the_secret_leaves_for_its_host_alone_and_its_echo_does_not_come_back() {
    let (server, asked) = server().await;
    let egress = egress(Some(server));
    let url = format!("https://api.example.com/echo?key={SECRET}");
    let answer = egress.send(request(&url)).await.unwrap();
    let sent = asked.0.lock().unwrap()[0].1["authorization"].clone();
    assert_eq!(sent.to_str().unwrap(), format!("Bearer {SECRET}"));
    let body = String::from_utf8(answer.body).unwrap();
    assert_eq!(body.matches("[secret EXAMPLE_KEY]").count(), 2, "{body}");
    let headers = format!("{:?}", answer.headers);
    assert!(headers.contains("[secret EXAMPLE_KEY]"), "{headers}");
    assert!(!body.contains("0123456789") && !headers.contains("0123456789"));
    // The same server by the name of a host without a credential.
    let manifest = Manifest::parse(MANIFEST, "plugin.toml").unwrap();
    let endpoint = format!("other.example.com=http://{server}")
        .parse()
        .unwrap();
    let other = CallEgress {
        grant: Arc::new(Grant {
            allowed: Allowed::new(&manifest, &[endpoint]),
            secrets: egress.grant.secrets.clone(),
        }),
        ..egress
    };
    other
        .send(request("https://other.example.com/echo"))
        .await
        .unwrap();
    assert!(asked.0.lock().unwrap()[1].1.get("authorization").is_none());
}

#[tokio::test]
async fn a_key_goes_with_the_methods_and_paths_that_its_manifest_names() {
    let (server, asked) = server().await;
    let bound = format!("{MANIFEST}methods = [\"POST\"]\npaths = [\"/v1/messages\"]\n");
    let manifest = Manifest::parse(&bound, "plugin.toml").unwrap();
    let plain = egress(Some(server));
    let egress = CallEgress {
        grant: Arc::new(Grant {
            allowed: plain.grant.allowed.clone(),
            secrets: Secrets::read("fixture", &manifest, |_| Some(SECRET.to_owned())).unwrap(),
        }),
        ..plain
    };
    for path in [
        "/v1/files",
        "/v1/messages-of-others",
        "/v1/messages/../files",
        "/v1/messages/%2e%2e/files",
        "/v1/messages/..%2Ffiles",
        "/v1/messages/..%5cfiles",
        "/",
    ] {
        let url = format!("https://api.example.com{path}");
        let why = denied(&egress, request(&url)).await;
        assert!(
            why.contains("only with POST to /v1/messages"),
            "{path}: {why}"
        );
    }
    let get = HttpRequest {
        method: HttpMethod::Get,
        ..request("https://api.example.com/v1/messages")
    };
    denied(&egress, get).await;
    assert!(asked.0.lock().unwrap().is_empty());
    for path in ["/v1/messages", "/v1/messages/batches?limit=1"] {
        let url = format!("https://api.example.com{path}");
        egress.send(request(&url)).await.unwrap();
    }
    assert_eq!(asked.0.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn other_hosts_and_redirects_to_them_are_refused() {
    let (server, asked) = server().await;
    let egress = egress(Some(server));
    let why = denied(&egress, request("https://evil.example.org/")).await;
    assert!(
        why.contains("evil.example.org") && why.contains("`hosts`"),
        "{why}"
    );
    assert!(asked.0.lock().unwrap().is_empty());
    let why = denied(&egress, request("https://api.example.com/away")).await;
    assert!(
        why.contains("another server") && why.contains("`hosts`"),
        "{why}"
    );
    // One on the same server is shown, and not followed.
    let near = egress
        .send(request("https://api.example.com/near"))
        .await
        .unwrap();
    assert_eq!(near.status, 302);
    assert_eq!(asked.0.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn private_addresses_are_refused_unless_the_operator_names_one() {
    let (server, asked) = server().await;
    let own = egress(None);
    for (url, wanted) in [
        (
            format!("https://api.example.com:{}/", server.port()),
            "`hosts`",
        ),
        ("https://api.example.com/".to_owned(), "127.0.0.1"),
        (
            "https://other.example.com/".to_owned(),
            "--endpoint other.example.com",
        ),
        ("https://127.0.0.1/".to_owned(), "not a public address"),
    ] {
        let why = denied(&own, request(&url)).await;
        assert!(why.contains(wanted), "{url}: {why}");
    }
    let inside = CallEgress {
        network: Arc::new(Network::with_look_up(At("169.254.169.254"
            .parse()
            .unwrap()))),
        ..egress(None)
    };
    let why = denied(&inside, request("https://api.example.com/")).await;
    assert!(why.contains("169.254.169.254"), "{why}");
    assert!(asked.0.lock().unwrap().is_empty());
    assert!(
        egress(Some(server))
            .send(request("https://api.example.com/"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn headers_of_the_hosts_own_are_refused() {
    let (server, asked) = server().await;
    let egress = egress(Some(server));
    for (name, wanted) in [
        ("Authorization", "`credentials`"),
        ("HOST", "leave it out"),
        ("Accept-Encoding", "leave it out"),
        ("transfer-encoding", "leave it out"),
    ] {
        let mut request = request("https://api.example.com/");
        request.headers = vec![(name.to_owned(), "mine".to_owned())];
        let why = denied(&egress, request).await;
        assert!(why.contains(wanted), "{name}: {why}");
    }
    let mut broken = request("https://api.example.com/");
    broken.headers = vec![("x-mine".to_owned(), "a\r\nhost: evil".to_owned())];
    assert!(matches!(
        egress.send(broken).await,
        Err(HttpError::Other(_))
    ));
    assert!(asked.0.lock().unwrap().is_empty());
    let mut fine = request("https://api.example.com/");
    fine.headers = vec![("x-mine".to_owned(), "value".to_owned())];
    egress.send(fine).await.unwrap();
    let asked = asked.0.lock().unwrap();
    assert_eq!(asked[0].1["x-mine"], "value");
    assert_eq!(asked[0].1["accept-encoding"], "identity");
}

#[tokio::test]
async fn bodies_are_joined_from_bytes_and_blobs() {
    let (server, _) = server().await;
    let egress = egress(Some(server));
    let with = |id: &str| HttpRequest {
        body: vec![
            BodyPart::Bytes(b"<".to_vec()),
            BodyPart::Base64(id.to_owned().into()),
            BodyPart::Bytes(b">".to_vec()),
        ],
        ..request("https://api.example.com/body")
    };
    let answer = egress.send(with("b1")).await.unwrap();
    assert_eq!(answer.body, b"<cGljdHVyZQ==>");
    let Err(HttpError::Other(why)) = egress.send(with("b2")).await else {
        panic!("a blob of another episode")
    };
    assert!(why.contains("b2"), "{why}");
}

#[tokio::test]
async fn answers_have_bounds_in_size_form_and_time() {
    let (server, _) = server().await;
    let egress = egress(Some(server));
    let large = egress.send(request("https://api.example.com/large")).await;
    assert_eq!(
        large,
        Err(HttpError::ResponseTooLarge(LARGEST_RESPONSE as u64))
    );
    assert!(
        egress
            .send(request("https://api.example.com/packed"))
            .await
            .is_err()
    );
    assert_eq!(
        egress.statuses.last(),
        Some(ProviderStatus::Answered(0)),
        "its rules, not the provider"
    );
    // A guest's own haste says nothing about the provider either.
    let mut hasty = request("https://api.example.com/slow");
    hasty.timeout = Some(dynacu_runtime::types::Duration::of(20));
    assert_eq!(egress.send(hasty).await, Err(HttpError::Timeout));
    assert_eq!(egress.statuses.last(), Some(ProviderStatus::Answered(0)));
    let late = CallEgress {
        until: Instant::now() + Duration::from_millis(20),
        statuses: Arc::default(),
        ..egress
    };
    let patient = HttpRequest {
        timeout: Some(dynacu_runtime::types::Duration::of(60_000)),
        ..request("https://api.example.com/slow")
    };
    assert_eq!(late.send(patient).await, Err(HttpError::Timeout));
    assert!(matches!(
        late.statuses.last(),
        Some(ProviderStatus::Trouble { wait: None, .. })
    ));
}

#[tokio::test]
async fn trouble_is_seen_by_status_and_socket() {
    let (server, _) = server().await;
    let egress = egress(Some(server));
    let busy = egress
        .send(request("https://api.example.com/busy"))
        .await
        .unwrap();
    assert_eq!(busy.status, 429);
    let wait = Some(Duration::from_secs(3));
    assert!(
        matches!(egress.statuses.last(), Some(ProviderStatus::Trouble { wait: seen, .. }) if seen == wait)
    );
    // A port that nobody listens on any more.
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let down = super::tests::egress(Some(closed));
    assert!(matches!(
        down.send(request("https://api.example.com/")).await,
        Err(HttpError::Connect(_))
    ));
    assert!(matches!(
        down.statuses.last(),
        Some(ProviderStatus::Trouble { .. })
    ));
}

#[tokio::test]
async fn one_call_sends_a_few_requests_and_no_more() {
    let (server, asked) = server().await;
    let egress = egress(Some(server));
    for _ in 0..REQUESTS {
        egress
            .send(request("https://api.example.com/"))
            .await
            .unwrap();
    }
    assert!(
        denied(&egress, request("https://api.example.com/"))
            .await
            .contains("requests")
    );
    assert_eq!(asked.0.lock().unwrap().len(), REQUESTS);
}

#[tokio::test]
async fn the_record_holds_the_whole_exchange_and_no_secret() {
    let (server, _) = server().await;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("episode");
    let (writer, recorder) = Writer::start(&at).unwrap();
    let picture = recorder.blob(vec![7_u8; 600], "image/png");
    let egress = CallEgress {
        blobs: Arc::new(super::super::media::EpisodeMedia::for_host(
            recorder.clone(),
        )),
        log: Some(ExchangeLog {
            recorder: recorder.clone(),
            timebase: Arc::new(Timebase::new()),
            allotment: Arc::default(),
            call: 4,
            attempt: 2,
        }),
        ..egress(Some(server))
    };
    let mut sent = request(&format!("https://api.example.com/v1?key={SECRET}"));
    sent.body = vec![
        BodyPart::Bytes(format!("{{\"key\": \"{SECRET}\", \"image\": \"").into_bytes()),
        BodyPart::Base64(picture.clone().into()),
        BodyPart::Bytes(b"\"}".to_vec()),
    ];
    egress.send(sent).await.unwrap();
    let _ = egress
        .send(request("https://evil.example.org/path?key=hidden"))
        .await;
    let _ = egress.send(request("https://api.example.com/large")).await;
    drop((egress, recorder));
    writer.finish().unwrap();

    let entries = read_events(&at).unwrap();
    let [first, second, third] = entries.as_slice() else {
        panic!("{entries:?}")
    };
    let Entry::ModelExchange {
        call: 4,
        attempt: 2,
        url,
        request_headers,
        request,
        status: Some(200),
        response: Some(response),
        error: None,
        ..
    } = &first.event
    else {
        panic!("{first:?}")
    };
    assert!(url.ends_with("/v1?key=[secret EXAMPLE_KEY]"), "{url}");
    let authorization = ("authorization".to_owned(), "[secret]".to_owned());
    assert!(
        request_headers.contains(&authorization),
        "{request_headers:?}"
    );
    let body = std::fs::read_to_string(at.join(format!("blobs/{request}.json"))).unwrap();
    assert_eq!(
        body,
        format!("{{\"key\": \"[secret EXAMPLE_KEY]\", \"image\": \"blob:{picture}\"}}")
    );
    assert!(at.join(format!("blobs/{response}.json")).exists());
    let Entry::ModelExchange {
        url,
        status: None,
        error: Some(error),
        ..
    } = &second.event
    else {
        panic!("{second:?}")
    };
    assert_eq!(url, "https://evil.example.org/path");
    assert!(error.starts_with("denied"), "{error}");
    let Entry::ModelExchange {
        response: Some(cut),
        error: Some(error),
        ..
    } = &third.event
    else {
        panic!("{third:?}")
    };
    assert!(error.contains("larger than"), "{error}");
    let kept = std::fs::read_to_string(at.join(format!("blobs/{cut}.txt"))).unwrap();
    assert!(kept.ends_with("\n[cut by the host: 4194304 bytes are kept]"));
    for file in std::fs::read_dir(at.join("blobs")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("0123456789"));
    }
    let events = std::fs::read_to_string(at.join("events.jsonl")).unwrap();
    assert!(!events.contains("0123456789") && !events.contains("hidden"));
}

#[tokio::test]
async fn a_request_that_was_given_up_is_charged_by_what_left() {
    let (server, _) = server().await;
    let service = service();
    let egress = CallEgress {
        account: Arc::new(Account::new(Arc::clone(&service), None, false, 16)),
        ..egress(Some(server))
    };
    let mut sent = request("https://api.example.com/slow");
    sent.body = vec![BodyPart::Bytes(vec![b' '; 800])];
    let answer = tokio::time::timeout(Duration::from_millis(300), egress.send(sent)).await;
    assert!(answer.is_err());
    assert_eq!(service.budget.spent().tokens, 0);
    drop(egress);
    assert_eq!(service.budget.spent().tokens, 100);
}

#[tokio::test]
async fn a_head_that_would_fill_the_record_stays_here() {
    let (server, asked) = server().await;
    let egress = egress(Some(server));
    let mut long = request("https://api.example.com/");
    long.headers = vec![("x-long".to_owned(), "x".repeat(LARGEST_HEAD))];
    assert!(denied(&egress, long).await.contains("64 KiB"));
    assert!(asked.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn without_a_blob_there_is_nothing_to_splice() {
    let (server, _) = server().await;
    let egress = CallEgress {
        blobs: Arc::new(NoBlobs),
        ..egress(Some(server))
    };
    let mut sent = request("https://api.example.com/");
    sent.body = vec![BodyPart::Base64("b1".to_owned().into())];
    assert!(egress.send(sent).await.is_err());
}
