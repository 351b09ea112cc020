"""The dataset card and its Croissant description say what the files hold, in forms that others read."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from proactmem.datasets.card import read_card, sha256_file, write_card
from proactmem.datasets.export import Words
from proactmem.datasets.export.readme import size_category
from tests.datasets.export.making import build, exported, files, labels_of, sample


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    events = sample("sports", 12)
    built = [
        build(folder / "s", events, labels_of(events, lambda number: number % 4 == 1), source="HeartSteps V1"),
        build(folder / "h", sample("home"), source="simulated homes in CASAS format"),
        build(folder / "c", [*sample("code", stream="a"), *sample("code", stream="b")], zone="Europe/Berlin"),
        build(folder / "d", sample("desktop"), source="ProactiveBench desktop traces"),
    ]
    card = read_card(built[0])
    write_card(
        built[0],
        card.model_copy(update={"dropped": {"not_connected": 735, "a|b": 0}, "attribution": "Klasnja | others\n(2019)"}),
    )
    words = Words(url="https://example.org/trial", published=date(2026, 12, 1), creator="A team")
    return exported(folder, *built, words=words, shard_events=6)


def front_matter(dataset: Path) -> dict[str, object]:
    page = (dataset / "README.md").read_text(encoding="utf-8")
    assert page.startswith("---\n")
    loaded = yaml.safe_load(page.split("---\n")[1])
    assert isinstance(loaded, dict)
    return loaded


def test_the_front_matter_names_every_file_once(dataset: Path) -> None:
    matter = front_matter(dataset)
    configs = matter["configs"]
    assert isinstance(configs, list)
    assert [one["config_name"] for one in configs] == ["sports", "sports_labels", "home", "own_code", "desktop"]
    assert [one["config_name"] for one in configs if one.get("default")] == ["sports"]
    found: list[str] = []
    for one in configs:
        [data] = one["data_files"]
        assert data["split"] == "test"
        matched = [path.relative_to(dataset).as_posix() for path in sorted(dataset.glob(data["path"]))]
        assert matched
        found += matched
    assert sorted(found) == sorted(name for name in files(dataset) if name.endswith(".parquet"))
    assert sum("own_code" in name for name in found) == 2
    assert (matter["license"], matter["license_name"], matter["size_categories"]) == ("other", "by-source", ["n<1K"])
    assert (matter["language"], matter["task_categories"]) == (["en"], ["other"])


@pytest.mark.parametrize(
    ("events", "word"),
    [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (4539, "1K<n<10K"), (10**6, "1M<n<10M"), (10**7, "n>10M")],
)
def test_the_size_has_the_hubs_words(events: int, word: str) -> None:
    assert size_category(events) == word


def test_every_column_is_documented_in_page_file_and_description(dataset: Path) -> None:
    page = (dataset / "README.md").read_text(encoding="utf-8")
    described = json.loads((dataset / "croissant.json").read_bytes())
    fields = {one["@id"]: {field["name"]: field["description"] for field in one["field"]} for one in described["recordSet"]}
    for name in files(dataset):
        if name.endswith(".parquet"):
            kind, config, _ = name.split("/")
            record_set = fields[config if kind == "data" else f"{config}_labels"]
            schema = pq.read_schema(dataset / name)
            assert list(record_set) == schema.names
            for field in schema:
                assert f"| `{field.name}` | " in page
                if kind == "data":
                    assert field.metadata[b"description"].decode() == record_set[field.name]


def test_the_page_tells_drops_licences_limits_and_labels(dataset: Path) -> None:
    page = (dataset / "README.md").read_text(encoding="utf-8")
    for text in (
        "| dropped: not connected | 735 |",
        "| dropped: a\\|b | 0 |",
        "Klasnja \\| others (2019)",
        "12 of 12 events have a label, from `labels.jsonl`; 3 intervene, 9 abstain.",
        "`home` has no labels.",
        "Simulated parts follow planted habits",
        "acknowledged the terms of: own data",
        "arXiv:2610.36967",
        "zone = Europe/Berlin",
    ):
        assert text in page
    for heading in (
        "Use",
        "Structure",
        "Curation",
        "Labels, kept apart",
        "Licences and attributions",
        "Known limits",
        "How to cite",
    ):
        assert f"\n## {heading}\n" in page


def test_a_page_without_simulated_parts_says_nothing_of_them(tmp_path: Path) -> None:
    dataset = exported(tmp_path, build(tmp_path / "x", sample("desktop")))
    assert "Simulated" not in (dataset / "README.md").read_text(encoding="utf-8")
    assert "datePublished" not in (dataset / "croissant.json").read_text(encoding="utf-8")


def test_the_description_pins_every_file_but_itself_and_the_page(dataset: Path) -> None:
    described = json.loads((dataset / "croissant.json").read_bytes())
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert (described["url"], described["datePublished"]) == ("https://example.org/trial", "2026-12-01")
    objects = [one for one in described["distribution"] if one["@type"] == "cr:FileObject"]
    assert {one["contentUrl"]: one["sha256"] for one in objects} == {
        name: sha256_file(dataset / name) for name in files(dataset) if name not in ("croissant.json", "README.md")
    }
    assert {one["contentUrl"]: one["contentSize"] for one in objects} == {
        one["contentUrl"]: f"{(dataset / one['contentUrl']).stat().st_size} B" for one in objects
    }
    assert described["creator"]["name"] == "A team"


def test_the_description_refers_only_to_what_it_holds(dataset: Path) -> None:
    described = json.loads((dataset / "croissant.json").read_bytes())
    ids = [one["@id"] for one in described["distribution"]] + [one["@id"] for one in described["recordSet"]]
    ids += [field["@id"] for one in described["recordSet"] for field in one["field"]]
    assert len(set(ids)) == len(ids)
    for one in described["recordSet"]:
        assert {key["@id"] for key in one["key"]} <= set(ids)
        for field in one["field"]:
            assert field["source"]["fileSet"]["@id"] in ids
            assert field["dataType"].startswith("sc:")
    for one in described["distribution"]:
        if one["@type"] == "cr:FileSet":
            assert list(dataset.glob(one["includes"]))


def test_several_licences_are_told_by_source_and_one_by_its_address(dataset: Path, tmp_path: Path) -> None:
    described = json.loads((dataset / "croissant.json").read_bytes())
    assert len(described["license"]) == 4
    alone = exported(tmp_path, build(tmp_path / "x", sample("sports"), source="HeartSteps V1"))
    assert json.loads((alone / "croissant.json").read_bytes())["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
