"""proactmem.run.store: one run a directory; what is damaged, foreign, crowded or full is said, and never overwritten."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from proactmem.config import MemoryConfig
from proactmem.core.records import RunManifest
from proactmem.errors import RunLockedError, StoreError
from proactmem.run.store import RunDirectory, StreamWriter
from tests.run.making import FIRST, SECOND, Failing, do, ended, files, paragraph, python


def refused(out: Path, built: Path, method: str = "proactmem", **options: object) -> str:
    """The message of a run that is refused, having changed nothing."""
    before = files(out, *(path.name for path in out.iterdir())) if out.is_dir() else {}
    with pytest.raises(StoreError) as raised:
        do(method, built, out, **options)
    assert files(out, *(path.name for path in out.iterdir())) == before
    assert raised.value.remedy
    return raised.value.message


def test_a_foreign_directory_is_refused_and_left_as_it_was(built: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("do not touch")
    assert "is not empty and holds no run (['thesis.tex'])" in refused(tmp_path, built)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_run_directory(built: Path, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("x")
    with pytest.raises(StoreError, match="cannot be written"):
        do("never", built, tmp_path / "run")


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("method", {"method": "event-only"}),
        ("config", {"config": MemoryConfig(capacity=7)}),
        ("settings", {"settings": {"fabricate": 0.5}}),
        ("streams", {"only": [FIRST]}),
    ],
)
def test_other_settings_in_the_same_directory_name_the_field(
    field: str, options: dict[str, object], built: Path, tmp_path: Path
) -> None:
    out = do("proactmem", built, tmp_path / "run")
    assert f"holds another run: its {field} is " in refused(out, built, **options)


def test_other_data_prompts_or_releases_are_another_run(built: Path, smoke: Path, tmp_path: Path) -> None:
    out = do("never", built, tmp_path / "run")
    assert "its data_sha256 is " in refused(out, smoke, "never")
    manifest = json.loads((out / "manifest.json").read_bytes())
    for field, value in (("package_version", "0.0.1"), ("prompts_sha256", "0" * 64), ("format", 2), ("model", "other")):
        (out / "manifest.json").write_text(json.dumps({**manifest, field: value}))
        assert f"its {field} is {value!r}" in refused(out, built, "never")


def test_moved_data_and_a_moved_service_are_the_same_run(built: Path, tmp_path: Path) -> None:
    backbone = Failing()
    out = do("proactmem", built, tmp_path / "run", backbone, base_url="http://127.0.0.1:1/v1")
    before, calls = files(out), backbone.calls
    (tmp_path / "moved").symlink_to(built)
    assert files(do("proactmem", tmp_path / "moved", out, backbone, base_url="http://127.0.0.1:2/v1")) == before
    assert backbone.calls == calls


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[]", b'{"format": 1}', b'{"name": "someone else\'s"}'])
def test_a_manifest_that_is_none_is_refused(text: bytes, built: Path, tmp_path: Path) -> None:
    out = do("never", built, tmp_path / "run")
    (out / "manifest.json").write_bytes(text)
    assert "manifest.json: is no readable run manifest of format 1" in refused(out, built, "never")


def test_without_its_manifest_a_run_is_written_again_from_its_replies(built: Path, tmp_path: Path) -> None:
    backbone = Failing()
    out = do("proactmem", built, tmp_path / "run", backbone)
    before, calls = files(out), backbone.calls
    (out / "manifest.json").unlink()
    assert files(do("proactmem", built, out, backbone)) == before
    assert backbone.calls == calls


@pytest.mark.parametrize("damage", ["changed", "cut", "gone"])
def test_a_finished_stream_whose_record_file_was_damaged_is_run_again(damage: str, built: Path, tmp_path: Path) -> None:
    backbone = Failing()
    out = do("proactmem", built, tmp_path / "run", backbone)
    before, calls = files(out), backbone.calls
    file = out / "records" / f"{SECOND}.jsonl"
    data = file.read_bytes()
    file.unlink()
    if damage != "gone":
        file.write_bytes(data[:-20] if damage == "cut" else data.replace(b"abstain", b"ABSTAIN", 1))
    told: list[tuple[str, int, int]] = []
    assert files(do("proactmem", built, out, backbone, progress=lambda *event: told.append(event))) == before
    assert backbone.calls == calls
    assert sum(stream == FIRST for stream, _, _ in told) == 1  # told as finished, not replayed


@pytest.mark.parametrize("damage", ["garbage", "truncated", "foreign"])
def test_a_corrupt_recording_is_refused_with_a_remedy(damage: str, built: Path, tmp_path: Path) -> None:
    out = do("proactmem", built, tmp_path / "run")
    replies = out / "replies.sqlite"
    data = replies.read_bytes()
    replies.write_bytes({"garbage": os.urandom(4096), "truncated": data[: len(data) // 3], "foreign": b"SQLite"}[damage])
    (out / "records" / f"{FIRST}.jsonl").unlink()
    with pytest.raises(StoreError, match=r"replies\.sqlite: .*not a readable recording store") as raised:
        do("proactmem", built, out)
    assert raised.value.remedy is not None
    assert "move it away" in raised.value.remedy
    expected = files(do("proactmem", built, tmp_path / "whole"))
    replies.unlink()
    assert files(do("proactmem", built, out)) == expected


def test_one_writer_at_a_time(built: Path, tmp_path: Path) -> None:
    out = do("never", built, tmp_path / "run")
    manifest = RunManifest.model_validate_json((out / "manifest.json").read_bytes())
    with RunDirectory.open(out, manifest), pytest.raises(RunLockedError, match="another process is writing"):
        do("never", built, out)
    do("never", built, out)  # released


_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from proactmem.cli import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize(("limit", "what"), [(100, "run"), (60_000, "run/replies.sqlite")])
def test_where_files_cannot_grow_the_run_stops_readably_and_resumes(limit: int, what: str, smoke: Path, tmp_path: Path) -> None:
    arguments = ("run", "proactmem", "--data", str(smoke), "--out", "run")
    code, _, err = ended(python("-c", _LIMITED, str(limit), *arguments, cwd=tmp_path))
    assert code == 1
    said = paragraph(err)
    assert said.startswith(f"proactmem: {what}: cannot be written (")
    assert "run the command again" in said
    resumed = files(do("proactmem", smoke, tmp_path / "run"), "records", "audit")
    assert resumed == files(do("proactmem", smoke, tmp_path / "whole"), "records", "audit")


def test_a_full_disk_is_named_and_the_run_resumes_when_there_is_room(built: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("no small disk can be mounted here (no mount command)")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=250k", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here ({mounted.stderr.decode().strip()})")
    try:
        with pytest.raises(StoreError, match="the disk is full") as raised:
            do("proactmem", built, disk / "run")
        assert raised.value.remedy is not None
        assert "everything stored so far is kept" in raised.value.remedy
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        resumed = files(do("proactmem", built, disk / "run"))
    finally:
        subprocess.run(["umount", disk], check=True)
    assert resumed == files(do("proactmem", built, tmp_path / "whole"))


@pytest.mark.parametrize("where", ["write", "flush"])
def test_a_record_that_finds_no_room_is_a_store_error(where: str, tmp_path: Path) -> None:
    class Full:
        def write(self, _: bytes) -> int:
            return full() if where == "write" else 0

        def flush(self) -> None:
            full()

        def close(self) -> None:
            full()

    def full() -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def written() -> None:
        writer.audit(MemoryConfig())
        writer.finish()

    writer = StreamWriter(tmp_path, "s")
    for file in writer._open:
        file.close()
    writer._open = [Full(), Full()]  # type: ignore[list-item]
    with pytest.raises(StoreError, match=r"s\.jsonl: the disk is full"):
        written()
    writer.close()
    assert not (tmp_path / "records" / "s.jsonl").exists()
