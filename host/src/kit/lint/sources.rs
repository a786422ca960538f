//! The page's files: nothing from elsewhere, and no part of the browser that would be a way around the page's own server.

use std::path::Path;

use anyhow::{Context, Result};
use regex::Regex;

use super::Finding;

/// What may not stand in a page, and what to do instead.
const FORBIDDEN: [(&str, &str); 14] = [
    (
        r"\bfetch\s*\(|\bXMLHttpRequest\b|\bEventSource\b|\bsendBeacon\b|\bnew\s+WebSocket\b",
        "a page talks to its server through /lib/session.js only",
    ),
    (
        r"\bRTCPeerConnection\b|\bnavigator\.serviceWorker\b|\bnew\s+(?:Shared)?Worker\b",
        "a page has no connections or workers of its own",
    ),
    (
        r"\blocalStorage\b|\bsessionStorage\b|\bindexedDB\b|\bdocument\.cookie\b|\bcaches\.",
        "a page remembers nothing beyond its episode",
    ),
    (
        r"\bspeechSynthesis\b|\bSpeechSynthesisUtterance\b|(?:webkit)?SpeechRecognition\b",
        "speech is rendered from [[speech]], and recognised by the page's server",
    ),
    (
        r"\bgetUserMedia\b|\bMediaRecorder\b",
        "use session.microphone for the microphone",
    ),
    (
        r"(?:^|[^.\w])(?:alert|confirm|prompt)\s*\(|\bwindow\.(?:alert|confirm|prompt|print)\b",
        "the browser's own dialogs stop the page's clock: draw a dialog",
    ),
    (
        r"\bwindow\.open\b|\blocation\s*=|\blocation\.(?:href|assign|replace|reload)\b|\bhistory\.(?:pushState|replaceState|back|go)\b",
        "a page never navigates away",
    ),
    (
        r"\beval\s*\(|\bnew\s+Function\b",
        "no code from strings: the content security policy refuses it",
    ),
    (
        r"\bMath\.random\b|\bcrypto\.(?:getRandomValues|randomUUID)\b",
        "draw varying values in [variant], so that a seed gives the same page",
    ),
    (
        r"\bnew\s+Date\s*\(\s*\)|\bDate\.now\b",
        "date and time would make every episode different: use session.now() and values of [variant]",
    ),
    (
        r"\bnew\s+Notification\b|\bnavigator\.clipboard\b|\brequestFullscreen\b",
        "nothing is shown or stored outside the page",
    ),
    (
        r"<(?:audio|video)\b[^>]*\bcontrols\b",
        "the browser's own player allows seeking: play clips with session.play",
    ),
    (r"<(?:iframe|object|embed|base)\b", "a page is one document"),
    (
        r"\bgetTaskResult\b",
        "the library defines it; a page neither reads nor sets its result",
    ),
];

/// Looks through the page's own text files.
pub(super) fn findings(page: &Path) -> Result<Vec<Finding>> {
    let forbidden = FORBIDDEN
        .iter()
        .map(|(pattern, advice)| Ok((Regex::new(pattern)?, *advice)))
        .collect::<Result<Vec<_>, regex::Error>>()?;
    let address = Regex::new(
        r#"(?i)\b(?:https?|wss?|ftp)://[^\s"'<>)]+|(?:src|href)\s*=\s*["']?//[^\s"'<>]+|url\(\s*["']?//[^\s"')]+"#,
    )?;
    let mut findings = Vec::new();
    for (file, text) in texts(page)? {
        for (number, line) in without_comments(&text).lines().enumerate() {
            let mut say = |message: String| {
                findings.push(Finding::new(&file, Some(number + 1), message));
            };
            for found in address.find_iter(line) {
                // Names of XML languages look like addresses and are never fetched.
                if !found.as_str().contains("://www.w3.org/") {
                    say(format!(
                        "`{}` leads out of the page: keep everything in page/",
                        found.as_str()
                    ));
                }
            }
            for (pattern, advice) in &forbidden {
                if let Some(found) = pattern.find(line) {
                    say(format!("`{}`: {advice}", found.as_str().trim()));
                }
            }
        }
    }
    Ok(findings)
}

/// The page's text files, in the order of their names.
pub(super) fn texts(folder: &Path) -> Result<Vec<(std::path::PathBuf, String)>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        let unreadable = || format!("cannot read {}", next.display());
        for item in std::fs::read_dir(&next).with_context(unreadable)? {
            let path = item.with_context(unreadable)?.path();
            let kind = path.extension().and_then(|kind| kind.to_str());
            if path.is_dir() {
                waiting.push(path);
            } else if matches!(kind, Some("html" | "css" | "js" | "mjs" | "svg" | "json")) {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                found.push((path, text));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Comments become empty lines, so that line numbers stay.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let opens = trimmed.starts_with("/*") || trimmed.starts_with("<!--");
        let comment = inside || opens || trimmed.starts_with("//");
        if comment {
            let closes = trimmed.contains("*/") || trimmed.contains("-->");
            inside = (inside || opens) && !closes;
        } else {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_around_the_page_are_told_with_their_line() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(
            root.path().join("index.html"),
            "<!doctype html>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n<img src=\"https://cdn.example/x.png\">\n<audio controls src=\"a.ogg\"></audio>\n",
        )
        .unwrap();
        std::fs::write(
            root.path().join("app.js"),
            "// fetch( in a comment is nothing\n/* alert(\n   eval( */\nconst a = await fetch(\"/variant.json\");\nsession.confirm();\nconst x = Math.random();\n",
        )
        .unwrap();
        let said: Vec<String> = findings(root.path())
            .unwrap()
            .iter()
            .map(|finding| {
                let name = finding
                    .file
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                format!("{name}:{}", finding.line.unwrap())
            })
            .collect();
        assert_eq!(
            said,
            ["app.js:4", "app.js:6", "index.html:3", "index.html:4"]
        );
    }
}
