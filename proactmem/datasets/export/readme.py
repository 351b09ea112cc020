"""The dataset card README.md: YAML front matter for a hub, and what a reader needs to know, derived from cards and columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa

from proactmem.datasets.card import Card
from proactmem.datasets.export.columns import LABEL_COLUMNS, event_columns
from proactmem.datasets.export.layout import CROISSANT, MANIFEST, SPLIT, Manifest, Part, card_name
from proactmem.datasets.export.presence import ClassComparison
from proactmem.datasets.export.words import ABOUT, LIMITS, SIMULATED_LIMIT, Words

__all__ = ["readme", "size_category"]

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))


def size_category(events: int) -> str:
    """The hub's word for that many rows.

    >>> size_category(4_539)
    '1K<n<10K'
    """
    return next((name for limit, name in _SIZES if events < limit), "n>10M")


def readme(manifest: Manifest, cards: Sequence[Card], words: Words, comparisons: Sequence[ClassComparison | None]) -> str:
    """The whole page; the same text for equal data."""
    simulated = [SIMULATED_LIMIT] if any(part.source.startswith("simulated") for part in manifest.parts) else []
    sections = (
        _front_matter(manifest, words),
        _summary(manifest, words),
        _use(manifest),
        _structure(manifest),
        _curation(manifest, cards),
        _labels(manifest, cards, comparisons),
        _licences(manifest, cards),
        ["## Known limits", "", *(f"- {limit}" for limit in (*LIMITS, *simulated))],
        ["## How to cite", "", words.citation, "", f"Name this dataset with its version: {manifest.name} {manifest.version}."],
    )
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def _front_matter(manifest: Manifest, words: Words) -> list[str]:
    """YAML whose values are quoted as JSON, which every YAML reader takes."""
    events = sum(part.events for part in manifest.parts)
    lines = ["---", f"pretty_name: {_quoted(manifest.name)}", "language:", "- en", f"license: {_quoted(manifest.licence)}"]
    if manifest.licence == "other":
        lines += ['license_name: "by-source"', 'license_link: "README.md"']
    lines += ["size_categories:", f"- {_quoted(size_category(events))}", "task_categories:", '- "other"']
    lines += ["tags:", *(f"- {_quoted(tag)}" for tag in words.tags)]
    lines.append("configs:")
    for number, part in enumerate(manifest.parts):
        lines += _config(part.config, f"data/{part.config}/events-*.parquet", default=number == 0)
        if part.labels:
            lines += _config(f"{part.config}_labels", f"labels/{part.config}/labels-*.parquet")
    return [*lines, "---"]


def _config(name: str, path: str, *, default: bool = False) -> list[str]:
    head = [f"- config_name: {_quoted(name)}", *(["  default: true"] if default else []), "  data_files:"]
    return [*head, f"  - split: {SPLIT}", f"    path: {_quoted(path)}"]


def _summary(manifest: Manifest, words: Words) -> list[str]:
    lines = [
        f"# {manifest.name}",
        "",
        ABOUT,
        "",
        f"Version {manifest.version}. One split, `{SPLIT}`: nothing here is for training.",
    ]
    if words.url is not None:
        lines.append(f"Home: {words.url}")
    lines += ["", "| config | scope | source | streams | events | labelled |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for part in manifest.parts:
        cells = (part.config, part.scope, part.source, f"{part.streams:,}", f"{part.events:,}", f"{part.labelled:,}")
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return lines


def _use(manifest: Manifest) -> list[str]:
    config = manifest.parts[0].config
    return [
        "## Use",
        "",
        "```python",
        "import pandas as pd",
        "",
        f'events = pd.read_parquet("data/{config}")        # what a method may see: the column `public`, event by event',
        "```",
        "",
        f'With the `datasets` library: `load_dataset("path/of/this/folder", "{config}", split="{SPLIT}")`. With proactmem:',
        f'`load_dataset_streams(folder, "{config}", out)` writes a built folder that `proactmem run --data` takes.',
        "Labels are joined by `stream_id` and `event_id`, after inference and only to score.",
        f"`{CROISSANT}` pins every file by its SHA-256; `{MANIFEST}` lists the parts.",
    ]


def _structure(manifest: Manifest) -> list[str]:
    lines = ["## Structure", "", "One row an event, a stream's rows together and in causal order."]
    for scope in dict.fromkeys(part.scope for part in manifest.parts):
        configs = ", ".join(f"`{part.config}`" for part in manifest.parts if part.scope == scope)
        columns = [(column.name, column.type, column.description) for column in event_columns(scope)]
        lines += ["", f"### Events of scope {scope} ({configs})", "", *_columns(columns)]
    if any(part.labels for part in manifest.parts):
        columns = [(name, kind, description) for name, (kind, description) in LABEL_COLUMNS.items()]
        lines += ["", "### Labels (`<config>_labels`)", "", *_columns(columns)]
    return lines


def _columns(columns: Sequence[tuple[str, pa.DataType, str]]) -> Iterator[str]:
    yield "| column | type | meaning |"
    yield "| --- | --- | --- |"
    for name, kind, description in columns:
        yield f"| `{name}` | {kind} | {_cell(description)} |"


def _curation(manifest: Manifest, cards: Sequence[Card]) -> list[str]:
    lines = [
        "## Curation",
        "",
        "Built by proactmem from the raw files below; a source record that gave no event is counted, not hidden.",
    ]
    for part, card in zip(manifest.parts, cards, strict=True):
        lines += ["", f"### {part.config}: {card.source}", ""]
        lines.append(f"{part.events:,} events in {part.streams:,} streams. The whole card is `{card_name(part.config)}`.")
        if part.texts_dropped:
            lines.append(
                "What users wrote (`content`) is left out: field names, numbers and list lengths remain, texts are null."
            )
        options = ", ".join(f"{name} = {_shown(value)}" for name, value in sorted(card.options.items()) if value is not None)
        lines += [f"Options of the build: {options}."] if options else []
        lines += ["", "| what | count |", "| --- | ---: |"]
        lines += [f"| dropped: {_words(reason)} | {count:,} |" for reason, count in sorted(card.dropped.items())]
        lines += [f"| noticed: {_words(thing)} | {count:,} |" for thing, count in sorted(card.noticed.items())]
        raw = sorted(card.inputs.items())
        lines += ["", *(f"- raw file {_code(name)}, SHA-256 `{digest}`" for name, digest in raw[:10])]
        if len(raw) > 10:
            lines.append(f"- and {len(raw) - 10:,} more, named in the card")
    return lines


def _labels(manifest: Manifest, cards: Sequence[Card], comparisons: Sequence[ClassComparison | None]) -> list[str]:
    lines = ["## Labels, kept apart", ""]
    lines.append(
        "y = 1 if and only if (A or B) and N (Equation 9): the event alone (A) or the stream's earlier events (B) support a "
        "concrete, timely, feasible, low-risk service, and it is the first reliable actionable window of its episode (N). "
        "Both classes share one public schema. Labels, candidate flags, episodes and scoring masks are in no event file, "
        "since a method that reads its inputs from a table must not find the answer beside them; every event was read "
        "through a schema that refuses such fields before it was written. The labels are those of the label file named for "
        "each part, joined by key and not changed."
    )
    for part, card, comparison in zip(manifest.parts, cards, comparisons, strict=True):
        if comparison is None or card.labels is None:
            lines += ["", f"`{part.config}` has no labels."]
            continue
        lines += ["", f"`{part.config}`: {_class_counts(part, card.labels.file, comparison)}"]
    return lines


def _class_counts(part: Part, file: str, comparison: ClassComparison) -> str:
    return (
        f"{part.labelled:,} of {part.events:,} events have a label, from {_code(file)}; {comparison.intervene:,} intervene, "
        f"{comparison.abstain:,} abstain. {comparison.fields:,} field paths hold values in labelled events, "
        f"{len(comparison.one_class_only):,} of them in events of one class only (`check_dataset` names them); none tells the "
        "classes apart."
    )


def _licences(manifest: Manifest, cards: Sequence[Card]) -> list[str]:
    lines = ["## Licences and attributions", ""]
    lines.append(
        f"As a whole: {manifest.licence}." if manifest.licence != "other" else "Each part has the terms of its own source."
    )
    lines += ["", "| config | licence | attribution |", "| --- | --- | --- |"]
    for part, card in zip(manifest.parts, cards, strict=True):
        lines.append(f"| {part.config} | {_cell(card.licence)} | {_cell(card.attribution)} |")
    if manifest.acknowledged:
        named = ", ".join(manifest.acknowledged)
        lines += ["", f"Whoever exported this acknowledged the terms of: {named}. Read them before you pass these parts on."]
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    """Text of a raw file as Markdown code, whatever it holds."""
    return "`" + text.replace("`", "'").replace("\n", " ") + "`"


def _words(name: str) -> str:
    return _cell(name.replace("_", " "))


def _shown(value: object) -> str:
    if not isinstance(value, tuple | list):
        return _cell(str(value))
    shown = ", ".join(map(str, value[:40]))
    return _cell(shown + (f" and {len(value) - 40:,} more" if len(value) > 40 else ""))
