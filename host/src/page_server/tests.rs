use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::task::catalogue::Task;
use crate::task::manifest::tests::manifest;
use crate::task::variant::{Seed, draw};

mod foreign;

/// A task folder with a page, a library and one clip, being served.
struct Place {
    _root: tempfile::TempDir,
    prepared: Arc<Prepared>,
    server: PageServer,
    reports: mpsc::Receiver<FromPage>,
    timebase: Arc<Timebase>,
}

fn serve_example() -> Place {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = root.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("tasks/page-lib/session.js", "// library");
    write(
        "tasks/A-E1-podcast-price/page/index.html",
        "<!doctype html>",
    );
    write("tasks/A-E1-podcast-price/page/images/a.svg", "<svg/>");
    write("tasks/A-E1-podcast-price/page/.hidden.js", "hidden");
    write("tasks/A-E1-podcast-price/task.toml", "secret");
    write("tasks/A-E1-podcast-price/solution.json", "secret");
    write("review.ogg", "0123456789");
    let folder = root.path().join("tasks/A-E1-podcast-price");
    std::os::unix::fs::symlink(
        folder.join("solution.json"),
        folder.join("page/way-out.json"),
    )
    .unwrap();
    let manifest = manifest();
    let variant = draw(&manifest, &Seed::Number(3), 0).unwrap();
    let clips = BTreeMap::from([("review".to_owned(), root.path().join("review.ogg"))]);
    let prepared = Arc::new(Prepared {
        foreign: None,
        task: Task { folder, manifest },
        variant,
        clips,
    });
    let timebase = Arc::new(Timebase::new());
    let home = Home::at(root.path()).unwrap();
    let (server, reports) = PageServer::start(prepared.clone(), &home, timebase.clone()).unwrap();
    Place {
        _root: root,
        prepared,
        server,
        reports,
        timebase,
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Place {
    fn authority(&self) -> &str {
        &self.server.shared.authority
    }

    fn origin(&self) -> String {
        format!("Origin: http://{}\r\n", self.authority())
    }

    /// One request on a connection of its own; `headers` are whole lines.
    async fn ask(&self, request: &str, headers: &str) -> Answer {
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.authority())
        };
        let mut stream = TcpStream::connect(self.authority()).await.unwrap();
        let text = format!("{request} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n");
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), "").await
    }

    async fn socket(&self, path: &str) -> Result<Socket, u16> {
        Socket::open(self.authority(), path, &self.origin()).await
    }

    async fn report(&mut self) -> FromPage {
        tokio::time::timeout(Duration::from_secs(10), self.reports.recv())
            .await
            .unwrap()
            .unwrap()
    }
}

/// The client's half of RFC 6455, as much of it as a test needs.
struct Socket(TcpStream);

impl Socket {
    async fn open(authority: &str, path: &str, headers: &str) -> Result<Self, u16> {
        let mut stream = TcpStream::connect(authority).await.unwrap();
        let text = format!(
            "GET {path} HTTP/1.1\r\nHost: {authority}\r\n{headers}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        match String::from_utf8(head).unwrap().split(' ').nth(1).unwrap() {
            "101" => Ok(Self(stream)),
            status => Err(status.parse().unwrap()),
        }
    }

    async fn send(&mut self, opcode: u8, payload: &[u8]) {
        let mut frame = vec![0x80 | opcode];
        let length = u16::try_from(payload.len()).unwrap();
        if length < 126 {
            frame.push(0x80 | payload.len() as u8);
        } else {
            frame.push(0x80 | 126);
            frame.extend(length.to_be_bytes());
        }
        // A mask of zeros leaves the payload as it is.
        frame.extend([0; 4]);
        frame.extend(payload);
        self.0.write_all(&frame).await.unwrap();
    }

    async fn text(&mut self, text: &str) {
        self.send(1, text.as_bytes()).await;
    }

    async fn receive(&mut self) -> String {
        let (_, length) = (
            self.0.read_u8().await.unwrap(),
            self.0.read_u8().await.unwrap(),
        );
        let mut payload = vec![0; usize::from(length)];
        self.0.read_exact(&mut payload).await.unwrap();
        String::from_utf8(payload).unwrap()
    }

    /// Whether the server has closed the connection.
    async fn ended(&mut self) -> bool {
        let mut bytes = Vec::new();
        tokio::time::timeout(Duration::from_secs(10), self.0.read_to_end(&mut bytes))
            .await
            .is_ok()
    }
}

fn event(at: u64, name: &str, data: Value) -> FromPage {
    FromPage::Event(PageEvent {
        at,
        name: name.to_owned(),
        data,
    })
}

#[tokio::test]
async fn files_are_served_from_two_folders_only() {
    let place = serve_example();
    let index = place.get("/").await;
    assert_eq!(
        (index.status, index.body.as_str()),
        (200, "<!doctype html>")
    );
    for line in [
        "cache-control: no-store",
        &format!(
            "default-src 'self'; connect-src 'self' ws://{};",
            place.authority()
        ),
        "x-content-type-options: nosniff",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(index.head.contains(line), "{line} in {}", index.head);
    }
    assert_eq!(place.get("/images/a.svg").await.status, 200);
    assert_eq!(place.get("/lib/session.js").await.body, "// library");
    for path in [
        "/task.toml",
        "/../task.toml",
        "/../solution.json",
        "/..%2fsolution.json",
        "/images/..%2f..%2fsolution.json",
        "/%2e%2e/solution.json",
        "/way-out.json",
        "/.hidden.js",
        "/images",
        "/lib/../index.html",
        "/lib/..%2fA-E1-podcast-price%2fsolution.json",
        "/%2fetc%2fpasswd.json",
        "/favicon.ico",
    ] {
        let answer = place.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.body.contains("secret"), "{path}");
    }
}

#[tokio::test]
async fn the_variant_holds_nothing_but_lasting_values() {
    let place = serve_example();
    let answer = place.get("/variant.json").await;
    let variant: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(variant["values"], place.prepared.variant.page_values);
    let keys: Vec<&String> = variant.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["audio", "task", "values"]);
    for word in ["A-E1", "podcast-price", "review.ogg", "typed-answer"] {
        assert!(!answer.body.contains(word), "{word}");
    }
    for field in ["price", "list-price", "code", "verdict"] {
        let value = &place.prepared.variant.values[field];
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        assert!(
            !variant["values"].to_string().contains(&text),
            "{field} = {text}"
        );
    }
}

#[tokio::test]
async fn clips_are_served_whole_and_in_ranges() {
    let place = serve_example();
    let variant: Value = serde_json::from_str(&place.get("/variant.json").await.body).unwrap();
    let address = variant["audio"]["review"].as_str().unwrap();
    let whole = place.get(address).await;
    assert_eq!((whole.status, whole.body.as_str()), (200, "0123456789"));
    assert!(
        whole.head.contains("accept-ranges: bytes")
            && whole.head.contains("content-type: audio/ogg")
    );
    let part = place
        .ask(&format!("GET {address}"), "Range: bytes=2-4\r\n")
        .await;
    assert_eq!((part.status, part.body.as_str()), (206, "234"));
    assert!(part.head.contains("content-range: bytes 2-4/10"));
    let beyond = place
        .ask(&format!("GET {address}"), "Range: bytes=10-\r\n")
        .await;
    assert_eq!(beyond.status, 416);
    assert_eq!(place.get("/audio/review.ogg").await.status, 404);
}

#[tokio::test]
async fn only_the_page_itself_may_talk() {
    let place = serve_example();
    for headers in [
        "Host: example.org\r\n",
        "Host: localhost\r\n",
        "Origin: http://example.org\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
    ] {
        assert_eq!(
            place.ask("GET /variant.json", headers).await.status,
            403,
            "{headers}"
        );
    }
    let opened = "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    assert_eq!(place.ask("GET /", opened).await.status, 200);
    assert_eq!(
        place.ask("GET /variant.json", &place.origin()).await.status,
        200
    );
    place.server.shared.started.store(true, Ordering::SeqCst);
    assert_eq!(
        place
            .ask("POST /reveal/code", "Content-Length: 0\r\n")
            .await
            .status,
        403
    );
    place.server.shared.started.store(false, Ordering::SeqCst);
    for path in ["/session", "/microphone"] {
        for headers in ["", "Origin: http://example.org\r\n"] {
            let refused = Socket::open(place.authority(), path, headers).await.err();
            assert_eq!(refused, Some(403), "{path} {headers}");
        }
    }
}

#[tokio::test]
async fn a_session_from_ready_to_result() {
    let mut place = serve_example();
    assert!(
        place
            .server
            .start_page()
            .unwrap_err()
            .to_string()
            .contains("no page is connected")
    );
    let mut page = place.socket("/session").await.unwrap();
    page.text(r#"{"kind":"ready"}"#).await;
    assert_eq!(place.report().await, FromPage::Ready);
    let post = format!("{}Content-Length: 0\r\n", place.origin());
    assert_eq!(place.ask("POST /reveal/code", &post).await.status, 403);

    place
        .timebase
        .start_at(Instant::now() - Duration::from_secs(10));
    place.server.start_page().unwrap();
    assert_eq!(page.receive().await, r#"{"kind":"start"}"#);
    page.text(r#"{"kind":"event","t":1200.75,"name":"moment","data":{"name":"price-spoken"}}"#)
        .await;
    assert_eq!(
        place.report().await,
        event(1200, "moment", json!({ "name": "price-spoken" }))
    );
    page.text("no json").await;
    page.text(r#"{"kind":"event","t":1,"name":"utterance","data":{"text":"64 dollars"}}"#)
        .await;
    page.text(r#"{"kind":"event","t":-5,"name":"submit","data":{"form":"answer","values":{"price":"64"}}}"#).await;
    assert_eq!(
        place.report().await,
        event(
            0,
            "submit",
            json!({ "form": "answer", "values": { "price": "64" } })
        )
    );
    page.text(r#"{"kind":"event","t":1e12,"name":"window-closed","data":{"window":"answer"}}"#)
        .await;
    let FromPage::Event(late) = place.report().await else {
        panic!("an event was sent")
    };
    assert!(
        (10_000..60_000).contains(&late.at),
        "a page cannot be ahead of the clock: {}",
        late.at
    );

    let answer = place.ask("POST /reveal/code", &post).await;
    let wanted = json!({ "value": place.prepared.variant.values["code"] });
    assert_eq!((answer.status, answer.body), (200, wanted.to_string()));
    let FromPage::Event(revealed) = place.report().await else {
        panic!("a reveal is an event")
    };
    assert_eq!(
        (revealed.name.as_str(), revealed.data),
        ("reveal", json!({ "name": "code" }))
    );
    assert_eq!(place.ask("POST /reveal/price", &post).await.status, 403);

    place.server.set_result("price_correct");
    assert_eq!(
        page.receive().await,
        r#"{"kind":"result","value":"price_correct"}"#
    );
    place.server.stop().await;
    assert!(page.ended().await);
    assert_eq!(
        place.reports.recv().await,
        None,
        "a page that is closed in the end is not lost"
    );
}

#[tokio::test]
async fn a_page_that_is_loaded_again_is_lost() {
    let mut place = serve_example();
    let first = place.socket("/session").await.unwrap();
    drop(first);
    // Before the start that is nothing: the last one counts.
    let mut page = place.socket("/session").await.unwrap();
    page.text(r#"{"kind":"ready"}"#).await;
    assert_eq!(place.report().await, FromPage::Ready);
    place.timebase.start();
    place.server.start_page().unwrap();
    assert_eq!(place.socket("/session").await.err(), Some(409));
    assert_eq!(place.report().await, FromPage::Lost);
    drop(page);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(place.reports.try_recv().is_err(), "it is told once");
}

#[tokio::test]
async fn the_microphone_is_streamed_once_at_a_time() {
    let mut place = serve_example();
    let mut microphone = place.socket("/microphone").await.unwrap();
    microphone.text(r#"{"rate":16000}"#).await;
    assert_eq!(place.report().await, FromPage::MicrophoneOpened);
    assert_eq!(place.socket("/microphone").await.err(), Some(409));
    let before = Instant::now();
    let pcm: Vec<u8> = [0_i16, 16_384, -32_768]
        .iter()
        .cycle()
        .take(1600)
        .flat_map(|s| s.to_le_bytes())
        .collect();
    microphone.send(2, &pcm).await;
    let FromPage::Microphone { at, samples } = place.report().await else {
        panic!("sound was sent")
    };
    assert_eq!(
        (samples.len(), &samples[..3]),
        (1600, [0.0, 0.5, -1.0].as_slice())
    );
    let length = Duration::from_millis(100);
    assert!(at + length >= before && at + length <= Instant::now());
    microphone.send(2, &[0; 3]).await;
    assert_eq!(place.report().await, FromPage::MicrophoneClosed);
    assert!(microphone.ended().await);
    let mut wrong = place.socket("/microphone").await.unwrap();
    wrong.text(r#"{"rate":48000}"#).await;
    assert!(wrong.ended().await);
}

#[tokio::test]
async fn a_page_that_never_stops_talking_is_lost() {
    let mut place = serve_example();
    let mut session = place.socket("/session").await.unwrap();
    session.text(r#"{"kind":"ready"}"#).await;
    assert_eq!(place.report().await, FromPage::Ready);
    place.server.start_page().unwrap();
    // As if it had said so much already.
    let said = &place.server.shared.said;
    said.store(session::IN_ALL - 10, Ordering::Relaxed);
    session
        .text(r#"{"kind":"event","t":1,"name":"submit","data":{}}"#)
        .await;
    assert_eq!(place.report().await, FromPage::Lost);
}

#[tokio::test]
async fn a_missing_page_folder_is_named() {
    let place = serve_example();
    let mut prepared = (*place.prepared).clone();
    prepared.task.folder = Path::new("/nowhere").to_owned();
    let home = Home::at(place._root.path()).unwrap();
    let error = PageServer::start(Arc::new(prepared), &home, place.timebase.clone())
        .err()
        .unwrap();
    assert!(
        format!("{error:#}").starts_with("cannot open /nowhere/page, which pages are served from")
    );
}
