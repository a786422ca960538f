//! The clients that connect: one that reaches public addresses only, one for servers that the operator named.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;

use super::address::{LookUp, PublicOnly, SystemLookUp};
use crate::weights::tls;

/// A server that does not take a connection within this time is down.
const CONNECTING: Duration = Duration::from_secs(5);

/// Connections of a run. Nothing connects before the first request. Proxies named in the environment are not used: an
/// `--endpoint` names one where it is wanted.
pub struct Network {
    look_up: Arc<dyn LookUp>,
    public: OnceLock<Result<Client, String>>,
    named: OnceLock<Result<Client, String>>,
}

impl Default for Network {
    fn default() -> Self {
        Network::with_look_up(SystemLookUp)
    }
}

impl Network {
    /// With another look-up of names.
    pub fn with_look_up(look_up: impl LookUp) -> Self {
        Network {
            look_up: Arc::new(look_up),
            public: OnceLock::new(),
            named: OnceLock::new(),
        }
    }

    /// The client for a request.
    ///
    /// # Errors
    /// The machine has no certificates to check servers with.
    pub fn client(&self, named_by_operator: bool) -> Result<&Client, String> {
        let (cell, resolver) = if named_by_operator {
            (&self.named, None)
        } else {
            (&self.public, Some(PublicOnly(Arc::clone(&self.look_up))))
        };
        cell.get_or_init(|| client(resolver))
            .as_ref()
            .map_err(Clone::clone)
    }
}

fn client(resolver: Option<PublicOnly>) -> Result<Client, String> {
    tls::install_crypto();
    let plain = || {
        Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECTING)
            .user_agent(concat!("dynacu-host/", env!("CARGO_PKG_VERSION")))
    };
    let built = match resolver {
        Some(resolver) => plain()
            .https_only(true)
            .dns_resolver(Arc::new(resolver))
            .build(),
        // Without certificates a plain http server can still be asked.
        None => plain()
            .build()
            .or_else(|_| plain().tls_certs_only([]).build()),
    };
    built.map_err(|error| {
        format!(
            "no server's certificate can be checked ({}): install the package ca-certificates",
            chain(&error)
        )
    })
}

/// An error with what stands behind it, on one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        source = inner.source();
    }
    text
}
