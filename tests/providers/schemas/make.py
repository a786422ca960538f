#!/usr/bin/env python3
"""Makes the schemas in this folder from the providers' own Python SDKs: `python3 make.py`, and `git diff` shows what a new
version changed. README.md says what is taken over and what is left out."""

import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = {
    "anthropic": ("2.14.0", "Apache-2.0"),
    "openai": ("3.57.0", "Apache-2.0"),
    "google-genai": ("3.6.1", "Apache-2.0"),
}

# What the stand-ins do not serve, by the names of the types. Whatever else the SDK has stays.
LEFT_OUT = re.compile(
    r"Web(Search|Fetch)|UrlContext|CodeExecution|CodeInterpreter|ExecutableCode|Shell|Bash|TextEditor|ApplyPatch|Memory|Mcp|MCP"
    r"|Browser|Container|ToolSearch|ToolReference|FileSearch|SearchResult|Retriev|GoogleSearch|GoogleMaps|Grounding|Advisor"
    r"|Document|PDF|ServerTool|Compaction|Citation|ImageGen|Program|AdditionalTools|ConfigurationUpdate|Moderation|Thread"
    r"|Fallback|BillingPolicy|ToolChange|ToolAddition|ToolRemoval|^(Beta)?ToolCall$|^ToolResponse$|Transcription|ItemReference"
)


def install():
    """Installs the SDKs into a folder that goes away, and lets them be imported."""
    folder = tempfile.TemporaryDirectory()
    names = [f"{name}=={version}" for name, (version, _) in PACKAGES.items()]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--root-user-action=ignore", "--no-warn-conflicts", "--target", folder.name, *names], check=True)
    sys.path.insert(0, folder.name)
    return folder


def schema_of(kind, request):
    """JSON Schema of a type, closed: neither a request nor a reply has fields that its type has not."""
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Closed(GenerateJsonSchema):
        def typed_dict_schema(self, schema):
            made = super().typed_dict_schema(schema)
            return {"additionalProperties": False, **made}

        def model_schema(self, schema):
            made = super().model_schema(schema)
            # A request may hold the SDK's own reply objects instead of dictionaries: the same on the wire, but open.
            return {**made, "additionalProperties": False, "x-model": True}

        def emit_warning(self, kind, detail):
            pass

    made = TypeAdapter(kind).json_schema(schema_generator=Closed, mode="validation")
    definitions = made.pop("$defs", {})
    gone = {name for name in definitions if LEFT_OUT.search(name)}
    if request:
        gone |= {name for name, schema in definitions.items() if schema.get("x-model")}
    return tidy(made, gone), {name: tidy(schema, gone) for name, schema in definitions.items() if name not in gone}


def refers(schema, gone):
    """Whether nothing but types that are left out fits."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1] in gone
    if "anyOf" in schema:
        rest = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
        return bool(rest) and all(refers(choice, gone) for choice in rest)
    return "items" in schema and refers(schema["items"], gone)


def tidy(schema, gone):
    """Without prose, without what is left out; file paths in place of base64 exist in Python only."""
    if not isinstance(schema, dict):
        return schema
    made = {}
    for key, value in schema.items():
        if key in ("title", "description", "default", "examples", "format", "x-model", "deprecated"):
            continue
        if key in ("properties", "$defs"):
            made[key] = {name: tidy(inner, gone) for name, inner in value.items() if not refers(inner, gone)}
        elif key == "anyOf":
            made[key] = []
            for choice in (tidy(c, gone) for c in value if not refers(c, gone) and c.get("format") != "path"):
                if choice not in made[key]:
                    made[key].append(choice)
        else:
            made[key] = tidy(value, gone)
    if "required" in made:
        made["required"] = sorted(name for name in made["required"] if name in made.get("properties", {}))
    if len(made.get("anyOf", [])) == 1:
        made |= made.pop("anyOf")[0]
    return made


def reachable(root, definitions):
    """The definitions to which a schema leads."""
    found = {}
    waiting = [root]
    while waiting:
        text = json.dumps(waiting.pop())
        for name in re.findall(r'"\$ref": "#/\$defs/([^"]+)"', text):
            if name not in found:
                found[name] = definitions[name]
                waiting.append(definitions[name])
    return dict(sorted(found.items()))


def write(path, package, source, root, definitions):
    """One line for each member and each definition, so that a diff can be read."""
    version, licence = PACKAGES[package]
    line = lambda value: json.dumps(value, ensure_ascii=False)
    members = [
        ("$schema", line("https://json-schema.org/draft/2020-12/schema")),
        ("$comment", line(f"{source} of {package} {version} ({licence}), made by make.py; see README.md")),
    ]
    for name, value in root.items():
        if name == "properties":
            members.append((name, "{\n" + ",\n".join(f"{line(k)}: {line(v)}" for k, v in value.items()) + "\n}"))
        else:
            members.append((name, line(value)))
    definitions = reachable(root, definitions)
    if definitions:
        members.append(("$defs", "{\n" + ",\n".join(f"{line(k)}: {line(v)}" for k, v in definitions.items()) + "\n}"))
    text = "{\n" + ",\n".join(f"{line(k)}: {v}" for k, v in members) + "\n}\n"
    json.loads(text)
    target = HERE / path
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    print(f"{path}: {len(text)} bytes, {len(definitions)} definitions")


def headers_of(kind):
    """Members of a request's type that travel as headers."""
    from typing import get_type_hints

    for name, hint in get_type_hints(kind, include_extras=True).items():
        for part in (hint, *getattr(hint, "__args__", ())):
            aliases = [getattr(mark, "alias", None) for mark in getattr(part, "__metadata__", ())]
            if any(alias and alias.startswith("anthropic-") for alias in aliases):
                yield name


def typed(path, package, kind, request):
    """A type of an SDK whose types are those of the wire."""
    root, definitions = schema_of(kind, request)
    if "$ref" in root:
        root = definitions[root["$ref"].rsplit("/", 1)[1]]
    if request:
        for name in headers_of(kind):
            root["properties"].pop(name, None)
    write(path, package, f"{kind.__module__}.{kind.__name__}", root, definitions)


def anthropic_and_openai():
    import anthropic.types as claude
    import openai.types as openai
    from anthropic.types import message_create_params as messages, shared
    from anthropic.types.beta import message_create_params as beta
    from openai.types.chat import ChatCompletion, completion_create_params as chat
    from openai.types.responses import Response, response_create_params as responses

    typed("anthropic/request.json", "anthropic", messages.MessageCreateParamsNonStreaming, True)
    typed("anthropic/beta-request.json", "anthropic", beta.MessageCreateParamsNonStreaming, True)
    typed("anthropic/reply.json", "anthropic", claude.Message, False)
    typed("anthropic/error.json", "anthropic", claude.ErrorResponse, False)
    typed("anthropic/error-details.json", "anthropic", shared.EnforcedSpendLimitReachedErrorDetails, False)
    typed("anthropic/model.json", "anthropic", claude.ModelInfo, False)
    typed("openai/chat-request.json", "openai", chat.CompletionCreateParamsNonStreaming, True)
    typed("openai/chat-reply.json", "openai", ChatCompletion, False)
    typed("openai/responses-request.json", "openai", responses.ResponseCreateParamsNonStreaming, True)
    typed("openai/responses-reply.json", "openai", Response, False)
    typed("openai/error.json", "openai", openai.ErrorObject, False)
    typed("openai/model.json", "openai", openai.Model, False)


def conversions(module, direction):
    """What the SDK's conversions between its types and the wire send: for each type, wire names with the member they are made
    from, whether they stand in the object around it, and the type that is converted in turn."""
    found = {}
    for function in ast.parse(Path(module.__file__).read_text()).body:
        named = isinstance(function, ast.FunctionDef) and re.fullmatch(rf"_(\w+)_{direction}_mldev", function.name)
        if not named:
            continue
        sent = found.setdefault(named[1], {})
        for call in ast.walk(function):
            if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "setv"):
                continue
            names = [ast.literal_eval(n.args[1])[-1] for n in ast.walk(call.args[2]) if getattr(getattr(n, "func", None), "id", "") == "getv"]
            inner = re.findall(rf"_(\w+)_{direction}_mldev\(", ast.unparse(call.args[2]))
            outside = call.args[0].id == "parent_object"
            sent[ast.literal_eval(call.args[1])[-1]] = (names[0], outside, inner[0] if inner else None)
    return found


def google():
    """google-genai has types of its own, which its conversions turn into those of the wire. The members that these do not
    send, or of which its documentation says that the Gemini API has them not, are left out; those that it calls required
    are."""
    from google.genai import models, types

    sent = conversions(models, "to")
    definitions = {}

    def taken(kind, name=None):
        root, more = schema_of(kind, False)
        for other, schema in {**more, **({name: root} if name else {})}.items():
            definitions.setdefault(other, schema)
        return {"$ref": f"#/$defs/{name}"} if name else root

    # Tools, safety settings and the rest stand beside the configuration, which has them all in the SDK.
    wire = taken(types.GenerationConfig, "GenerationConfig")
    known = definitions["GenerationConfig"]["properties"]
    body = {"contents": {"items": taken(types.Content, "Content"), "type": "array"}, "generationConfig": wire}
    inside = {}
    for name, (source, outside, inner) in sent["GenerateContentConfig"].items():
        if outside and inner:
            member = taken(getattr(types, inner), inner)
            body[name] = {"items": member, "type": "array"} if name in ("tools", "safetySettings") else member
        elif outside:
            body[name] = taken(types.GenerateContentConfig.model_fields[source].annotation)
        elif name in known:
            inside[name] = known[name]
    definitions["GenerationConfig"]["properties"] = inside
    on_the_wire(types, definitions, {name: set(members) for name, members in sent.items()})
    body = {"type": "object", "additionalProperties": False, "properties": dict(sorted(body.items())), "required": ["contents"]}
    write("gemini/request.json", "google-genai", "google.genai.types.GenerateContentConfig and its conversion", body, definitions)

    received = conversions(models, "from")
    root, definitions = schema_of(types.GenerateContentResponse, False)
    definitions["GenerateContentResponse"] = root
    read = {name: {source for source, _, _ in members.values()} for name, members in received.items()}
    read["GenerateContentResponse"].discard("sdkHttpResponse")
    on_the_wire(types, definitions, read)
    root = definitions.pop("GenerateContentResponse")
    write("gemini/reply.json", "google-genai", "google.genai.types.GenerateContentResponse", root, definitions)


def on_the_wire(types, definitions, converted):
    for name, schema in definitions.items():
        members = schema.get("properties", {})
        for key, field in getattr(getattr(types, name, None), "model_fields", {}).items():
            alias, words = field.alias or key, field.description or ""
            if alias not in members:
                continue
            if "not supported in Gemini API" in words or alias not in converted.get(name, {alias}):
                del members[alias]
            elif words.startswith("Required."):
                members[alias] = next(c for c in members[alias].get("anyOf", [members[alias]]) if c != {"type": "null"})
                schema["required"] = sorted([*schema.get("required", []), alias])


if __name__ == "__main__":
    with install():
        anthropic_and_openai()
        google()
