//! Pages of somebody else: what they are served, and what not.

use super::*;
use crate::task::foreign::Page;

/// A page of somebody else, served.
fn serve(source: &str) -> Place {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("tasks/page-lib")).unwrap();
    let page = Page {
        id: "PAGE".to_owned(),
        source: source.to_owned(),
        instruction: String::new(),
        success: "right".to_owned(),
        failure: Vec::new(),
        modes: Vec::new(),
        time_limit: Duration::from_secs(60),
        step_limit: 100,
    };
    let prepared = Arc::new(page.prepared(Seed::default()).unwrap());
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

#[tokio::test]
async fn a_folder_serves_its_own_files_and_nothing_beyond() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("quiz");
    std::fs::create_dir_all(folder.join("js")).unwrap();
    for (name, text) in [
        ("quiz/index.html", "the page"),
        ("quiz/js/main.js", "the script"),
        ("quiz/.env.json", "secret"),
        ("quiz/program.sh", "secret"),
        ("secret.json", "secret"),
    ] {
        std::fs::write(root.path().join(name), text).unwrap();
    }
    let link = std::os::unix::fs::symlink::<&Path, _>;
    let secret = root.path().join("secret.json");
    link(&secret, folder.join("out.json")).unwrap();
    link(Path::new("../secret.json"), folder.join("up.json")).unwrap();
    link(root.path(), folder.join("all")).unwrap();
    link(Path::new("js/main.js"), folder.join("inside.js")).unwrap();

    let place = serve(&folder.display().to_string());
    assert!(place.server.url().ends_with('/'));
    let index = place.get("/").await;
    assert_eq!((index.status, index.body.as_str()), (200, "the page"));
    assert!(index.head.contains("connect-src 'self' data: blob:"));
    for path in ["/js/main.js", "/inside.js", "/js/main.js?v=2"] {
        assert_eq!(place.get(path).await.body, "the script", "{path}");
    }
    let absolute = format!("/{}", root.path().join("secret.json").display());
    for path in [
        "/../secret.json",
        "/js/../../secret.json",
        "/%2e%2e/secret.json",
        "/..%2fsecret.json",
        "/js/%2e%2e%2f%2e%2e%2fsecret.json",
        absolute.as_str(),
        "/%2fetc/passwd",
        "/out.json",
        "/up.json",
        "/all/secret.json",
        "/.env.json",
        "/program.sh",
        "/js",
        // Nothing of our own tasks either.
        "/variant.json",
        "/lib/session.js",
    ] {
        let answer = place.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    assert!(place.socket("/session").await.is_err());
}

/// A server of somebody else's, which answers with what it was asked.
async fn somebody() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let echo = |request: axum::extract::Request| async move {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 4096).await.unwrap();
        let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap());
        let said = format!(
            "{} {} host {:?} origin {:?} body {}",
            parts.method,
            parts.uri,
            header("host"),
            header("origin"),
            String::from_utf8_lossy(&body)
        );
        ([("content-security-policy", "default-src *")], said)
    };
    let away = |to: String| async move { (StatusCode::FOUND, [("location", to)]) };
    let home = format!("http://{address}/in?a=1");
    let router = Router::new()
        .route("/out", get(move || away("http://127.0.0.1:1/".to_owned())))
        .route("/round", get(move || away(home)))
        .fallback(echo);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

#[tokio::test]
async fn an_address_is_reached_through_the_guard_and_leads_nowhere_else() {
    let address = somebody().await;
    let place = serve(&format!("http://{address}/quiz/?level=2"));
    assert!(place.server.url().ends_with("/quiz/?level=2"));
    let page = place.get("/quiz/?level=2").await;
    assert_eq!(page.status, 200, "{}", page.body);
    let asked = format!("GET /quiz/?level=2 host Some(\"{address}\") origin None body ");
    assert_eq!(page.body.trim(), in_chunks(&asked), "{}", page.body);
    // The policy is ours, whatever the server says.
    assert!(page.head.contains("default-src 'self' 'unsafe-inline'"));
    assert!(!page.head.contains("default-src *"), "{}", page.head);

    let origin = place.origin();
    let posted = place
        .ask("POST /answer", &format!("{origin}Content-Length: 0\r\n"))
        .await;
    let own = format!("origin Some(\"http://{address}\")");
    assert!(posted.body.contains(&own), "{}", posted.body);

    let round = place.get("/round").await;
    assert_eq!(round.status, 302);
    assert!(round.head.contains("location: /in?a=1"), "{}", round.head);
    assert_eq!(place.get("/out").await.status, 502);
    // A path that would name another server names one on this server.
    let odd = place.get("//127.0.0.1:1/x").await;
    assert!(odd.body.contains("GET //127.0.0.1:1/x"), "{}", odd.body);
    assert_eq!(place.socket("/live").await.err(), Some(501));
    let elsewhere = place.ask("GET /", "Origin: http://example.com\r\n").await;
    assert_eq!(elsewhere.status, 403);
}

/// A body as it travels when its length is not told beforehand.
fn in_chunks(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n0", text.len())
}
