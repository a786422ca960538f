//! The listener: one thread, one port on the loopback, every exchange kept.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::exchange::{Exchange, Outcome, shortened};
use crate::http::{Reply, Request};
use crate::problem::Problem;
use crate::protocol::{Protocol, Provider, Route, to_space};
use crate::script::{Answer, Cut, Part, Progress, Reaction, Script};
use crate::seen::Seen;

/// Where the exchanges are listed, as JSON.
pub const LISTING: &str = "/_exchanges";
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
    #[error("{0}")]
    Requests(String),
}

struct State {
    protocol: Box<dyn Protocol>,
    script: Script,
    grid: Option<u32>,
    progress: Progress,
    exchanges: Vec<Exchange>,
    log: bool,
}

/// A running server; it stops when this is dropped.
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// What is sent, when, and how much of it.
struct Sending {
    reply: Option<Reply>,
    delay: Duration,
    cut_in_body: bool,
}

impl Server {
    /// Starts one.
    ///
    /// # Errors
    /// When the port is taken or no thread can be had.
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
        let state = Arc::new(Mutex::new(State {
            protocol: provider.protocol(options),
            script,
            grid: match options.grid {
                Some(0) => None,
                Some(grid) => Some(grid),
                None => provider.usual_grid(),
            },
            progress: Progress::default(),
            exchanges: Vec::new(),
            log,
        }));
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
    state.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The service's error closes the connection.
#[derive(Debug, Error)]
#[error("the connection is cut, as the script wants it")]
struct Severed;

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

impl State {
    fn listing(&self) -> Sending {
        let body = serde_json::to_value(&self.exchanges).unwrap_or(Value::Null);
        Sending::now(Reply::json(200, &body))
    }

    /// Checks one request, lets the script choose, and remembers both.
    fn take(&mut self, request: &Request) -> Sending {
        let body = serde_json::from_slice::<Value>(&request.body);
        let (seen, outcome, sending) = match self.read(request, &body) {
            Ok(None) => (None, Outcome::Listed, Sending::now(self.protocol.models())),
            Ok(Some(seen)) => {
                let (outcome, sending) = self.react(&seen);
                (Some(seen), outcome, sending)
            }
            Err(problem) => {
                let why = problem.to_string();
                let reply = self.protocol.problem(&problem);
                (None, Outcome::Rejected { why }, Sending::now(reply))
            }
        };
        let exchange = Exchange {
            number: self.exchanges.len() as u32 + 1,
            method: request.method.clone(),
            path: request.path.clone(),
            headers: request.headers.clone(),
            body: body.map_or(Value::Null, |body| shortened(&body)),
            seen,
            outcome,
            status: sending.reply.as_ref().map_or(0, |reply| reply.status),
            reply: sending.reply.as_ref().map_or_else(String::new, |reply| {
                String::from_utf8_lossy(&reply.body).into_owned()
            }),
        };
        if self.log {
            eprintln!(
                "{} {} {}: {} {:?}",
                exchange.number, exchange.method, exchange.path, exchange.status, exchange.outcome
            );
        }
        self.exchanges.push(exchange);
        sending
    }

    fn read(
        &self,
        request: &Request,
        body: &Result<Value, serde_json::Error>,
    ) -> Result<Option<Seen>, Problem> {
        let Route::Complete { model } = self.protocol.route(request)? else {
            return Ok(None);
        };
        let (size, limit) = (request.body.len(), self.protocol.largest_body());
        if size > limit {
            return Err(Problem::TooLarge { size, limit });
        }
        let json = request
            .header("content-type")
            .and_then(|kind| kind.split(';').next());
        if json.map(str::trim) != Some("application/json") {
            return Err(Problem::Header(
                "content-type has to be application/json".into(),
            ));
        }
        let body = body
            .as_ref()
            .map_err(|problem| Problem::NotJson(problem.to_string()))?;
        let seen = self.protocol.check(request, model.as_deref(), body)?;
        Ok(Some(seen))
    }

    fn react(&mut self, seen: &Seen) -> (Outcome, Sending) {
        let space = self.space(seen);
        let protocol = &self.protocol;
        let can = |tool: &str| protocol.can_call(seen, tool);
        let Some(choice) = self.script.choose(seen, space, &mut self.progress, can) else {
            let reply = self.protocol.problem(&Problem::NoRule);
            return (Outcome::Unmatched, Sending::now(reply));
        };
        let (reply, cut) = match choice.reaction {
            Reaction::Answer(mut answer, cut) => {
                self.place(space, &mut answer);
                (Some(self.protocol.answer(seen, &answer)), cut)
            }
            Reaction::Fault { kind, retry_after } => {
                (Some(self.protocol.fault(kind, retry_after)), None)
            }
            Reaction::Raw(raw, cut) => {
                let reply = Reply {
                    status: raw.status,
                    headers: raw.headers.into_iter().collect(),
                    body: raw.body.into_bytes(),
                };
                (Some(reply), cut)
            }
            Reaction::Cut => (None, None),
        };
        let sending = Sending {
            reply,
            delay: Duration::from_secs_f64(choice.delay),
            cut_in_body: cut == Some(Cut::InBody),
        };
        (Outcome::Answered { rule: choice.rule }, sending)
    }
}

impl State {
    /// Width and height in which the model answers: a grid, or the pixels of the picture that it was sent last.
    fn space(&self, seen: &Seen) -> (u32, u32) {
        match self.grid {
            Some(grid) => (grid, grid),
            None => seen.sizes.last().copied().unwrap_or(self.script.screen),
        }
    }

    /// Turns the script's pixels into what this model would answer with.
    fn place(&self, space: (u32, u32), answer: &mut Answer) {
        for part in &mut answer.parts {
            if let Part::Call { arguments, .. } = part {
                to_space(arguments, self.script.screen, space);
            }
        }
    }
}

impl Sending {
    fn now(reply: Reply) -> Self {
        Self {
            reply: Some(reply),
            delay: Duration::ZERO,
            cut_in_body: false,
        }
    }
}

/// A body that may end too early: it announces its whole length and breaks off in the middle.
struct Payload {
    left: Option<Bytes>,
    announced: u64,
    cut: bool,
    /// What was given has had its turn to be sent.
    flushed: bool,
}

impl Payload {
    fn new(body: Vec<u8>, cut: bool) -> Self {
        let announced = body.len() as u64;
        let mut bytes = Bytes::from(body);
        if cut {
            bytes.truncate(bytes.len() / 2);
        }
        Self {
            left: Some(bytes),
            announced,
            cut,
            flushed: false,
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Severed;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Severed>>> {
        match self.left.take() {
            Some(bytes) if !bytes.is_empty() => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            // An error would throw away what is not yet on its way.
            _ if self.cut && !self.flushed => {
                self.flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            _ if self.cut => Poll::Ready(Some(Err(Severed))),
            _ => Poll::Ready(None),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.announced)
    }
}
