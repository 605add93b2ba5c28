from __future__ import annotations

from dataclasses import replace

from textual.binding import Binding

from spiderd.states import CrawlState
from tui import keys
from tui.commands import Commands
from tui.connection import Phase
from tui.keys import BY_COMMAND, KEYS, Need, Situation, label, unavailable

LIVE = Situation(
    phase=Phase.LIVE,
    state=CrawlState.RUNNING,
    figures=True,
    index=True,
    row=True,
    sortable=True,
    log=True,
)


def test_no_key_gives_two_commands():
    given = [
        name
        for key in KEYS
        for name in key.keys.split(",")
        if name and key.command not in keys.OWNED_BY_WIDGETS
    ]
    assert len(given) == len(set(given))


def test_commands_and_bar_places_are_unique():
    assert len(BY_COMMAND) == len(KEYS)
    places = [key.bar for key in KEYS if key.bar]
    assert len(places) == len(set(places))


def test_every_command_is_carried_out_by_somebody():
    names = {key.command.partition(":")[0] for key in KEYS if key.command not in keys.OWNED_BY_WIDGETS}
    assert {name for name in names if not hasattr(Commands, name)} == set()


def test_bindings_are_made_from_the_table():
    made = keys.bindings()
    assert all(isinstance(binding, Binding) for binding in made)
    assert len(made) == sum(bool(key.keys) and key.command not in keys.OWNED_BY_WIDGETS for key in KEYS)


def test_a_live_screen_can_do_everything():
    reasons = {key.command: unavailable(key, LIVE) for key in KEYS if unavailable(key, LIVE)}
    assert reasons == {
        "start": "a daemon answers already",
        "again": "only in the error queue",
        "release": "only for hosts and traps",
        "switch": "only in the directories: 3",
        "up": "only in the site tree and the reports",
    }
    assert not unavailable(BY_COMMAND["switch"], replace(LIVE, source="directories"))
    assert not unavailable(BY_COMMAND["up"], replace(LIVE, source="tree"))
    assert not unavailable(BY_COMMAND["again"], replace(LIVE, source="errors"))
    assert not unavailable(BY_COMMAND["release"], replace(LIVE, source="traps"))


def test_every_need_has_its_reason():
    nothing = Situation(read_only=True, rights="read")
    others = {
        Need.UNFINISHED: Situation(state=CrawlState.COMPLETE),
        Need.NOBODY: LIVE,
        Need.FILTERED: Situation(filterable=False),
    }
    for need in Need:
        situation = others.get(need, nothing)
        key = keys.Key("x", "x", "x", "x", "x", "x", needs=(need,))
        assert unavailable(key, situation)


def test_reasons_say_what_is_the_matter():
    pause = BY_COMMAND["pause"]
    assert unavailable(pause, Situation()) == "no daemon is attached"
    assert unavailable(pause, Situation(phase=Phase.MISMATCHED)) == "the daemon speaks another version"
    assert unavailable(pause, Situation(phase=Phase.STALE, read_only=True)) == "this screen is read-only"
    assert unavailable(pause, Situation(phase=Phase.LIVE, rights="read")) == "the daemon lets you read only"
    assert (
        unavailable(pause, Situation(phase=Phase.LIVE, state=CrawlState.COMPLETE)) == "the crawl is complete"
    )
    assert unavailable(pause, LIVE) == ""


def test_the_label_says_what_the_key_does_now():
    pause = BY_COMMAND["pause"]
    assert label(pause, LIVE) == "Pause"
    assert label(pause, Situation(state=CrawlState.PAUSED)) == "Resume"
    assert label(pause, Situation(state=CrawlState.PAUSING)) == "Resume"
