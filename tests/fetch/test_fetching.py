"""Sources are fetched once, under accepted terms, and a copy of one's own takes a download's place."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from proactmem.errors import ConfigError, FetchError
from proactmem.fetch import fetch
from proactmem.fetch.sources import SOURCES, RemoteFile
from tests.fetch.serving import Fault, Site, serving

DAY = (datetime(2024, 3, 1, 3, tzinfo=UTC), datetime(2024, 3, 1, 6, tzinfo=UTC))


def archive(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name in names:
            opened.writestr(name, f"2012-07-18 12:54:45 M001 ON of {name}\n")
    return buffer.getvalue()


ZIP = archive(
    "data/csh101/csh101.rawdata.txt", "data/csh102/csh102.rawdata.txt", "../evil.txt", "data/../../evil.txt", "data/x.exe"
)


@pytest.fixture
def site() -> Iterator[Site]:
    files = {f"/2024-03-01-{hour}.json.gz": gzip.compress(b'{"id":"%d"}\n' % hour) for hour in (3, 5)}
    trace = b"[]"
    blob = hashlib.sha1(b"blob 2\0[]", usedforsecurity=False).hexdigest()
    listed = [{"name": name, "sha": blob, "size": 2, "type": "file"} for name in ("code_1.json", "../x.json", "notes.md")]
    files["/repos/thunlp/ProactiveAgent/contents/dataset/test_data?ref=86383616"] = json.dumps(listed).encode()
    files["/thunlp/ProactiveAgent/main/dataset/test_data/code_1.json"] = trace
    files["/static/public/506/human+activity+recognition+from+continuous+ambient+sensor+data.zip"] = ZIP
    with serving(files) as found:
        yield found


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=5, trust_env=False) as found:
        yield found


def test_without_accepted_terms_nothing_is_fetched(site, client, tmp_path):
    for name, source in SOURCES.items():
        with pytest.raises(ConfigError, match="--accept-licence") as caught:
            fetch(name, tmp_path / name, accept=False, mirror=site.url, client=client)
        assert source.licence in str(caught.value)
    assert site.asked == []
    assert list(tmp_path.iterdir()) == []


def test_hours_are_fetched_once_and_lost_ones_are_told(site, client, tmp_path):
    def again(**more):
        return fetch(
            "gharchive", tmp_path / "gh", accept=True, since=DAY[0], until=DAY[1], mirror=site.url, client=client,
            sleep=lambda _: None, **more,
        )  # fmt: skip

    seen: list[tuple[int, int]] = []
    report = again(progress=lambda done, of: seen.append((done, of)))
    assert report.fetched == ("2024-03-01-3.json.gz", "2024-03-01-5.json.gz")
    assert report.missing == ("2024-03-01-4.json.gz",)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert "the source has no 2024-03-01-4.json.gz (1 in all)" in str(report)
    manifest = json.loads((tmp_path / "gh" / "fetched.json").read_bytes())
    assert manifest["files"]["2024-03-01-4.json.gz"]["state"] == "missing"
    first = (tmp_path / "gh" / "SOURCE.txt").read_text()
    assert "GH Archive" in first
    assert manifest["files"]["2024-03-01-3.json.gz"]["sha256"] in first
    assert (again().fetched, again().already) == ((), ("2024-03-01-3.json.gz", "2024-03-01-5.json.gz"))
    (tmp_path / "gh" / "2024-03-01-5.json.gz").write_bytes(b"damaged")
    assert again().fetched == ("2024-03-01-5.json.gz",)
    assert (tmp_path / "gh" / "SOURCE.txt").read_text() == first


def test_traces_are_those_of_the_listing_and_names_are_not_trusted(site, client, tmp_path):
    report = fetch("proactivebench", tmp_path / "pb", accept=True, mirror=site.url, client=client, sleep=lambda _: None)
    assert report.fetched == ("code_1.json",)
    assert sorted(path.name for path in (tmp_path / "pb").iterdir() if path.suffix == ".json") == [
        "code_1.json",
        "fetched.json",
    ]
    site.files["/repos/thunlp/ProactiveAgent/contents/dataset/test_data?ref=86383616"] = b"<html>"
    with pytest.raises(FetchError, match="listing of ProactiveBench is not GitHub's"):
        fetch("proactivebench", tmp_path / "x", accept=True, mirror=site.url, client=client, sleep=lambda _: None)


def test_homes_come_out_of_the_archive_and_nothing_leaves_the_folder(site, client, tmp_path):
    def homes(out, **more):
        return fetch("casas", tmp_path / out, accept=True, mirror=site.url, client=client, sleep=lambda _: None, **more)

    homes("some", homes=["csh102"])
    assert [path.name for path in (tmp_path / "some").rglob("*.rawdata.txt")] == ["csh102.rawdata.txt"]
    homes("all")
    assert sorted(path.name for path in (tmp_path / "all").rglob("*.rawdata.txt")) == [
        "csh101.rawdata.txt",
        "csh102.rawdata.txt",
    ]
    assert not list(tmp_path.rglob("evil.txt"))
    assert not list(tmp_path.rglob("*.exe"))
    with pytest.raises(ConfigError, match=r"\['milan'\] are had by permission"):
        homes("some", homes=["milan", "csh101"])
    site.files["/static/public/506/human+activity+recognition+from+continuous+ambient+sensor+data.zip"] = b"no archive"
    with pytest.raises(FetchError, match="is no archive"):
        homes("none")


def test_a_copy_of_ones_own_is_taken_over_with_its_terms(site, tmp_path):
    own = tmp_path / "own"
    (own / "milan").mkdir(parents=True)
    (own / "milan" / "data").write_text("2009-10-16 00:01:04 M017 ON\n")
    (own / ".git").write_text("x")
    out = tmp_path / "casas"
    report = fetch("casas", out, accept=True, homes=["milan"], from_path=own)
    assert report.fetched == ("milan/data",)
    assert (out / "milan" / "data").read_bytes() == (own / "milan" / "data").read_bytes()
    assert "may be stricter" in (out / "SOURCE.txt").read_text()
    assert fetch("casas", out, accept=True, from_path=own).already == ("milan/data",)
    assert site.asked == []
    for wrong in (tmp_path / "nowhere", tmp_path / "casas" / "milan"):
        with pytest.raises(ConfigError):
            fetch("casas", out, accept=True, from_path=wrong)


def test_a_pinned_file_is_only_that_file(site, client, tmp_path, monkeypatch):
    body = b"user.index\n"
    pinned = RemoteFile("suggestions.csv", ("https://example.org/s.csv",), hashlib.sha256(body).hexdigest(), len(body))
    monkeypatch.setitem(SOURCES, "heartsteps", replace(SOURCES["heartsteps"], files=(pinned,)))
    site.files["/s.csv"] = body
    site.faults["/s.csv"] = [Fault("drop", 4), Fault("wrong")]
    seen: list[tuple[int, int]] = []
    report = fetch(
        "heartsteps", tmp_path, accept=True, mirror=site.url, client=client, sleep=lambda _: None,
        progress=lambda done, of: seen.append((done, of)),
    )  # fmt: skip
    assert seen[-1] == (len(body), len(body))
    assert report.resumed == ()  # what had arrived was wrong in the end, so that the file was fetched anew
    assert (tmp_path / "suggestions.csv").read_bytes() == body


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("gharchive", {}, "needs a range of hours"),
        ("gharchive", {"since": DAY[1], "until": DAY[0]}, "needs a range of hours"),
        ("gharchive", {"since": datetime(1990, 1, 1, tzinfo=UTC), "until": DAY[1]}, "more than ten years"),
        ("heartsteps", {"since": DAY[0]}, "has no hours"),
        ("heartsteps", {"homes": ["x"]}, "has no homes"),
        ("heartsteps", {"mirror": "ftp://x"}, "expected an http or https address"),
    ],
)
def test_options_that_do_not_fit_are_named(name, options, said, tmp_path):
    with pytest.raises(ConfigError, match=said):
        fetch(name, tmp_path, accept=True, **options)
    assert list(tmp_path.iterdir()) == []


def test_folders_of_other_sources_files_and_writers_are_left_alone(site, client, tmp_path):
    def hours(out: Path) -> None:
        fetch("gharchive", out, accept=True, since=DAY[0], until=DAY[1], mirror=site.url, client=client, sleep=lambda _: None)

    hours(tmp_path / "gh")
    with pytest.raises(FetchError, match="holds files of gharchive"):
        fetch("proactivebench", tmp_path / "gh", accept=True, mirror=site.url, client=client)
    (tmp_path / "gh" / "fetched.json").write_text("{")
    with pytest.raises(FetchError, match="is no manifest"):
        hours(tmp_path / "gh")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="is a file"):
        hours(tmp_path / "file")
