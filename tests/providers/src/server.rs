//! The listener: one thread, one port on the loopback, every exchange kept.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::{Mutex, MutexGuard};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::answering::State;
use crate::exchange::{Exchange, Outcome};
use crate::http::Request;
use crate::payload::{Payload, Severed};
use crate::protocol::Provider;
use crate::script::Script;

/// Where the exchanges are listed, as JSON.
pub(crate) const LISTING: &str = "/_exchanges";
/// No provider takes more, so nothing longer is read: 512 MiB.
const LONGEST_BODY: usize = 512 << 20;

/// What can be set.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// 0 takes a free one.
    pub port: u16,
    /// The only key that is taken; without it any is, but one has to be sent.
    pub key: Option<String>,
    /// The models that there are; empty for the provider's own list. A local server without a list takes any name.
    pub models: Vec<String>,
    /// The grid on which the model answers coordinates: none for pixels. Gemini has 1000 unless told otherwise.
    pub grid: Option<u32>,
}

/// Why a server did not start, or what it has against the requests.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error("cannot listen on port {port} of the loopback")]
    Listen { port: u16, source: std::io::Error },
    #[error("cannot start the server's thread")]
    Thread(#[source] std::io::Error),
    #[error("a vendored schema cannot be used: {0}")]
    Schema(String),
    #[error("{0}")]
    Requests(String),
}

/// A running server; it stops when this is dropped.
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Starts one.
    ///
    /// # Errors
    /// When the port is taken, no thread can be had, or a vendored schema is none.
    pub fn start(
        provider: Provider,
        script: Script,
        options: &Options,
    ) -> Result<Self, ServerError> {
        Self::start_with(provider, script, options, false)
    }

    /// As [`Server::start`], and says one line on standard error for each request.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_with_log(
        provider: Provider,
        script: Script,
        options: &Options,
    ) -> Result<Self, ServerError> {
        Self::start_with(provider, script, options, true)
    }

    fn start_with(
        provider: Provider,
        script: Script,
        options: &Options,
        log: bool,
    ) -> Result<Self, ServerError> {
        let listen = |source| ServerError::Listen {
            port: options.port,
            source,
        };
        let listener =
            std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let state = Arc::new(Mutex::new(State::new(provider, script, options, log)?));
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(ServerError::Thread)?;
        let served = state.clone();
        let thread = std::thread::Builder::new()
            .name(format!("provider-{provider}"))
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = serve(listener, served) => {}
                        _ = stopped => {}
                    }
                });
            })
            .map_err(ServerError::Thread)?;
        Ok(Self {
            address,
            state,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Such as `http://127.0.0.1:41234`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, oldest first.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        locked(&self.state).exchanges.clone()
    }

    /// The rules that fired, in order.
    #[must_use]
    pub fn fired(&self) -> Vec<String> {
        let rule = |exchange: Exchange| match exchange.outcome {
            Outcome::Answered { rule } => Some(rule),
            _ => None,
        };
        self.exchanges().into_iter().filter_map(rule).collect()
    }

    /// Says what the real server would have rejected, and which requests the script did not foresee.
    ///
    /// # Errors
    /// When there is such a request.
    pub fn check(&self) -> Result<(), ServerError> {
        let line = |exchange: &Exchange| match &exchange.outcome {
            Outcome::Rejected { why } => Some(format!("request {}: {why}", exchange.number)),
            Outcome::Unmatched => Some(format!("request {}: no rule held", exchange.number)),
            _ => None,
        };
        let lines: Vec<String> = locked(&self.state)
            .exchanges
            .iter()
            .filter_map(line)
            .collect();
        if lines.is_empty() {
            Ok(())
        } else {
            Err(ServerError::Requests(lines.join("\n")))
        }
    }

    /// Waits until the process ends.
    pub fn run(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _already_gone = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// A panic of another request leaves nothing half done that matters here.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock()
}

async fn serve(listener: std::net::TcpListener, state: Arc<Mutex<State>>) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(connection(stream, state.clone()));
    }
}

async fn connection(stream: TcpStream, state: Arc<Mutex<State>>) {
    let service = service_fn(|request| answer(request, state.clone()));
    let served = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // A cut connection is what the script wanted, and a client that went away is no concern of the server's.
    drop(served);
}

async fn answer(
    request: hyper::Request<Incoming>,
    state: Arc<Mutex<State>>,
) -> Result<hyper::Response<Payload>, Severed> {
    let (head, body) = request.into_parts();
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let read = Limited::new(body, LONGEST_BODY)
        .collect()
        .await
        .map_err(|_| Severed)?;
    let request = Request {
        method: head.method.to_string(),
        path: path.to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
        body: read.to_bytes().to_vec(),
    };
    let sending = if request.path == LISTING && request.method == "GET" {
        locked(&state).listing()
    } else {
        locked(&state).take(&request)
    };
    tokio::time::sleep(sending.delay).await;
    let reply = sending.reply.ok_or(Severed)?;
    let mut response = hyper::Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    let body = Payload::new(reply.body, sending.cut_in_body);
    response.body(body).map_err(|_| Severed)
}
