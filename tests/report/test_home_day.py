from __future__ import annotations

from datetime import date

import pytest

from proactmem.core.events import parse_event
from proactmem.errors import InputError
from proactmem.report.home_day import home_day_figure, home_day_frame
from proactmem.report.style import save_figure
from tests.samples import home, sports, stream

DAY = date(2012, 7, 21)


def events():
    quiet = home("h0", "2012-07-21T00:00")
    kitchen = home("h1", "2012-07-21T08:20", Kitchen=3, Hall=1)
    data = home("h2", "2012-07-21T09:10", Kitchen=5).model_dump(mode="json")
    data["door_actions"] = [
        {"location": "FrontDoor", "action": "OPEN", "time": "09:30:36"},
        {"location": "FrontDoor", "action": "CLOSE"},
    ]
    data["other_actions"] = [{"sensor": "L001", "location": "Kitchen", "action": "ON", "since": "08:00:00"}]
    return stream(quiet, kitchen, parse_event(data), home("h3", "2012-07-22T09:10", Attic=9))


def test_a_day_is_its_segments_rooms_doors_and_devices():
    frame = home_day_frame(events(), DAY, {"h1": True, "h2": False})
    rooms = frame[frame["what"] == "room"]
    assert dict(zip(rooms["place"] + "@" + rooms["start"].round(2).astype(str), rooms["activations"], strict=True)) == {
        "Hall@8.33": 1,
        "Kitchen@8.33": 3,
        "Kitchen@9.17": 5,
    }
    doors = frame[frame["what"] == "door"]
    assert doors["place"].tolist() == ["FrontDoor open", "FrontDoor close"]
    assert doors["start"].round(2).tolist() == [9.51, 9.17]  # an action without a time stands at its segment's start
    assert frame.loc[frame["what"] == "device", "place"].tolist() == ["L001 (Kitchen)"]
    assert frame.loc[frame["what"] == "segment", "opportunity"].tolist() == [False, True, False]


def test_the_figure_names_every_room_and_shows_what_was_counted(tmp_path):
    frame = home_day_frame(events(), DAY, {"h1": True})
    picture = home_day_figure(frame, title="a home")
    axes = picture.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Kitchen", "Hall", "door: FrontDoor", "L001 (Kitchen)"]
    assert sorted(axes.collections[0].get_array().compressed().tolist()) == [1, 3, 5]
    first = save_figure(picture, tmp_path / "a", "home", frame)
    second = save_figure(home_day_figure(frame, title="a home"), tmp_path / "b", "home", frame)
    assert [one.read_bytes() for one in first] == [two.read_bytes() for two in second]


def test_a_door_that_is_called_like_a_room_has_a_lane_of_its_own():
    frame = home_day_frame(events(), DAY)
    frame.loc[frame["what"] == "door", "place"] = ["Kitchen open", "Kitchen close"]
    axes = home_day_figure(frame).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()][:3] == ["Kitchen", "Hall", "door: Kitchen"]


def test_a_quiet_day_draws_and_a_day_without_segments_is_refused():
    assert home_day_figure(home_day_frame(stream(home("h0", "2012-07-21T00:00")), DAY)).axes
    with pytest.raises(InputError, match="at least one segment"):
        home_day_figure(home_day_frame(events(), date(2012, 7, 30)))
    with pytest.raises(InputError, match="Home streams"):
        home_day_frame(stream(sports("e", "2015-07-20T09:30:00")), DAY)
