"""Built folders and explorers that the tests of the explorer share; one root, so that every run is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from proactmem.explore.explorer import Explorer
from proactmem.explore.replayed import Replayed
from proactmem.explore.source import Source
from tests.explore.making import built, code_events, desktop_events, home_events
from tests.run.making import built_sports


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds data/ of everything below."""
    return tmp_path_factory.mktemp("explore")


@pytest.fixture(scope="session")
def folders(root: Path) -> dict[str, Path]:
    """A built folder of every scope."""
    home, code, desktop = home_events(), code_events(), desktop_events()
    return {
        "sports": built_sports(root / "sports", days=16),
        "home": built(root / "home", home, [(event.event_id, place % 9 == 0) for place, event in enumerate(home)]),
        "code": built(root / "code", code, [(event.event_id, place % 5 == 0) for place, event in enumerate(code)]),
        "desktop": built(root / "desktop", desktop),
    }


@pytest.fixture(scope="session")
def explorer(root: Path, folders: dict[str, Path]) -> Explorer:
    """All scopes at once."""
    return Explorer.of(*(Source.of_folder(folder, root) for folder in folders.values()))


@pytest.fixture(scope="session")
def sports(explorer: Explorer) -> Replayed:
    """The first participant under ProactMem."""
    return explorer.replay(method="proactmem", scope="sports")
