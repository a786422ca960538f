//! A server that gives its replies in order, each on a connection of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::Builder;

use parking_lot::Mutex;

pub(crate) struct Reply {
    bytes: Vec<u8>,
    /// Keeps the connection open and says no more.
    stalls: bool,
    head: String,
}

impl Reply {
    pub(crate) fn new(status: &str) -> Self {
        Self {
            bytes: Vec::new(),
            stalls: false,
            head: format!("HTTP/1.1 {status}\r\nconnection: close\r\n"),
        }
    }

    /// Not a word.
    pub(crate) fn silence() -> Self {
        Self {
            bytes: Vec::new(),
            stalls: true,
            head: String::new(),
        }
    }

    pub(crate) fn header(mut self, line: String) -> Self {
        self.head.push_str(&line);
        self.head.push_str("\r\n");
        self
    }

    pub(crate) fn tag(self, tag: &str) -> Self {
        self.header(format!("etag: {tag}"))
    }

    pub(crate) fn whole(self, body: &[u8]) -> Self {
        self.says(body.len(), body)
    }

    /// A body of another length than the one that is announced.
    pub(crate) fn says(mut self, length: usize, body: &[u8]) -> Self {
        self.bytes = body.to_owned();
        self.header(format!("content-length: {length}"))
    }

    pub(crate) fn stalls(mut self) -> Self {
        self.stalls = true;
        self
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, replies) = (Arc::clone(&requests), Vec::from_iter(replies));
        Builder::new()
            .name("hub".to_owned())
            .spawn(move || {
                let mut stalled = Vec::new();
                for (reply, stream) in replies.into_iter().zip(listener.incoming()) {
                    let mut stream = stream.unwrap();
                    seen.lock().push(request(&mut stream));
                    if !reply.head.is_empty() {
                        let head = format!("{}\r\n", reply.head);
                        stream.write_all(head.as_bytes()).unwrap();
                        stream.write_all(&reply.bytes).unwrap();
                    }
                    stalled.extend(reply.stalls.then_some(stream));
                }
            })
            .unwrap();
        Self { address, requests }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of what was asked so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

fn request(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}
