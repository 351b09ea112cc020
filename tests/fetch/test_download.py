"""A file arrives byte for byte, or a clear error and no wrong file under its name, whatever the server does."""

from __future__ import annotations

import gzip
import hashlib
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proactmem.errors import FetchError, StoreError
from proactmem.fetch.download import ATTEMPTS, Downloader
from proactmem.fetch.sources import RemoteFile
from tests.fetch.serving import Fault, Site, serving

BODY = random.Random(1).randbytes(200_000)
DIGEST = hashlib.sha256(BODY).hexdigest()
FILE = RemoteFile("f.bin", ("https://example.org/f.bin",), sha256=DIGEST)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/f.bin": BODY, "/g.json.gz": gzip.compress(BODY)}) as found:
        yield found


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=5, trust_env=False) as found:
        yield found


def downloader(client: httpx.Client, site: Site, waits: list[float] | None = None) -> Downloader:
    kept = waits if waits is not None else []
    return Downloader(client, kept.append, mirror=site.url, jitter=lambda low, high: high)


def test_a_file_arrives_and_nothing_else_lies_there(client, site, tmp_path):
    seen: list[tuple[int, int | None]] = []
    found = Downloader(client, lambda _: None, mirror=f"{site.url}/", told=lambda done, of: seen.append((done, of))).fetch(
        FILE, tmp_path / "f.bin"
    )
    assert (tmp_path / "f.bin").read_bytes() == BODY
    assert (found.sha256, found.size, found.resumed) == (DIGEST, len(BODY), False)
    assert seen[-1] == (len(BODY), len(BODY))
    assert [path.name for path in tmp_path.iterdir()] == ["f.bin"]


def test_a_dropped_connection_is_resumed_where_it_broke(client, site, tmp_path):
    site.faults["/f.bin"] = [Fault("drop", 90_000), Fault("drop", 40_000)]
    assert downloader(client, site).fetch(FILE, tmp_path / "f.bin").resumed
    assert (tmp_path / "f.bin").read_bytes() == BODY
    assert [asked for _, asked in site.asked] == [None, "bytes=90000-", "bytes=130000-"]


def test_a_killed_download_goes_on_in_another_process(client, site, tmp_path):
    site.faults["/f.bin"] = [Fault("drop", 70_000)] + [Fault("status", 503)] * ATTEMPTS
    waits: list[float] = []
    with pytest.raises(FetchError, match=r"the server answers 503 \(after 6 attempts\)"):
        downloader(client, site, waits).fetch(FILE, tmp_path / "f.bin")
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert not (tmp_path / "f.bin").exists()
    site.faults["/f.bin"] = []
    assert downloader(client, site).fetch(FILE, tmp_path / "f.bin").resumed
    assert site.asked[-1] == ("/f.bin", "bytes=70000-")
    assert (tmp_path / "f.bin").read_bytes() == BODY


def test_a_file_that_changed_meanwhile_is_fetched_anew(client, site, tmp_path):
    site.faults["/f.bin"] = [Fault("drop", 70_000), Fault("change")]
    plain = RemoteFile("f.bin", ("https://example.org/f.bin",))
    downloader(client, site).fetch(plain, tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == BODY[::-1] + b"!"


@pytest.mark.parametrize("fault", [Fault("ignore_range"), Fault("wrong_range"), Fault("no_validator", 10)])
def test_a_server_that_does_not_do_ranges_right_costs_a_whole_file(fault, client, site, tmp_path):
    site.faults["/f.bin"] = [Fault("drop", 70_000), fault]
    downloader(client, site).fetch(FILE, tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == BODY


def test_a_server_is_given_the_time_it_asks_for(client, site, tmp_path):
    waits: list[float] = []
    site.faults["/f.bin"] = [Fault("status", 429, "7"), Fault("status", 503), Fault("status", 429, "99999")]
    downloader(client, site, waits).fetch(FILE, tmp_path / "f.bin")
    assert waits == [7.0, 2.0, 300.0]
    site.faults["/f.bin"] = [Fault("status", 429, "Wed, 21 Oct 2150 07:28:00 GMT"), Fault("status", 429, "soon")]
    waits.clear()
    downloader(client, site, waits).fetch(FILE, tmp_path / "again.bin")
    assert waits == [300.0, 2.0]


@pytest.mark.parametrize(
    ("status", "said"), [(401, "asks for a login"), (403, "refuses"), (451, "legal reasons"), (418, "418")]
)
def test_a_refusal_is_told_at_once(status, said, client, site, tmp_path):
    site.faults["/f.bin"] = [Fault("status", status)]
    with pytest.raises(FetchError, match=said):
        downloader(client, site).fetch(FILE, tmp_path / "f.bin")
    assert len(site.asked) == 1


def test_a_file_that_is_not_there_is_missing_where_it_may_be(client, site, tmp_path):
    lost = RemoteFile("x", ("https://example.org/x", "https://example.org/y"))
    with pytest.raises(FetchError, match=r"https://example.org/x: is not there \(404\)"):
        downloader(client, site).fetch(lost, tmp_path / "x")
    assert downloader(client, site).fetch(RemoteFile("x", lost.urls, may_be_missing=True), tmp_path / "x") is None
    moved = RemoteFile("f.bin", ("https://example.org/old", "https://example.org/f.bin"), DIGEST)
    assert downloader(client, site).fetch(moved, tmp_path / "f.bin").sha256 == DIGEST


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (FILE, "SHA-256"),
        (RemoteFile("f.bin", FILE.urls, size=7), "bytes; expected 7"),
        (RemoteFile("f.bin", FILE.urls, blob="0" * 40), "Git SHA-1"),
        (RemoteFile("f.bin", FILE.urls, gzip=True), "no whole gzip file"),
    ],
)
def test_wrong_content_is_asked_for_twice_and_then_refused(file, said, client, site, tmp_path):
    site.faults["/f.bin"] = [Fault("wrong")] * 5
    with pytest.raises(FetchError, match=said):
        downloader(client, site).fetch(file, tmp_path / "f.bin")
    assert list(tmp_path.iterdir()) == []
    assert len(site.asked) == 2


def test_a_cut_archive_hour_is_noticed_though_its_length_is_right(client, site, tmp_path):
    whole = site.files["/g.json.gz"]
    hour = RemoteFile("g", ("https://example.org/g.json.gz",), gzip=True)
    assert downloader(client, site).fetch(hour, tmp_path / "g").size == len(whole)
    site.files["/g.json.gz"] = whole[:-9]
    with pytest.raises(FetchError, match="no whole gzip file"):
        downloader(client, site).fetch(hour, tmp_path / "h")


def test_where_nothing_can_be_written_that_is_said(client, site, tmp_path):
    (tmp_path / "f.bin.part").mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        downloader(client, site).fetch(FILE, tmp_path / "f.bin")


FAULTS = st.lists(
    st.one_of(
        st.builds(Fault, st.just("drop"), st.integers(0, len(BODY))),
        st.builds(Fault, st.just("status"), st.sampled_from([429, 500, 502, 503])),
        st.builds(Fault, st.sampled_from(["short", "ignore_range", "wrong", "wrong_range"])),
        st.builds(Fault, st.just("no_validator"), st.integers(0, len(BODY))),
    ),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(FAULTS)
def test_whatever_goes_wrong_no_wrong_file_stands_under_the_name(client, site, faults):
    with tempfile.TemporaryDirectory() as name:
        target = Path(name) / "f.bin"
        site.faults["/f.bin"] = list(faults)
        try:
            downloader(client, site).fetch(FILE, target)
        except FetchError:
            assert not target.exists()
        else:
            assert target.read_bytes() == BODY
        site.faults["/f.bin"] = []
        downloader(client, site).fetch(FILE, target)
        assert target.read_bytes() == BODY
