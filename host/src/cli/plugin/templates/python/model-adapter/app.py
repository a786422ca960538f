"""A model adapter: translates one neutral request into one HTTP call, and the reply back.

It speaks Chat Completions, as vLLM, llama.cpp and Ollama do. The host adds credentials, enforces deadlines and retries;
the case of an adapter's error tells the host what to do. The interfaces are in vendor/wit.
"""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import adapter
from wit_world.imports import blobs, dynacu_model_types as types, http
from wit_world.imports.dynacu_host_types import Duration

# A placeholder: `--endpoint {{name}}.invalid=http://127.0.0.1:8000` says where the server is. The same name
# is in plugin.toml; put your provider's host into both.
URL = "https://{{name}}.invalid/v1/chat/completions"


class Adapter(exports.Adapter):
    def describe(self) -> adapter.Descriptor:
        return adapter.Descriptor(provider="{{name}}", models=[])

    def capabilities_of(self, model: str, settings: str) -> types.Capabilities:
        return types.Capabilities(
            images=True, max_images=None, audio=False, tools=True, coordinate_grid=None
        )

    def complete(self, model: str, settings: str, request: types.Request) -> types.Response:
        reply = send(body(model, request))
        try:
            answer = json.loads(reply.body)
            choice = answer["choices"][0]
            message = choice["message"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise Err(types.ModelError_Protocol("the answer holds no message"))
        parts = []
        if message.get("content"):
            parts.append(types.Part_Text(message["content"]))
        for call in message.get("tool_calls") or []:
            function = call["function"]
            # Passed on as the model wrote it: policies read calls with one common tolerance.
            arguments = function.get("arguments") or "{}"
            parts.append(types.Part_ToolCall(types.ToolCall(call["id"], function["name"], arguments)))
        return types.Response(
            parts=parts,
            stop_reason=stop_reason(choice.get("finish_reason"), parts),
            usage=usage(answer.get("usage")),
            model=answer.get("model") or model,
        )


class Base64(str):
    """The base64 of a blob after `before`. The host inserts it, so that pictures stay out of this guest's memory."""

    def __new__(cls, before: str, blob: str):
        made = super().__new__(cls, before)
        made.blob = blob
        return made


def spliced(value) -> list:
    """JSON as parts of a body: texts, and a part of its own for each blob."""
    if isinstance(value, Base64):
        return [json.dumps(str(value))[:-1], value, '"']
    if isinstance(value, dict):
        pieces = ["{"]
        for index, (key, inner) in enumerate(value.items()):
            pieces += [("," if index else "") + json.dumps(key) + ":", *spliced(inner)]
        return [*pieces, "}"]
    if isinstance(value, list):
        pieces = ["["]
        for index, inner in enumerate(value):
            pieces += ["," if index else "", *spliced(inner)]
        return [*pieces, "]"]
    return [json.dumps(value)]


def body(model: str, request: types.Request) -> list:
    value = {
        "model": model,
        "max_tokens": request.max_output_tokens or 4096,
        "messages": [message(said) for said in request.messages],
    }
    if request.tools:
        value["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": json.loads(tool.input_schema),
                },
            }
            for tool in request.tools
        ]
    parts, text = [], ""
    for piece in spliced(value):
        if isinstance(piece, Base64):
            parts += [http.BodyPart_Bytes(text.encode()), http.BodyPart_Base64(piece.blob)]
            text = ""
        else:
            text += piece
    return [*parts, http.BodyPart_Bytes(text.encode())]


def message(said: types.Message) -> dict:
    content, calls = [], []
    for part in said.parts:
        if isinstance(part, types.Part_Text):
            content.append({"type": "text", "text": part.value})
        elif isinstance(part, types.Part_Image):
            kind = blobs.stat(part.value).media_type
            url = Base64(f"data:{kind};base64,", part.value)
            content.append({"type": "image_url", "image_url": {"url": url}})
        elif isinstance(part, types.Part_ToolCall):
            call = part.value
            function = {"name": call.name, "arguments": call.arguments}
            calls.append({"id": call.id, "type": "function", "function": function})
        elif isinstance(part, types.Part_ToolResult):
            lines = [out.value for out in part.value.output if isinstance(out, types.ToolOutput_Text)]
            return {"role": "tool", "tool_call_id": part.value.id, "content": "\n".join(lines)}
        else:
            raise Err(types.ModelError_InvalidRequest("this adapter takes text, pictures and tool calls"))
    role = said.role.name.lower()
    if role != "user":
        text = "\n".join(part["text"] for part in content if part["type"] == "text")
        value = {"role": role, "content": text}
        return {**value, "tool_calls": calls} if calls else value
    return {"role": role, "content": content}


def send(parts: list) -> http.Response:
    request = http.Request(
        method=http.Method.POST,
        url=URL,
        headers=[("content-type", "application/json")],
        body=parts,
        timeout=None,
    )
    try:
        reply = http.send(request)
    except Err as error:
        case = error.value
        if isinstance(case, http.HttpError_Denied):
            raise Err(types.ModelError_InvalidRequest(case.value))
        if isinstance(case, http.HttpError_Timeout):
            raise Err(types.ModelError_Timeout())
        if isinstance(case, http.HttpError_Connect):
            raise Err(types.ModelError_Overloaded(None))
        raise Err(types.ModelError_Other(str(case)))
    if reply.status == 200:
        return reply
    said = reply.body[:300].decode(errors="replace")
    if reply.status in (401, 403):
        raise Err(types.ModelError_Authentication(said))
    if reply.status == 402:
        raise Err(types.ModelError_QuotaExceeded(said))
    if reply.status == 429:
        waits = [value for name, value in reply.headers if name.lower() == "retry-after"]
        wait = Duration(int(waits[0]) * 1000) if waits and waits[0].isdigit() else None
        raise Err(types.ModelError_RateLimited(wait))
    if reply.status >= 500:
        raise Err(types.ModelError_Overloaded(None))
    raise Err(types.ModelError_InvalidRequest(f"HTTP {reply.status}: {said}"))


def stop_reason(finish: str | None, parts: list) -> types.StopReason:
    if finish == "length":
        return types.StopReason.MAX_TOKENS
    if finish == "content_filter":
        return types.StopReason.REFUSAL
    if any(isinstance(part, types.Part_ToolCall) for part in parts):
        return types.StopReason.TOOL_CALL
    return types.StopReason.END_TURN


def usage(counts: dict | None) -> types.Usage | None:
    if not counts:
        return None
    return types.Usage(
        input_tokens=counts.get("prompt_tokens", 0),
        output_tokens=counts.get("completion_tokens", 0),
        cached_input_tokens=None,
        reasoning_tokens=None,
    )
