//! `--grant`: what is allowed to a plugin beyond naming it.

use std::fmt::{self, Display};
use std::str::FromStr;

use dynacu_runtime::types::Assist;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that only the operator can allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    Reading,
    Solution,
    Memory,
    Scratch,
    /// An adapter that does not come with the host may send requests to this host.
    Host(String),
    /// Such an adapter's requests to this host may carry this environment variable.
    Secret {
        variable: String,
        host: String,
    },
}

impl Grant {
    #[must_use]
    pub fn host(host: &str) -> Self {
        Self::Host(host.to_ascii_lowercase())
    }

    #[must_use]
    pub fn secret(variable: &str, host: &str) -> Self {
        Self::Secret {
            variable: variable.to_owned(),
            host: host.to_ascii_lowercase(),
        }
    }
}

impl From<Assist> for Grant {
    fn from(assist: Assist) -> Self {
        match assist {
            Assist::Reading => Self::Reading,
            Assist::Solution => Self::Solution,
        }
    }
}

impl Display for Grant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reading => formatter.write_str("reading"),
            Self::Solution => formatter.write_str("solution"),
            Self::Memory => formatter.write_str("memory"),
            Self::Scratch => formatter.write_str("scratch"),
            Self::Host(host) => write!(formatter, "host={host}"),
            Self::Secret { variable, host } => write!(formatter, "secret={variable}@{host}"),
        }
    }
}

impl FromStr for Grant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = |host: &str| !host.is_empty() && !host.contains(['/', '@', '*', ' ']);
        match text.split_once('=') {
            None if text == "reading" => Ok(Self::Reading),
            None if text == "solution" => Ok(Self::Solution),
            None if text == "memory" => Ok(Self::Memory),
            None if text == "scratch" => Ok(Self::Scratch),
            Some(("host", host)) if name(host) => Ok(Self::host(host)),
            Some(("secret", rest)) => match rest.split_once('@') {
                Some((variable, host)) if !variable.is_empty() && name(host) => {
                    Ok(Self::secret(variable, host))
                }
                Some(_) | None => Err("write secret=VARIABLE@HOST".to_owned()),
            },
            Some(_) | None => Err(format!(
                "there is no `{text}`: use reading, solution, memory, scratch, host=HOST or secret=VARIABLE@HOST"
            )),
        }
    }
}

impl Serialize for Grant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Grant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_reads_as_it_is_written() {
        for text in [
            "reading",
            "solution",
            "memory",
            "scratch",
            "host=api.example.com:8443",
            "secret=EXAMPLE_KEY@api.example.com",
        ] {
            assert_eq!(text.parse::<Grant>().unwrap().to_string(), text);
        }
        assert_eq!(
            "host=API.example.com".parse(),
            Ok(Grant::host("api.example.com"))
        );
        for text in [
            "",
            "all",
            "host=",
            "host=*",
            "host=https://x",
            "secret=KEY",
            "secret=@x",
            "secret=KEY@",
        ] {
            assert!(text.parse::<Grant>().is_err(), "{text}");
        }
    }
}
