//! The adapters with the servers that stand where their providers would.

use dynacu_providers::Provider;

/// How one adapter is run.
pub(crate) struct Adapter {
    /// In tables.
    pub name: &'static str,
    /// The built file, without `.wasm`.
    pub plugin: &'static str,
    pub model: &'static str,
    /// The provider's own computer tool instead of the host's functions.
    pub native: bool,
    /// None for the adapter that asks nobody.
    pub server: Option<Stand>,
}

/// What stands where the provider would.
pub(crate) struct Stand {
    pub provider: Provider,
    /// The host that the adapter's manifest names.
    pub host: &'static str,
    /// The variable that holds its key.
    pub key: &'static str,
}

pub(crate) const CLAUDE: Adapter = Adapter {
    name: "claude",
    plugin: "claude",
    model: "claude-opus-5-5",
    native: false,
    server: Some(Stand {
        provider: Provider::Anthropic,
        host: "api.anthropic.com",
        key: "ANTHROPIC_API_KEY",
    }),
};

pub(crate) const OPENAI_CHAT: Adapter = Adapter {
    name: "openai (chat)",
    plugin: "openai",
    model: "gpt-4o",
    native: false,
    server: Some(Stand {
        provider: Provider::OpenAiChat,
        host: "api.openai.com",
        key: "OPENAI_API_KEY",
    }),
};

pub(crate) const OPENAI_RESPONSES: Adapter = Adapter {
    name: "openai (responses)",
    plugin: "openai",
    model: "gpt-6-sol",
    native: false,
    server: Some(Stand {
        provider: Provider::OpenAiResponses,
        host: "api.openai.com",
        key: "OPENAI_API_KEY",
    }),
};

pub(crate) const GEMINI: Adapter = Adapter {
    name: "gemini",
    plugin: "gemini",
    model: "gemini-3.8-flash",
    native: false,
    server: Some(Stand {
        provider: Provider::Gemini,
        host: "generativelanguage.googleapis.com",
        key: "GEMINI_API_KEY",
    }),
};

pub(crate) const LOCAL: Adapter = Adapter {
    name: "openai-compatible",
    plugin: "openai-compatible",
    model: "a-model-of-ones-own",
    native: false,
    server: Some(Stand {
        provider: Provider::OpenAiCompatible,
        host: "openai-compatible.invalid",
        key: "OPENAI_COMPATIBLE_API_KEY",
    }),
};

pub(crate) const SCRIPTED: Adapter = Adapter {
    name: "scripted",
    plugin: "scripted",
    model: "script",
    native: false,
    server: None,
};

pub(crate) const CLAUDE_NATIVE: Adapter = Adapter {
    name: "claude, native",
    native: true,
    ..CLAUDE
};

pub(crate) const OPENAI_NATIVE: Adapter = Adapter {
    name: "openai, native",
    native: true,
    ..OPENAI_RESPONSES
};

pub(crate) const GEMINI_NATIVE: Adapter = Adapter {
    name: "gemini, native",
    native: true,
    ..GEMINI
};

pub(crate) const ALL: [&Adapter; 9] = [
    &CLAUDE,
    &OPENAI_CHAT,
    &OPENAI_RESPONSES,
    &GEMINI,
    &LOCAL,
    &SCRIPTED,
    &CLAUDE_NATIVE,
    &OPENAI_NATIVE,
    &GEMINI_NATIVE,
];
