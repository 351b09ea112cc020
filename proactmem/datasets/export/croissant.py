"""The dataset in the words of Croissant 1.0 (JSON-LD): every file with its SHA-256, every column as a field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from proactmem.datasets.card import Card, sha256_file
from proactmem.datasets.export.columns import LABEL_COLUMNS, event_columns
from proactmem.datasets.export.layout import CROISSANT, MANIFEST, Manifest, Part, card_name
from proactmem.datasets.export.words import ABOUT, Words
from proactmem.errors import StoreError

__all__ = ["croissant_json", "listed_files", "read_hashes"]

_CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The standard context of Croissant 1.0."""
_PARQUET, _JSON = "application/x-parquet", "application/json"


def listed_files(manifest: Manifest) -> tuple[str, ...]:
    """Every file whose hash the description holds, by its place in the folder."""
    names = [MANIFEST]
    for part in manifest.parts:
        names += [card_name(part.config), *part.shards, *([part.labels] if part.labels else [])]
    return tuple(names)


def croissant_json(folder: Path, manifest: Manifest, cards: Sequence[Card], words: Words) -> str:
    """The description of the files that lie in `folder`, as indented JSON with the same bytes for equal files."""
    files = [_file(folder, name) for name in listed_files(manifest)]
    sets = [one for part in manifest.parts for one in _file_sets(part)]
    description: dict[str, object] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest.name,
        "description": ABOUT,
        "license": _licences(manifest, cards),
        "version": manifest.version,
        "keywords": list(words.tags),
        "inLanguage": "en",
        "citeAs": words.citation,
        "isLiveDataset": False,
    }
    if words.url is not None:
        description["url"] = words.url
    if words.published is not None:
        description["datePublished"] = words.published.isoformat()
    if words.creator is not None:
        description["creator"] = {"@type": "sc:Organization", "name": words.creator}
    description["distribution"] = [*files, *sets]
    description["recordSet"] = [one for part in manifest.parts for one in _record_sets(part)]
    return json.dumps(description, indent=2, ensure_ascii=False) + "\n"


def _licences(manifest: Manifest, cards: Sequence[Card]) -> str | list[str]:
    if manifest.licence != "other":
        return f"https://spdx.org/licenses/{_SPDX[manifest.licence]}.html" if manifest.licence in _SPDX else manifest.licence
    return sorted({f"{card.source}: {card.licence}" for card in cards})


_SPDX = {"apache-2.0": "Apache-2.0", "cc-by-4.0": "CC-BY-4.0", "mit": "MIT", "cc0-1.0": "CC0-1.0"}


def _file(folder: Path, name: str) -> dict[str, object]:
    path = folder / name
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _PARQUET if name.endswith(".parquet") else _JSON,
        "sha256": sha256_file(path),
    }


def _file_sets(part: Part) -> Iterator[dict[str, object]]:
    yield {
        "@type": "cr:FileSet",
        "@id": f"{part.config}-events",
        "name": f"{part.config}-events",
        "description": f"Files of the events of {part.config}.",
        "encodingFormat": _PARQUET,
        "includes": f"data/{part.config}/events-*.parquet",
    }
    if part.labels:
        yield {
            "@type": "cr:FileSet",
            "@id": f"{part.config}-labels",
            "name": f"{part.config}-labels",
            "description": f"Files of the reference labels of {part.config}, apart from its events.",
            "encodingFormat": _PARQUET,
            "includes": f"labels/{part.config}/labels-*.parquet",
        }


def _record_sets(part: Part) -> Iterator[dict[str, object]]:
    events = [(column.name, column.type, column.description) for column in event_columns(part.scope)]
    yield _record_set(part.config, f"Public events of {part.config}, one a row.", f"{part.config}-events", events)
    if part.labels:
        labels = [(name, kind, description) for name, (kind, description) in LABEL_COLUMNS.items()]
        name = f"{part.config}_labels"
        yield _record_set(name, f"Reference labels of {part.config}, one a row.", f"{part.config}-labels", labels)


def _record_set(name: str, description: str, files: str, columns: Sequence[tuple[str, pa.DataType, str]]) -> dict[str, object]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": description,
        "key": [{"@id": f"{name}/stream_id"}, {"@id": f"{name}/event_id"}],
        "field": [_field(name, files, *column) for column in columns],
    }


def _field(record_set: str, files: str, name: str, kind: pa.DataType, description: str) -> dict[str, object]:
    several = pa.types.is_list(kind)
    field: dict[str, object] = {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "description": description,
        "dataType": _data_type(kind.value_type if several else kind),
        "source": {"fileSet": {"@id": files}, "extract": {"column": name}},
    }
    return {**field, "repeated": True} if several else field


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_floating(kind):
        return "sc:Float"
    if pa.types.is_date(kind):
        return "sc:Date"
    return "sc:DateTime" if pa.types.is_timestamp(kind) else "sc:Text"


def read_hashes(folder: Path) -> dict[str, str]:
    """SHA-256 by file as the description states them.

    Raises:
        StoreError: There is no description, or it is none of this form.
    """
    path = folder / CROISSANT
    try:
        distribution = json.loads(path.read_bytes())["distribution"]
        return {one["contentUrl"]: one["sha256"] for one in distribution if one["@type"] == "cr:FileObject"}
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read ({error.strerror or error}).", remedy="Name a folder that an export made."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path}: is no Croissant description of this dataset ({error}).", remedy="Export the dataset again."
        ) from error
