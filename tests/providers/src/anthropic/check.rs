//! The body of a Messages request.

use serde_json::Value;

use super::content;
use super::model::Model;
use crate::issued::Issued;
use crate::problem::{Checked, Problem};
use crate::schema;
use crate::seen::Seen;
use crate::shape::{Fields, Node};

pub struct Context<'a> {
    /// The version header allows sampling parameters.
    pub sampling: bool,
    pub betas: Vec<&'a str>,
    pub models: &'a [String],
    pub issued: &'a Issued,
}

pub fn body(context: &Context<'_>, body: &Value) -> Checked<Seen> {
    let fields = Node::root(body).object()?;
    let mut seen = Seen::default();
    let mut marks = 0;
    let name = fields.required("model")?.filled_text()?;
    if !context.models.iter().any(|known| known == name) {
        return Err(Problem::Model(name.to_owned()));
    }
    let model = Model::of(name);
    name.clone_into(&mut seen.model);
    let max_tokens = fields.required("max_tokens")?.count(1)?;
    seen.max_tokens = Some(max_tokens);
    let messages = fields.required("messages")?;
    if let Some(system) = fields.optional("system") {
        system_text(&system, &mut seen, &mut marks)?;
    }
    if let Some(tools) = fields.optional("tools") {
        for tool in tools.list()? {
            tool_declaration(context, model, &tool, &mut seen, &mut marks)?;
        }
    }
    tool_choice(model, &fields, &seen)?;
    settings(context, model, &fields, max_tokens)?;
    content::messages(context, model, &messages, &mut seen, &mut marks)?;
    marks += cache_mark(&fields)?;
    if marks > 4 {
        return Err(Problem::at(
            messages.at,
            format!("at most 4 blocks may have cache_control, {marks} have"),
        ));
    }
    fields.no_others()?;
    Ok(seen)
}

/// One `cache_control`, where there is one.
pub fn cache_mark(fields: &Fields<'_>) -> Checked<usize> {
    let Some(mark) = fields.optional("cache_control") else {
        return Ok(0);
    };
    let mark = mark.object()?;
    mark.required("type")?.one_of(&["ephemeral"])?;
    if let Some(ttl) = mark.optional("ttl") {
        ttl.one_of(&["5m", "1h"])?;
    }
    mark.no_others()?;
    Ok(1)
}

fn system_text(system: &Node<'_>, seen: &mut Seen, marks: &mut usize) -> Checked<()> {
    if let Value::String(text) = system.value {
        seen.add_text(text);
        return Ok(());
    }
    for block in system.list()? {
        let fields = block.object()?;
        fields.required("type")?.one_of(&["text"])?;
        seen.add_text(fields.required("text")?.filled_text()?);
        *marks += cache_mark(&fields)?;
        fields.no_others()?;
    }
    Ok(())
}

fn tool_declaration(
    context: &Context<'_>,
    model: Model<'_>,
    tool: &Node<'_>,
    seen: &mut Seen,
    marks: &mut usize,
) -> Checked<()> {
    let fields = tool.object()?;
    let kind = fields
        .optional("type")
        .map(|kind| kind.text())
        .transpose()?;
    match kind {
        None | Some("custom") => {
            let name = fields.required("name")?;
            let text = schema::plain_name(&name)?;
            schema::distinct(&name, &text, &mut seen.tools)?;
            if let Some(description) = fields.optional("description") {
                description.text()?;
            }
            let strict = fields
                .optional("strict")
                .map(|strict| strict.boolean())
                .transpose()?;
            schema::arguments(
                &fields.required("input_schema")?,
                strict == Some(true),
                false,
            )?;
        }
        Some(kind) => native(context, model, kind, &fields, seen)?,
    }
    *marks += cache_mark(&fields)?;
    fields.no_others()
}

const MEMBERS: [&str; 17] = [
    "left_click",
    "right_click",
    "middle_click",
    "double_click",
    "triple_click",
    "left_click_drag",
    "mouse_move",
    "left_mouse_down",
    "left_mouse_up",
    "scroll",
    "type",
    "key",
    "hold_key",
    "wait",
    "screenshot",
    "cursor_position",
    "zoom",
];

fn native(
    context: &Context<'_>,
    model: Model<'_>,
    kind: &str,
    fields: &Fields<'_>,
    seen: &mut Seen,
) -> Checked<()> {
    let beta = match kind {
        "computer_toolset_20260801" => None,
        "computer_20251124" => Some("computer-use-2025-11-24"),
        "computer_20250124" => Some("computer-use-2025-01-24"),
        other => return Err(fields.wrong("type", format!("`{other}` is no type of a tool"))),
    };
    if !model.takes_native(kind) {
        return Err(fields.wrong("type", format!("`{}` does not take `{kind}`", seen.model)));
    }
    if let Some(beta) = beta
        && !context.betas.contains(&beta)
    {
        return Err(fields.wrong(
            "type",
            format!("`{kind}` needs the header anthropic-beta: {beta}"),
        ));
    }
    if seen.native.replace(kind.to_owned()).is_some() {
        return Err(fields.wrong("type", "a second computer tool"));
    }
    if beta.is_none() {
        if let Some(configs) = fields.optional("configs") {
            for (name, value) in configs.value.as_object().into_iter().flatten() {
                if !MEMBERS.contains(&name.as_str()) {
                    return Err(Problem::unknown(configs.at.key(name)));
                }
                let at = configs.at.key(name);
                let member = Node { value, at }.object()?;
                member.required("enabled")?.boolean()?;
                member.no_others()?;
            }
            configs.object()?;
        }
        return Ok(());
    }
    fields.required("name")?.one_of(&["computer"])?;
    for side in ["display_width_px", "display_height_px"] {
        fields.required(side)?.count(1)?;
    }
    if let Some(number) = fields.optional("display_number") {
        number.count(0)?;
    }
    if kind == "computer_20251124"
        && let Some(zoom) = fields.optional("enable_zoom")
    {
        zoom.boolean()?;
    }
    Ok(())
}

fn tool_choice(model: Model<'_>, fields: &Fields<'_>, seen: &Seen) -> Checked<()> {
    let Some(choice) = fields.optional("tool_choice") else {
        return Ok(());
    };
    if seen.tools.is_empty() && seen.native.is_none() {
        return Err(choice.wrong("may only be given together with tools"));
    }
    let choice = choice.object()?;
    let kind = choice
        .required("type")?
        .one_of(&["auto", "any", "tool", "none"])?;
    if matches!(kind, "any" | "tool") && !model.takes_forced_calls() {
        return Err(choice.wrong(
            "type",
            format!("`{}` does not take forced calls (`{kind}`)", seen.model),
        ));
    }
    if kind == "tool" {
        let name = choice.required("name")?;
        if !seen
            .tools
            .iter()
            .any(|tool| Some(tool.as_str()) == name.value.as_str())
        {
            return Err(name.wrong("no tool has this name"));
        }
    }
    if kind != "none"
        && let Some(one) = choice.optional("disable_parallel_tool_use")
    {
        one.boolean()?;
    }
    choice.no_others()
}

fn settings(
    context: &Context<'_>,
    model: Model<'_>,
    fields: &Fields<'_>,
    max_tokens: u64,
) -> Checked<()> {
    for name in ["temperature", "top_p", "top_k"] {
        if let Some(value) = fields.optional(name) {
            value.number()?;
            if !context.sampling || !model.takes_sampling() {
                return Err(
                    value.wrong("sampling parameters are not taken by this version or model")
                );
            }
        }
    }
    if let Some(thinking) = fields.optional("thinking") {
        let thinking = thinking.object()?;
        let kind = thinking.required("type")?.one_of(&[
            "adaptive",
            "enabled",
            "disabled",
            "between_tools",
        ])?;
        if !model.takes_thinking(kind) {
            return Err(thinking.wrong("type", format!("`{kind}` is not supported by this model")));
        }
        if kind == "enabled" {
            let budget = thinking.required("budget_tokens")?;
            if budget.count(1_024)? >= max_tokens {
                return Err(budget.wrong("has to be below max_tokens"));
            }
        }
        if kind != "disabled"
            && let Some(display) = thinking.optional("display")
        {
            display.one_of(&["summarized", "omitted"])?;
        }
        thinking.no_others()?;
    }
    if let Some(config) = fields.optional("output_config") {
        let config = config.object()?;
        if let Some(effort) = config.optional("effort") {
            effort.one_of(&["low", "medium", "high", "xhigh", "max"])?;
        }
        if let Some(format) = config.optional("format") {
            let format = format.object()?;
            format.required("type")?.one_of(&["json_schema"])?;
            schema::arguments(&format.required("schema")?, true, false)?;
            format.no_others()?;
        }
        config.no_others()?;
    }
    if let Some(metadata) = fields.optional("metadata") {
        let metadata = metadata.object()?;
        if let Some(user) = metadata.optional("user_id") {
            user.text()?;
        }
        metadata.no_others()?;
    }
    if let Some(sequences) = fields.optional("stop_sequences") {
        for sequence in sequences.list()? {
            sequence.filled_text()?;
        }
    }
    if let Some(tier) = fields.optional("service_tier") {
        tier.one_of(&["auto", "standard_only"])?;
    }
    if let Some(stream) = fields.optional("stream")
        && stream.boolean()?
    {
        return Err(stream.wrong("this server does not stream"));
    }
    Ok(())
}
