"""What a reply must look like, and what came of it: strict JSON schemas out, one JSON object or a named fault back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from proactmem.errors import ConfigError
from proactmem.llm.backbone import ReplySchema

__all__ = [
    "MAX_DEPTH",
    "MAX_REPLY_CHARACTERS",
    "FaultKind",
    "ReplyFault",
    "parse_json_reply",
    "reply_schema",
    "strict_schema",
    "without_surrogates",
]

MAX_REPLY_CHARACTERS = 200_000
"""A longer reply is not parsed (ours): the largest allowed answer is far below it."""
MAX_DEPTH = 64
"""Deepest nesting of a reply that is read (ours)."""

FaultKind = Literal["empty", "not_json", "too_long"]
"""Why a reply holds no JSON object; names as in the abstain reasons."""

_KEPT = ("type", "enum", "const", "description", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_KEPT_LISTS = ("minItems", "maxItems")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BRACES = re.compile(r'[{}\[\]"]')
_STRING_END = re.compile(r'["\\]')


@dataclass(frozen=True)
class ReplyFault:
    """A reply that holds no JSON object, and why."""

    kind: FaultKind
    detail: str
    """For a person; quotes nothing of the reply, which may repeat private events."""


def strict_schema(model: type[BaseModel]) -> dict[str, object]:
    """The JSON schema of a pydantic model in the subset that strict structured output accepts.

    Objects are closed and all their fields required, definitions are inlined, defaults, titles and length limits left
    out (the service refuses them; the model class still checks them). Class docstrings stay out too: they are for
    readers of the code, and would make every edit of one another request.

    Raises:
        ConfigError: The model cannot be said in that subset: recursive, an open map, a fixed-length tuple or `Any`.

    >>> from pydantic import BaseModel
    >>> class Answer(BaseModel):
    ...     note: str | None = None
    >>> strict_schema(Answer)["required"]
    ['note']
    """
    schema = model.model_json_schema(mode="validation")
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, Mapping)
    strict = _strict(_undocumented(schema), definitions, model.__name__, ())
    if strict.get("type") != "object":
        raise _cannot(model.__name__, "its root is not one object")
    return strict


def reply_schema(model: type[BaseModel], name: str) -> ReplySchema:
    """The strict schema of `model` under the name the service shows."""
    return ReplySchema(name=name, json_schema=strict_schema(model))


def _undocumented(node: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in node.items() if key != "description"}


def _cannot(where: str, why: str) -> ConfigError:
    return ConfigError(
        f"{where}: no strict JSON schema can be made of it ({why}).",
        remedy="Use closed models, lists of one type, literals and scalars in reply models.",
    )


def _strict(
    node: Mapping[str, object], definitions: Mapping[str, object], where: str, open_refs: tuple[str, ...]
) -> dict[str, object]:
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix("#/$defs/")
        target = definitions.get(name)
        if not isinstance(target, Mapping):
            raise _cannot(where, f"reference {node['$ref']!r} resolves to nothing")
        if name in open_refs:
            raise _cannot(where, f"{name} contains itself")
        merged = _undocumented(target) | {key: value for key, value in node.items() if key != "$ref"}
        return _strict(merged, definitions, where, (*open_refs, name))
    for key in ("anyOf", "oneOf", "allOf"):
        options = node.get(key)
        if isinstance(options, list):
            branches = [_strict(option, definitions, where, open_refs) for option in options]
            if key == "allOf" and len(branches) != 1:
                raise _cannot(where, "an intersection of schemas")
            described = {"description": node["description"]} if "description" in node else {}
            return {**branches[0], **described} if key == "allOf" else {**described, "anyOf": branches}
    kept = {key: node[key] for key in _KEPT if key in node}
    if not {"type", "enum", "const"} & kept.keys():
        raise _cannot(where, "a field of any type")
    if kept.get("type") == "object":
        properties = node.get("properties", {})
        if not isinstance(properties, Mapping) or node.get("additionalProperties", False) not in (False, True):
            raise _cannot(where, "a map with open keys")
        if not properties and node.get("additionalProperties") is True:
            raise _cannot(where, "a map with open keys")
        fields = {name: _strict(value, definitions, f"{where}.{name}", open_refs) for name, value in properties.items()}
        kept |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    elif kept.get("type") == "array":
        items = node.get("items")
        if not isinstance(items, Mapping) or "prefixItems" in node:
            raise _cannot(where, "a tuple of fixed length or a list of any type")
        kept["items"] = _strict(items, definitions, f"{where}[]", open_refs)
        kept |= {key: node[key] for key in _KEPT_LISTS if key in node}
    return kept


def without_surrogates(text: str) -> str:
    r"""The text with every lone surrogate replaced by U+FFFD, so that it can be written as UTF-8.

    >>> without_surrogates("a\ud800b").encode()
    b'a\xef\xbf\xbdb'
    """
    return _SURROGATE.sub("\ufffd", text)


def _clean(value: object) -> object:
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_clean(item) for item in value]
        case dict():
            return {without_surrogates(key): _clean(item) for key, item in value.items()}
        case _:
            return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number beyond the range of floats")
    return number


def _loads(text: str) -> object:
    return json.loads(text, strict=False, parse_constant=_refuse_constant, parse_float=_finite)


def _balanced_end(text: str, start: int) -> int | Literal["unclosed", "too_deep"]:
    """End of the object that opens at `start`; braces inside strings do not count. Linear, no recursion."""
    depth, position = 0, start
    while (found := _BRACES.search(text, position)) is not None:
        position = found.end()
        mark = found.group()
        if mark == '"':
            while (stop := _STRING_END.search(text, position)) is not None and stop.group() == "\\":
                position = stop.end() + 1
            if stop is None:
                return "unclosed"
            position = stop.end()
        elif mark in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return "too_deep"
        else:
            depth -= 1
            if depth == 0:
                return position
    return "unclosed"


def parse_json_reply(text: str) -> dict[str, object] | ReplyFault:
    r"""The one JSON object of a reply, fences and prose around it ignored, or the fault that says why there is none.

    The first balanced `{...}` that parses counts; an object cut off before its end is `not_json`, never its inner part.
    NaN and infinities are refused, of duplicate keys the last counts, lone surrogates become U+FFFD, raw line breaks in
    strings are allowed. Linear in the length of the text.

    >>> parse_json_reply('Sure: ```json\n{"decision": "abstain"}\n```')
    {'decision': 'abstain'}
    >>> parse_json_reply("I would stay silent.").kind
    'not_json'
    """
    body = text.strip().lstrip("\ufeff")
    if not body:
        return ReplyFault("empty", "the reply is empty")
    if len(body) > MAX_REPLY_CHARACTERS:
        return ReplyFault("too_long", f"{len(body)} characters, at most {MAX_REPLY_CHARACTERS} are read")
    if body.startswith("<think>") and "</think>" in body:
        body = body.partition("</think>")[2].strip()
    if _is_other_json(body):
        return ReplyFault("not_json", "a JSON value that is no object")
    problem = f"no JSON object in {len(body)} characters"
    start = body.find("{")
    while start >= 0:
        end = _balanced_end(body, start)
        if end == "too_deep":
            return ReplyFault("not_json", f"nested deeper than {MAX_DEPTH} levels")
        if end == "unclosed":
            return ReplyFault("not_json", f"a JSON object that does not end within its {len(body) - start} characters")
        try:
            value = _loads(body[start:end])
        except ValueError as error:
            problem = f"no JSON object in braces ({error})"
            start = body.find("{", end)
            continue
        cleaned = _clean(value)
        assert isinstance(cleaned, dict)  # text from { to its } parses to an object
        return cleaned
    return ReplyFault("not_json", problem)


def _is_other_json(body: str) -> bool:
    if body[:1] == "{" or (len(body) > 20_000 and body[:1] not in '["'):
        return False
    try:
        return not isinstance(_loads(body), dict)
    except (ValueError, RecursionError):
        return False
