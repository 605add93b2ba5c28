from __future__ import annotations

from msgspec.structs import replace

from spiderd.protocol import Event
from spiderd.states import CrawlState, Reason
from tests.tui.stage import NOW, Stage
from tui.model import EVENTS_KEPT, RECENT_ERRORS, Model


def events(*ids, level="info"):
    return [Event(id=number, at=NOW, level=level, name="stored", message="") for number in ids]


def test_events_are_taken_once_and_in_order():
    model = Model()
    model.hear(events(5, 6), 6, gap=False)
    model.hear(events(6, 7), 7, gap=False)
    assert [event.id for event in model.events] == [5, 6, 7]
    assert model.last_event == 7


def test_the_rings_do_not_grow():
    model = Model()
    for start in range(0, 3 * EVENTS_KEPT, 500):
        model.hear(events(*range(start + 1, start + 501), level="error"), start + 500, gap=False)
    assert len(model.events) == EVENTS_KEPT
    assert len(model.errors) == RECENT_ERRORS
    assert model.errors[-1].id == 3 * EVENTS_KEPT


def test_only_warnings_and_errors_are_errors():
    model = Model()
    model.hear([*events(1), *events(2, level="warning"), *events(3, level="error")], 3, gap=False)
    assert [event.id for event in model.errors] == [2, 3]


def test_events_lost_before_we_came_are_no_gap_but_later_ones_are():
    model = Model()
    model.hear(events(100), 100, gap=True)
    assert not model.lost_events
    model.hear(events(200), 200, gap=True)
    assert model.lost_events


def test_another_crawl_is_another_story():
    model, stage = Model(), Stage()
    model.show(stage.snapshot())
    model.hear(events(1, 2), 2, gap=False)
    model.show(replace(stage.snapshot(), hello=replace(stage.hello(), crawl="blue-owl"), last_event=1))
    assert not model.events
    assert model.last_event == 0


def test_the_same_crawl_after_a_restart_keeps_its_log():
    model, stage = Model(), Stage()
    model.show(stage.snapshot())
    model.hear(events(1, 2), 2, gap=False)
    model.show(replace(stage.snapshot(), hello=replace(stage.hello(), pid=9), last_event=2))
    assert len(model.events) == 2
    assert model.last_event == 0
    model.hear(events(1), 1, gap=False)
    assert [event.id for event in model.events] == [1, 2, 1]


def test_what_a_command_brings_about_is_seen_at_once():
    model, stage = Model(), Stage()
    model.become(CrawlState.PAUSED, Reason.USER)
    assert model.snapshot is None
    model.show(stage.snapshot())
    model.become(CrawlState.PAUSED, Reason.USER)
    assert (model.snapshot.state, model.snapshot.reason) == (CrawlState.PAUSED, Reason.USER)


def test_a_daemon_that_counts_anew_is_listened_to():
    model = Model()
    model.hear(events(1000), 1000, gap=False)
    model.hear(events(1, 2, 3), 3, gap=True)
    assert [event.id for event in model.events] == [1000, 1, 2, 3]
    assert not model.lost_events
    assert model.last_event == 3


def test_a_snapshot_that_is_older_than_the_events_repeats_none():
    model, stage = Model(), Stage()
    model.hear(events(1, 2, 3), 3, gap=False)
    model.show(replace(stage.snapshot(), last_event=2))
    model.hear(events(4), 4, gap=False)
    assert [event.id for event in model.events] == [1, 2, 3, 4]
