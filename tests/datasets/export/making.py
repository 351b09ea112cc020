"""Small built folders of every scope, and exports that are changed by hand and pinned again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, Scope, SportsEvent, public_json
from proactmem.datasets.build import build_own
from proactmem.datasets.card import read_card, sha256_file, write_card
from proactmem.datasets.export import check_dataset, export_dataset
from proactmem.datasets.export.layout import CROISSANT, MANIFEST
from tests import samples

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent


def sample(scope: Scope, count: int = 6, *, stream: str | None = None) -> list[Public]:
    """A short stream of a scope."""
    events: list[Public] = []
    for number in range(count):
        day, hour = 1 + number // 6, 8 + number % 6
        match scope:
            case "sports":
                events.append(
                    samples.sports(f"e{number}", f"2025-03-{day:02d}T{hour:02d}:00:00", steps60=None if number % 2 else 9)
                )
            case "home":
                events.append(samples.home(f"e{number}", f"2025-03-{day:02d}T{hour:02d}:00:00", Kitchen=number, Hall=1))
            case "code":
                texts = {"title": f"Crash {number}", "comment_body": "again, <b>bold</b> | piped"}
                events.append(samples.code(f"e{number}", f"2025-03-{day:02d}T{hour:02d}:00:00Z", number, **texts))
            case "desktop":
                events.append(
                    samples.desktop(f"e{number}", f"2025-03-{day:02d}T{hour:02d}:00:00Z", f"The user types {number}.")
                )
    return [event.model_copy(update={"stream_id": stream}) for event in events] if stream else events


def build(
    folder: Path,
    events: Sequence[Public],
    labels: Sequence[dict[str, object]] = (),
    *,
    source: str | None = None,
    **options: object,
) -> Path:
    """Own data built in `folder/built`; with `source` the card says that it comes from there."""
    raw = folder / "raw"
    raw.mkdir(parents=True)
    lines = [json.dumps({"scope": event.scope, **json.loads(public_json(event))}) for event in events]
    (raw / "events.jsonl").write_text("\n".join(lines), encoding="utf-8")
    if labels:
        (raw / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    build_own(raw, folder / "built", **options)  # type: ignore[arg-type]
    if source is not None:
        write_card(folder / "built", read_card(folder / "built").model_copy(update={"source": source}))
    return folder / "built"


def labels_of(events: Sequence[Public], positive: Callable[[int], bool]) -> list[dict[str, object]]:
    """One label an event."""
    keys = [{"stream_id": event.stream_id, "event_id": event.event_id} for event in events]
    return [{**key, "y": int(positive(at)), "service": "walk" if positive(at) else None} for at, key in enumerate(keys)]


def exported(folder: Path, *built: Path, **options: object) -> Path:
    """An export of built folders under `folder/dataset`, checked once more; own data are acknowledged."""
    own = any(read_card(one).source == "own data" for one in built)
    given = {"name": "trial", "version": "1.0.0", **({"acknowledge": ["own data"]} if own else {}), **options}
    report = export_dataset(built, folder / "dataset", **given)  # type: ignore[arg-type]
    assert check_dataset(folder / "dataset") == report
    return folder / "dataset"


def files(folder: Path) -> dict[str, bytes]:
    """Bytes of every file by its place."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pin(dataset: Path) -> None:
    """Write the hashes of the files as they are into the description, so that only a deeper check finds a change."""
    path = dataset / CROISSANT
    described = json.loads(path.read_bytes())
    for one in described["distribution"]:
        if "sha256" in one:
            one["sha256"] = sha256_file(dataset / one["contentUrl"])
    path.write_text(json.dumps(described))


def change(dataset: Path, file: str, how: Callable[[pa.Table], pa.Table], **options: object) -> None:
    """Rewrite a Parquet file of a dataset and pin it again."""
    table = how(pq.read_table(dataset / file))
    pq.write_table(table, dataset / file, **options)
    pin(dataset)


def cells(table: pa.Table, column: str, how: Callable[[list[object]], list[object]]) -> pa.Table:
    """The table with other values in one column."""
    field = table.schema.field(column)
    index = table.schema.get_field_index(column)
    return table.set_column(index, field, pa.array(how(table[column].to_pylist()), field.type))


def change_manifest(dataset: Path, how: Callable[[dict[str, object]], None]) -> None:
    """Change the first part in the manifest and pin it again."""
    manifest = json.loads((dataset / MANIFEST).read_bytes())
    how(manifest["parts"][0])
    (dataset / MANIFEST).write_text(json.dumps(manifest))
    pin(dataset)
