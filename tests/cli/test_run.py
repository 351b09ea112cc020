"""`proactmem run`: every method, chosen streams and settings, resumption, and mistakes named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import proactmem.llm.openai_compat
from proactmem.config import MemoryConfig
from proactmem.core.records import RunManifest
from proactmem.llm.faulty_service import Fault, faulty_service
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.llm.openai_compat import OpenAIBackbone
from proactmem.llm.serve import serve
from proactmem.run.catalog import METHODS
from tests.cli.calling import call, done, failed
from tests.run.making import FIRST, SECOND, files


@pytest.fixture(autouse=True)
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clients that do not sleep, closed at the end; in a process of its own the command leaves that to the exit."""
    opened: list[OpenAIBackbone] = []

    def client(*arguments: Any, **options: Any) -> OpenAIBackbone:
        opened.append(OpenAIBackbone(*arguments, **options, sleep=lambda _: None))
        return opened[-1]

    monkeypatch.setattr(proactmem.llm.openai_compat, "OpenAIBackbone", client)
    yield
    for backbone in opened:
        backbone.close()


def manifest(out: Path) -> RunManifest:
    return RunManifest.model_validate_json((out / "manifest.json").read_bytes())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_and_says_what_it_did(method: str, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = done("run", method, "--data", project / "built", "--out", out, "--jobs", 2).out
    found = manifest(out)
    assert (found.method, found.complete, found.backbone, found.settings) == (method, True, "offline", {})
    events = sum(stream.events for stream in found.finished)
    assert said == f"{out}: {METHODS[method].title}, {events} events in 2 streams, offline backbone (offline-rules-1)\n"


def test_the_help_names_every_method() -> None:
    shown = done("run", "--help").out
    assert all(name in shown for name in METHODS)


def test_settings_reach_the_manifest_and_the_run(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    settings = ("--set", "capacity=5", "--set", "horizon_hours = 60.5", "--set", "replay_gate=false")
    done("run", "proactmem", "--data", project / "built", "--out", out, *settings, "--fabricate", "0.25", "--streams", SECOND)
    found = manifest(out)
    assert found.config == MemoryConfig(capacity=5, horizon_hours=60.5, replay_gate=False)
    assert (found.settings, found.streams) == ({"fabricate": 0.25}, (SECOND,))
    lines = (out / "records" / f"{SECOND}.jsonl").read_bytes().splitlines()
    assert max(json.loads(line)["context"]["recent"] for line in lines) == 4


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("capacity", "setting 'capacity'; expected NAME=VALUE, for example capacity=50."),
        ("size=3", "setting size: Extra inputs are not permitted. Settings are horizon_hours, capacity"),
        ("capacity=many", "setting capacity: Input should be a valid integer"),
        ("capacity=0", "setting capacity: Input should be greater than or equal to 1"),
        ("min_confidence=1.5", "setting min_confidence: Input should be less than or equal to 1"),
        ("replay_gate=perhaps", "setting replay_gate: Input should be a valid boolean"),
        ("horizon_hours=inf", "setting horizon_hours"),
        ("horizon_hours=1e300", "setting horizon_hours"),
        ("min_lift=nan", "setting min_lift"),
        ("lead_minutes=inf", "setting lead_minutes"),
        ("capacity=99999999999999999999999", "setting capacity"),
    ],
)
def test_a_setting_that_is_none_is_named(setting: str, said: str, project: Path, tmp_path: Path) -> None:
    arguments = ("run", "proactmem", "--data", project / "built", "--out", tmp_path / "run", "--set", setting)
    assert failed(*arguments).startswith(said)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: ("nope", p / "built"), f"unknown method 'nope'; expected one of {', '.join(METHODS)}."),
        (lambda p: ("never", p / "raw"), "raw: holds no events.parquet. Build the streams first: proactmem build."),
        (lambda p: ("never", p / "none"), "none: is no folder of built streams. Build them first: proactmem build."),
        (lambda p: ("never", p / "built", "--streams", "x"), f"unknown stream ['x']; the data holds {FIRST}, {SECOND}."),
        (lambda p: ("never", p / "built", "--streams", " , "), "unknown stream []"),
        (lambda p: ("never", p / "built", "--model", "m"), "the offline backbone takes no model and no base URL."),
        (lambda p: ("never", p / "built", "--backbone", "openai"), "a service needs a model name. Add --model NAME."),
        (
            lambda p: ("never", p / "built", "--backbone", "openai", "--model", "m", "--base-url", "ftp://x"),
            "The base URL is no service address (scheme 'ftp', host 'x').",
        ),
    ],
)
def test_a_mistake_is_named(change: Callable[[Path], tuple[object, ...]], said: str, project: Path, tmp_path: Path) -> None:
    method, data, *more = change(project)
    assert said in failed("run", method, "--data", data, "--out", tmp_path / "run", *more)


def test_a_missing_key_is_named_and_nothing_is_begun(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    asked = ("--backbone", "openai", "--model", "m")
    assert "OPENAI_API_KEY is not set" in failed("run", "never", "--data", project / "built", "--out", tmp_path / "r", *asked)
    assert list(tmp_path.iterdir()) == []


def test_the_same_command_resumes_and_another_one_is_refused(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ("run", "proactmem", "--data", project / "built", "--out", out)
    said = done(*arguments).out
    before = files(out)
    assert done(*arguments).out == said
    (out / "records" / f"{FIRST}.jsonl").unlink()
    assert done(*arguments).out == said
    assert files(out) == before
    assert "holds another run: its streams is " in failed(*arguments, "--streams", FIRST)
    assert "holds another run: its config is " in failed(*arguments, "--set", "capacity=7")
    assert "holds another run: its method is 'proactmem', this one's is 'never'" in failed(
        "run", "never", "--data", project / "built", "--out", out
    )


def test_a_service_is_asked_and_its_address_kept_without_credentials(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with serve(OfflineBackbone()) as service:
        address = service.base_url.replace("://", "://me:secret@")
        asked = ("--backbone", "openai", "--model", OfflineBackbone.model, "--base-url", address)
        said = done("run", "proactmem", "--data", project / "built", "--out", out, *asked, "--streams", FIRST).out
    assert said.endswith(f"openai backbone ({OfflineBackbone.model})\n")
    assert manifest(out).base_url == service.base_url
    assert all(b"secret" not in data for data in files(out, *(path.name for path in out.iterdir())).values())
    assert (out / "records" / f"{FIRST}.jsonl").read_bytes() == (
        project / "proactmem" / "records" / f"{FIRST}.jsonl"
    ).read_bytes()


def test_a_failing_service_names_the_event_and_the_same_command_goes_on(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    script = [Fault("status", status=500, message="boom")] * 20
    with faulty_service(OfflineBackbone(), script) as service:
        asked = ("--backbone", "openai", "--model", OfflineBackbone.model, "--base-url", service.base_url)
        arguments = ("run", "event-only", "--data", project / "built", "--out", out, *asked)
        assert failed(*arguments) == (
            f"stream {FIRST}, event 0: {service.base_url} gave no reply in 6 attempts; last: status 500 (boom). "
            "Check the service, then run the same command again: replies so far are kept. "
            "The same command resumes here; no stored reply is asked for again."
        )
        service.script.clear()
        done(*arguments)
        service.script[:] = [Fault("status", status=401, message="Incorrect API key")]
        refused = call(*arguments[:5], tmp_path / "other", *asked)
    assert refused.code == 1
    assert refused.err.startswith(f"proactmem: stream {FIRST}, event 0: {service.base_url} does not accept the API key")
    assert manifest(out).complete
