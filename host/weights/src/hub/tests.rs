//! A hub on this machine that breaks off, lies and stays silent.

use super::*;

mod server;

pub(crate) use server::{Reply, Server};

const WHOLE: &[u8] = b"0123456789";

/// To this machine itself, whatever proxies the environment names.
fn direct() -> ClientBuilder {
    install_crypto();
    Client::builder().no_proxy()
}

/// Long for those that answer.
pub(crate) fn hub() -> Hub {
    let patience = Patience {
        pause: Duration::ZERO,
        ..PATIENCE
    };
    Hub::with(patience, direct())
}

/// For servers that never say what is waited for.
fn impatient() -> Hub {
    let patience = Patience {
        idle: Duration::from_millis(200),
        pause: Duration::ZERO,
        ..PATIENCE
    };
    Hub::with(patience, direct())
}

fn whole() -> Reply {
    Reply::new("200 OK").whole(WHOLE)
}

/// The first bytes of the whole file, then the end of the connection.
fn cut(bytes: usize) -> Reply {
    Reply::new("200 OK").says(10, &WHOLE[..bytes])
}

/// The rest of the file, from one byte on.
fn rest(from: usize) -> Reply {
    Reply::new("206 Partial Content")
        .header(format!("content-range: bytes {from}-9/10"))
        .whole(&WHOLE[from..])
}

fn refusal(outcome: Result<Vec<u8>, HubError>) -> String {
    let error = outcome.unwrap_err();
    assert!(matches!(error, HubError::Refused { .. }), "{error}");
    let line = error.to_string();
    assert!(!line.contains('\n'), "{line}");
    line
}

#[tokio::test]
async fn a_file_arrives_whole() {
    let server = Server::start([whole()]);
    let bytes = hub().file(&server.address("/a.bin"), Some(10)).await;
    assert_eq!(bytes.unwrap(), WHOLE);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].starts_with("GET /a.bin HTTP/1.1\r\n"),
        "{requests:?}"
    );
}

#[tokio::test]
async fn a_broken_download_goes_on_where_it_broke_off() {
    let server = Server::start([cut(4).tag("\"one\""), rest(4).tag("\"one\"")]);
    let bytes = hub().file(&server.address("/"), Some(10)).await.unwrap();
    assert_eq!(bytes, WHOLE);
    let requests = server.requests();
    assert!(!requests[0].contains("range"), "{requests:?}");
    assert!(requests[1].contains("range: bytes=4-"), "{requests:?}");
    assert!(requests[1].contains("if-range: \"one\""), "{requests:?}");
}

#[tokio::test]
async fn what_cannot_be_resumed_begins_again() {
    // Without a version, or with a weak one.
    for first in [cut(4), cut(4).tag("W/\"one\"")] {
        let server = Server::start([first, whole()]);
        let bytes = hub().file(&server.address("/"), Some(10)).await.unwrap();
        assert_eq!(bytes, WHOLE);
        assert!(!server.requests()[1].contains("range"));
    }
    // Another version came in between: the server sends all of it.
    let other = Reply::new("200 OK").whole(b"abcdefghij");
    let server = Server::start([cut(4).tag("\"one\""), other.tag("\"two\"")]);
    let bytes = hub().file(&server.address("/"), Some(10)).await.unwrap();
    assert_eq!(bytes, b"abcdefghij");
    // The rest of something else is not put behind what is there.
    let server = Server::start([cut(4).tag("\"one\""), rest(6), whole()]);
    let bytes = hub().file(&server.address("/"), Some(10)).await.unwrap();
    assert_eq!(bytes, WHOLE);
}

#[tokio::test]
async fn a_download_that_always_breaks_off_is_given_up() {
    let server = Server::start([cut(1), cut(2), cut(3)]);
    let address = server.address("/a.bin");
    let mut hub = hub();
    let line = refusal(hub.file(&address, None).await);
    assert!(
        line.starts_with(&format!("{address}: the download broke off (")),
        "{line}"
    );
    assert_eq!(server.requests().len(), 3);
    assert!(hub.may_answer(&address), "it did answer");
}

#[tokio::test]
async fn a_refusal_is_final_and_a_failing_server_is_asked_again() {
    let refusing = Server::start([Reply::new("404 Not Found").whole(b"no")]);
    let line = refusal(hub().file(&refusing.address("/"), None).await);
    assert!(line.ends_with("404 Not Found"), "{line}");
    assert_eq!(refusing.requests().len(), 1);

    let failing = Server::start([
        Reply::new("503 Service Unavailable").whole(b"later"),
        whole(),
    ]);
    let bytes = hub().file(&failing.address("/"), None).await.unwrap();
    assert_eq!(bytes, WHOLE);
}

#[tokio::test]
async fn redirects_are_followed_to_the_file() {
    let server = Server::start([
        Reply::new("302 Found")
            .header("location: /there".to_owned())
            .whole(b""),
        whole(),
    ]);
    let bytes = hub().file(&server.address("/here"), None).await.unwrap();
    assert_eq!(bytes, WHOLE);
    assert!(server.requests()[1].starts_with("GET /there "));
}

#[tokio::test]
async fn more_than_the_locked_size_is_refused() {
    let server = Server::start([whole()]);
    let line = refusal(hub().file(&server.address("/"), Some(9)).await);
    assert!(line.contains("more than the 9 bytes"), "{line}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_stalls_is_asked_again() {
    let server = Server::start([cut(4).tag("\"one\"").stalls(), rest(4)]);
    let bytes = impatient().file(&server.address("/"), None).await.unwrap();
    assert_eq!(bytes, WHOLE);
}

#[tokio::test]
async fn a_server_that_never_answers_is_asked_once() {
    let server = Server::start([Reply::silence(), whole()]);
    let address = server.address("/a.bin");
    let mut hub = impatient();
    for _ in 0..2 {
        let error = hub.file(&address, None).await.unwrap_err();
        assert!(matches!(error, HubError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains("127.0.0.1:"), "{error}");
    }
    assert!(!hub.may_answer(&server.address("/b.bin")));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn nobody_there_is_told_as_such() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let error = hub().file(&address, None).await.unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_asked_once() {
    let server = Server::start([Reply::new("403 Forbidden").whole(b"not there")]);
    let proxy = reqwest::Proxy::all(server.address("")).unwrap();
    install_crypto();
    let mut hub = Hub::with(PATIENCE, Client::builder().proxy(proxy));
    let address = "https://weights.invalid/a.bin";
    for _ in 0..2 {
        let error = hub.file(address, None).await.unwrap_err();
        assert!(matches!(error, HubError::Unreachable { .. }), "{error}");
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].starts_with("CONNECT weights.invalid:443 "),
        "{requests:?}"
    );
}

#[tokio::test]
async fn only_https_is_asked() {
    let server = Server::start([whole()]);
    let line = refusal(Hub::new().file(&server.address("/"), None).await);
    assert!(line.contains("127.0.0.1"), "{line}");
    assert!(server.requests().is_empty());
}
