//! Chat Completions as local servers have it: no SDK is theirs, so it is what of OpenAI's schema all of them know.

use serde_json::{Value, json};

/// What vLLM, llama.cpp's server, Ollama and LM Studio have in common.
const FIELDS: [&str; 12] = [
    "messages",
    "model",
    "max_tokens",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "stream",
    "temperature",
    "tool_choice",
    "tools",
    "top_p",
];
/// Members of definitions that some of them refuse.
const UNKNOWN: [(&str, &str); 6] = [
    ("ImageURL", "detail"),
    ("FunctionDefinition", "strict"),
    (
        "ChatCompletionContentPartTextParam",
        "prompt_cache_breakpoint",
    ),
    (
        "ChatCompletionContentPartImageParam",
        "prompt_cache_breakpoint",
    ),
    (
        "ChatCompletionContentPartInputAudioParam",
        "prompt_cache_breakpoint",
    ),
    ("ChatCompletionAssistantMessageParam", "audio"),
];
const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

/// Makes OpenAI's schema narrower; the arguments of a chat template are what local servers have besides.
pub(super) fn narrow(schema: &mut Value) {
    if let Some(fields) = schema["properties"].as_object_mut() {
        fields.retain(|name, _| FIELDS.contains(&name.as_str()));
        fields.insert("chat_template_kwargs".to_owned(), json!({"type": "object"}));
    }
    for (definition, member) in UNKNOWN {
        if let Some(members) = schema["$defs"][definition]["properties"].as_object_mut() {
            members.remove(member);
        }
    }
    let definitions = schema["$defs"].take();
    if let Some(messages) = schema["properties"]["messages"]["items"]["anyOf"].as_array_mut() {
        messages.retain(|message| {
            let name = message["$ref"]
                .as_str()
                .and_then(|path| path.rsplit('/').next());
            let role = &definitions[name.unwrap_or_default()]["properties"]["role"]["const"];
            ROLES.iter().any(|known| role == known)
        });
    }
    schema["$defs"] = definitions;
}
