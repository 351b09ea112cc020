from __future__ import annotations

import pytest

from proactmem.core.events import parse_event
from proactmem.errors import InputError
from proactmem.report.repository import repository_figure, repository_frame
from proactmem.report.style import save_figure
from tests.samples import code, home, stream


def events():
    bot = code("c2", "2025-07-02T08:00:00Z", "refs/heads/main", kind="PushEvent").model_dump(mode="json")
    bot["attributes"]["actor"] = "dependabot[bot]"
    return stream(
        code("c1", "2025-07-01T08:00:00Z", 12), parse_event(bot), code("c3", "2025-07-09T08:00:00Z", None, kind="GollumEvent")
    )


def test_events_are_told_apart_by_kind_actor_and_reference():
    frame = repository_frame(events(), {"c1": True, "c2": False})
    assert frame["lane"].tolist() == ["issues", "pushes", "other"]
    assert frame["object"].tolist() == ["issue 12", "issue refs/heads/main", "issue"]
    assert frame["bot"].tolist() == [False, True, False]
    assert frame["opportunity"].tolist() == [True, False, False]


def test_the_figure_has_a_lane_a_kind_that_occurs(tmp_path):
    frame = repository_frame(events(), {"c1": True})
    picture = repository_figure(frame, title="o/r")
    assert [label.get_text() for label in picture.axes[0].get_yticklabels()] == ["pushes", "issues", "other"]
    assert sum(len(line.get_xdata()) for line in picture.axes[0].lines if line.get_marker() in "ox") == 3 + 1
    first = save_figure(picture, tmp_path / "a", "repo", frame)
    second = save_figure(repository_figure(frame, title="o/r"), tmp_path / "b", "repo", frame)
    assert [one.read_bytes() for one in first] == [two.read_bytes() for two in second]


def test_other_scopes_and_no_events_are_refused():
    with pytest.raises(InputError, match="Code streams"):
        repository_frame(stream(home("h", "2012-07-21T00:00")))
    with pytest.raises(InputError, match="at least one event"):
        repository_figure(repository_frame([]))
