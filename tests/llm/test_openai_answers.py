"""proactmem.llm.openai_compat: every bad answer is a reply or one named, readable, keyless error."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Callable

import pytest

from proactmem.errors import BackboneError, ConfigError
from proactmem.llm import service_errors as errors
from proactmem.llm.backbone import Usage
from proactmem.llm.completion import MAX_TEXT
from proactmem.llm.faulty_service import Fault, FaultKind, faulty_service
from proactmem.llm.openai_compat import OpenAIBackbone
from tests.llm.client import KEY, Client, play, status
from tests.llm.doubles import Answering, ask

# --- answers that no retry changes


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (status(401, "Incorrect API key provided", code="invalid_api_key"), errors.KeyRejectedError, "OPENAI_API_KEY"),
        (status(403, "Country not supported"), errors.AccessRefusedError, "Country not supported"),
        (status(404, "The model `m` does not exist", code="model_not_found"), errors.UnknownModelError, "no model 'm'"),
        (status(404, 'model "m" not found, try pulling it first'), errors.UnknownModelError, "pulling"),
        (status(404, "Not Found"), errors.NoSuchApiError, "ends in /v1"),
        (status(405, "Method Not Allowed"), errors.NoSuchApiError, "ends in /v1"),
        (status(402, "Payment required"), errors.QuotaError, "quota"),
        (status(429, "You exceeded your current quota", code="insufficient_quota"), errors.QuotaError, "credit"),
        (
            status(400, "This model's maximum context length is 4096 tokens", code="context_length_exceeded"),
            errors.ContextLengthError,
            "too long for 'm'",
        ),
        (
            status(400, "Requested tokens (5000) exceed context window of 2048"),
            errors.ContextLengthError,
            "larger context window",
        ),
        (status(400, "messages: too many", param="messages"), errors.RequestRejectedError, "messages: too many"),
        (status(413, "Payload Too Large"), errors.RequestRejectedError, "status 413"),
        (Fault("html"), errors.NoSuchApiError, "HTML page"),
    ],
)
@pytest.mark.parametrize("schema", [False, True])
def test_a_final_answer_is_one_named_line(fault: Fault, kind: type[BackboneError], words: str, schema: bool) -> None:
    with faulty_service(Answering(), [fault] * 8) as service:
        client = Client(service)
        with pytest.raises(kind, match=words) as caught:
            client.complete(ask(schema=schema))
    text = str(caught.value)
    assert type(caught.value) is kind
    assert "\n" not in text
    assert service.base_url in text
    assert caught.value.remedy
    assert client.slept == []
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes that are no JSON"),
        (b"[]", "a JSON list"),
        (b"{}", "without choices"),
        (b'{"choices": [1]}', "a choice without a message"),
        (b'{"choices": [{"message": "x"}]}', "a choice without a message"),
        (b'{"error": {"message": "upstream is down", "code": 502}}', "upstream is down"),
        (b"[" * 100_000, "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b" " * 16_100_000, "more than 16 MB"),
    ],
    ids=range(9),
)
def test_an_answer_that_is_no_completion_is_asked_again_then_named(data: bytes, words: str) -> None:
    with faulty_service(Answering(), [Fault("body", data=data)] * 4) as service:
        client = Client(service)
        with pytest.raises(errors.MalformedAnswerError, match=words):
            client.complete(ask())
    assert len(service.requests) == 4


# --- bad content is a reply like any other


@pytest.mark.parametrize(
    ("kind", "text", "finish"),
    [
        ("prose", "I think it would be kind to say nothing at this moment.", "stop"),
        ("wrong_schema", '{"unexpected": [1, 2, 3]}', "stop"),
        ("nul", '{"decision": "abstain\x00"}', "stop"),
        ("empty", "", "stop"),
        ("surrogate", '{"decision": "\ufffd"}', "stop"),
        ("null_content", "", "stop"),
        ("no_choices", "", "other"),
        ("refusal", "", "refused"),
        ("length", '{"decision": "inter', "length"),
        ("huge", "x" * MAX_TEXT, "stop"),
    ],
)
def test_bad_content_is_a_reply(kind: FaultKind, text: str, finish: str) -> None:
    reply = play(Fault(kind))
    assert (reply.text, reply.finish_reason, reply.model) == (text, finish, "faulty")
    assert reply.usage == Usage()
    reply.text.encode()


@pytest.mark.parametrize("code", ["content_filter", "invalid_prompt"])
def test_content_that_the_service_declines_is_refused(code: str) -> None:
    assert play(status(400, "declined by the content filter", code=code)).finish_reason == "refused"


def test_lone_surrogates_in_a_prompt_are_replaced_on_the_way() -> None:
    inner = Answering("x")
    assert play(inner=inner, request=ask("a\ud800b")).text == "x"
    assert inner.asked[0].messages[0].content == "a\ufffdb"


# --- the key


@pytest.mark.parametrize("said", [KEY, KEY[:14] + "********", "…" + KEY[-10:], f"Bearer {KEY}", json.dumps({"h": KEY})])
@pytest.mark.parametrize("code", [400, 401, 403, 404, 429, 500])
def test_the_key_is_in_no_message_and_no_log(
    said: str, code: int, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(BackboneError) as caught:
        play(*[status(code, f"Incorrect API key provided: {said}", code=said)] * 4)
    error = caught.value
    printed = "".join(traceback.format_exception(error)) + repr(vars(error)) + repr(error.__context__)
    shown = printed + caplog.text + "".join(capsys.readouterr())
    for piece in (KEY, KEY[8:20], KEY[-10:]):
        assert piece not in shown


def test_credentials_in_the_address_are_sent_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with faulty_service(Answering("fine"), [status(500, "user hunter2 at fault")] * 2) as service:
        url = service.base_url.replace("http://", "http://someone:hunter2%21@")
        backbone = OpenAIBackbone("m", url, attempts=2, sleep=lambda _: None)
        assert backbone.base_url == service.base_url
        with pytest.raises(errors.GaveUpError) as caught:
            backbone.complete(ask())
        backbone.close()
    assert service.authorizations == ["Basic c29tZW9uZTpodW50ZXIyIQ=="] * 2
    assert "hunter2!" not in str(caught.value) + caplog.text
    assert "someone" not in str(caught.value) + caplog.text


def test_a_service_on_this_machine_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with faulty_service(Answering("fine"), []) as service:
        backbone = OpenAIBackbone("m", service.base_url)
        assert backbone.complete(ask()).text == "fine"
        backbone.close()


def test_the_key_and_the_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty_service(Answering("fine"), []) as service:
        monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
        monkeypatch.setenv("OPENAI_BASE_URL", service.base_url + "/")
        backbone = OpenAIBackbone("m")
        assert backbone.base_url == service.base_url
        backbone.complete(ask())
        backbone.close()
    assert service.authorizations == [f"Bearer {KEY}"]


def test_no_key_for_a_service_elsewhere_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match=r"api\.openai\.com.*OPENAI_API_KEY is not set"):
        OpenAIBackbone("m")


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://h/v1?key=hidden", "http://u:hidden@h:port/v1", "x"]
)
def test_an_address_that_is_none_is_refused_without_showing_secrets(url: str) -> None:
    with pytest.raises(ConfigError, match="no service address") as caught:
        OpenAIBackbone("m", url, "k" * 20)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-hidden key", "sk-hidden\nkey", "sk-hidden\u2013key"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError, match="Copy the key again") as caught:
        OpenAIBackbone("m", "https://example.org/v1", key)
    assert "hidden" not in str(caught.value)


WORDS: list[tuple[Callable[[], str], str]] = [
    (lambda: errors.masked("k=abcd", ("abcd",)), "k=***"),
    (lambda: errors.masked("nothing here", ("",)), "nothing here"),
    (lambda: errors.masked("a%2Fb c", ("a/b c",)), "a%2Fb c"),
    (lambda: errors.masked("a%2Fb%20c", ("a/b c",)), "***"),
    (lambda: errors.one_line("a\x00\n\tb" + "c" * 400, 5), "a bc…"),
]


@pytest.mark.parametrize(("made", "expected"), WORDS, ids=range(5))
def test_masking_and_shortening(made: Callable[[], str], expected: str) -> None:
    assert made() == expected


def test_masking_a_megabyte_is_quick() -> None:
    started = time.perf_counter()
    with pytest.raises(errors.GaveUpError):
        play(status(500, "x" * 1_000_000), attempts=1)
    assert time.perf_counter() - started < 2
