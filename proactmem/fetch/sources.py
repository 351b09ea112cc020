"""The public sources: where they lie, what they hold, and the terms under which they may be had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["SOURCES", "Name", "RemoteFile", "Source", "gharchive_hour"]

Name = Literal["heartsteps", "proactivebench", "gharchive", "casas"]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a source."""

    path: str
    """Where it is put, relative to the folder of the source; never taken from a server."""
    urls: tuple[str, ...]
    """Addresses, tried in order when one is not there."""
    sha256: str | None = None
    size: int | None = None
    blob: str | None = None
    """Git's SHA-1 of the content, where that is what is known."""
    may_be_missing: bool = False
    """Whether 404 says that there is no such file, as for an hour that the archive never recorded."""
    gzip: bool = False
    """Whether the content must be whole gzip."""


@dataclass(frozen=True, slots=True)
class Source:
    """A public source and its terms."""

    name: Name
    title: str
    licence: str
    notice: str
    """What one accepts by fetching."""
    files: tuple[RemoteFile, ...] = ()
    """Files known beforehand; those of the other sources follow from a listing or a range of hours."""


_HEARTSTEPS = "https://raw.githubusercontent.com/klasnja/HeartStepsV1"
_UCI = "https://archive.ics.uci.edu/static/public/506"
_CASAS = f"{_UCI}/human+activity+recognition+from+continuous+ambient+sensor+data.zip"
SOURCES: dict[Name, Source] = {
    "heartsteps": Source(
        "heartsteps",
        "HeartSteps V1 (github.com/klasnja/HeartStepsV1)",
        "CC-BY-4.0",
        "You may use it and pass it on: name the source (Klasnja 2019, doi:10.1093/abm/kay067) and your changes.",
        (
            RemoteFile(
                "suggestions.csv",
                tuple(f"{_HEARTSTEPS}/{ref}/data_files/suggestions.csv" for ref in ("3016391", "master", "main")),
                sha256="60ee7896183d7084a084f9a6e8ef2d0afea2e7fecdb41d6b15382ce1745c5ddb",
                size=4_371_854,
            ),
        ),
    ),
    "proactivebench": Source(
        "proactivebench",
        "ProactiveBench desktop traces (github.com/thunlp/ProactiveAgent, dataset/test_data)",
        "Apache-2.0",
        "You may use and pass it on with the licence and its notices; the traces show what people did on their computers.",
    ),
    "gharchive": Source(
        "gharchive",
        "GH Archive (gharchive.org)",
        "Public events of GitHub; texts keep the rights of those who wrote them",
        "Keep what people wrote to yourself: pass on metadata only, and respect GitHub's terms of service.",
    ),
    "casas": Source(
        "casas",
        "CASAS smart homes, the public collection (UCI data set 506, doi:10.24432/C5P88T)",
        "CC-BY-4.0",
        "You may use it and pass it on: name the source (Cook et al. 2013, doi:10.1109/MC.2012.328). Older homes (aruba, "
        "milan, cairo, tulum and others) and AL-Smarthome may not be passed on without permission of the CASAS research group "
        "or of Washington State University: ask casas.wsu.edu, then hand over your copy with --from.",
        (
            # The address was not reachable where this was written: a mirror or --from takes its place if it has moved.
            RemoteFile(
                "casas.zip",
                (_CASAS,),
            ),
        ),
    ),
}
"""The sources that `proactmem fetch` knows, by name."""
PROACTIVEBENCH_LISTING = (
    "https://api.github.com/repos/thunlp/ProactiveAgent/contents/dataset/test_data?ref=86383616",
    "https://api.github.com/repos/thunlp/ProactiveAgent/contents/dataset/test_data",
)
PROACTIVEBENCH_RAW = "https://raw.githubusercontent.com/thunlp/ProactiveAgent"
PERMISSION_HOMES = frozenset(
    {"aruba", "aruba2", "milan", "cairo", "tulum", "tulum2009", "tulum2010", "kyoto", "tokyo", "paris"}
)
"""Homes that are had by permission only."""


def gharchive_hour(day: str, hour: int) -> RemoteFile:
    """One hour of the archive; it publishes no checksum."""
    name = f"{day}-{hour}.json.gz"
    return RemoteFile(name, (f"https://data.gharchive.org/{name}",), may_be_missing=True, gzip=True)
