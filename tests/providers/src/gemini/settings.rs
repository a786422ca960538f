//! Everything beside the turns: tools, how they are called, generation, safety.

use serde_json::Value;

use super::Generation;
use crate::problem::Checked;
use crate::schema;
use crate::seen::Seen;
use crate::shape::{Fields, Node};

pub fn tools(fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
    let Some(tools) = fields.optional("tools") else {
        return Ok(());
    };
    for tool in tools.list()? {
        let tool = tool.object()?;
        if let Some(declarations) = tool.optional("functionDeclarations") {
            for declaration in declarations.filled_list()? {
                function(&declaration, seen)?;
            }
        }
        if let Some(computer) = tool.optional("computerUse") {
            computer_use(&computer, seen)?;
        }
        tool.no_others()?;
    }
    Ok(())
}

fn function(declaration: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    let fields = declaration.object()?;
    let name = fields.required("name")?;
    let text = name.text()?;
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    if !first || text.len() > 64 || !text.bytes().all(fits) {
        return Err(name.wrong("has to start with a letter or an underscore and be alphanumeric, _, ., : or -, 64 at most"));
    }
    schema::distinct(&name, text, &mut seen.tools)?;
    fields.required("description")?.text()?;
    match (
        fields.optional("parameters"),
        fields.optional("parametersJsonSchema"),
    ) {
        (Some(_), Some(both)) => return Err(both.wrong("is given beside parameters")),
        (Some(parameters), None) => schema::gemini(&parameters)?,
        (None, Some(parameters)) => schema::arguments(&parameters, false, false)?,
        (None, None) => {}
    }
    fields.no_others()
}

fn computer_use(computer: &Node<'_>, seen: &mut Seen) -> Checked<()> {
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
    let fields = computer.object()?;
    fields.required("environment")?.one_of(&[
        "ENVIRONMENT_BROWSER",
        "ENVIRONMENT_MOBILE",
        "ENVIRONMENT_DESKTOP",
    ])?;
    for names in ["excludedPredefinedFunctions", "disabledSafetyPolicies"] {
        if let Some(names) = fields.optional(names) {
            for name in names.list()? {
                name.filled_text()?;
            }
        }
    }
    if let Some(detection) = fields.optional("enablePromptInjectionDetection") {
        detection.boolean()?;
    }
    seen.native = Some("computerUse".into());
    fields.no_others()
}

pub fn tool_config(fields: &Fields<'_>, seen: &Seen) -> Checked<()> {
    let Some(config) = fields.optional("toolConfig") else {
        return Ok(());
    };
    let config = config.object()?;
    if let Some(calling) = config.optional("functionCallingConfig") {
        let calling_fields = calling.object()?;
        let mode = match calling_fields.optional("mode") {
            Some(mode) => mode.one_of(&["AUTO", "ANY", "NONE", "VALIDATED"])?,
            None => "AUTO",
        };
        if matches!(mode, "ANY" | "VALIDATED") && seen.tools.is_empty() && seen.native.is_none() {
            return Err(calling.wrong("function calling is forced, and no function is declared"));
        }
        if let Some(names) = calling_fields.optional("allowedFunctionNames") {
            if !matches!(mode, "ANY" | "VALIDATED") {
                return Err(names.wrong("is only taken with the modes ANY and VALIDATED"));
            }
            for name in names.list()? {
                if !seen
                    .tools
                    .iter()
                    .any(|tool| Some(tool.as_str()) == name.value.as_str())
                {
                    return Err(name.wrong("no function has this name"));
                }
            }
        }
        calling_fields.no_others()?;
    }
    config.no_others()
}

pub fn generation(generation: Generation, fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
    let Some(config) = fields.optional("generationConfig") else {
        return Ok(());
    };
    let config = config.object()?;
    seen.max_tokens = config
        .optional("maxOutputTokens")
        .map(|most| most.count(1))
        .transpose()?;
    let newest = generation >= Generation(4);
    if let Some(count) = config.optional("candidateCount")
        && count.count(1)? > 1
        && newest
    {
        return Err(count.wrong("more than one candidate is not supported by this model"));
    }
    for (name, most) in [("temperature", 2.0), ("topP", 1.0), ("topK", 1_000.0)] {
        if let Some(value) = config.optional(name)
            && !(0.0..=most).contains(&value.number()?)
        {
            return Err(value.wrong(format!("is 0 to {most}")));
        }
    }
    for name in ["presencePenalty", "frequencyPenalty"] {
        if let Some(value) = config.optional(name)
            && newest
        {
            return Err(value.wrong("penalties are not supported by this model"));
        }
    }
    if let Some(thinking) = config.optional("thinkingConfig") {
        thinking_config(generation, &thinking)?;
    }
    if let Some(resolution) = config.optional("mediaResolution") {
        resolution.one_of(&[
            "MEDIA_RESOLUTION_LOW",
            "MEDIA_RESOLUTION_MEDIUM",
            "MEDIA_RESOLUTION_HIGH",
        ])?;
    }
    if let Some(kind) = config.optional("responseMimeType") {
        kind.one_of(&["text/plain", "application/json"])?;
    }
    config.ignore(&[
        "stopSequences",
        "seed",
        "responseSchema",
        "responseJsonSchema",
    ]);
    config.no_others()
}

fn thinking_config(generation: Generation, thinking: &Node<'_>) -> Checked<()> {
    let fields = thinking.object()?;
    let level = fields.optional("thinkingLevel");
    let budget = fields.optional("thinkingBudget");
    if let (Some(level), Some(_)) = (&level, &budget) {
        return Err(level.wrong("is given beside thinkingBudget"));
    }
    if let Some(level) = level {
        if generation < Generation(3) {
            return Err(level.wrong("is not supported by this model, use thinkingBudget"));
        }
        let level_name = level.text()?.to_ascii_uppercase();
        if !["MINIMAL", "LOW", "MEDIUM", "HIGH"].contains(&level_name.as_str()) {
            return Err(level.wrong(format!("`{level_name}` is no thinking level")));
        }
    }
    if let Some(budget) = budget {
        budget.number()?;
        if generation >= Generation(4) {
            return Err(budget.wrong("is not supported by this model, use thinkingLevel"));
        }
    }
    if let Some(include) = fields.optional("includeThoughts") {
        include.boolean()?;
    }
    fields.no_others()
}

pub fn safety(fields: &Fields<'_>) -> Checked<()> {
    let Some(settings) = fields.optional("safetySettings") else {
        return Ok(());
    };
    let mut seen: Vec<&Value> = Vec::new();
    for setting in settings.list()? {
        let setting = setting.object()?;
        let category = setting.required("category")?;
        category.one_of(&[
            "HARM_CATEGORY_HARASSMENT",
            "HARM_CATEGORY_HATE_SPEECH",
            "HARM_CATEGORY_SEXUALLY_EXPLICIT",
            "HARM_CATEGORY_DANGEROUS_CONTENT",
            "HARM_CATEGORY_CIVIC_INTEGRITY",
        ])?;
        if seen.contains(&category.value) {
            return Err(category.wrong("two settings for one category"));
        }
        seen.push(category.value);
        setting.required("threshold")?.one_of(&[
            "BLOCK_LOW_AND_ABOVE",
            "BLOCK_MEDIUM_AND_ABOVE",
            "BLOCK_ONLY_HIGH",
            "BLOCK_NONE",
            "OFF",
        ])?;
        setting.no_others()?;
    }
    Ok(())
}
