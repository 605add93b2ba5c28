"""The one table of keys: bindings, key bar, help and palette are made from it.

A key names a command; `unavailable` says why a command cannot be given now, in words for the user. Nothing
is hidden: what cannot be done is dimmed, and pressing it says the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from textual.binding import Binding

from spiderd.states import CrawlState
from tui.connection import Phase


class Need(Enum):
    """What must hold for a command to make sense."""

    LINE = auto()  # a daemon is attached
    WRITE = auto()  # and we may change things
    UNFINISHED = auto()  # the crawl is neither complete nor stopping
    TABLE = auto()  # a table is on screen
    FIGURES = auto()  # a snapshot was seen
    NOBODY = auto()  # no daemon answers
    INDEX = auto()  # that builds a search index
    FILTERED = auto()  # the list has a filter of its own
    ERROR = auto()  # the row is of the error queue
    HELD = auto()  # the row is of the hosts or the traps
    OURS = auto()  # and this screen may change things
    ROW = auto()  # with the cursor on a row
    PAGED = auto()  # whose order can be changed
    LOG = auto()  # the log is on screen


@dataclass(frozen=True, slots=True)
class Key:
    """One command and the keys that give it."""

    command: str
    keys: str  # as Textual writes them, separated by commas
    shown: str  # as people write them
    label: str  # two words at most, for the key bar
    help: str  # one sentence without a full stop
    group: str
    bar: int = 0  # place in the key bar, 0 = only in the help; high numbers are left out first
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides whether a command is possible."""

    phase: Phase = Phase.WAITING
    state: CrawlState | None = None
    figures: bool = False
    index: bool = False
    source: str = ""  # of the list that keys act on, where the daemon holds it
    filterable: bool = True
    read_only: bool = False  # this screen was started so
    rights: str = "write"  # what the daemon grants us
    table: bool = False
    row: bool = False
    sortable: bool = False
    log: bool = False


CONNECTED = frozenset({Phase.LIVE, Phase.STALE})

EVERYWHERE, TABLES, LOG = "Everywhere", "Tables", "Log"

KEYS: tuple[Key, ...] = (
    Key("tab:overview", "1", "1", "Overview", "Open the overview", EVERYWHERE),
    Key("tab:hosts", "2", "2", "Hosts", "Open the hosts and how politely they are asked", EVERYWHERE),
    Key("tab:directories", "3", "3", "Directories", "Open the download directories", EVERYWHERE),
    Key("tab:search", "4", "4", "Search", "Open the search", EVERYWHERE),
    Key(
        "search",
        "slash",
        "/",
        "Search",
        "Search the pages that were fetched",
        EVERYWHERE,
        bar=5,
        needs=(Need.LINE, Need.INDEX),
    ),
    Key("tab:log", "5", "5", "Log", "Open the log of events", EVERYWHERE),
    Key("tab:errors", "6", "6", "Errors", "Open the URLs that were given up, and why", EVERYWHERE),
    Key("tab:settings", "7", "7", "Settings", "Open the settings, and change them live", EVERYWHERE),
    Key(
        "pause",
        "p",
        "p",
        "Pause",
        "Pause or resume the crawl; fetches in flight still finish",
        EVERYWHERE,
        bar=2,
        needs=(Need.LINE, Need.WRITE, Need.UNFINISHED),
    ),
    Key(
        "add",
        "a",
        "a",
        "Add",
        "Add URLs to start from; each is checked while you type",
        EVERYWHERE,
        bar=3,
        needs=(Need.LINE, Need.WRITE),
    ),
    Key(
        "retry",
        "R",
        "R",
        "Retry errors",
        "Try the errors again that may pass",
        EVERYWHERE,
        needs=(Need.LINE, Need.WRITE),
    ),
    Key(
        "figures",
        "i",
        "i",
        "Figures",
        "Show all counters: answers, errors by kind, links left out",
        EVERYWHERE,
        bar=11,
        needs=(Need.FIGURES,),
    ),
    Key(
        "start",
        "s",
        "s",
        "Start daemon",
        "Start a daemon on this data directory, where none answers",
        EVERYWHERE,
        needs=(Need.NOBODY, Need.OURS),
    ),
    Key(
        "reload",
        "",
        "palette",
        "Reload",
        "Have the daemon read its configuration file again",
        EVERYWHERE,
        needs=(Need.LINE, Need.WRITE),
    ),
    Key("freeze", "space", "Space", "Freeze", "Hold the picture still; the crawl goes on", EVERYWHERE, bar=8),
    Key("refresh", "r", "r", "Refresh", "Reconnect, or ask for fresh figures, at once", EVERYWHERE),
    Key(
        "stop",
        "X",
        "X",
        "Stop daemon",
        "Stop the daemon, after asking; nothing is lost",
        EVERYWHERE,
        needs=(Need.LINE, Need.WRITE),
    ),
    Key("help", "question_mark,f1", "? F1", "Help", "Show this page", EVERYWHERE, bar=4),
    Key("palette", "ctrl+p", "Ctrl+P", "Palette", "Find any command by name", EVERYWHERE),
    Key("leave", "q,ctrl+q", "q", "Quit", "Leave the dashboard; the crawl goes on", EVERYWHERE, bar=1),
    Key(
        "next_focus",
        "tab",
        "Tab",
        "Next pane",
        "Go to the next pane, Shift+Tab to the one before",
        EVERYWHERE,
    ),
    Key("back", "escape", "Esc", "Back", "Close what is open, or clear the filter", EVERYWHERE),
    Key("move", "", "↑ ↓ k j", "Move", "Move by one row; PgUp PgDn by a page, g G to the ends", TABLES),
    Key(
        "details",
        "enter",
        "Enter",
        "Details",
        "Show everything that is known of the row",
        TABLES,
        bar=6,
        needs=(Need.TABLE, Need.ROW),
    ),
    Key(
        "filter",
        "f,backslash",
        "f \\",
        "Filter",
        "Show only rows that hold a text; Esc clears",
        TABLES,
        bar=7,
        needs=(Need.TABLE, Need.FILTERED),
    ),
    Key(
        "sort:-1",
        "less_than_sign",
        "<",
        "Sort left",
        "Sort by the column to the left",
        TABLES,
        needs=(Need.TABLE, Need.PAGED),
    ),
    Key(
        "sort:1",
        "greater_than_sign",
        ">",
        "Sort right",
        "Sort by the column to the right",
        TABLES,
        bar=10,
        needs=(Need.TABLE, Need.PAGED),
    ),
    Key("invert", "I", "I", "Invert", "Turn the order round", TABLES, needs=(Need.TABLE, Need.PAGED)),
    Key(
        "follow",
        "F",
        "F",
        "Follow row",
        "Keep the cursor's row in view while the order changes",
        TABLES,
        needs=(Need.TABLE, Need.ROW),
    ),
    Key(
        "open", "o", "o", "Open", "Open the row's URL in a browser on this machine", TABLES, needs=(Need.ROW,)
    ),
    Key(
        "copy",
        "y",
        "y",
        "Copy",
        "Copy the row's URL or path to your clipboard",
        TABLES,
        bar=9,
        needs=(Need.ROW,),
    ),
    Key(
        "again",
        "t",
        "t",
        "Try again",
        "Try the chosen URL of the error queue again",
        TABLES,
        needs=(Need.LINE, Need.WRITE, Need.ROW, Need.ERROR),
    ),
    Key(
        "release",
        "L",
        "L",
        "Let go",
        "Let a parked trap or a host that is held back go on",
        TABLES,
        needs=(Need.LINE, Need.WRITE, Need.ROW, Need.HELD),
    ),
    Key("errors_only", "e", "e", "Errors only", "Show warnings and errors only", LOG, needs=(Need.LOG,)),
    Key(
        "tail",
        "end,G",
        "End",
        "Follow",
        "Follow new lines; moving up stops following",
        LOG,
        needs=(Need.LOG,),
    ),
)

BY_COMMAND = {key.command: key for key in KEYS}

OWNED_BY_WIDGETS = frozenset({"move", "tail", "next_focus"})
"""Commands that the focused widget carries out by itself; they stand in the table for the help."""


def bindings() -> list[Binding]:
    """Make the application's bindings."""
    return [
        Binding(key.keys, f"command({key.command!r})", key.label, show=False)
        for key in KEYS
        if key.keys and key.command not in OWNED_BY_WIDGETS
    ]


def unavailable(key: Key, situation: Situation) -> str:
    """Say why a command cannot be given now; "" where it can."""
    for need in key.needs:
        reason = _missing(need, situation)
        if reason:
            return reason
    return ""


def label(key: Key, situation: Situation) -> str:
    """The key's label as things stand: `p` pauses or resumes, Space freezes or thaws."""
    if key.command == "pause" and situation.state in {CrawlState.PAUSED, CrawlState.PAUSING}:
        return "Resume"
    return key.label


def _missing(need: Need, situation: Situation) -> str:
    """Say what is missing, or ""."""
    match need:
        case Need.LINE if situation.phase is Phase.MISMATCHED:
            return "the daemon speaks another version"
        case Need.FIGURES if not situation.figures:
            return "there are no figures yet"
        case Need.INDEX if not situation.index:
            return "this daemon builds no search index"
        case Need.FILTERED if not situation.filterable:
            return "the search box does this here: /"
        case Need.ERROR if situation.source != "errors":
            return "only in the error queue"
        case Need.HELD if situation.source not in {"hosts", "traps"}:
            return "only for hosts and traps"
        case Need.NOBODY if situation.phase is not Phase.WAITING:
            return "a daemon answers already" if situation.phase in CONNECTED else "just being tried"
        case Need.OURS if situation.read_only:
            return "this screen is read-only"
        case Need.LINE if situation.phase not in CONNECTED:
            return "no daemon is attached"
        case Need.WRITE if situation.read_only:
            return "this screen is read-only"
        case Need.WRITE if situation.rights != "write":
            return "the daemon lets you read only"
        case Need.UNFINISHED if situation.state is CrawlState.COMPLETE:
            return "the crawl is complete"
        case Need.UNFINISHED if situation.state is CrawlState.STOPPING:
            return "the daemon is stopping"
        case Need.UNFINISHED if situation.state is CrawlState.IDLE:
            return "there is nothing to crawl yet: a adds a URL"
        case Need.FIGURES if not situation.figures:
            return "there are no figures yet"
        case Need.INDEX if not situation.index:
            return "this daemon builds no search index"
        case Need.FILTERED if not situation.filterable:
            return "the search box does this here: /"
        case Need.ERROR if situation.source != "errors":
            return "only in the error queue"
        case Need.HELD if situation.source not in {"hosts", "traps"}:
            return "only for hosts and traps"
        case Need.NOBODY if situation.phase is not Phase.WAITING:
            return "a daemon answers already" if situation.phase in CONNECTED else "just being tried"
        case Need.OURS if situation.read_only:
            return "this screen is read-only"
        case Need.TABLE if not situation.table:
            return "no table is on screen"
        case Need.ROW if not situation.row:
            return "no row is chosen"
        case Need.PAGED if not situation.sortable:
            return "this table has one order"
        case Need.LOG if not situation.log:
            return "only in the log"
        case _:
            return ""
