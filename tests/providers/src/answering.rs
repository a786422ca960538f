//! From one request to what is sent: it is checked, the script chooses, both are remembered.

use std::time::Duration;

use serde_json::Value;

use crate::exchange::{Exchange, Outcome, shortened};
use crate::http::{Reply, Request};
use crate::neutral::NeutralRequest;
use crate::problem::Problem;
use crate::protocol::{Protocol, Provider, Route, to_space};
use crate::script::{Answer, Cut, Part, Progress, Reaction, Script};
use crate::server::{Options, ServerError};

/// The protocol, the script, and all that was asked so far.
pub(crate) struct State {
    protocol: Box<dyn Protocol>,
    script: Script,
    grid: Option<u32>,
    progress: Progress,
    pub exchanges: Vec<Exchange>,
    log: bool,
}

/// What is sent, when, and how much of it.
pub(crate) struct Sending {
    pub reply: Option<Reply>,
    pub delay: Duration,
    pub cut_in_body: bool,
}

impl State {
    pub(crate) fn new(
        provider: Provider,
        script: Script,
        options: &Options,
        log: bool,
    ) -> Result<Self, ServerError> {
        Ok(Self {
            protocol: provider.protocol(options)?,
            script,
            grid: match options.grid {
                Some(0) => None,
                Some(grid) => Some(grid),
                None => provider.usual_grid(),
            },
            progress: Progress::default(),
            exchanges: Vec::new(),
            log,
        })
    }

    pub(crate) fn listing(&self) -> Sending {
        let body = serde_json::to_value(&self.exchanges).unwrap_or(Value::Null);
        Sending::now(Reply::json(200, &body))
    }

    /// Checks one request, lets the script choose, and remembers both.
    pub(crate) fn take(&mut self, request: &Request) -> Sending {
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
    ) -> Result<Option<NeutralRequest>, Problem> {
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

    fn react(&mut self, seen: &NeutralRequest) -> (Outcome, Sending) {
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

    /// Width and height in which the model answers: a grid, or the pixels of the picture that it was sent last.
    fn space(&self, seen: &NeutralRequest) -> (u32, u32) {
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
