"""proactmem.llm.schema: strict schemas, and what is read out of a reply."""

from __future__ import annotations

import json
import time
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from proactmem.errors import ConfigError
from proactmem.llm.schema import (
    MAX_DEPTH,
    MAX_REPLY_CHARACTERS,
    ReplyFault,
    parse_json_reply,
    reply_schema,
    strict_schema,
    without_surrogates,
)


class Part(BaseModel):
    """A docstring that no model needs."""

    path: str = Field(min_length=1, max_length=9)
    value: str | bool | int | float | None = None


class Answer(BaseModel):
    """The reply."""

    kind: Literal["a", "b"] = "a"
    fixed: Literal["only"] = "only"
    part: Part | None = None
    parts: tuple[Part, ...] = ()
    days: list[int] = Field(default=[], max_length=7, description="0 is Monday")


def objects(node: object) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        inner = [found for value in node.values() for found in objects(value)]
        return [node, *inner] if node.get("type") == "object" else inner
    return [found for value in node for found in objects(value)] if isinstance(node, list) else []


def test_a_strict_schema_is_closed_complete_and_inlined() -> None:
    schema = strict_schema(Answer)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert len(objects(schema)) == 3
    for node in objects(schema):
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
    text = json.dumps(schema)
    assert not any(word in text for word in ("$ref", "$defs", '"default"', '"title"', "maxLength", "docstring"))
    assert schema["properties"]["days"]["description"] == "0 is Monday"  # type: ignore[index]
    assert schema["properties"]["days"]["maxItems"] == 7  # type: ignore[index]


def test_a_strict_schema_accepts_what_the_model_accepts_when_whole() -> None:
    value = Answer(part=Part(path="x", value=1.5), parts=(Part(path="y"),), days=[0, 6]).model_dump(mode="json")
    jsonschema.validate(value, strict_schema(Answer))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**value, "more": 1}, strict_schema(Answer))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({key: item for key, item in value.items() if key != "part"}, strict_schema(Answer))


def test_a_docstring_changes_no_schema() -> None:
    documented = type("Part", (Part,), {"__doc__": "Another docstring.", "__module__": __name__})
    assert strict_schema(documented) == strict_schema(Part)
    assert reply_schema(Part, "part").name == "part"


class Tree(BaseModel):
    children: list[Tree]


class Open(BaseModel):
    names: dict[str, int]


class Loose(BaseModel):
    anything: Any


class Pair(BaseModel):
    pair: tuple[int, str]


@pytest.mark.parametrize("model", [Tree, Open, Loose, Pair])
def test_what_cannot_be_strict_is_refused(model: type[BaseModel]) -> None:
    with pytest.raises(ConfigError, match=model.__name__):
        strict_schema(model)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PROSE = st.text(alphabet=st.characters(exclude_characters='{}[]"', exclude_categories=("Cs",)), max_size=40)


@given(value=st.dictionaries(st.text(), VALUES, max_size=4), before=PROSE, after=PROSE, fenced=st.booleans())
def test_one_object_is_found_in_any_prose(value: dict[str, object], before: str, after: str, fenced: bool) -> None:
    text = json.dumps(value, ensure_ascii=False)
    text = f"{before}\n```json\n{text}\n```\n{after}" if fenced else f"{before}{text}{after}"
    assert parse_json_reply(text) == value


@given(st.text(max_size=200))
def test_any_text_gives_an_object_or_a_fault(text: str) -> None:
    assert isinstance(parse_json_reply(text), dict | ReplyFault)


@given(st.text(alphabet='{}[]":,\\a1 \n', max_size=60))
def test_brackets_and_quotes_in_any_order_give_an_object_or_a_fault(text: str) -> None:
    assert isinstance(parse_json_reply(text), dict | ReplyFault)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": "}{"}', {"a": "}{"}),
        ('{"a": "\\"}"}', {"a": '"}'}),
        ('{"a": "x\ny"}', {"a": "x\ny"}),
        ('\ufeff{"a": null}', {"a": None}),
        ('{"a": "\\ud800"}', {"a": "\ufffd"}),
        ('{"\ud800": ["\ud801"]}', {"\ufffd": ["\ufffd"]}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ('<think>{"a": 1} or {"a": 2}?</think>{"a": 3}', {"a": 3}),
        ('use {braces} so: {"a": 1} and {"a": 2}', {"a": 1}),
        ("{}", {}),
    ],
)
def test_lenient_where_the_meaning_is_clear(text: str, expected: dict[str, object]) -> None:
    assert parse_json_reply(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("I abstain.", "not_json"),
        ("null", "not_json"),
        ('[{"a": 1}]', "not_json"),
        ('{"a": NaN}', "not_json"),
        ('{"a": -Infinity}', "not_json"),
        ('{"a": 1e999}', "not_json"),
        ('{"a": ' + "9" * 5_000 + "}", "not_json"),
        ('{"a": {"b": 1}', "not_json"),
        ('{"a": "', "not_json"),
        ('{"a": 1]', "not_json"),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "not_json"),
        ('{"a": 1}' + " x" * MAX_REPLY_CHARACTERS, "too_long"),
    ],
)
def test_unusable_replies_have_a_kind(text: str, kind: str) -> None:
    found = parse_json_reply(text)
    assert isinstance(found, ReplyFault)
    assert found.kind == kind


def test_a_fault_repeats_nothing_of_the_reply() -> None:
    for text in ("secret words", '{"secret": ', '{"secret": nope}', '["secret"]'):
        found = parse_json_reply(text)
        assert isinstance(found, ReplyFault)
        assert "secret" not in found.detail


@pytest.mark.parametrize("unit", ["{", "[", '{"', '{"a":', "{}x"[::-1], '"', "\\", '{"a\\', "{x}"])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    started = time.perf_counter()
    parse_json_reply((unit * MAX_REPLY_CHARACTERS)[:MAX_REPLY_CHARACTERS])
    parse_json_reply(unit * 1_000_000)
    assert time.perf_counter() - started < 3


def test_cleaned_text_is_utf8() -> None:
    assert without_surrogates("a\ud800\U0001f600").encode() == "a\ufffd\U0001f600".encode()
