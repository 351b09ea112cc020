from __future__ import annotations

import hashlib
import json

import pytest

from proactmem.core.records import MANIFEST, RECORDS_DIR
from proactmem.errors import StoreError
from proactmem.score.runs import ScoredDecision, load_run
from tests.score.making import write_run

STREAMS = {"s1": [(True, True), (False, True), (False, False)], "o/r": [(False, None), (True, None)]}


def edit(folder, change):
    file = folder / MANIFEST
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest))


def test_a_run_is_read_back(tmp_path):
    run = load_run(write_run(tmp_path / "mine", STREAMS))
    assert run.name == "mine"
    assert run.manifest.method == "proactmem"
    assert run.streams["s1"] == (
        ScoredDecision("e0", True, True), ScoredDecision("e1", False, True), ScoredDecision("e2", False, False),
    )  # fmt: skip
    assert [(d.final, d.proposed) for d in run.streams["o/r"]] == [(False, False), (True, True)]


def test_the_name_of_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(write_run(tmp_path / "here", STREAMS))
    assert load_run(".").name == "here"


@pytest.mark.parametrize("made", [True, False])
def test_not_a_run_directory(tmp_path, made):
    folder = tmp_path / "x"
    if made:
        folder.mkdir()
    with pytest.raises(StoreError, match=r"x' is not a run directory.*'manifest.json'.*proactmem run --out"):
        load_run(folder)


def test_another_format_version(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS)
    edit(folder, lambda manifest: manifest.update(format=2))
    with pytest.raises(StoreError, match=r"manifest.json: run format 2; expected 1"):
        load_run(folder)


@pytest.mark.parametrize("text", ["{", "[]", "null", '"x"', "\x00"])
def test_a_damaged_manifest(tmp_path, text):
    folder = write_run(tmp_path / "r", STREAMS)
    (folder / MANIFEST).write_text(text)
    with pytest.raises(StoreError, match=r"manifest.json: (not JSON|run format None)"):
        load_run(folder)


def test_a_manifest_with_a_wrong_field(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS)
    edit(folder, lambda manifest: manifest.update(scope="kitchen"))
    with pytest.raises(StoreError, match=r"field 'scope'.*'kitchen'"):
        load_run(folder)


def test_an_incomplete_run_names_the_resume_command(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS, unfinished=["s3"])
    with pytest.raises(StoreError, match=r"2 of 3 streams.*'s3'.*same `proactmem run \.\.\.` command again"):
        load_run(folder)
    run = load_run(folder, allow_partial=True)
    assert set(run.streams) == {"s1", "o/r"}
    assert not run.manifest.complete


@pytest.mark.parametrize(
    "line",
    [
        b"{", b"[]", b"null", b"7", b"\xff\xfe", b"{}",
        b'{"event_id":"e1","stream_id":"s1","decision":{"verdict":"maybe"}}',
        b'{"event_id":"e1","stream_id":"s1","decision":{"verdict":["abstain"]}}',
        b'{"event_id":"e1","stream_id":"s1","decision":null}',
        b'{"event_id":"e1","stream_id":"s2","decision":{"verdict":"abstain"}}',
        b'{"event_id":1,"stream_id":"s1","decision":{"verdict":"abstain"}}',
        b'{"event_id":"e1","stream_id":"s1","proposal":[],"decision":{"verdict":"abstain"}}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_corrupt_line_is_named(tmp_path, line):
    folder = write_run(tmp_path / "r", STREAMS)
    file = folder / RECORDS_DIR / "s1.jsonl"
    lines = file.read_bytes().splitlines()
    lines[1] = line
    file.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(StoreError, match=r"s1.jsonl, row 2: corrupt record"):
        load_run(folder)


def test_a_truncated_last_line_is_named(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS)
    file = folder / RECORDS_DIR / "s1.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(StoreError, match="row 3"):
        load_run(folder)


def test_a_changed_file_is_refused(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS)
    file = folder / RECORDS_DIR / "s1.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"day":"2015-08-01"', b'"day":"2015-08-02"', 1))
    with pytest.raises(StoreError, match="changed since the run wrote it"):
        load_run(folder)


def test_a_lost_line_is_refused_by_its_hash(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS)
    file = folder / RECORDS_DIR / "s1.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(StoreError, match=r"2 events.*expected 3"):
        load_run(folder)


def test_a_missing_record_file(tmp_path):
    folder = write_run(tmp_path / "r", STREAMS)
    (folder / RECORDS_DIR / "s1.jsonl").unlink()
    with pytest.raises(StoreError, match="finished stream 's1' cannot be read"):
        load_run(folder)


def test_an_event_decided_twice(tmp_path):
    folder = tmp_path / "r"
    write_run(folder, {"s1": [(True, True)]})
    file = folder / RECORDS_DIR / "s1.jsonl"
    file.write_bytes(file.read_bytes() * 2)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    edit(folder, lambda manifest: manifest["finished"][0].update(events=2, records_sha256=digest))
    with pytest.raises(StoreError, match=r"row 2: .*'e0' was already decided"):
        load_run(folder)
