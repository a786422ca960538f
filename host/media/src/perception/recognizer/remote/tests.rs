//! Against a small server that answers from a list and keeps what it was asked.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use parking_lot::Mutex;

use super::*;

/// A request's head and body.
type Asked = (String, Vec<u8>);

/// Answers connections one after another with these replies; keeps each request's head and body.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    fn start(replies: Vec<(u16, &'static str)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::Builder::new()
            .name("transcriptions".to_owned())
            .spawn(move || {
                for (status, body) in replies {
                    let (mut stream, _) = listener.accept().unwrap();
                    let mut request = Vec::new();
                    let mut part = [0; 65536];
                    let end = loop {
                        let read = stream.read(&mut part).unwrap();
                        request.extend_from_slice(&part[..read]);
                        if let Some(end) = request.windows(4).position(|w| w == b"\r\n\r\n") {
                            break end + 4;
                        }
                    };
                    let head = String::from_utf8_lossy(&request[..end]).into_owned();
                    let length: usize = head
                        .lines()
                        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())
                        .unwrap();
                    while request.len() < end + length {
                        let read = stream.read(&mut part).unwrap();
                        request.extend_from_slice(&part[..read]);
                    }
                    let reply = format!(
                        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    // Kept first: whoever has the reply may look at once.
                    kept.lock().push((head, request[end..].to_vec()));
                    stream.write_all(reply.as_bytes()).unwrap();
                }
            })
            .unwrap();
        Self { url, asked }
    }

    fn asked(&self) -> Vec<(String, String)> {
        let asked = self.asked.lock();
        asked
            .iter()
            .map(|(head, body)| (head.clone(), String::from_utf8_lossy(body).into_owned()))
            .collect()
    }

    fn recognizer(&self, key_variable: Option<&str>) -> Remote {
        Remote::open(RemoteSettings {
            url: format!("{}/", self.url),
            model: "whisper-1".to_owned(),
            key_variable: key_variable.map(str::to_owned),
        })
        .unwrap()
    }
}

static SECOND: [f32; RATE as usize] = [0.1; RATE as usize];

const DETAILED: &str = r#"{"task": "transcribe", "language": "english", "duration": 1.0, "text": "It is 1.4 million. Yes.",
 "segments": [{"id": 0, "start": 0.0, "end": 0.9, "text": " It is 1.4 million. Yes.", "avg_logprob": -0.1, "no_speech_prob": 0.01},
              {"id": 1, "start": 0.9, "end": 1.0, "text": " Thank you.", "avg_logprob": -1.5, "no_speech_prob": 0.9}],
 "words": [{"word": "It", "start": 0.1, "end": 0.2}, {"word": "is", "start": 0.2, "end": 0.3}, {"word": "1.4", "start": 0.3, "end": 0.5},
           {"word": "million", "start": 0.5, "end": 0.7}, {"word": "Yes", "start": 0.8, "end": 9.0}]}"#;

#[test]
fn a_clip_is_sent_whole_and_words_get_their_own_times() {
    let server = Server::start(vec![(200, DETAILED)]);
    let segments = server.recognizer(None).transcribe(&SECOND).unwrap();
    let got: Vec<_> = segments
        .iter()
        .map(|s| (s.text.as_str(), s.start_ms, s.end_ms))
        .collect();
    // What nobody said is not in it.
    assert_eq!(got, [("It is 1.4 million.", 100, 700), ("Yes.", 800, 1000)]);
    assert!((segments[0].confidence - 0.905).abs() < 0.01);

    let (head, body) = &server.asked()[0];
    assert!(
        head.starts_with("POST /v1/audio/transcriptions HTTP/1.1"),
        "{head}"
    );
    assert!(!head.to_lowercase().contains("authorization"), "{head}");
    for part in [
        "name=\"model\"\r\n\r\nwhisper-1\r\n",
        "verbose_json",
        "RIFF",
        "WAVE",
    ] {
        assert!(body.contains(part), "{part}");
    }
    let wav = wav::encode(RATE, &SECOND).unwrap();
    let sent = &server.asked.lock()[0].1;
    assert!(sent.windows(wav.len()).any(|window| window == wav));
}

#[test]
fn plain_replies_and_moments_of_failure_are_got_over() {
    let plain = r#"{"text": "Yes."}"#;
    let server = Server::start(vec![(400, "{}"), (503, "busy"), (200, plain), (200, plain)]);
    let recognizer = server.recognizer(None);
    let segments = recognizer.transcribe(&SECOND).unwrap();
    assert_eq!(
        (segments[0].text.as_str(), segments[0].end_ms),
        ("Yes.", 1000)
    );
    // The form with times is not asked for again.
    recognizer.transcribe(&SECOND).unwrap();
    let forms: Vec<bool> = server
        .asked()
        .iter()
        .map(|(_, body)| body.contains("verbose_json"))
        .collect();
    assert_eq!(forms, [true, false, false, false]);
}

#[test]
fn a_refusal_is_an_error_that_names_the_server_and_keeps_the_key() {
    // Some variable that every process has, as the key.
    let key = std::env::var("PATH").unwrap();
    let said: &'static str = Box::leak(format!("no such key: {key}").into_boxed_str());
    let server = Server::start(vec![(401, said)]);
    let error = server
        .recognizer(Some("PATH"))
        .transcribe(&SECOND)
        .unwrap_err();
    let text = format!("{error:#}");
    assert!(text.contains("401") && text.contains(&server.url), "{text}");
    assert!(!text.contains(&key), "{text}");
    let (head, _) = &server.asked()[0];
    assert!(head.contains(&format!("Bearer {key}")), "{head}");
}

#[test]
fn what_is_no_transcription_and_what_is_not_there_are_errors() {
    let server = Server::start(vec![(200, "<html>")]);
    let error = server.recognizer(None).transcribe(&SECOND).unwrap_err();
    assert!(error.to_string().contains("no transcription"), "{error:#}");
    // Nobody listens any more.
    let error = server.recognizer(None).transcribe(&SECOND).unwrap_err();
    assert!(
        error.to_string().contains("could not be reached"),
        "{error:#}"
    );

    let open = |url: &str, key_variable: Option<&str>| {
        let settings = RemoteSettings {
            url: url.to_owned(),
            model: "m".to_owned(),
            key_variable: key_variable.map(str::to_owned),
        };
        format!("{:#}", Remote::open(settings).err().unwrap())
    };
    assert!(open("recogniser.example", None).contains("no address"));
    assert!(open("ftp://recogniser.example", None).contains("http://"));
    assert!(open("http://127.0.0.1:1", Some("DYNACU_NO_SUCH_KEY")).contains("DYNACU_NO_SUCH_KEY"));
}
