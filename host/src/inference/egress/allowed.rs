//! Where one plugin's requests may go: the hosts of its manifest, each perhaps sent elsewhere by the operator.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

use dynacu_runtime::Manifest;
use reqwest::Url;

/// `--endpoint HOST=URL`: requests to a host of a manifest go to this server instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub host: String,
    pub url: Url,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EndpointError {
    #[error("--endpoint {0}: write HOST=URL, for example api.example.com=http://127.0.0.1:8080")]
    Shape(String),
    #[error("--endpoint {0}: the URL must begin with http:// or https:// and name a host")]
    Url(String),
    #[error(
        "--endpoint for {0}: leave user, password, query and fragment out of the URL; keys belong in environment variables"
    )]
    Extras(String),
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, url) = text
            .split_once('=')
            .ok_or_else(|| EndpointError::Shape(text.to_owned()))?;
        Endpoint::new(host, url)
    }
}

impl Endpoint {
    /// # Errors
    /// The URL is none, or says more than where a server is.
    pub fn new(host: &str, url: &str) -> Result<Self, EndpointError> {
        let host = host.trim().to_ascii_lowercase();
        let parsed = Url::parse(url.trim()).map_err(|_| EndpointError::Url(host.clone()))?;
        if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
            return Err(EndpointError::Url(host));
        }
        if !parsed.username().is_empty()
            || parsed.password().is_some()
            || parsed.query().is_some()
            || parsed.fragment().is_some()
        {
            return Err(EndpointError::Extras(host));
        }
        Ok(Endpoint { host, url: parsed })
    }
}

/// Where a request really goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The manifest's entry that allows it; credentials are bound to it.
    pub host: String,
    pub url: Url,
    /// The path that the guest asked for, before an endpoint's own was put in front.
    pub path: String,
    /// The operator named the server, so its address may be any.
    pub named_by_operator: bool,
}

/// The hosts of one plugin.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    hosts: BTreeMap<String, Option<Url>>,
}

impl Allowed {
    /// The hosts of a manifest; endpoints of other plugins' hosts are passed over.
    #[must_use]
    pub fn new(manifest: &Manifest, endpoints: &[Endpoint]) -> Allowed {
        let hosts = manifest.hosts.iter().map(|host| {
            let name = host.to_ascii_lowercase();
            let elsewhere = endpoints
                .iter()
                .find(|endpoint| endpoint.host == name)
                .map(|endpoint| endpoint.url.clone());
            (name, elsewhere)
        });
        Allowed {
            hosts: hosts.collect(),
        }
    }

    #[must_use]
    pub fn knows(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    /// A host under the reserved `.invalid` that no endpoint takes the place of.
    #[must_use]
    pub fn placeholder(&self) -> Option<&str> {
        self.hosts
            .iter()
            .find(|(host, elsewhere)| host.ends_with(".invalid") && elsewhere.is_none())
            .map(|(host, _)| host.as_str())
    }

    /// A host that is not asked on this machine.
    #[must_use]
    pub fn beyond_this_machine(&self) -> Option<&str> {
        let here = |url: &Url| {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
            let address = host.parse::<IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        };
        self.hosts
            .iter()
            .find(|(_, elsewhere)| !elsewhere.as_ref().is_some_and(here))
            .map(|(host, _)| host.as_str())
    }

    /// Where a guest's request goes, or why it does not.
    ///
    /// # Errors
    /// One sentence that names the manifest's key; it holds neither path nor query, which may carry secrets.
    pub fn destination(&self, text: &str) -> Result<Destination, String> {
        let asked =
            Url::parse(text).map_err(|error| format!("the request's URL is invalid: {error}"))?;
        if !asked.username().is_empty() || asked.password().is_some() {
            return Err("user and password in a URL are refused: bind a secret under `credentials` in the manifest".to_owned());
        }
        let host = authority(&asked)
            .ok_or_else(|| format!("a request must use https, not {}:", asked.scheme()))?;
        let Some(elsewhere) = self.hosts.get(&host) else {
            return Err(format!(
                "access to {host} is not granted: add it to `hosts` in the manifest"
            ));
        };
        let Some(base) = elsewhere else {
            if asked.scheme() != "https" {
                return Err(format!(
                    "the request to {host} uses {}:, but only https is allowed (an --endpoint may name an http server)",
                    asked.scheme()
                ));
            }
            return Ok(Destination {
                host,
                path: asked.path().to_owned(),
                url: asked,
                named_by_operator: false,
            });
        };
        let mut url = base.clone();
        let path = format!("{}{}", base.path().trim_end_matches('/'), asked.path());
        url.set_path(&path);
        url.set_query(asked.query());
        Ok(Destination {
            host,
            path: asked.path().to_owned(),
            url,
            named_by_operator: true,
        })
    }
}

/// Host with its port, where that is not the scheme's own.
fn authority(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// Whether an answer sends on to another server than the one that was asked.
#[must_use]
pub fn leads_elsewhere(asked: &Url, location: &str) -> bool {
    match asked.join(location) {
        Ok(next) => next.origin() != asked.origin(),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(endpoints: &[&str]) -> Allowed {
        let manifest = Manifest {
            hosts: vec![
                "api.example.com".to_owned(),
                "other.example.com:8443".to_owned(),
            ],
            ..Manifest::default()
        };
        let endpoints: Vec<Endpoint> = endpoints.iter().map(|text| text.parse().unwrap()).collect();
        Allowed::new(&manifest, &endpoints)
    }

    #[test]
    fn only_named_hosts_by_https_at_the_named_port() {
        let allowed = allowed(&[]);
        let fine = allowed
            .destination("https://API.example.com/v1?x=1")
            .unwrap();
        assert_eq!(fine.host, "api.example.com");
        assert_eq!(fine.url.as_str(), "https://api.example.com/v1?x=1");
        assert!(!fine.named_by_operator);
        assert!(
            allowed
                .destination("https://other.example.com:8443/")
                .is_ok()
        );
        for (url, wanted) in [
            ("https://evil.example.com/?key=hidden", "`hosts`"),
            ("https://api.example.com.evil.org/", "`hosts`"),
            ("https://api.example.com:444/", "`hosts`"),
            ("https://other.example.com/", "`hosts`"),
            ("http://api.example.com/", "https"),
            ("file:///etc/passwd", "https"),
            ("https://api.example.com@evil.org/", "credentials"),
            ("https://me:hidden@api.example.com/", "credentials"),
            ("https://127.0.0.1/", "`hosts`"),
            ("api.example.com/v1", "URL"),
        ] {
            let error = allowed.destination(url).unwrap_err();
            assert!(
                error.contains(wanted) && !error.contains("hidden"),
                "{url}: {error}"
            );
        }
    }

    #[test]
    fn an_endpoint_takes_the_place_of_its_host_alone() {
        let allowed = allowed(&["api.example.com=http://127.0.0.1:9000/proxy/"]);
        let there = allowed
            .destination("https://api.example.com/v1/x%20y?z=1")
            .unwrap();
        assert_eq!(
            there.url.as_str(),
            "http://127.0.0.1:9000/proxy/v1/x%20y?z=1"
        );
        assert!(there.named_by_operator);
        let up = allowed
            .destination("https://api.example.com/../../admin")
            .unwrap();
        assert_eq!(up.url.path(), "/proxy/admin");
        assert!(
            !allowed
                .destination("https://other.example.com:8443/")
                .unwrap()
                .named_by_operator
        );
        assert!(allowed.destination("http://127.0.0.1:9000/").is_err());
    }

    #[test]
    fn endpoints_that_say_more_than_a_server_are_refused() {
        for text in [
            "x",
            "x=ftp://y",
            "x=y",
            "x=http://me:pw@y",
            "x=http://y?key=1",
        ] {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_placeholder_needs_an_endpoint() {
        let manifest = Manifest {
            hosts: vec!["own.invalid".to_owned()],
            ..Manifest::default()
        };
        assert_eq!(
            Allowed::new(&manifest, &[]).placeholder(),
            Some("own.invalid")
        );
        let endpoint = "own.invalid=http://127.0.0.1:1".parse().unwrap();
        assert_eq!(Allowed::new(&manifest, &[endpoint]).placeholder(), None);
    }

    #[test]
    fn another_origin_is_elsewhere() {
        let asked = Url::parse("https://api.example.com/v1/x").unwrap();
        assert!(!leads_elsewhere(&asked, "/v2"));
        assert!(!leads_elsewhere(&asked, "https://api.example.com:443/v2"));
        for location in [
            "//evil.org/",
            "http://api.example.com/",
            "https://api.example.com:444/",
            "https://evil.org",
            "http://[",
        ] {
            assert!(leads_elsewhere(&asked, location), "{location}");
        }
    }

    #[test]
    fn only_the_loopback_is_this_machine() {
        let beyond = |url: &str| {
            let other = "other.example.com:8443=http://localhost:1";
            let endpoint = format!("api.example.com={url}");
            allowed(&[&endpoint, other]).beyond_this_machine().is_some()
        };
        for url in ["http://127.0.0.1:1", "http://127.8.0.1", "http://[::1]:1"] {
            assert!(!beyond(url), "{url}");
        }
        for url in [
            "http://localhost.evil.example",
            "http://127.0.0.1.nip.example",
            "http://192.168.0.7:8000",
            "https://api.example.com",
        ] {
            assert!(beyond(url), "{url}");
        }
        let one = allowed(&["api.example.com=http://127.0.0.1:1"]);
        assert_eq!(one.beyond_this_machine(), Some("other.example.com:8443"));
    }
}
