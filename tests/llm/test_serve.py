"""proactmem.llm.serve: the real openai client works against it, and everything else gets a proper error."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import openai
import pytest

from proactmem.errors import BackboneError, ConfigError, ReplayMissError
from proactmem.llm.backbone import Reply, ReplySchema, Request, Usage
from proactmem.llm.openai_compat import OpenAIBackbone
from proactmem.llm.serve import MAX_BODY, Service, approximate_tokens, serve
from tests.llm.doubles import Answering, ask

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def answer(request: Request) -> Reply:
    text = request.messages[-1].content
    match text:
        case "fail":
            raise BackboneError("the model is away")
        case "miss":
            raise ReplayMissError("never recorded")
        case "bug":
            raise RuntimeError("secret prompt")
        case "cut":
            return Reply(text="cu", finish_reason="length", usage=Usage(prompt_tokens=1, completion_tokens=2, cached_tokens=1))
        case "no":
            return Reply(text="", finish_reason="refused")
        case _:
            return Reply(text=f"you said {text}")


@pytest.fixture
def inner() -> Answering:
    return Answering(answer)


@pytest.fixture
def service(inner: Answering) -> Iterator[Service]:
    with serve(inner) as running:
        yield running


@pytest.fixture
def client(service: Service) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=service.base_url, api_key="any", max_retries=0) as opened:
        yield opened


def send(service: Service, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    if body:
        headers.setdefault("Content_Type", "application/json")
    connection.request(method, path, body or None, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    found = response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    connection.close()
    return found


def post(service: Service, value: object) -> tuple[int, dict[str, dict[str, object]]]:
    status, _, data = send(service, "POST", "/v1/chat/completions", json.dumps(value).encode())
    return status, json.loads(data)


def test_the_openai_client_gets_a_completion(client: openai.OpenAI, inner: Answering) -> None:
    found = client.chat.completions.create(
        model="m",
        messages=[
            {"role": "developer", "content": "rules"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "hel"}, {"type": "text", "text": "lo \U0001f600\x00"}],
            },
        ],
        temperature=0.5,
        max_completion_tokens=33,
        seed=9,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "x", "schema": {"type": "object"}, "strict": True},
        },
    )
    assert found.choices[0].message.content == "you said hello \U0001f600\x00"
    assert found.choices[0].finish_reason == "stop"
    assert found.usage is not None
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (2 + 2, 5)
    asked = inner.asked[0]
    assert [(message.role, message.content) for message in asked.messages] == [
        ("system", "rules"),
        ("user", "hello \U0001f600\x00"),
    ]
    assert (asked.temperature, asked.max_tokens, asked.seed, asked.role) == (0.5, 33, 9, "decision")
    assert asked.reply_schema == ReplySchema(name="x", json_schema={"type": "object"})


def test_defaults_and_forms_of_the_schema(service: Service, inner: Answering) -> None:
    for form in ({"type": "text"}, {"type": "json_object"}, {"type": "json_object", "schema": {"type": "array"}}):
        assert post(service, {**BODY, "response_format": form, "max_tokens": 5})[0] == 200
    assert post(service, BODY)[0] == 200
    schemas = [asked.reply_schema and asked.reply_schema.json_schema for asked in inner.asked]
    assert schemas == [None, {"type": "object"}, {"type": "array"}, None]
    assert [asked.max_tokens for asked in inner.asked] == [5, 5, 5, 1024]
    assert inner.asked[-1].temperature == 0.0


def test_models_are_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["m"]


def test_length_refusal_and_counted_usage_pass_through(client: openai.OpenAI) -> None:
    cut = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "cut"}])
    assert cut.choices[0].finish_reason == "length"
    assert cut.usage is not None
    assert cut.usage.total_tokens == 3
    assert cut.usage.prompt_tokens_details is not None
    assert cut.usage.prompt_tokens_details.cached_tokens == 1
    refused = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "no"}])
    assert refused.choices[0].finish_reason == "content_filter"


def test_a_backbone_behind_it_answers_like_itself(service: Service) -> None:
    backbone = OpenAIBackbone("m", service.base_url, "key")
    for text in ("a", "line\r\nline\u2028\U0001f600", "no", "cut"):
        there, here = backbone.complete(ask(text)), answer(ask(text))
        assert (there.text, there.finish_reason) == (here.text, here.finish_reason)
    backbone.close()


def test_equal_requests_get_equal_bytes(service: Service) -> None:
    data = json.dumps(BODY).encode()
    assert send(service, "POST", "/v1/chat/completions", data) == send(service, "POST", "/v1/chat/completions", data)


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages[0].role"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content"),
        ({"model": None}, "model"),
        ({"temperature": "hot"}, "temperature"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"seed": "x"}, "seed"),
        ({"stream": True}, "stream"),
        ({"n": 2}, "n"),
        ({"tools": [{}]}, "tools"),
        ({"response_format": {"type": "xml"}}, "response_format"),
        ({"response_format": "json"}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x y", "schema": {}}}}, None),
    ],
)
def test_a_bad_setting_is_400_and_named(
    service: Service, inner: Answering, change: dict[str, object], param: str | None
) -> None:
    status, body = post(service, {**BODY, **change})
    assert status == 400
    assert body["error"]["param"] == param
    assert body["error"]["message"]
    assert not inner.asked


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b"[" * 100_000, b"nul"])
def test_a_bad_body_is_400(service: Service, data: bytes) -> None:
    status, headers, answered = send(service, "POST", "/v1/chat/completions", data)
    assert (status, headers["content-type"]) == (400, "application/json")
    assert "JSON" in json.loads(answered)["error"]["message"]


def test_another_model_is_404(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="other", messages=[{"role": "user", "content": "x"}])
    assert caught.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError, match="Nothing is at"):
        client.embeddings.create(model="m", input="x")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/chat/completions", 405),
        ("HEAD", "/v1/models", 405),
        ("POST", "/v1/models", 405),
        ("DELETE", "/v1/models", 405),
        ("OPTIONS", "/v1/chat/completions", 405),
        ("GET", "/v1/models?limit=1", 200),
        ("POST", "/v1/chat/completions", 415),
    ],
)
def test_paths_and_methods(service: Service, method: str, path: str, status: int) -> None:
    found, headers, data = send(service, method, path, b"x=1" if method == "POST" else b"", Content_Type="text/plain")
    assert found == status
    assert ("allow" in headers) is (status == 405)
    assert method == "HEAD" or "error" in json.loads(data) or status == 200


def test_a_huge_body_is_413(service: Service) -> None:
    assert send(service, "POST", "/v1/chat/completions", b" " * (MAX_BODY + 1))[0] == 413
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as raw:
        raw.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Transfer-Encoding: chunked", b"411"),
        (b"Content-Length: -1", b"411"),
        (b"Content-Length: 10\r\nContent-Type: application/json", b"400"),
    ],
)
def test_a_body_of_unknown_or_wrong_length(service: Service, headers: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as raw:
        raw.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n\r\n{}")
        raw.shutdown(socket.SHUT_WR)
        assert raw.recv(100).startswith(b"HTTP/1.1 " + status)


def test_what_the_backbone_cannot_do(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert post(service, {**BODY, "messages": [{"role": "user", "content": "fail"}]})[0] == 503
    status, body = post(service, {**BODY, "messages": [{"role": "user", "content": "miss"}]})
    assert (status, body["error"]["message"]) == (500, "never recorded")
    with pytest.raises(http.client.HTTPException):
        post(service, {**BODY, "messages": [{"role": "user", "content": "bug"}]})
    assert post(service, BODY)[0] == 200
    assert "RuntimeError" in caplog.text
    assert "secret prompt" not in caplog.text


def test_no_request_text_is_logged(
    service: Service, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    post(service, {**BODY, "messages": [{"role": "user", "content": "very private"}]})
    send(service, "GET", "/very-private")
    shown = caplog.text + "".join(capfd.readouterr())
    assert "private" not in shown


def test_many_clients_at_once(service: Service) -> None:
    backbone = OpenAIBackbone("m", service.base_url, "key", attempts=1)
    found: list[str] = []
    threads = [threading.Thread(target=lambda n=n: found.append(backbone.complete(ask(str(n))).text)) for n in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    backbone.close()
    assert sorted(found) == sorted(f"you said {n}" for n in range(32))


def test_it_listens_on_this_machine_only_and_stops(inner: Answering) -> None:
    with serve(inner) as service:
        assert urlsplit(service.base_url).hostname == "127.0.0.1"
        port = service.port
        with pytest.raises(ConfigError, match=f"Port {port} .*cannot be used"), serve(inner, port):
            pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    with pytest.raises(ConfigError, match="Port 70000"), serve(inner, 70_000):
        pass
    with serve(inner, port) as again:
        assert again.port == port


def test_the_approximate_tokenizer_is_characters_by_four_rounded_up() -> None:
    assert [approximate_tokens("x" * length) for length in (0, 1, 4, 5, 400)] == [0, 1, 1, 2, 100]
