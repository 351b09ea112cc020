"""What a notebook's parameters open, and what they refuse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from proactmem.datasets.build import build_desktop, build_sports
from proactmem.errors import ConfigError, StoreError
from proactmem.explore.account import account
from proactmem.explore.day import day_figure
from proactmem.explore.explorer import Explorer
from proactmem.explore.source import Source
from proactmem.explore.timeline import timeline_figure
from tests.explore.making import built, desktop_events, home_events
from tests.run.making import FIRST, SECOND, do


def test_without_data_or_run_it_is_the_simulated_study(tmp_path):
    explorer = Explorer.open("smoke", 7, root=str(tmp_path))
    assert list(explorer.sources) == ["sports"]
    assert explorer.sources["sports"].label == "simulated participants, smoke profile, seed 7"
    assert explorer.sources["sports"].streams.path.is_relative_to(tmp_path)
    assert explorer.replay(method="never").stream_id == FIRST


def test_several_scopes_are_simulated_in_the_order_asked_for(tmp_path):
    explorer = Explorer.open("smoke", 7, scopes="home, sports", root=str(tmp_path))
    assert list(explorer.sources) == ["home", "sports"]
    assert {source.label.split(",")[0] for source in explorer.sources.values()} == {"simulated homes", "simulated participants"}
    with pytest.raises(ConfigError, match="expected one of"):
        Explorer.open(scopes="garden", root=str(tmp_path))


def test_several_folders_give_their_scopes_in_that_order(root, folders):
    relative = ", ".join(str(folders[scope].relative_to(root)) for scope in ("code", "home"))
    explorer = Explorer.open(root=str(root), data=relative)
    assert list(explorer.sources) == ["code", "home"]
    assert explorer.scope_of() == "code"
    assert explorer.scope_of("casas_home_0001") == "home"
    assert explorer.replay("casas_home_0001", "never").events[0].scope == "home"
    with pytest.raises(ConfigError, match=r"no stream 'nobody'; there are \['r1', 'casas_home_0001'\]"):
        explorer.replay("nobody")


def test_a_run_alone_is_enough(root, folders, tmp_path):
    run = do("trajectory", folders["sports"], tmp_path / "mine")
    explorer = Explorer.open(root=str(root), run=str(run))
    assert list(explorer.sources) == ["sports"]
    replayed = explorer.replay(SECOND)
    assert (replayed.run, replayed.stream_id, replayed.manifest.method) == (run, SECOND, "trajectory")
    both = Explorer.open(root=str(root), run=f"{run}, {do('never', folders['home'], tmp_path / 'other')}")
    assert {scope: list(source.given) for scope, source in both.sources.items()} == {"sports": ["mine"], "home": ["other"]}


def test_a_run_goes_to_the_folder_it_was_made_on(root, folders, tmp_path):
    run = do("never", folders["home"], tmp_path / "mine")
    explorer = Explorer.open(root=str(root), data=f"{folders['sports']},{folders['home']}", run=str(run))
    assert [list(source.given) for source in explorer.sources.values()] == [[], ["mine"]]
    with pytest.raises(ConfigError, match=r"runs \['mine'\] were made on none of"):
        Explorer.open(root=str(root), data=str(folders["sports"]), run=str(run))


def test_a_run_whose_data_moved_needs_its_folder(root, tmp_path):
    folder = built(tmp_path / "a", desktop_events())
    run = do("never", folder, tmp_path / "run")
    moved = shutil.move(folder, tmp_path / "moved")
    with pytest.raises(ConfigError, match="which is no folder"):
        Explorer.open(root=str(root), run=str(run))
    assert Explorer.open(root=str(root), run=str(run), data=str(moved)).replay().run == run


def test_what_is_no_built_folder_or_comes_twice_is_refused(root, folders, tmp_path):
    with pytest.raises(StoreError, match="is no folder of built streams"):
        Explorer.open(root=str(root), data="nowhere")
    with pytest.raises(StoreError, match="is not a run directory"):
        Explorer.open(root=str(root), run=str(tmp_path))
    other = built(tmp_path / "other", home_events(1, stream="casas_home_0002"))
    with pytest.raises(ConfigError, match="two folders of scope 'home'"):
        Explorer.open(root=str(root), data=f"{folders['home']},{other}")
    with pytest.raises(ConfigError, match="nothing to explore"):
        Explorer.of()


def test_real_participants_and_desktop_traces_can_be_explored(data_dir: Path, tmp_path):
    build_sports(data_dir / "heartsteps", tmp_path / "sports", participants=[35])
    build_desktop(data_dir / "proactivebench", tmp_path / "desktop")
    sources = [Source.of_folder(tmp_path / name, tmp_path) for name in ("sports", "desktop")]
    explorer = Explorer.of(*sources)
    for scope in explorer.sources:
        replayed = explorer.replay(scope=scope)
        assert {"hit", "missed", "rightly silent"} & {moment.outcome for moment in replayed.moments}
        for index in (0, len(replayed.events) - 1):
            assert f"Event {index} of" in account(replayed, index).plain()
            for picture in (timeline_figure(replayed, index), day_figure(replayed, index)):
                picture.draw_without_rendering()
