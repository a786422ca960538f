//! Where a page comes from: one file, a folder with an `index.html`, or an address on the loopback.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use reqwest::Url;
use sha2::{Digest, Sha256};

/// Letters of a page's name in the names of folders.
const SLUG: usize = 60;
/// A folder with more files is no page.
const MOST_FILES: usize = 10_000;

/// What a page is served from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The one file that is served.
    File(PathBuf),
    /// The folder whose files are served, from `index.html` on.
    Folder(PathBuf),
    /// What runs already.
    Address(Address),
}

/// An address on the loopback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// `http://127.0.0.1:8000`
    pub origin: String,
    /// `/quiz?level=2`
    pub path: String,
}

impl Source {
    /// What was written, checked.
    ///
    /// # Errors
    /// It cannot be read, is no page, or is another machine's address.
    pub fn parse(written: &str) -> Result<Self> {
        if written.contains("://") {
            return Ok(Self::Address(Address::parse(written)?));
        }
        let path = Path::new(written);
        let unreadable = || format!("cannot read the page {written}");
        if path.is_dir() {
            let folder = path.canonicalize().with_context(unreadable)?;
            ensure!(
                folder.join("index.html").is_file(),
                "{written} has no index.html, with which a page begins"
            );
            return Ok(Self::Folder(folder));
        }
        ensure!(
            path.extension().is_some_and(|kind| kind == "html"),
            "{written} is not an .html file, no folder with an index.html, and no http://127.0.0.1 address"
        );
        let file = path.canonicalize().with_context(unreadable)?;
        let text = std::fs::read_to_string(&file).with_context(unreadable)?;
        ensure!(
            text.contains("getTaskResult"),
            "{written} does not define window.getTaskResult(): without it, nothing shows when the task is done"
        );
        Ok(Self::File(file))
    }

    /// The folder that the page lies in.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::File(file) => file.parent().map(Path::to_owned),
            Self::Folder(folder) => Some(folder.clone()),
            Self::Address(_) => None,
        }
    }

    /// A short name of letters, digits and dashes, which can stand in the name of a folder.
    #[must_use]
    pub fn slug(&self) -> String {
        let name = match self {
            Self::File(file) => file.file_stem().unwrap_or_default().to_string_lossy(),
            Self::Folder(folder) => folder.file_name().unwrap_or_default().to_string_lossy(),
            Self::Address(address) => {
                let path = address.path.split('?').next().unwrap_or_default();
                let last = path.trim_end_matches('/').rsplit('/').next();
                last.filter(|last| !last.is_empty())
                    .unwrap_or("address")
                    .into()
            }
        };
        let plain = |letter: char| match letter.to_ascii_lowercase() {
            letter if letter.is_ascii_alphanumeric() => letter,
            _ => '-',
        };
        name.chars().take(SLUG).map(plain).collect()
    }

    /// SHA-256 of its files, in hexadecimal. Of an address nothing is known but itself.
    ///
    /// # Errors
    /// A file cannot be read, or there are too many.
    pub fn digest(&self) -> Result<String> {
        let all = match self {
            Self::File(file) => std::fs::read(file)?,
            Self::Folder(folder) => listing(folder)?.into_bytes(),
            Self::Address(Address { origin, path }) => format!("{origin}{path}").into_bytes(),
        };
        Ok(hex::encode(Sha256::digest(all)))
    }
}

impl Address {
    fn parse(written: &str) -> Result<Self> {
        let url = Url::parse(written).with_context(|| format!("{written} is no address"))?;
        let host = url.host_str().unwrap_or_default();
        let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let here = address.is_some_and(|address| address.is_loopback());
        let plain = url.scheme() == "http" && url.username().is_empty() && url.password().is_none();
        if !here || !plain {
            bail!(
                "{written} is not on this machine's loopback: a page's address begins with http://127.0.0.1:PORT"
            );
        }
        let port = url.port_or_known_default().unwrap_or(80);
        let query = url
            .query()
            .map_or_else(String::new, |query| format!("?{query}"));
        Ok(Self {
            origin: format!("http://{host}:{port}"),
            path: format!("{}{query}", url.path()),
        })
    }
}

/// One line for each file below a folder, by name: its hash, or where a link leads. Links are not followed and hidden files left out,
/// as where the page is served.
fn listing(folder: &Path) -> Result<String> {
    let mut lines = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let items = std::fs::read_dir(&next);
        for item in items.with_context(|| format!("cannot read {}", next.display()))? {
            let item = item?;
            let (path, kind) = (item.path(), item.file_type()?);
            if item.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).display();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                let bytes = std::fs::read(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                lines.push(format!("{} {name}", hex::encode(Sha256::digest(bytes))));
            } else if kind.is_symlink() {
                lines.push(format!("{} {name}", std::fs::read_link(&path)?.display()));
            }
            ensure!(
                lines.len() <= MOST_FILES,
                "{} holds more than {MOST_FILES} files: name the folder of one page",
                folder.display()
            );
        }
    }
    lines.sort();
    let mut text = String::new();
    for line in lines {
        // Writing into a string does not fail.
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_loopback_is_an_address() {
        for (written, origin, path) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "/"),
            (
                "http://127.0.0.1:8000/quiz/?level=2#top",
                "http://127.0.0.1:8000",
                "/quiz/?level=2",
            ),
            ("http://[::1]:81/a", "http://[::1]:81", "/a"),
            // Other spellings of the same.
            ("http://2130706433/", "http://127.0.0.1:80", "/"),
        ] {
            let Source::Address(address) = Source::parse(written).unwrap() else {
                panic!("{written} is no address");
            };
            assert_eq!(
                (address.origin.as_str(), address.path.as_str()),
                (origin, path)
            );
        }
        for written in [
            "http://example.com/",
            "http://localhost:8000/",
            "http://10.0.0.1:8000/",
            "http://127.0.0.1.example.com/",
            "http://0.0.0.0:8000/",
            "https://127.0.0.1:8000/",
            "http://user:word@127.0.0.1:8000/",
            "file:///etc/passwd",
            "http://",
        ] {
            let error = format!("{:#}", Source::parse(written).unwrap_err());
            assert!(error.contains(written) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_folder_is_a_page_by_its_index_and_is_known_by_its_files() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("My Quiz");
        std::fs::create_dir_all(folder.join("images")).unwrap();
        let written = folder.display().to_string();
        let error = Source::parse(&written).unwrap_err().to_string();
        assert!(error.contains("has no index.html"), "{error}");
        std::fs::write(folder.join("index.html"), "getTaskResult").unwrap();
        std::fs::write(folder.join("images/a.svg"), "<svg/>").unwrap();
        let source = Source::parse(&written).unwrap();
        assert_eq!(source.slug(), "my-quiz");
        let before = source.digest().unwrap();
        std::fs::write(folder.join(".hidden"), "x").unwrap();
        assert_eq!(source.digest().unwrap(), before);
        std::fs::write(folder.join("images/a.svg"), "<svg></svg>").unwrap();
        assert_ne!(source.digest().unwrap(), before);
        // What leads out is not read.
        std::os::unix::fs::symlink("/dev/zero", folder.join("endless.js")).unwrap();
        std::os::unix::fs::symlink("..", folder.join("round")).unwrap();
        assert!(source.digest().is_ok());
    }

    #[test]
    fn a_name_is_short_and_plain_whatever_the_page_is_called() {
        let slug = |name: &str| Source::File(PathBuf::from(name)).slug();
        assert_eq!(slug("/a/\u{1b}[2J\u{202e}Quiz.html"), "--2j-quiz");
        assert_eq!(slug(&format!("/a/{}.html", "x".repeat(250))).len(), SLUG);
        assert_eq!(slug("/a/...html"), "--");
    }
}
