"""Resume by replay: killed, interrupted or crowded out, a run goes on and pays for nothing twice (ARCHITECTURE, idea 4)."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proactmem.llm.backbone import Request
from proactmem.llm.openai_compat import OpenAIBackbone
from proactmem.llm.serve import Service, serve
from tests.run.making import Failing, do, ended, files, paragraph, start


class Gate:
    """A counting model that holds the answer to call `at` back until it is opened."""

    def __init__(self, at: int) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self.backbone = Failing(self._hold)
        self._at = at

    def _hold(self, number: int, _: Request) -> None:
        if number == self._at:
            self.reached.set()
            self.opened.wait(30)


@contextmanager
def gated(at: int) -> Iterator[tuple[Gate, Service]]:
    gate = Gate(at)
    with serve(gate.backbone) as service:
        try:
            yield gate, service
        finally:
            gate.opened.set()


def command(built: Path, service: Service, *more: str) -> subprocess.Popen[str]:
    """`proactmem run` against the service, in a process of its own."""
    asked = ("--backbone", "openai", "--model", Failing.model, "--base-url", service.base_url)
    return start("run", "proactmem", "--data", "built", "--out", "run", *asked, *more, cwd=built)


def resume(built: Path, place: Path, service: Service, jobs: int = 1) -> dict[str, bytes]:
    """The same run gone on with, in this process; the bytes it leaves."""
    client = OpenAIBackbone(Failing.model, service.base_url)
    do("proactmem", built, place / "run", client, jobs=jobs, base_url=service.base_url)
    client.close()
    return dict(files(place / "run", "records", "audit"))


@pytest.fixture
def place(built: Path, tmp_path: Path) -> Path:
    """A working folder that holds the data as `built` and takes the run as `run`."""
    (tmp_path / "built").symlink_to(built)
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, bytes]]:
    """Calls and bytes of a run that nothing disturbs."""
    backbone = Failing()
    with serve(backbone) as service:
        client = OpenAIBackbone(backbone.model, service.base_url)
        out = do("proactmem", built, tmp_path_factory.mktemp("undisturbed") / "run", client)
        client.close()
    return backbone.calls, dict(files(out, "records", "audit"))


@pytest.mark.parametrize(("at", "jobs"), [(0, 1), (33, 1), (60, 2)])
def test_killed_runs_resume_to_the_same_bytes_and_pay_only_for_what_was_in_flight(
    at: int, jobs: int, built: Path, place: Path, undisturbed: tuple[int, dict[str, bytes]]
) -> None:
    calls, expected = undisturbed
    with gated(at) as (gate, service):
        first = command(place, service, "--jobs", str(jobs))
        assert gate.reached.wait(30)
        time.sleep(0.2)  # the other stream, where there is one, goes on meanwhile
        first.send_signal(signal.SIGKILL)
        assert ended(first)[0] == -signal.SIGKILL
        gate.opened.set()
        assert gate.backbone.calls < calls
        assert resume(built, place, service, jobs) == expected
        assert calls < gate.backbone.calls <= calls + jobs


def test_a_run_killed_in_its_first_write_resumes(built: Path, tmp_path: Path) -> None:
    expected = files(do("never", built, tmp_path / "whole"))
    out = tmp_path / "run"
    out.mkdir()
    for name in (".lock", ".manifest.json.k2j3", ".sources.parquet"):
        (out / name).write_bytes(b"half")
    assert files(do("never", built, out)) == expected


def test_an_interrupt_says_that_the_run_can_go_on(built: Path, place: Path, undisturbed: tuple[int, dict[str, bytes]]) -> None:
    calls, expected = undisturbed
    with gated(40) as (gate, service):
        first = command(place, service)
        assert gate.reached.wait(30)
        first.send_signal(signal.SIGINT)
        time.sleep(0.2)
        gate.opened.set()
        code, _, err = ended(first)
        assert (code, paragraph(err)) == (130, "proactmem: interrupted; the same command resumes where it stopped.")
        assert gate.backbone.calls < calls
        assert resume(built, place, service) == expected
        assert gate.backbone.calls == calls  # the reply in flight was waited for and stored


def test_a_second_process_is_turned_away_and_the_first_goes_on(place: Path, undisturbed: tuple[int, dict[str, bytes]]) -> None:
    calls, expected = undisturbed
    with gated(20) as (gate, service):
        first = command(place, service)
        assert gate.reached.wait(30)
        code, _, err = ended(command(place, service))
        assert code == 1
        assert paragraph(err) == (
            "proactmem: run: another process is writing to this run. "
            "Wait for it to end, or give this run a directory of its own (--out)."
        )
        gate.opened.set()
        code, _, err = ended(first)
        assert (code, err) == (0, "")
        assert gate.backbone.calls == calls
        assert dict(files(place / "run", "records", "audit")) == expected
