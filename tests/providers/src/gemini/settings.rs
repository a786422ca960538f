//! Everything beside the turns: tools, how they are called, generation, safety.

use super::Generation;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::Checked;
use crate::schema;

pub(super) fn check(
    generation: Generation,
    body: &Node<'_>,
    seen: &mut NeutralRequest,
) -> Checked<()> {
    for name in ["cachedContent", "continuationToken"] {
        if let Some(kept) = body.given(name) {
            return Err(kept.wrong("there is none of this name: this server keeps nothing"));
        }
    }
    for tool in body.field("tools").items() {
        for declaration in tool.field("functionDeclarations").items() {
            function(&declaration, seen)?;
        }
        if let Some(computer) = tool.given("computerUse") {
            computer_use(&computer, seen)?;
        }
    }
    calling(
        &body.field("toolConfig").field("functionCallingConfig"),
        seen,
    )?;
    generate(generation, &body.field("generationConfig"), seen)?;
    safety(&body.field("safetySettings"))
}

fn function(declaration: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let name = declaration.field("name");
    let text = name.text();
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    if !first || text.len() > 64 || !text.bytes().all(fits) {
        return Err(name.wrong("has to start with a letter or an underscore and be alphanumeric, _, ., : or -, 64 at most"));
    }
    schema::distinct(&name, text, &mut seen.tools)?;
    // The reference of the REST interface calls it required, the SDK does not.
    declaration.required("description")?;
    match (
        declaration.given("parameters"),
        declaration.given("parametersJsonSchema"),
    ) {
        (Some(_), Some(both)) => Err(both.wrong("is given beside parameters")),
        (Some(parameters), None) => schema::gemini(&parameters),
        (None, Some(parameters)) => schema::arguments(&parameters, false, false),
        (None, None) => Ok(()),
    }
}

fn computer_use(computer: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let takes = [
        "2.5-computer-use",
        "3-flash",
        "3.1-pro",
        "3.5-flash",
        "3.6-flash",
        "3.7-flash",
        "3.8-flash",
    ];
    if !takes.iter().any(|part| seen.model.contains(part)) {
        return Err(computer.wrong(format!("computer use is not enabled for {}", seen.model)));
    }
    seen.native = Some("computerUse".into());
    Ok(())
}

fn calling(config: &Node<'_>, seen: &NeutralRequest) -> Checked<()> {
    let forced = matches!(config.field("mode").text(), "ANY" | "VALIDATED");
    if forced && seen.tools.is_empty() && seen.native.is_none() {
        return Err(config.wrong("function calling is forced, and no function is declared"));
    }
    if let Some(names) = config.given("allowedFunctionNames") {
        if !forced {
            return Err(names.wrong("is only taken with the modes ANY and VALIDATED"));
        }
        for name in names.items() {
            schema::declared(&name, &seen.tools)?;
        }
    }
    Ok(())
}

fn generate(generation: Generation, config: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    seen.max_tokens = config
        .given("maxOutputTokens")
        .map(|most| most.count(1))
        .transpose()?;
    let newest = generation >= Generation(4);
    if let Some(count) = config.given("candidateCount")
        && count.count(1)? > 1
        && newest
    {
        return Err(count.wrong("more than one candidate is not supported by this model"));
    }
    for (name, most) in [("temperature", 2.0), ("topP", 1.0), ("topK", 1_000.0)] {
        config.field(name).between(0.0, most)?;
    }
    for name in ["presencePenalty", "frequencyPenalty"] {
        if let Some(value) = config.given(name)
            && newest
        {
            return Err(value.wrong("penalties are not supported by this model"));
        }
    }
    let kind = config.field("responseMimeType");
    if !["", "text/plain", "application/json", "text/x.enum"].contains(&kind.text()) {
        return Err(kind.wrong(format!("`{}` is no type of an answer", kind.text())));
    }
    thinking(generation, &config.field("thinkingConfig"))
}

fn thinking(generation: Generation, thinking: &Node<'_>) -> Checked<()> {
    let budget = thinking.given("thinkingBudget");
    if let Some(level) = thinking.given("thinkingLevel") {
        if budget.is_some() {
            return Err(level.wrong("is given beside thinkingBudget"));
        }
        if generation < Generation(3) {
            return Err(level.wrong("is not supported by this model, use thinkingBudget"));
        }
    }
    match budget {
        Some(budget) if generation >= Generation(4) => {
            Err(budget.wrong("is not supported by this model, use thinkingLevel"))
        }
        _ => Ok(()),
    }
}

fn safety(settings: &Node<'_>) -> Checked<()> {
    let mut seen = Vec::new();
    for setting in settings.items() {
        let category = setting.field("category");
        if seen.contains(&category.text()) {
            return Err(category.wrong("two settings for one category"));
        }
        seen.push(category.text());
    }
    Ok(())
}
