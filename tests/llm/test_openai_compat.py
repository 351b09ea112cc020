"""proactmem.llm.openai_compat: what it sends, what it learns, and when it asks again."""

from __future__ import annotations

import json
import pickle
import threading
import time

import pytest

from proactmem.llm import service_errors as errors
from proactmem.llm.backbone import Backbone, Reply, Request, Usage
from proactmem.llm.faulty_service import Fault, FaultyService, faulty_service
from tests.llm.client import KEY, Client, play, status
from tests.llm.doubles import Answering, ask


def test_a_plain_request_and_its_reply() -> None:
    usage = Usage(prompt_tokens=12, completion_tokens=3, cached_tokens=8)
    inner = Answering(lambda _: Reply(text="hi \U0001f600", usage=usage, model="m-2026"))
    request = ask("hello\nworld", system="rules").model_copy(update={"seed": 7})
    with faulty_service(inner, []) as service:
        client = Client(service)
        assert isinstance(client.backbone, Backbone)
        reply = client.complete(request)
    assert reply.model_copy(update={"seconds": None}) == Reply(text="hi \U0001f600", usage=usage, model="m-2026")
    assert reply.seconds is not None
    assert reply.seconds > 0
    assert inner.asked[0].messages == request.messages
    assert service.requests == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello\nworld"}],
            "max_tokens": 64,
            "temperature": 0.0,
            "seed": 7,
        }
    ]
    assert service.authorizations == [f"Bearer {KEY}"]


# --- structured output


def formats(service: FaultyService) -> list[object]:
    found = []
    for body in service.requests:
        form = body.get("response_format", {"type": "text"})
        assert isinstance(form, dict)
        found.append(form["type"] + ("+schema" if "schema" in form else ""))
    return found


LADDER = ["json_schema", "json_object+schema", "json_object", "text"]


@pytest.mark.parametrize(
    "refusal",
    [
        status(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        status(404, "response_format is not available for this model"),
        status(422, "body.response_format.type: Input should be 'text' or 'json_object'"),
        status(500, "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}]"),
        status(400, "Bad request", param="response_format"),
        status(400, "Bad request"),
    ],
)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_structure_falls_back_step_by_step_and_is_remembered(refusal: Fault, steps: int) -> None:
    with faulty_service(Answering("{}"), [refusal] * steps) as service:
        client = Client(service)
        assert client.backbone.complete(ask("a", schema=True)).text == "{}"
        assert client.complete(ask("b", schema=True)).text == "{}"
    assert formats(service) == [*LADDER[: steps + 1], LADDER[steps]]
    assert client.slept == []


def test_strict_schema_is_sent_first_and_words_last() -> None:
    with faulty_service(Answering("{}"), [status(400, "response_format")] * 3) as service:
        Client(service).complete(ask("a", schema=True, system="rules"))
    request = ask("a", schema=True)
    assert request.reply_schema is not None
    schema = request.reply_schema.json_schema
    first, second, third, fourth = service.requests
    strict = {"name": "answer", "strict": True, "schema": schema}
    assert first["response_format"] == {"type": "json_schema", "json_schema": strict}
    assert second["response_format"] == {"type": "json_object", "schema": schema}
    for body, words in ((first, False), (second, False), (third, True), (fourth, True)):
        system = body["messages"][0]["content"]  # type: ignore[index]
        assert system.startswith("rules")
        assert (json.dumps(schema) in system) is words


def test_a_service_that_fails_without_a_word_on_strict_schemas_is_tried_twice() -> None:
    """Some local servers answer 500 to json_schema and say nothing of use."""
    with faulty_service(Answering("{}"), [status(500, "internal error")] * 2) as service:
        client = Client(service)
        assert client.complete(ask(schema=True)).text == "{}"
    assert formats(service) == ["json_schema", "json_schema", "json_object+schema"]
    assert client.slept == [1.0]


def test_a_form_that_worked_is_not_given_up_for_a_passing_failure() -> None:
    with faulty_service(Answering("{}"), [status(400, "response_format")]) as service:
        client = Client(service)
        client.backbone.complete(ask("a", schema=True))
        service.script += [status(500, "oops")] * 3
        client.complete(ask("b", schema=True))
    assert formats(service) == ["json_schema"] + ["json_object+schema"] * 5
    assert client.slept == [1.0, 2.0, 4.0]


def test_without_a_schema_nothing_is_said_of_formats() -> None:
    with faulty_service(Answering("{}"), [status(400, "response_format is bad")]) as service:
        with pytest.raises(errors.RequestRejectedError, match="response_format is bad"):
            Client(service).complete(ask())
        assert "response_format" not in service.requests[0]


# --- settings a model refuses


def test_temperature_is_dropped_where_it_is_refused_and_stays_dropped() -> None:
    text = "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) is supported."
    with faulty_service(Answering("x"), [status(400, text, param="temperature", code="unsupported_value")]) as service:
        client = Client(service)
        client.backbone.complete(ask("a"))
        client.complete(ask("b"))
    assert ["temperature" in body for body in service.requests] == [True, False, False]


@pytest.mark.parametrize("param", ["max_tokens", None])
def test_the_output_limit_takes_the_name_the_service_wants(param: str | None) -> None:
    text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    with faulty_service(Answering("x"), [status(400, text, param=param)]) as service:
        client = Client(service)
        client.backbone.complete(ask("a"))
        client.complete(ask("b"))
    assert [body.get("max_tokens") for body in service.requests] == [64, None, None]
    assert [body.get("max_completion_tokens") for body in service.requests] == [None, 64, 64]


def test_a_service_that_refuses_everything_it_can_is_still_served() -> None:
    script = [
        status(400, "response_format json_schema: no"),
        status(400, "'temperature' is not supported", param="temperature"),
        status(400, "use max_completion_tokens instead"),
        status(422, "seed: extra fields not permitted"),
        status(400, "json_object: no"),
        status(400, "response_format: no"),
    ]
    request = ask(schema=True).model_copy(update={"seed": 1})
    with faulty_service(Answering("x"), script) as service:
        client = Client(service)
        assert client.complete(request).text == "x"
    assert set(service.requests[-1]) == {"model", "messages", "max_completion_tokens"}
    assert client.slept == []


def test_two_names_for_the_limit_both_refused_ends() -> None:
    script = [status(400, "use max_completion_tokens"), status(400, "max_completion_tokens: unknown field")] * 5
    with pytest.raises(errors.RequestRejectedError, match="max_completion_tokens: unknown field"):
        play(*script)


def test_what_one_thread_learns_serves_the_others() -> None:
    def refuse(request: Request) -> str:
        return request.messages[0].content

    with faulty_service(Answering(refuse), [status(400, "'temperature' unsupported", param="temperature")]) as service:
        client = Client(service)
        client.backbone.complete(ask("first"))
        found: list[str] = []
        threads = [
            threading.Thread(target=lambda n=n: found.append(client.backbone.complete(ask(str(n))).text)) for n in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.backbone.close()
    assert sorted(found, key=int) == [str(n) for n in range(12)]
    assert sum("temperature" in body for body in service.requests) == 1


# --- retries


@pytest.mark.parametrize(
    "fault",
    [
        status(429, "slow down"),
        status(500, "oops"),
        status(502, "<html>bad gateway</html>"),
        status(503, "overloaded"),
        Fault("reset"),
        Fault("cut_off"),
        Fault("malformed"),
    ],
    ids=lambda fault: f"{fault.kind}{fault.status}",
)
def test_what_may_pass_is_tried_again_with_growing_pauses(fault: Fault) -> None:
    with faulty_service(Answering("fine"), [fault] * 3) as service:
        client = Client(service, first_delay=1.0, longest_delay=3.0)
        assert client.complete(ask()).text == "fine"
    assert client.slept == [1.0, 2.0, 3.0]
    assert len(service.requests) == 4


def test_retry_after_is_honoured() -> None:
    dated = (("Date", "Mon, 30 Nov 2026 10:00:00 GMT"), ("Retry-After", "Mon, 30 Nov 2026 10:00:42 GMT"))
    script = [
        status(429, headers=(("Retry-After", "7.5"),)),
        status(503, headers=dated),
        status(429, headers=(("Retry-After", "soon"),)),
    ]
    with faulty_service(Answering("fine"), script) as service:
        client = Client(service)
        client.complete(ask())
    assert client.slept == [7.5, 42.0, 4.0]


def test_a_wait_beyond_patience_is_an_error_that_says_so() -> None:
    with pytest.raises(errors.GaveUpError, match=r"asks to wait 7200 s") as caught:
        play(status(429, "come back later", headers=(("Retry-After", "7200"),)))
    assert caught.value.attempts == 1


def test_after_all_attempts_it_gives_up_with_the_last_cause() -> None:
    with pytest.raises(errors.GaveUpError, match=r"no reply in 4 attempts; last: status 503 \(third time\)") as caught:
        play(status(500, "first"), status(429, "second"), status(500, "again"), status(503, "third time"))
    assert caught.value.attempts == 4
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.attempts, again.cause) == (str(caught.value), 4, "status 503 (third time)")


def test_nobody_there() -> None:
    with faulty_service(Answering(), []) as service:
        pass
    with pytest.raises(errors.GaveUpError, match=r"no connection .*refused.*replies so far are kept"):
        Client(service, attempts=2).complete(ask())


def test_silence_and_a_slow_drip_run_into_the_time_limit() -> None:
    def silent(_: Request) -> str:
        time.sleep(0.6)
        return "late"

    with pytest.raises(errors.GaveUpError, match="no answer within"):
        play(inner=Answering(silent), attempts=1, timeout=0.2)
    started = time.perf_counter()
    with pytest.raises(errors.GaveUpError, match="not complete after"):
        play(Fault("drip", seconds=0.02), attempts=1, timeout=0.3)
    assert time.perf_counter() - started < 2
