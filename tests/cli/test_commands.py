"""proactmem.cli: help with examples, exit codes, one paragraph for a failure, and paths of any kind."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import proactmem.reproduce
from proactmem import __version__
from proactmem.cli import app
from proactmem.errors import NotebookError
from proactmem.run.catalog import METHODS
from tests.cli.calling import call, done, failed
from tests.run.making import ended, paragraph, start

COMMANDS = [
    ("fetch",), ("simulate",), ("build", "sports"), ("build", "home"), ("build", "code"), ("build", "desktop"),
    ("build", "own"), ("run",), ("score",), ("explain",), ("reproduce",), ("select",), ("export",), ("check",), ("import",),
    ("annotate", "triage"), ("annotate", "panel"), ("annotate", "agreement"), ("annotate", "review"),
    ("annotate", "adjudicate"), ("annotate", "import"),
]  # fmt: skip


def test_these_are_all_commands() -> None:
    """So that a new command cannot be forgotten here."""
    top = typer.main.get_command(app)
    found = set()
    for name, command in top.commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found |= {(name,)} if inner is None else {(name, sub) for sub in inner}
    assert found == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_an_example(command: tuple[str, ...]) -> None:
    shown = done(*command, "--help")
    assert f"Example: proactmem {' '.join(command)}" in re.sub(r"\s+", " ", shown.out)


@pytest.mark.parametrize("arguments", [("--help",), ("build", "--help"), ("annotate", "--help")], ids=" ".join)
def test_help_lists_the_commands(arguments: tuple[str, ...]) -> None:
    shown = done(*arguments).out
    names = [command[-1] for command in COMMANDS if len(command) == len(arguments) and command[:-1] == arguments[:-1]]
    assert names
    assert all(re.search(rf"\b{name}\b", shown) for name in names)


def test_the_version_is_the_package_s() -> None:
    assert done("--version").out == f"{__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("build",),
        ("simulate", "--scope", "sports", "--seed", "7"),
        ("simulate", "--scope", "desktop", "--seed", "7", "--out", "x"),
        ("simulate", "--scope", "sports", "--seed", "seven", "--out", "x"),
        ("simulate", "--scope", "sports", "--seed", "7", "--out", "x", "--days", "0"),
        ("run",),
        ("run", "never", "--data", "x"),
        ("run", "never", "--data", "x", "--out", "y", "--jobs", "0"),
        ("run", "never", "--data", "x", "--out", "y", "--fabricate", "2"),
        ("run", "never", "--data", "x", "--out", "y", "--fabricate", "nan"),
        ("run", "never", "--data", "x", "--out", "y", "--nonsense"),
        ("run", "never", "--data", "x", "--out", "y", "--backbone", "oracle"),
        ("score", "x"),
        ("score", "--labels", "x"),
        ("explain", "x"),
        ("reproduce", "--profile", "huge"),
    ],
    ids=" ".join,
)
def test_a_command_line_that_is_none_exits_with_2(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert result.code == 2
    assert "Usage:" in result.out + result.err
    assert "Traceback" not in result.err


def test_a_failure_of_the_real_process_is_one_paragraph(tmp_path: Path) -> None:
    code, out, err = ended(start("run", "proact", "--data", "x", "--out", "y", cwd=tmp_path))
    assert (code, out) == (1, "")
    assert paragraph(err) == f"proactmem: unknown method 'proact'; expected one of {', '.join(METHODS)}."


def test_an_argument_that_is_no_text_is_refused() -> None:
    """Bytes of a file name that are not UTF-8 could be written into no manifest."""
    broken = os.fsdecode(b"r\xff")
    for arguments in (("explain", "run", broken), ("run", "never", "--data", broken, "--out", "x"), ("score", broken)):
        assert failed(*arguments).startswith(r"the argument 'r\udcff' is no UTF-8 text.")


def test_an_interrupt_says_that_the_same_command_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    """`run` under a real SIGINT is in tests/run/test_resume.py; `reproduce` goes on at the notebook it was at."""

    def interrupted(*_: object, **__: object) -> Iterator[str]:
        yield "00: done"
        raise KeyboardInterrupt

    monkeypatch.setattr(proactmem.reproduce, "reproduce", interrupted)
    result = call("reproduce")
    assert (result.code, result.out) == (130, "00: done\n")
    assert result.err == "proactmem: interrupted; the same command resumes where it stopped.\n"


def test_a_failing_notebook_is_one_paragraph(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> Iterator[str]:
        raise NotebookError("02.ipynb, cell 3 failed: ValueError: x.", remedy="Look there.")
        yield

    monkeypatch.setattr(proactmem.reproduce, "reproduce", fails)
    assert failed("reproduce") == "02.ipynb, cell 3 failed: ValueError: x. Look there."


def test_simulate_says_what_it_wrote_and_repeats_its_bytes(project: Path, tmp_path: Path) -> None:
    arguments = ("simulate", "--scope", "sports", "--seed", 7, "--participants", 2, "--days", 9, "--out")
    assert done(*arguments, tmp_path / "a").out == f"{tmp_path / 'a'}: suggestions.csv, reference_labels.csv, planted.json\n"
    for name in ("suggestions.csv", "reference_labels.csv", "planted.json"):
        assert (tmp_path / "a" / name).read_bytes() == (project / "raw" / name).read_bytes()


def test_where_nothing_can_be_written_that_is_said(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    inside = tmp_path / "file" / "inside"
    assert "cannot be written" in failed("simulate", "--scope", "sports", "--seed", 7, "--out", inside)
    assert failed("build", "sports", "--raw", project / "raw", "--out", inside)
    assert "cannot be written" in failed("run", "never", "--data", project / "built", "--out", inside)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_named(project: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        assert str(tmp_path) in failed("run", "never", "--data", project / "built", "--out", tmp_path / "run")
        assert str(tmp_path) in failed("simulate", "--scope", "sports", "--seed", 7, "--out", tmp_path / "raw")
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("name", ["with  blanks", "Grüße 行動 🚶", "-dash", "a'b\"c", "100%", "per%2Fcent"])
def test_folders_of_any_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths throughout; a leading dash needs the equals sign, as everywhere."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    raw, built, out = (f"{name}/{part}" for part in ("raw", "built", "run"))
    done("simulate", "--scope=sports", "--seed=7", f"--out={raw}", "--participants=1", "--days=2")
    done("build", "sports", f"--raw={raw}", f"--out={built}")
    assert done("run", "event-only", f"--data={built}", f"--out={out}").out.startswith(f"{out}: Event-only, ")
    if not name.startswith("-"):
        (scored,) = done("score", out, "--labels", built, "--json").objects
        assert scored["run"] == "run"
    monkeypatch.chdir(place / name)
    assert done("run", "event-only", "--data=built", "--out=run").out.startswith("run: Event-only, ")  # resumed from elsewhere


@pytest.mark.parametrize(
    ("scope", "wrote"), [("home", "sim*/sim*.rawdata.txt"), ("code", "YYYY-MM-DD-H.json.gz, repositories.txt")]
)
def test_every_scope_is_simulated_and_built_by_the_same_two_commands(scope: str, wrote: str, tmp_path: Path) -> None:
    raw, built = tmp_path / "raw", tmp_path / "built"
    shown = done("simulate", "--scope", scope, "--seed", 7, "--streams", 1, "--days", 6, "--out", raw).out
    assert shown.startswith(f"{raw}: {wrote}")
    assert " events in 1 streams" in done("build", scope, "--raw", raw, "--out", built).out
    assert "--participants is --streams" in failed("simulate", "--scope", scope, "--seed", 7, "--participants", 1, "--out", raw)


def test_fetch_wants_the_terms_accepted_and_takes_a_copy_of_ones_own(tmp_path: Path) -> None:
    said = failed("fetch", "heartsteps", "--out", tmp_path / "raw")
    assert "CC-BY-4.0" in said
    assert "give --accept-licence" in said
    own = tmp_path / "own.txt"
    own.write_text("2009-10-16 00:01:04 M017 ON\n")
    casas = ("fetch", "casas", "--accept-licence", "--out", tmp_path / "casas")
    assert done(*casas, "--from", own).out == f"{tmp_path / 'casas'}: 1 files fetched (0 resumed), 0 there already\n"
    assert "homes ['milan'] are had by permission" in failed(*casas, "--homes", "milan")
    hours = ("fetch", "gharchive", "--accept-licence", "--out", tmp_path / "gh")
    assert "--since is 'May'" in failed(*hours, "--since", "May")
    assert "needs a range of hours" in failed(*hours, "--since", "2024-03-01")


def test_a_dataset_goes_out_is_checked_and_comes_back_as_it_was(project: Path, tmp_path: Path) -> None:
    built, out, back = project / "built", tmp_path / "dataset", tmp_path / "back"
    arguments = ("export", built, "--out", out, "--name", "small", "--version", "1.0.0", "--date", "2026-12-01")
    told = done(*arguments).out
    assert told.startswith(f"{out}: small 1.0.0, ")
    assert done("check", out).out == told
    assert done("import", out, "sports", "--out", back).out.startswith(f"{back}: ")
    assert (back / "events.parquet").read_bytes() == (built / "events.parquet").read_bytes()
    assert "--date is 'May'; expected a day" in failed(*arguments[:-1], "May")
    file = next((out / "data").rglob("*.parquet"))
    file.write_bytes(file.read_bytes() + b"x")
    assert file.name in failed("check", out)


def test_streams_are_selected_by_the_hash_of_their_ids(project: Path) -> None:
    lines = done("select", project / "built", "--count", 2).out.splitlines()
    assert sorted(line.split()[1] for line in lines) == ["heartsteps_participant_01", "heartsteps_participant_02"]
    assert [line[:64] for line in lines] == sorted(line[:64] for line in lines)
    assert "3 streams asked for" in failed("select", project / "built", "--count", 3)
    assert "has 150 events after 7 days" in failed("select", project / "built", "--diagnostic")


def test_streams_are_labelled_by_the_protocol_and_scored_with_what_comes_of_it(project: Path, tmp_path: Path) -> None:
    built, votes, out = project / "built", tmp_path / "votes", tmp_path / "labels"
    both = ("--data", built, "--votes", votes)
    assert "events in the queue, 0 without a usable score" in done("annotate", "triage", *both).out
    assert "votes of 3 annotators, 0 missing" in done("annotate", "panel", *both, "--jobs", 2).out
    assert done("annotate", "agreement", "--votes", votes).out.startswith("y: Fleiss' kappa ")
    assert "events on which votes differ or are missing" in done("annotate", "review", *both).out
    told = done("annotate", "adjudicate", *both, "--out", out).out
    assert told.startswith(f"{out / 'labels-v1.jsonl'}: version 1, ")
    taken = done(
        "annotate", "import", project / "raw" / "reference_labels.csv", "--data", built, "--out", tmp_path / "taken"
    ).out
    assert "version 1" in taken
    done("run", "never", "--data", built, "--out", tmp_path / "run")
    for labels in (out / "labels-v1.jsonl", tmp_path / "taken" / "labels-v1.jsonl"):
        (scored,) = done("score", tmp_path / "run", "--labels", labels, "--json").objects
        assert sum(scored["counts"].values()) > 0
    assert "no vote of nobody" in failed("annotate", "agreement", "--votes", votes, "--annotators", "nobody")
