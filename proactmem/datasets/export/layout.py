"""How an exported dataset lies on disk, and its manifest `dataset.json`, which says what each part holds."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proactmem.core.events import Scope
from proactmem.errors import ConfigError, StoreError

__all__ = [
    "CROISSANT",
    "DATASET_FORMAT",
    "MANIFEST",
    "README",
    "SPLIT",
    "Manifest",
    "Part",
    "Texts",
    "card_name",
    "labels_name",
    "read_manifest",
    "shard_names",
]

DATASET_FORMAT: Literal[1] = 1
"""Version of the exported layout; another version is refused."""
MANIFEST = "dataset.json"
"""File name of the manifest."""
CROISSANT = "croissant.json"
"""File name of the Croissant description, which pins every file by its hash."""
README = "README.md"
"""File name of the dataset card."""
SPLIT = "test"
"""The one split: the benchmark publishes no training part, and methods start from empty state."""
Texts = Literal["auto", "keep", "drop"]
"""Whether Code's content texts are exported; `auto` drops those of real GH Archive data and keeps all others."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(_Frozen):
    """One built folder as it was exported: a config of the dataset."""

    config: str = Field(pattern=r"^[a-z]+(_[a-z]+)*$")
    """The scope, or `own_<scope>` for own data."""
    scope: Scope
    source: str
    events: int = Field(ge=1)
    streams: int = Field(ge=1)
    shards: tuple[str, ...] = Field(min_length=1)
    """Files of the events, in order."""
    labels: str | None = None
    """File of the labels, where there are any."""
    labelled: int = 0
    """Events that have one."""
    texts_dropped: bool = False
    content_sha256: str
    """SHA-256 over stream id and public JSON of every event, one a line: the same whatever library wrote the files."""

    @model_validator(mode="after")
    def _files_lie_where_they_belong(self) -> Self:
        if self.shards != shard_names(self.config, len(self.shards)) or self.labels not in (None, labels_name(self.config)):
            raise ValueError("files of a part lie under data/ and labels/ by the name of its config")
        return self


class Manifest(_Frozen):
    """What a dataset folder holds; no clock and no path of the machine, so that equal exports have equal manifests."""

    format: Literal[1] = DATASET_FORMAT
    name: str
    version: str
    licence: str
    """Licence identifier in lower case, or `other`."""
    acknowledged: tuple[str, ...] = ()
    """Sources whose terms whoever exported took upon themselves."""
    parts: tuple[Part, ...] = Field(min_length=1)

    def part(self, config: str) -> Part:
        """The part of that name.

        Raises:
            ConfigError: There is none.
        """
        for part in self.parts:
            if part.config == config:
                return part
        raise ConfigError(
            f"no config {config!r} in dataset {self.name!r}; expected one of {[part.config for part in self.parts]}.",
            remedy="Name one of these.",
        )


def shard_names(config: str, count: int) -> tuple[str, ...]:
    """Files of a config's events.

    >>> shard_names("home", 1)
    ('data/home/events-00000-of-00001.parquet',)
    """
    return tuple(f"data/{config}/events-{number:05d}-of-{count:05d}.parquet" for number in range(count))


def labels_name(config: str) -> str:
    """File of a config's labels, apart from all events."""
    return f"labels/{config}/labels-00000-of-00001.parquet"


def card_name(config: str) -> str:
    """File of a config's data card, as the build wrote it."""
    return f"cards/{config}.json"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a dataset folder.

    Raises:
        StoreError: There is none, it is damaged, or it is of another format.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read ({error.strerror or error}).", remedy="Name a folder that an export made."
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StoreError(
            f"{path}: is not a dataset of format {DATASET_FORMAT} ({where or 'whole file'}: {first['msg']}).",
            remedy="Export the dataset again.",
        ) from error
