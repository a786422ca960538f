//! The rules of `task.toml`, applied in the order of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use super::raw::{RawManifest, RawPage, RawScorer, json};
use super::{Field, Kind, Manifest, OWN_SCORER, Problem, SCHEMA, ScorerChoice};
use crate::task::template::{Template, ValuePath};
use crate::task::values::Values;

mod moments;
mod speech;

type Checked<T> = Result<T, Problem>;

pub(super) fn check(raw: RawManifest) -> Checked<Manifest> {
    if *raw.schema.get_ref() != SCHEMA {
        return Err(fault(
            &raw.schema,
            format!(
                "schema {} is not known: this host reads schema = {SCHEMA}",
                raw.schema.get_ref()
            ),
        ));
    }
    let category = identity(&raw)?;
    if raw.axes.get_ref().is_empty() {
        return Err(fault(
            &raw.axes,
            "name at least one axis: audio, visual-temporal, real-time",
        ));
    }
    for (limit, most) in [(&raw.time_limit, 3600), (&raw.step_limit, 1000)] {
        if !(1..=most).contains(limit.get_ref()) {
            return Err(fault(limit, format!("a limit from 1 to {most} is needed")));
        }
    }

    let mut fields = BTreeMap::new();
    let mut spans = BTreeMap::new();
    for (name, field) in raw.variant {
        let (at, name) = (name.span(), name.into_inner());
        if ValuePath::parse(&name).map_or(true, |path| path.segments.len() != 1) {
            return Err(Problem::new(
                at,
                format!("`{name}`: a name has letters, digits, _ and - only"),
            ));
        }
        let field = Field::new(field)
            .map_err(|why| Problem::new(at.clone(), format!("`{name}`: {why}")))?;
        spans.insert(name.clone(), at);
        fields.insert(name, field);
    }
    let order = order(&fields, &spans)?;
    let mut samples = Values::new(&fields);
    for name in &order {
        samples.insert(name, fields[name].sample());
    }
    for (name, field) in &fields {
        if let Kind::Text(template) = &field.kind {
            template
                .fill(|path| samples.text(path))
                .map_err(|why| Problem::new(spans[name].clone(), why))?;
        }
    }

    let rules = Rules {
        fields: &fields,
        samples: &samples,
    };
    let scorer = rules.scorer(raw.scorer)?;
    let answers = rules.answers(&scorer.settings, false);
    let instruction = rules.template(&raw.instruction)?;
    rules.keeps(
        &answers,
        instruction.values(),
        &raw.instruction.span(),
        "the instruction",
    )?;
    let speech = rules.speech(raw.speech)?;
    let moments = rules.moments(raw.moments)?;
    let (page_values, reveals) = rules.page(raw.page, &answers)?;
    Ok(Manifest {
        id: raw.id.into_inner(),
        slug: raw.slug.into_inner(),
        title: raw.title.into_inner(),
        category,
        tier: raw.tier.into_inner(),
        axes: raw.axes.into_inner(),
        needs: raw.needs,
        instruction,
        time_limit: Duration::from_secs(raw.time_limit.into_inner().into()),
        step_limit: raw.step_limit.into_inner(),
        separates: raw.separates,
        order,
        speech,
        moments,
        page_values,
        reveals,
        scorer,
        fields,
    })
}

fn fault<T>(place: &Spanned<T>, message: impl Into<String>) -> Problem {
    Problem::new(place.span(), message)
}

/// Lower case words joined by `-`.
fn kebab(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
    })
}

/// Id, category, tier and slug must agree, since folders, reports and filters are built from them.
fn identity(raw: &RawManifest) -> Checked<char> {
    let mut letters = raw.category.get_ref().chars();
    let category = match (letters.next(), letters.next()) {
        (Some(letter @ 'A'..='J'), None) => letter,
        _ => {
            return Err(fault(
                &raw.category,
                "the category is one letter from A to J",
            ));
        }
    };
    let head = format!("{category}-{}", raw.tier.get_ref().letter());
    let number = raw
        .id
        .get_ref()
        .strip_prefix(&head)
        .and_then(|rest| rest.parse::<u8>().ok());
    if !number.is_some_and(|number| {
        *raw.id.get_ref() == format!("{head}{number}") && (1..=10).contains(&number)
    }) {
        let message = format!(
            "the id of a task of category {category}, tier {}, is {head}1 to {head}10",
            raw.tier.get_ref().name()
        );
        return Err(fault(&raw.id, message));
    }
    if !kebab(raw.slug.get_ref()) {
        return Err(fault(&raw.slug, "a slug is lower-case words joined by -"));
    }
    if raw.title.get_ref().trim().is_empty() {
        return Err(fault(&raw.title, "give the task a title"));
    }
    Ok(category)
}

/// Every field after those it is made of or kept apart from.
fn order(
    fields: &BTreeMap<String, Field>,
    spans: &BTreeMap<String, Range<usize>>,
) -> Checked<Vec<String>> {
    let mut order: Vec<String> = Vec::new();
    let mut waiting: Vec<&String> = fields.keys().collect();
    while !waiting.is_empty() {
        let mut blocked = Vec::new();
        for name in waiting.iter().copied() {
            let needs = dependencies(&fields[name]);
            if let Some(unknown) = needs
                .iter()
                .find(|need| !fields.contains_key(need.as_str()))
            {
                return Err(Problem::new(
                    spans[name].clone(),
                    format!("`{name}` needs `{unknown}`, which [variant] does not have"),
                ));
            }
            if needs.iter().all(|need| order.contains(need)) {
                order.push(name.clone());
            } else {
                blocked.push(name);
            }
        }
        if blocked.len() == waiting.len() {
            let name = blocked[0];
            return Err(Problem::new(
                spans[name].clone(),
                format!("`{name}` depends on itself: break the cycle"),
            ));
        }
        waiting = blocked;
    }
    Ok(order)
}

fn dependencies(field: &Field) -> Vec<String> {
    let Kind::Text(template) = &field.kind else {
        return field.distinct_from.clone();
    };
    let values = template.values();
    values.map(|path| path.field().to_owned()).collect()
}

/// The rules that look up values; they try every placeholder on sample values.
struct Rules<'a> {
    fields: &'a BTreeMap<String, Field>,
    samples: &'a Values<'a>,
}

impl Rules<'_> {
    fn template(&self, text: &Spanned<String>) -> Checked<Template> {
        let template = Template::parse(text.get_ref()).map_err(|why| fault(text, why))?;
        template
            .fill(|path| self.samples.text(path))
            .map_err(|why| fault(text, why))?;
        Ok(template)
    }

    fn path(&self, text: &Spanned<String>) -> Checked<ValuePath> {
        let path = ValuePath::parse(text.get_ref()).map_err(|why| fault(text, why))?;
        if path.value() != path {
            return Err(fault(
                text,
                format!(
                    "`{path}`: name the value `{}` itself, not a form of it",
                    path.value()
                ),
            ));
        }
        self.samples.json(&path).map_err(|why| fault(text, why))?;
        Ok(path)
    }

    fn scorer(&self, raw: RawScorer) -> Checked<ScorerChoice> {
        let plugin = raw.plugin.get_ref();
        if plugin != OWN_SCORER && !kebab(plugin) {
            return Err(fault(
                &raw.plugin,
                "a scorer is a shared one by its name (typed-answer), or ./scorer: scorer.wasm in the task's folder",
            ));
        }
        let at = if raw.settings.span().is_empty() {
            raw.plugin.span()
        } else {
            raw.settings.span()
        };
        let settings = json(toml::Value::Table(raw.settings.into_inner()));
        self.samples
            .fill(&settings, true)
            .map_err(|why| Problem::new(at, why))?;
        Ok(ScorerChoice {
            plugin: raw.plugin.into_inner(),
            settings,
        })
    }

    /// What the scorer expects: the placeholders under every key `value` or `values` of its settings.
    fn answers(&self, settings: &serde_json::Value, inside: bool) -> BTreeSet<ValuePath> {
        match settings {
            serde_json::Value::Object(table) => table
                .iter()
                .flat_map(|(key, item)| {
                    self.answers(item, inside || key == "value" || key == "values")
                })
                .collect(),
            serde_json::Value::Array(items) => items
                .iter()
                .flat_map(|item| self.answers(item, inside))
                .collect(),
            serde_json::Value::String(text) if inside => Template::parse(text)
                .map(|template| self.leaves(template.values()))
                .unwrap_or_default(),
            _ => BTreeSet::new(),
        }
    }

    /// The drawn values behind placeholders: texts made of others are followed.
    fn leaves<'p>(&self, paths: impl Iterator<Item = &'p ValuePath>) -> BTreeSet<ValuePath> {
        paths
            .flat_map(|path| {
                let kind = self.fields.get(path.field()).map(|field| &field.kind);
                if let Some(Kind::Text(template)) = kind {
                    self.leaves(Box::new(template.values()) as Box<dyn Iterator<Item = _>>)
                } else {
                    BTreeSet::from([path.value()])
                }
            })
            .collect()
    }

    fn keeps<'p>(
        &self,
        secret: &BTreeSet<ValuePath>,
        shown: impl Iterator<Item = &'p ValuePath>,
        at: &Range<usize>,
        place: &str,
    ) -> Checked<()> {
        for path in self.leaves(shown) {
            if let Some(answer) = secret.iter().find(|answer| answer.overlaps(&path)) {
                return Err(Problem::new(
                    at.clone(),
                    format!("{place} would reveal the answer `{answer}`: remove it"),
                ));
            }
        }
        Ok(())
    }

    fn page(
        &self,
        raw: RawPage,
        answers: &BTreeSet<ValuePath>,
    ) -> Checked<(Vec<ValuePath>, BTreeMap<String, serde_json::Value>)> {
        let mut values = Vec::new();
        for text in &raw.values {
            let path = self.path(text)?;
            self.keeps(answers, std::iter::once(&path), &text.span(), "the page")?;
            values.push(path);
        }
        let lasting = self.leaves(values.iter());
        let mut reveals = BTreeMap::new();
        for (name, value) in raw.reveal {
            if !kebab(name.get_ref()) {
                return Err(fault(
                    &name,
                    "a reveal has a name of lower-case words joined by -",
                ));
            }
            let value = json(value);
            self.samples
                .fill(&value, false)
                .map_err(|why| fault(&name, why))?;
            let single = value.as_str().and_then(|text| Template::parse(text).ok());
            if let Some(path) = single
                .as_ref()
                .and_then(Template::single)
                .filter(|path| lasting.contains(path))
            {
                return Err(fault(
                    &name,
                    format!("`{path}` is revealed at its moment, so [page] values may not hold it"),
                ));
            }
            reveals.insert(name.into_inner(), value);
        }
        Ok((values, reveals))
    }
}
