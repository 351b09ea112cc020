"""The offline rules behind HTTP and the real client: the same bytes as in this process (ARCHITECTURE, idea 3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.llm.openai_compat import OpenAIBackbone
from proactmem.llm.recording import Recording
from proactmem.llm.serve import serve
from tests.run.making import FIRST, built_sports, do, files


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smoke simulation of one participant."""
    return built_sports(tmp_path_factory.mktemp("served"), participants=1, days=28)


def test_a_service_of_the_rules_decides_as_the_rules(smoke: Path, tmp_path: Path) -> None:
    here = do("proactmem", smoke, tmp_path / "here")
    with serve(OfflineBackbone()) as service:
        client = OpenAIBackbone(OfflineBackbone.model, service.base_url)
        there = do("proactmem", smoke, tmp_path / "there", client, base_url=client.base_url)
        client.close()
    assert files(there, "records", "audit") == files(here, "records", "audit")
    manifests = [json.loads((out / "manifest.json").read_bytes()) for out in (here, there)]
    assert [manifest.pop("backbone") for manifest in manifests] == ["offline", "openai"]
    assert [manifest.pop("base_url") for manifest in manifests] == [None, client.base_url]
    assert manifests[0] == manifests[1]
    found = []
    for out in (here, there):
        with Recording.open(out / "replies.sqlite", mode="replay") as store:
            found.append({item.key: item.reply for item in store.iter_replies()})
    assert found[0].keys() == found[1].keys()
    for key, reply in found[0].items():
        assert reply.seconds is None
        assert found[1][key].seconds is not None
        assert found[1][key].model_copy(update={"seconds": None}) == reply


def test_every_reply_of_a_run_is_usable_and_within_its_limit(smoke: Path, tmp_path: Path) -> None:
    out = do("proactmem", smoke, tmp_path / "run")
    with Recording.open(out / "replies.sqlite", mode="replay") as store:
        roles = [item.role for item in store.iter_replies()]
        for item in store.iter_replies():
            assert len(item.reply.text) <= 4 * store.request(item.key).max_tokens
    assert set(roles) == {"daily", "weekly", "decision"}  # never a repair
    records = [json.loads(line) for line in (out / "records" / f"{FIRST}.jsonl").read_bytes().splitlines()]
    assert [record for record in records if "unusable" in record or "dropped_evidence" in record] == []
    entries = [json.loads(line) for line in (out / "audit" / f"{FIRST}.jsonl").read_bytes().splitlines()]
    assert [entry["rejections"] for entry in entries if entry["kind"] == "consolidation"] != []
    for entry in entries:
        assert not (entry.get("record") or entry).get("rejections")
        assert entry.get("unusable") is None
