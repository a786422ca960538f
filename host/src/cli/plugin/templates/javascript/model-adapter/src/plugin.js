// A model adapter: translates one neutral request into one HTTP call, and the reply back.
//
// It speaks Chat Completions, as vLLM, llama.cpp and Ollama do. The host adds credentials, enforces deadlines and retries;
// the case of an adapter's error tells the host what to do. Values follow the interfaces in vendor/wit: records
// are objects in camelCase, variants are { tag, val }, an absent option is null. A function's error is thrown: by an import
// as an Error with the value in `payload`, by an export as the value itself.

import blobs from "dynacu:host/blobs@0.2.0";
import http from "dynacu:host/http@0.2.0";

// A placeholder: `--endpoint {{name}}.invalid=http://127.0.0.1:8000` says where the server is. The same name
// is in plugin.toml; put your provider's host into both.
const URL = "https://{{name}}.invalid/v1/chat/completions";

function describe() {
  return { provider: "{{name}}", models: [] };
}

function capabilitiesOf(_model, _settings) {
  return { images: true, maxImages: null, audio: false, tools: true, coordinateGrid: null };
}

function complete(model, _settings, request) {
  const reply = send(body(model, request));
  let answer;
  try {
    answer = JSON.parse(decode(reply.body));
  } catch {
    throw { tag: "protocol", val: "the answer is no JSON" };
  }
  const choice = answer.choices?.[0];
  if (typeof choice?.message !== "object") {
    throw { tag: "protocol", val: "the answer holds no message" };
  }
  const parts = [];
  if (choice.message.content) {
    parts.push({ tag: "text", val: choice.message.content });
  }
  for (const { id, function: called } of choice.message.tool_calls ?? []) {
    // Passed on as the model wrote it: policies read calls with one common tolerance.
    parts.push({ tag: "tool-call", val: { id, name: called.name, arguments: called.arguments ?? "{}" } });
  }
  const called = parts.some((part) => part.tag === "tool-call");
  const usage = answer.usage && {
    inputTokens: answer.usage.prompt_tokens ?? 0,
    outputTokens: answer.usage.completion_tokens ?? 0,
    cachedInputTokens: null,
    reasoningTokens: null,
  };
  const reasons = { length: "max-tokens", content_filter: "refusal" };
  return {
    parts,
    stopReason: reasons[choice.finish_reason] ?? (called ? "tool-call" : "end-turn"),
    usage: usage ?? null,
    model: answer.model ?? model,
  };
}

/// A blob's base64 after some text. The host inserts it, so that pictures stay out of this guest's memory.
class Base64 {
  constructor(before, blob) {
    this.before = before;
    this.blob = blob;
  }
}

/// JSON as pieces: texts, and a Base64 for each blob.
function spliced(value) {
  if (value instanceof Base64) {
    return [JSON.stringify(value.before).slice(0, -1), value, '"'];
  }
  if (Array.isArray(value)) {
    return ["[", ...value.flatMap((inner, index) => [index ? "," : "", ...spliced(inner)]), "]"];
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
    const pieces = members.flatMap(([key, inner], index) => [
      `${index ? "," : ""}${JSON.stringify(key)}:`,
      ...spliced(inner),
    ]);
    return ["{", ...pieces, "}"];
  }
  return [JSON.stringify(value)];
}

function body(model, request) {
  const tools = request.tools.map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: JSON.parse(tool.inputSchema) },
  }));
  const value = {
    model,
    max_tokens: request.maxOutputTokens ?? 4096,
    messages: request.messages.map(message),
    tools: tools.length > 0 ? tools : undefined,
  };
  const parts = [];
  let text = "";
  for (const piece of spliced(value)) {
    if (piece instanceof Base64) {
      parts.push({ tag: "bytes", val: encode(text) }, { tag: "base64", val: piece.blob });
      text = "";
    } else {
      text += piece;
    }
  }
  return [...parts, { tag: "bytes", val: encode(text) }];
}

function message({ role, parts }) {
  const content = [];
  const calls = [];
  for (const { tag, val } of parts) {
    if (tag === "text") {
      content.push({ type: "text", text: val });
    } else if (tag === "image") {
      const { mediaType } = blobs.stat(val);
      content.push({ type: "image_url", image_url: { url: new Base64(`data:${mediaType};base64,`, val) } });
    } else if (tag === "tool-call") {
      calls.push({ id: val.id, type: "function", function: { name: val.name, arguments: val.arguments } });
    } else if (tag === "tool-result") {
      const lines = val.output.filter((output) => output.tag === "text").map((output) => output.val);
      return { role: "tool", tool_call_id: val.id, content: lines.join("\n") };
    } else {
      throw { tag: "invalid-request", val: "this adapter takes text, pictures and tool calls" };
    }
  }
  if (role === "user") {
    return { role, content };
  }
  const text = content.filter((part) => part.type === "text").map((part) => part.text);
  return { role, content: text.join("\n"), tool_calls: calls.length > 0 ? calls : undefined };
}

function send(parts) {
  let reply;
  try {
    reply = http.send({
      method: "post",
      url: URL,
      headers: [["content-type", "application/json"]],
      body: parts,
      timeout: null,
    });
  } catch (error) {
    const failure = error.payload;
    switch (failure?.tag) {
      case undefined:
        throw error; // no error of `send`
      case "timeout":
        throw { tag: "timeout" };
      case "connect":
        throw { tag: "overloaded", val: null };
      case "denied":
        throw { tag: "invalid-request", val: failure.val };
      case "response-too-large":
        throw { tag: "protocol", val: `an answer of ${failure.val} bytes` };
      default:
        throw { tag: "other", val: String(failure.val) };
    }
  }
  if (reply.status === 200) {
    return reply;
  }
  const said = decode(reply.body).slice(0, 300);
  switch (reply.status) {
    case 401:
    case 403:
      throw { tag: "authentication", val: said };
    case 402:
      throw { tag: "quota-exceeded", val: said };
    case 429: {
      const wait = reply.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1];
      throw { tag: "rate-limited", val: /^\d+$/.test(wait ?? "") ? { milliseconds: Number(wait) * 1000 } : null };
    }
    default:
      throw reply.status >= 500
        ? { tag: "overloaded", val: null }
        : { tag: "invalid-request", val: `HTTP ${reply.status}: ${said}` };
  }
}

// QuickJS has no TextEncoder and no TextDecoder.
function encode(text) {
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes = escaped.match(/%..|[^%]/g) ?? [];
  return Uint8Array.from(bytes, (byte) => (byte.length === 3 ? parseInt(byte.slice(1), 16) : byte.charCodeAt(0)));
}

function decode(bytes) {
  let escaped = "";
  for (const byte of bytes) {
    escaped += `%${byte.toString(16).padStart(2, "0")}`;
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return "(not UTF-8)";
  }
}

export const adapter = { describe, capabilitiesOf, complete };
