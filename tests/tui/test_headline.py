"""Every state has a symbol and a word, and a sentence that says what it means."""

from __future__ import annotations

import pytest

from spiderd.states import CrawlState, Reason
from tests.tui.stage import NOW, Stage
from tui.connection import Connection, Phase, Problem
from tui.glyphs import ASCII, UNICODE
from tui.headline import headline
from tui.text import clock

AT = clock(NOW - 600)


def said(stage, connection, now=100.0, glyphs=UNICODE, *, frozen=False):
    snapshot = stage.snapshot() if stage else None
    made = headline(snapshot, connection, "/run/api.sock", now, glyphs, frozen=frozen)
    return " ".join(part for part in (made.symbol, made.word, made.note, made.news) if part)


def live():
    return Connection(phase=Phase.LIVE, heard_at=99.9)


@pytest.mark.parametrize(
    ("state", "reason", "text"),
    [
        (CrawlState.STARTING, Reason.NONE, "◌ STARTING opening the store live"),
        (CrawlState.RUNNING, Reason.NONE, "● RUNNING live"),
        (CrawlState.IDLE, Reason.NONE, "○ IDLE nothing to crawl yet · a adds a URL live"),
        (CrawlState.PAUSING, Reason.USER, "◐ PAUSING 7 fetches still finishing live"),
        (
            CrawlState.PAUSED,
            Reason.USER,
            f"‖ PAUSED asked for, since {AT} · p resumes · nothing is lost live",
        ),
        (
            CrawlState.PAUSED,
            Reason.DISK_FULL,
            f"‖ PAUSED disk full, since {AT} · p resumes · nothing is lost live",
        ),
        (
            CrawlState.COMPLETE,
            Reason.DRAINED,
            f"✓ COMPLETE everything is fetched at {AT} · 860,902 pages · a adds more live",
        ),
        (
            CrawlState.COMPLETE,
            Reason.PAGE_LIMIT,
            f"✓ COMPLETE the page limit is reached at {AT} · 860,902 pages · a adds more live",
        ),
        (CrawlState.STOPPING, Reason.SIGNAL, "■ STOPPING signal, 7 fetches left, then a last commit live"),
    ],
)
def test_states_of_the_crawl(state, reason, text):
    stage = Stage(threads=8)
    stage.state, stage.reason = state, reason
    assert said(stage, live()) == text


def test_the_daemons_own_sentence_goes_first():
    stage = Stage()
    stage.state, stage.message = CrawlState.PAUSED, "there is no room on the disk"
    assert said(stage, live()) == "‖ PAUSED there is no room on the disk live"


def test_states_of_the_line():
    assert said(None, Connection(phase=Phase.TRYING)) == "◌ CONNECTING /run/api.sock trying"
    waiting = Connection(phase=Phase.WAITING, problem=Problem.NO_SOCKET, detail="no socket", retry_at=104.0)
    assert said(None, waiting) == "◌ CONNECTING /run/api.sock retry in 4.0s"
    forbidden = Connection(
        phase=Phase.WAITING, problem=Problem.FORBIDDEN, detail="you may not", retry_at=104.0
    )
    assert said(None, forbidden) == "✗ NO ACCESS you may not retry in 4.0s"
    lost = Connection(
        phase=Phase.WAITING, problem=Problem.BROKEN, detail="it broke", heard_at=88.0, retry_at=104.0
    )
    assert said(Stage(), lost) == "✗ DISCONNECTED it broke · figures are 12s old retry in 4.0s"
    stale = Connection(phase=Phase.STALE, heard_at=95.0)
    assert said(Stage(), stale) == "● RUNNING no news for 5.0s"
    other = Connection(phase=Phase.MISMATCHED, their_version=3)
    assert said(None, other).startswith("△ VERSION the daemon speaks version 3, this dashboard")


def test_a_stop_that_was_seen_coming_is_no_loss():
    stage = Stage()
    stage.state = CrawlState.STOPPING
    lost = Connection(phase=Phase.WAITING, problem=Problem.NOBODY, heard_at=98.0, retry_at=101.0)
    assert said(stage, lost).startswith("✗ STOPPED the daemon has stopped; the same command continues")


def test_a_daemon_that_took_its_socket_along_has_ended_in_order():
    lost = Connection(phase=Phase.WAITING, problem=Problem.NO_SOCKET, heard_at=98.0, retry_at=101.0)
    assert said(Stage(), lost).startswith("✗ STOPPED the daemon has stopped")


def test_frozen_is_only_the_display():
    assert said(Stage(), live(), frozen=True) == "❄ FROZEN display only, the crawl goes on · Space thaws live"


def test_every_symbol_has_its_ascii_form_of_one_cell():
    assert UNICODE.states.keys() == ASCII.states.keys()
    assert set(CrawlState) <= UNICODE.states.keys()
    assert all(len(symbol) == 1 and symbol.isascii() for symbol in ASCII.states.values())
    assert len(set(UNICODE.states.values())) >= 10
