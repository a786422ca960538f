//! What a source file uses: its paths that begin at the crate's root, and the crates of ours that it names.

use std::str::FromStr;

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Something that is used, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub line: usize,
    /// A module (`task` for `crate::task::home`), or a crate (`dynacu_media`).
    pub to: String,
}

/// All arrows of a source file, those in macros' arguments, bodies and tests included. `module` is where the file stands, for
/// example `["kit", "lint", "page"]`.
pub(crate) fn arrows(source: &str, module: &[&str]) -> Result<Vec<Arrow>> {
    let tokens = TokenStream::from_str(source).map_err(|error| anyhow!("{error}"))?;
    let mut found = Vec::new();
    let mut path: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
    walk(tokens, &mut path, &mut found);
    Ok(found)
}

fn walk(tokens: TokenStream, path: &mut Vec<String>, found: &mut Vec<Arrow>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Group(group) => {
                // The body of `mod name { … }` stands one module deeper.
                let module = match at.checked_sub(2).and_then(|before| tokens.get(before..at)) {
                    Some([TokenTree::Ident(word), TokenTree::Ident(name)])
                        if word == "mod" && group.delimiter() == Delimiter::Brace =>
                    {
                        Some(name.to_string())
                    }
                    _ => None,
                };
                let deeper = module.is_some();
                path.extend(module);
                walk(group.stream(), path, found);
                if deeper {
                    path.pop();
                }
                at += 1;
            }
            TokenTree::Ident(word) if word == "crate" => {
                at = heads(&tokens, at + 1, found);
            }
            TokenTree::Ident(word) if word == "super" => {
                let mut above = 1;
                at += 1;
                while let Some(next) = separated(&tokens, at)
                    && matches!(tokens.get(next), Some(TokenTree::Ident(word)) if word == "super")
                {
                    above += 1;
                    at = next + 1;
                }
                if above == path.len() {
                    at = heads(&tokens, at, found);
                }
            }
            TokenTree::Ident(word) => {
                let name = word.to_string();
                if name.starts_with("dynacu_") && separated(&tokens, at + 1).is_some() {
                    let line = word.span().start().line;
                    found.push(Arrow { line, to: name });
                }
                at += 1;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
        }
    }
}

/// Where the path goes on after `::`, if it does.
fn separated(tokens: &[TokenTree], at: usize) -> Option<usize> {
    match tokens.get(at..at + 2)? {
        [TokenTree::Punct(one), TokenTree::Punct(two)]
            if one.as_char() == ':' && two.as_char() == ':' =>
        {
            Some(at + 2)
        }
        _ => None,
    }
}

/// What stands first below the crate's root: one name, or each of `{…}`. Gives the place behind it.
fn heads(tokens: &[TokenTree], at: usize, found: &mut Vec<Arrow>) -> usize {
    let Some(next) = separated(tokens, at) else {
        // `pub(crate)` and the like.
        return at;
    };
    match tokens.get(next) {
        Some(TokenTree::Ident(name)) => found.push(Arrow {
            line: name.span().start().line,
            to: name.to_string(),
        }),
        Some(TokenTree::Group(group)) => {
            let mut first = true;
            for token in group.stream() {
                match &token {
                    TokenTree::Ident(name) if first => found.push(Arrow {
                        line: name.span().start().line,
                        to: name.to_string(),
                    }),
                    _ => {}
                }
                first = matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',');
            }
        }
        _ => {}
    }
    next + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, module: &[&str]) -> Vec<(usize, String)> {
        let arrows = arrows(source, module).unwrap();
        arrows
            .into_iter()
            .map(|arrow| (arrow.line, arrow.to))
            .collect()
    }

    #[test]
    fn every_way_to_name_a_room_is_found_with_its_line() {
        let source = r#"
            use crate::task::home::{Home, home};
            use crate::{
                desktop::lane::Lane,
                kit::{gate, lint},
            };
            // use crate::suite;
            pub(crate) fn name() -> &'static str {
                let text = "crate::cli";
                tokio::select! { _ = crate::episode::run() => {} }
                dynacu_media::speech::say(text)
            }
        "#;
        let expected = [
            (2, "task"),
            (4, "desktop"),
            (5, "kit"),
            (10, "episode"),
            (11, "dynacu_media"),
        ];
        let found = found(source, &["driver"]);
        let found: Vec<(usize, &str)> = found.iter().map(|(line, to)| (*line, &**to)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn super_leads_to_the_root_only_from_high_enough() {
        let source = "use super::suite; mod tests { use super::*; use super::super::kit; }";
        assert_eq!(
            found(source, &["task"]),
            [(1, "suite".to_owned()), (1, "kit".to_owned())]
        );
        assert_eq!(found(source, &["task", "home"]), []);
        assert_eq!(
            found("use super::super::cli::Done;", &["kit", "lint"]),
            [(1, "cli".to_owned())]
        );
    }
}
