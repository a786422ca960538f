//! The body of a Messages request, beyond its structure.

use serde_json::Value;

use super::content;
use super::model::Model;
use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::{Checked, Problem};
use crate::schema;

pub(super) struct Context<'a> {
    pub betas: Vec<&'a str>,
    pub models: &'a [String],
    pub issued: &'a Issued,
}

pub(super) fn body(context: &Context<'_>, body: &Value) -> Checked<NeutralRequest> {
    let body = Node::root(body);
    let name = body.field("model").text();
    if !context.models.iter().any(|known| known == name) {
        return Err(Problem::Model(name.to_owned()));
    }
    let model = Model::of(name);
    // With 0 the prompt is read into the cache and nothing is said.
    let max_tokens = body.field("max_tokens").count(0)?;
    let mut seen = NeutralRequest {
        model: name.to_owned(),
        max_tokens: Some(max_tokens),
        ..NeutralRequest::default()
    };
    let system = body.field("system");
    if let Some(text) = system.value.as_str() {
        seen.add_text(text);
    }
    for block in system.items() {
        seen.add_text(block.field("text").filled_text()?);
    }
    for tool in body.field("tools").items() {
        match tool.field("type").text() {
            "" | "custom" => function(&tool, &mut seen)?,
            kind => native(context, model, kind, &tool, &mut seen)?,
        }
    }
    tool_choice(model, &body, &seen)?;
    settings(model, &body, max_tokens)?;
    let messages = body.field("messages");
    content::messages(context, model, &messages, &mut seen)?;
    let marks = cache_marks(&body);
    if marks > 4 {
        return Err(messages.wrong(format!(
            "at most 4 blocks may have cache_control, {marks} have"
        )));
    }
    Ok(seen)
}

/// How often `cache_control` stands in a block and those inside of it.
fn cache_marks(node: &Node<'_>) -> usize {
    let own = usize::from(node.given("cache_control").is_some());
    let lists = ["system", "tools", "messages", "content"].map(|name| node.field(name).items());
    own + lists.iter().flatten().map(cache_marks).sum::<usize>()
}

fn function(tool: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let name = tool.field("name");
    let text = schema::plain_name(&name)?;
    schema::distinct(&name, &text, &mut seen.tools)?;
    let strict = tool.field("strict").is_true();
    schema::arguments(&tool.field("input_schema"), strict, false)
}

fn native(
    context: &Context<'_>,
    model: Model<'_>,
    kind: &str,
    tool: &Node<'_>,
    seen: &mut NeutralRequest,
) -> Checked<()> {
    let at = tool.field("type");
    let beta = match kind {
        "computer_toolset_20260801" => None,
        "computer_20251124" => Some("computer-use-2025-11-24"),
        "computer_20250124" => Some("computer-use-2025-01-24"),
        other => return Err(at.wrong(format!("`{other}` is no tool that this server has"))),
    };
    if !model.takes_native(kind) {
        return Err(at.wrong(format!("`{}` does not take `{kind}`", seen.model)));
    }
    if let Some(beta) = beta
        && !context.betas.contains(&beta)
    {
        return Err(at.wrong(format!("`{kind}` needs the header anthropic-beta: {beta}")));
    }
    if seen.native.replace(kind.to_owned()).is_some() {
        return Err(at.wrong("a second computer tool"));
    }
    if beta.is_some() {
        tool.field("display_width_px").count(1)?;
        tool.field("display_height_px").count(1)?;
    }
    Ok(())
}

fn tool_choice(model: Model<'_>, body: &Node<'_>, seen: &NeutralRequest) -> Checked<()> {
    let Some(choice) = body.given("tool_choice") else {
        return Ok(());
    };
    if seen.tools.is_empty() && seen.native.is_none() {
        return Err(choice.wrong("may only be given together with tools"));
    }
    let kind = choice.field("type");
    if matches!(kind.text(), "any" | "tool") && !model.takes_forced_calls() {
        return Err(kind.wrong(format!(
            "`{}` does not take forced calls (`{}`)",
            seen.model,
            kind.text()
        )));
    }
    if kind.text() == "tool" {
        schema::declared(&choice.field("name"), &seen.tools)?;
    }
    Ok(())
}

fn settings(model: Model<'_>, body: &Node<'_>, max_tokens: u64) -> Checked<()> {
    for name in super::SAMPLING {
        if let Some(value) = body.given(name)
            && !model.takes_sampling()
        {
            return Err(value.wrong("sampling parameters are not taken by this model"));
        }
    }
    if let Some(thinking) = body.given("thinking") {
        let kind = thinking.field("type");
        if !model.takes_thinking(kind.text()) {
            return Err(kind.wrong(format!("`{}` is not supported by this model", kind.text())));
        }
        if kind.text() == "enabled" {
            let budget = thinking.field("budget_tokens");
            if budget.count(1_024)? >= max_tokens {
                return Err(budget.wrong("has to be below max_tokens"));
            }
        }
    }
    if let Some(format) = body.field("output_config").given("format") {
        schema::arguments(&format.field("schema"), true, false)?;
    }
    for sequence in body.field("stop_sequences").items() {
        sequence.filled_text()?;
    }
    Ok(())
}
