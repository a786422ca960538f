//! A plain HTTP client, and pictures and sounds to send.
#![allow(
    dead_code,
    reason = "each test file has its own copy of this module and uses a part of it"
)]

use std::io::{Cursor, Read, Write};
use std::net::TcpStream;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dynacu_providers::{Options, Provider, Script, Server};
use serde_json::Value;

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}

/// Sends one request on a connection of its own and reads until the server closes it.
pub(crate) fn send(
    server: &Server,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<Reply> {
    send_to(&server.url(), method, path, headers, body)
}

/// As [`send`], to an address.
pub(crate) fn send_to(
    url: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<Reply> {
    let address = url
        .strip_prefix("http://")
        .context("the address is no http")?;
    let mut stream = TcpStream::connect(address)?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all)?;
    let end = all
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .context("no whole head came")?;
    let head = String::from_utf8_lossy(&all[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .context("no status came")?;
    let header = |line: &str| {
        line.split_once(": ")
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
    };
    let headers: Vec<(String, String)> = lines.filter_map(header).collect();
    let body = all[end + 4..].to_vec();
    let announced = headers.iter().find(|(name, _)| name == "content-length");
    if let Some((_, length)) = announced {
        anyhow::ensure!(body.len() == length.parse::<usize>()?, "the body was cut");
    }
    Ok(Reply {
        status: status.parse()?,
        headers,
        body,
    })
}

/// The path and the headers of a good request.
pub(crate) fn usual(provider: Provider) -> (&'static str, Vec<(&'static str, &'static str)>) {
    let json = ("content-type", "application/json");
    match provider {
        Provider::Anthropic => (
            "/v1/messages",
            vec![
                json,
                ("x-api-key", "k"),
                ("anthropic-version", "2026-10-21"),
            ],
        ),
        Provider::OpenAiChat => (
            "/v1/chat/completions",
            vec![json, ("authorization", "Bearer k")],
        ),
        Provider::OpenAiCompatible => ("/v1/chat/completions", vec![json]),
        Provider::OpenAiResponses => ("/v1/responses", vec![json, ("authorization", "Bearer k")]),
        Provider::Gemini => (
            "/v1beta/models/gemini-3.8-flash:generateContent",
            vec![json, ("x-goog-api-key", "k")],
        ),
    }
}

/// A good request of this body.
pub(crate) fn ask(server: &Server, provider: Provider, body: &Value) -> Result<Reply> {
    let (path, headers) = usual(provider);
    send(server, "POST", path, &headers, body.to_string().as_bytes())
}

/// A server with this script.
pub(crate) fn server(provider: Provider, script: &str) -> Result<Server> {
    Ok(Server::start(
        provider,
        Script::parse(script)?,
        &Options::default(),
    )?)
}

/// Base64 of a picture of this size.
pub(crate) fn picture(width: u32, height: u32, format: image::ImageFormat) -> Result<String> {
    let mut bytes = Vec::new();
    image::RgbImage::new(width, height).write_to(&mut Cursor::new(&mut bytes), format)?;
    Ok(STANDARD.encode(bytes))
}

/// Base64 of a second of silence.
fn sound() -> String {
    let mut wav = b"RIFF\x24\x7d\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\x7d\0\0".to_vec();
    wav.resize(44 + 32_000, 0);
    STANDARD.encode(wav)
}

/// Puts pictures and sounds into the places that the texts `PNG`, `JPEG`, `BIG` and `WAV` keep free for them.
pub(crate) fn filled(template: &str) -> Result<Value> {
    let text = template
        .replace("{PNG}", &picture(64, 36, image::ImageFormat::Png)?)
        .replace("{JPEG}", &picture(64, 36, image::ImageFormat::Jpeg)?)
        .replace("{BIG}", &picture(8_001, 2, image::ImageFormat::Png)?)
        .replace("{WAV}", &sound());
    Ok(serde_json::from_str(&text)?)
}
