"""The one table of keys: bindings, key bar, help and palette are made from it.

A key names a command; `unavailable` says why a command cannot be given now, in words for the user. Nothing
is hidden: what cannot be done is dimmed, and pressing it says the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from textual.binding import Binding

from spiderd.states import CrawlState
from tui.connection import Phase


class Need(Enum):
    """What must hold for a command to make sense."""

    LINE = auto()  # a daemon is attached
    WRITE = auto()  # and it lets us change things
    UNFINISHED = auto()  # the crawl has begun, and has not come to its end
    FIGURES = auto()  # a snapshot was seen
    NOBODY = auto()  # no daemon answers
    OURS = auto()  # this screen was not started as read-only
    INDEX = auto()  # the daemon builds a search index
    ROW = auto()  # the cursor is on a row
    SORTED = auto()  # the order of the table can be changed
    FILTERED = auto()  # the table has a filter of its own
    ERROR = auto()  # the row is of the error queue
    TWO_LISTS = auto()  # the tab has a second list
    LEVELS = auto()  # the site tree or a report is on screen
    HELD = auto()  # the row is of the hosts or the traps
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
    row: bool = False
    sortable: bool = False
    log: bool = False
    frozen: bool = False


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
    Key("tab:reports", "8", "8", "Reports", "Open the reports on what was crawled", EVERYWHERE),
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
        needs=(Need.ROW,),
    ),
    Key(
        "filter",
        "f,backslash",
        "f \\",
        "Filter",
        "Show only rows that hold a text; Esc clears",
        TABLES,
        bar=7,
        needs=(Need.FILTERED,),
    ),
    Key(
        "sort:-1",
        "less_than_sign",
        "<",
        "Sort left",
        "Sort by the column to the left",
        TABLES,
        needs=(Need.SORTED,),
    ),
    Key(
        "sort:1",
        "greater_than_sign",
        ">",
        "Sort right",
        "Sort by the column to the right",
        TABLES,
        bar=10,
        needs=(Need.SORTED,),
    ),
    Key("invert", "I", "I", "Invert", "Turn the order round", TABLES, needs=(Need.SORTED,)),
    Key(
        "follow",
        "F",
        "F",
        "Follow row",
        "Keep the cursor's row in view while the order changes",
        TABLES,
        needs=(Need.ROW,),
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
    Key(
        "switch",
        "v",
        "v",
        "Site tree",
        "Go from the download directories to the site tree, or back",
        TABLES,
        needs=(Need.TWO_LISTS,),
    ),
    Key(
        "up",
        "backspace,left",
        "Bksp ←",
        "Up",
        "Go up in the site tree or a report; Enter goes into what the cursor is on",
        TABLES,
        needs=(Need.LEVELS,),
    ),
    Key("errors_only", "e", "e", "Errors only", "Show warnings and errors only", LOG, needs=(Need.LOG,)),
    Key(
        "wrap",
        "w",
        "w",
        "Wrap",
        "Write each event over as many lines as it needs, or on one",
        LOG,
        needs=(Need.LOG,),
    ),
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


def label(key: Key, situation: Situation) -> str:
    """The key's label as things stand: `p` pauses or resumes, Space freezes or thaws."""
    if key.command == "pause" and situation.state in {CrawlState.PAUSED, CrawlState.PAUSING}:
        return "Resume"
    if key.command == "freeze" and situation.frozen:
        return "Thaw"
    if key.command == "details" and situation.source in {"tree", "reports"}:
        return "Open"
    return key.label


Rule = tuple[Need, Callable[[Situation], bool], str]

RULES: tuple[Rule, ...] = (
    # A need, when it is not met, and what to say then; the first that applies is said.
    (Need.LINE, lambda now: now.phase is Phase.MISMATCHED, "the daemon speaks another version"),
    (Need.LINE, lambda now: now.phase not in CONNECTED, "no daemon is attached"),
    (Need.WRITE, lambda now: now.read_only, "this screen is read-only"),
    (Need.WRITE, lambda now: now.rights != "write", "the daemon lets you read only"),
    (Need.UNFINISHED, lambda now: now.state is CrawlState.COMPLETE, "the crawl is complete"),
    (Need.UNFINISHED, lambda now: now.state is CrawlState.STOPPING, "the daemon is stopping"),
    (
        Need.UNFINISHED,
        lambda now: now.state is CrawlState.IDLE,
        "there is nothing to crawl yet: a adds a URL",
    ),
    (Need.FIGURES, lambda now: not now.figures, "there are no figures yet"),
    (Need.NOBODY, lambda now: now.phase is Phase.MISMATCHED, "a daemon of another version answers"),
    (Need.NOBODY, lambda now: now.phase in CONNECTED, "a daemon answers already"),
    (Need.OURS, lambda now: now.read_only, "this screen is read-only"),
    (Need.INDEX, lambda now: not now.index, "this daemon builds no search index"),
    (Need.ROW, lambda now: not now.row, "no row is chosen"),
    (Need.SORTED, lambda now: not now.sortable, "this table has one order"),
    (Need.FILTERED, lambda now: not now.filterable, "the search box does this here: /"),
    (Need.ERROR, lambda now: now.source != "errors", "only in the error queue"),
    (Need.HELD, lambda now: now.source not in {"hosts", "traps"}, "only for hosts and traps"),
    (Need.TWO_LISTS, lambda now: now.source not in {"directories", "tree"}, "only in the directories: 3"),
    (Need.LEVELS, lambda now: now.source not in {"tree", "report"}, "only in the site tree and the reports"),
    (Need.LOG, lambda now: not now.log, "only in the log"),
)


def unavailable(key: Key, situation: Situation) -> str:
    """Say why a command cannot be given now; "" where it can."""
    return next((reason for need, fails, reason in RULES if need in key.needs and fails(situation)), "")
