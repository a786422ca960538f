//! The JSON Schemas of a run folder's files and the table of their fields in `docs/records.md` are made from the types, and say
//! what the types say now. `DYNACU_WRITE_SCHEMAS=1 cargo test -p dynacu-record --features schema` writes them anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dynacu_record::{EpisodeResult, Line, RunInfo};
use schemars::{Schema, schema_for};
use serde_json::Value;

/// The part of the page between these lines is generated.
const BEGIN: &str = "<!-- fields: generated -->";
const END: &str = "<!-- fields: end -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schemas() -> [(&'static str, &'static str, Schema); 3] {
    [
        ("run", "run.json", schema_for!(RunInfo)),
        ("episode", "episode.json", schema_for!(EpisodeResult)),
        ("event", "events.jsonl, one line", schema_for!(Line)),
    ]
}

/// Compares a file with what it should say, or writes it.
fn hold(path: &Path, wanted: &str) {
    if std::env::var_os("DYNACU_WRITE_SCHEMAS").is_some() {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} does not say what the types say: run DYNACU_WRITE_SCHEMAS=1 cargo test -p dynacu-record --features schema",
        path.display()
    );
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    for (name, _, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        hold(
            &root().join(format!("docs/schemas/{name}.schema.json")),
            &text,
        );
    }
}

#[test]
fn the_page_has_every_field_with_its_unit_and_meaning() {
    let mut tables = String::new();
    for (_, title, schema) in schemas() {
        let _ = writeln!(tables, "### `{title}`\n");
        let mut types = BTreeMap::new();
        let schema = schema.to_value();
        if let Some(defs) = schema["$defs"].as_object() {
            types.extend(defs.iter().map(|(name, def)| (name.clone(), def.clone())));
        }
        table(&mut tables, "", &schema);
        for (name, def) in &types {
            let _ = writeln!(tables, "#### {name}\n");
            if let Some(text) = def["description"].as_str() {
                let _ = writeln!(tables, "{}\n", one_line(text));
            }
            table(&mut tables, name, def);
        }
    }
    let path = root().join("docs/records.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the marks");
    let (_, after) = rest.split_once(END).expect("the page has the marks");
    hold(
        &path,
        &format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", tables.trim_end()),
    );
}

/// The fields of a struct, or the cases of an enum.
fn table(out: &mut String, name: &str, schema: &Value) {
    if let Some(cases) = schema["oneOf"].as_array() {
        for case in cases {
            let label = label(case);
            let text = case["description"]
                .as_str()
                .map(one_line)
                .unwrap_or_default();
            let _ = writeln!(out, "- `{label}`: {text}");
            fields(out, "  ", case);
        }
        out.push('\n');
    }
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<String> = names
            .iter()
            .map(|name| format!("`{}`", text(name)))
            .collect();
        let _ = writeln!(out, "One of {}.\n", names.join(", "));
    }
    if schema["properties"].is_object() {
        fields(out, "", schema);
        out.push('\n');
    }
    assert!(
        schema["oneOf"].is_array()
            || schema["enum"].is_array()
            || schema["properties"].is_object()
            || schema["type"].is_string()
            || schema["type"].is_array(),
        "{name} has a shape that this table does not know: {schema}"
    );
}

fn label(case: &Value) -> String {
    let tag = ["event", "kind"]
        .into_iter()
        .find_map(|tag| case["properties"][tag]["const"].as_str());
    let only = || case["properties"].as_object()?.keys().next().cloned();
    tag.map(str::to_owned)
        .or_else(|| case["const"].as_str().map(str::to_owned))
        .or_else(only)
        .unwrap_or_else(|| text(case))
}

fn fields(out: &mut String, indent: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (name, field) in properties {
        if field["const"].is_string() {
            continue;
        }
        let meaning = field["description"].as_str().map(one_line);
        let meaning = meaning.unwrap_or_default();
        let _ = writeln!(out, "{indent}- `{name}` ({}): {meaning}", kind(field));
    }
}

/// A type in words.
fn kind(field: &Value) -> String {
    if let Some(name) = field["$ref"].as_str() {
        return name.trim_start_matches("#/$defs/").to_owned();
    }
    if let Some(options) = field["anyOf"].as_array() {
        let options: Vec<String> = options.iter().map(kind).collect();
        return options.join(" or ");
    }
    if field["type"] == "array" {
        if field["items"].is_object() {
            return format!("list of {}", kind(&field["items"]));
        }
        return "list".to_owned();
    }
    match &field["type"] {
        Value::Array(types) => {
            let names: Vec<String> = types.iter().map(text).collect();
            names.join(" or ")
        }
        Value::String(name) => name.clone(),
        _ => "any".to_owned(),
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
