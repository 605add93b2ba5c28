"""The one line that says how things are: symbol, word and a sentence, for every state of crawl and line.

State is never told by colour alone: there is always a symbol and a word.
"""

from __future__ import annotations

from dataclasses import dataclass

from spiderd.protocol import API_VERSION, Snapshot
from spiderd.states import CrawlState, Reason, Step
from spiderd.units import human_duration
from tui.connection import Connection, Phase, Problem
from tui.glyphs import Glyphs
from tui.roles import STATE_ROLES
from tui.text import clock, plural


@dataclass(frozen=True, slots=True)
class Headline:
    """What the top line of the screen says."""

    symbol: str
    word: str
    role: str
    note: str
    news: str  # how fresh the figures are
    news_role: str = "muted"


def headline(
    snapshot: Snapshot | None,
    connection: Connection,
    socket: str,
    now: float,
    glyphs: Glyphs,
    *,
    frozen: bool,
) -> Headline:
    """Say how things are.

    Args:
        snapshot: the newest; None where none ever came.
        connection: the line.
        socket: where the daemon is looked for.
        now: monotonic seconds.
        glyphs: the symbols.
        frozen: whether the picture is held still.
    """
    if connection.phase is Phase.MISMATCHED:
        note = (
            f"the daemon speaks version {connection.their_version}, this dashboard {API_VERSION}: "
            "upgrade the older one"
        )
        return Headline(glyphs.states["version"], "VERSION", "bad", note, "")
    if not connection.connected or snapshot is None:
        return _off_line(snapshot, connection, socket, now, glyphs)
    news, role = _freshness(connection, now)
    if frozen:
        note = "display only, the crawl goes on · Space thaws"
        return Headline(glyphs.states["frozen"], "FROZEN", "accent", note, news, role)
    state = snapshot.state
    return Headline(glyphs.states[state], state.upper(), STATE_ROLES[state], _note(snapshot), news, role)


def _off_line(
    snapshot: Snapshot | None, connection: Connection, socket: str, now: float, glyphs: Glyphs
) -> Headline:
    """Say what is wrong with the line, and when the next try is."""
    wait = connection.wait(now)
    again = f"retry in {human_duration(wait)}" if connection.phase is Phase.WAITING and wait > 0 else "trying"
    if connection.problem is Problem.FORBIDDEN:
        return Headline(glyphs.states["forbidden"], "NO ACCESS", "bad", connection.detail, again)
    if snapshot is None and connection.problem in {Problem.NONE, Problem.NO_SOCKET, Problem.NOBODY}:
        return Headline(glyphs.states["connecting"], "CONNECTING", "accent", socket, again)
    word, role = "DISCONNECTED", "bad"
    why = connection.detail
    # A daemon that ends in order takes its socket away; one that dies leaves it behind.
    ended = connection.problem is Problem.NO_SOCKET
    if snapshot is not None and (ended or snapshot.state is CrawlState.STOPPING):
        word, role, why = "STOPPED", "warn", "the daemon has stopped; the same command continues the crawl"
    if snapshot is not None:
        why += f" · figures are {human_duration(connection.age(now))} old"
    return Headline(glyphs.states["disconnected"], word, role, why, again)


def _freshness(connection: Connection, now: float) -> tuple[str, str]:
    """Say how old the figures are; the exact tenth of a second would only flicker."""
    if connection.phase is Phase.STALE:
        return f"no news for {human_duration(connection.age(now))}", "warn"
    return "live", "good"


def _note(snapshot: Snapshot) -> str:
    """Say in a few words what the state means right now."""
    if snapshot.message:
        return snapshot.message
    busy = sum(worker.step is not Step.IDLE for worker in snapshot.workers)
    match snapshot.state:
        case CrawlState.STARTING:
            return "opening the store"
        case CrawlState.IDLE:
            return "nothing to crawl yet · a adds a URL"
        case CrawlState.PAUSING:
            return f"{plural(busy, 'fetch', 'fetches')} still finishing"
        case CrawlState.PAUSED:
            return f"{_by(snapshot.reason)}since {clock(snapshot.since)} · p resumes · nothing is lost"
        case CrawlState.COMPLETE:
            return _complete(snapshot)
        case CrawlState.STOPPING:
            return f"{_by(snapshot.reason)}{plural(busy, 'fetch', 'fetches')} left, then a last commit"
        case _:
            return ""


def _by(reason: Reason) -> str:
    return {Reason.USER: "asked for, ", Reason.SIGNAL: "signal, ", Reason.NONE: ""}.get(reason, f"{reason}, ")


def _complete(snapshot: Snapshot) -> str:
    why = "the page limit is reached" if snapshot.reason is Reason.PAGE_LIMIT else "everything is fetched"
    pages = plural(snapshot.counters.pages, "page")
    return f"{why} at {clock(snapshot.since)} · {pages} · a adds more"
