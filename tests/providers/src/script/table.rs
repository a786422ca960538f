//! The script's file, checked as it is read.

use std::collections::BTreeSet;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::changes::Changes;
use super::expand::{self, Piece};
use super::rule::{Answer, Condition, Cut, FaultKind, Part, Raw, Reaction, Rule, Stop, Usage};
use super::{Script, ScriptError, Tables};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ScriptTable {
    schema: u32,
    #[serde(default = "default_screen")]
    screen: (u32, u32),
    #[serde(default)]
    tables: Tables,
    #[serde(default)]
    rule: Vec<RuleTable>,
}

fn default_screen() -> (u32, u32) {
    (1280, 720)
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Times {
    Count(u32),
    Word(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleTable {
    name: String,
    times: Option<Times>,
    #[serde(default)]
    delay: f64,
    #[serde(default)]
    when: Vec<WhenTable>,
    answer: Option<Vec<PartTable>>,
    stop: Option<Stop>,
    usage: Option<Usage>,
    model: Option<String>,
    fault: Option<FaultTable>,
    raw: Option<Raw>,
    cut: Option<Cut>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WhenTable {
    #[serde(default)]
    text: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    images: usize,
    #[serde(default)]
    audio: usize,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    no_tools: bool,
    request: Option<u32>,
    after: Option<String>,
    model: Option<String>,
    changes: Option<Changes>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PartTable {
    text: Option<String>,
    thinking: Option<String>,
    tool: Option<String>,
    arguments: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FaultTable {
    kind: FaultKind,
    retry_after: Option<f64>,
}

pub(super) fn read(text: &str) -> Result<Script, ScriptError> {
    let table: ScriptTable = toml::from_str(text)?;
    if table.schema != 1 {
        return Err(ScriptError::Schema(table.schema));
    }
    if table.rule.is_empty() {
        return Err(ScriptError::Empty);
    }
    let names: BTreeSet<String> = table.rule.iter().map(|rule| rule.name.clone()).collect();
    let rules = table.rule.into_iter().map(|rule| {
        let name = rule.name.clone();
        check_rule(rule, &names, &table.tables)
            .map_err(|what| ScriptError::Rule { rule: name, what })
    });
    Ok(Script {
        screen: table.screen,
        rules: rules.collect::<Result<_, _>>()?,
        tables: table.tables,
    })
}

fn check_rule(table: RuleTable, names: &BTreeSet<String>, tables: &Tables) -> Result<Rule, String> {
    let times = match table.times {
        None => Some(1),
        Some(Times::Count(0)) => return Err("`times` is at least 1".into()),
        Some(Times::Count(count)) => Some(count),
        Some(Times::Word(word)) if word == "any" => None,
        Some(Times::Word(word)) => {
            return Err(format!("`times` is a number or \"any\", not `{word}`"));
        }
    };
    if !(0.0..=600.0).contains(&table.delay) {
        return Err("`delay` is in seconds, 0 to 600".into());
    }
    let when = table
        .when
        .into_iter()
        .map(|when| condition(when, names))
        .collect::<Result<Vec<_>, _>>()?;
    let is_answer = table.answer.is_some();
    let answer = table
        .answer
        .map(|parts| parts.into_iter().map(part).collect::<Result<Vec<_>, _>>());
    let reaction = match (answer.transpose()?, table.fault, table.raw, table.cut) {
        (Some(parts), None, None, cut) if cut != Some(Cut::BeforeReply) => {
            let answer = Answer {
                parts,
                stop: table.stop,
                usage: table.usage.unwrap_or_default(),
                model: table.model,
            };
            check_placeholders(&answer, &when, tables)?;
            Reaction::Answer(answer, cut)
        }
        (None, Some(fault), None, None) => Reaction::Fault {
            kind: fault.kind,
            retry_after: fault.retry_after,
        },
        (None, None, Some(raw), cut) if cut != Some(Cut::BeforeReply) => {
            if !(200..600).contains(&raw.status) {
                return Err(format!("{} is no status of a reply", raw.status));
            }
            Reaction::Raw(raw, cut)
        }
        (None, None, None, Some(Cut::BeforeReply)) => Reaction::Cut,
        _ => {
            return Err(
                "a rule has one of `answer`, `fault`, `raw`, or `cut = \"before-reply\"`; \
                 `cut = \"in-body\"` goes with an answer or a raw reply"
                    .into(),
            );
        }
    };
    if !is_answer && (table.stop.is_some() || table.usage.is_some()) {
        return Err("`stop` and `usage` belong to an `answer`".into());
    }
    Ok(Rule {
        name: table.name,
        times,
        delay: table.delay,
        when,
        reaction,
    })
}

fn part(table: PartTable) -> Result<Part, String> {
    match (table.text, table.thinking, table.tool, table.arguments) {
        (Some(text), None, None, None) => Ok(Part::Text(text)),
        (None, Some(thinking), None, None) => Ok(Part::Thinking(thinking)),
        (None, None, Some(tool), arguments) => Ok(Part::Call {
            tool,
            arguments: arguments.unwrap_or_default(),
        }),
        _ => Err("a part of an answer has `text`, `thinking`, or `tool` with `arguments`".into()),
    }
}

fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|problem| problem.to_string())
}

fn patterns(texts: &[String]) -> Result<Vec<Regex>, String> {
    texts.iter().map(|text| pattern(text)).collect()
}

fn condition(table: WhenTable, names: &BTreeSet<String>) -> Result<Condition, String> {
    if let Some(after) = &table.after
        && !names.contains(after)
    {
        return Err(format!(
            "`after` names `{after}`, and no rule has that name"
        ));
    }
    Ok(Condition {
        text: patterns(&table.text)?,
        without: patterns(&table.without)?,
        images: table.images,
        audio: table.audio,
        tools: table.tools,
        no_tools: table.no_tools,
        request: table.request,
        after: table.after,
        model: table.model.as_deref().map(pattern).transpose()?,
        changes: table.changes,
    })
}

/// Whatever way a rule holds, its placeholders must have been captured.
fn check_placeholders(answer: &Answer, when: &[Condition], tables: &Tables) -> Result<(), String> {
    let captured = |name: &str| {
        !when.is_empty()
            && when.iter().all(|condition| {
                let mut names = condition
                    .text
                    .iter()
                    .flat_map(|pattern| pattern.capture_names().flatten());
                names.any(|known| known == name)
            })
    };
    for text in expand::texts(answer) {
        for piece in expand::pieces(text)? {
            let name = match piece {
                Piece::Plain(_) => continue,
                Piece::Capture(name) => name,
                Piece::Lookup { table, capture } if tables.contains_key(table) => capture,
                Piece::Lookup { table, .. } => return Err(format!("there is no table `{table}`")),
            };
            if !captured(name) {
                return Err(format!(
                    "`{{{name}}}` is captured by no pattern of this rule's `when`"
                ));
            }
        }
    }
    Ok(())
}
