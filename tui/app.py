"""The application: puts model, link, commands and the dashboard together."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, cast

from textual import events, on
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.command import Provider
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen

from spiderd.states import CrawlState
from tui import keys
from tui.ascii import AsciiFilter
from tui.client import Client
from tui.commands import Commands
from tui.connection import Connection, Phase
from tui.figures import summary
from tui.glyphs import ASCII, Glyphs
from tui.link import Link
from tui.model import Model, Picture
from tui.palette import KeyCommands, UrlCommands
from tui.questions import Question
from tui.screens.dashboard import Dashboard
from tui.screens.details import Details
from tui.screens.setting import SettingBox
from tui.text import cut, harmless, harmless_lines
from tui.themes import DARK, THEMES
from tui.views.log import LogView
from tui.views.search import SearchView
from tui.widgets.listing import PagedListing
from tui.widgets.painted import Painted
from tui.widgets.table import Table

CLOCK_EVERY = 1.0  # seconds: ages, and when the next try is
LONGEST_MESSAGE = 400  # cells of a message that are shown
SUMMARY_STAYS = 12.0  # seconds
HELD = frozenset({CrawlState.PAUSING, CrawlState.PAUSED})  # a crawl that is resumed does not begin anew
REFILL_EVERY = 2.0  # seconds between two looks at the list that is on screen


class SpiderApp(App[int]):
    """The dashboard of one daemon.

    Args:
        socket: path of the daemon's socket.
        data_dir: where a daemon that is started from here keeps its crawl.
        read_only: give no command that changes anything.
        glyphs: the symbols that the terminal can show.
        theme: name of the theme to begin with.
    """

    TITLE = "spider-tui"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = App.COMMANDS | {
        KeyCommands,
        UrlCommands,
    }
    BINDINGS: ClassVar[list[BindingType]] = list(keys.bindings())

    def __init__(
        self, socket: str, *, data_dir: str, read_only: bool, glyphs: Glyphs, theme: str = DARK.name
    ) -> None:
        super().__init__()
        self.socket = socket
        self.data_dir = data_dir
        self.glyphs = glyphs
        self._to_ascii = AsciiFilter()
        self.read_only = read_only
        self._first_theme = theme
        self.model = Model()
        self.connection = Connection()
        self.dashboard = Dashboard(glyphs, socket)
        self.commands = Commands(self)
        self.client: Client
        self.link: Link
        self._held: Picture | None = None
        self._state: CrawlState | None = None
        self._began = 0.0  # unix time at which the crawl began to run

    def get_default_screen(self) -> Dashboard:
        """The dashboard is always there, under everything."""
        return self.dashboard

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every drawn line passes."""
        filters = super().get_line_filters()
        return [*filters, self._to_ascii] if self.glyphs is ASCII else filters

    def on_mount(self) -> None:
        """Begin to follow the daemon."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self._first_theme
        self.client = Client(self.socket)
        self.link = Link(self.client, self.connection, self.model, self.draw)
        self.beside(self.link.run, "link")
        self.set_interval(CLOCK_EVERY, self._tick)
        self.set_interval(REFILL_EVERY, self._refill)
        self.draw()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Of Textual's own commands keep the choice of a theme; for the rest there are better ones."""
        return (command for command in super().get_system_commands(screen) if command.title == "Theme")

    # pictures

    def picture(self) -> Picture:
        """How things are now, or were when the picture was frozen."""
        now = time.monotonic()
        held = self._held
        return Picture(
            snapshot=held.snapshot if held else self.model.snapshot,
            events=held.events if held else list(self.model.events),
            errors=held.errors if held else list(self.model.errors),
            connection=self.connection,
            socket=self.socket,
            now=now,
            frozen=held is not None,
            read_only=self.read_only,
            lost_events=self.model.lost_events,
        )

    def draw(self) -> None:
        """Draw how things are; cheap where nothing has changed."""
        if not self.dashboard.is_whole:
            return
        self._announce()
        with self.batch_update():
            self.dashboard.draw(self.picture())
            self.dashboard.show_keys(self.situation())

    def _announce(self) -> None:
        """Tell once that the crawl has become complete, with its sum."""
        snapshot = self.model.snapshot
        if snapshot is None:
            return
        before, self._state = self._state, snapshot.state
        if snapshot.state is CrawlState.RUNNING and before not in HELD:
            self._began = snapshot.since
        if snapshot.state is CrawlState.COMPLETE and before not in {None, CrawlState.COMPLETE}:
            self.say(summary(snapshot, self._began), seconds=SUMMARY_STAYS)

    def freeze(self) -> None:
        """Hold the picture still, or let it go."""
        self._held = None if self._held else self.picture()
        self.draw()

    def situation(self) -> keys.Situation:
        """What decides which keys work."""
        snapshot = self.model.snapshot
        listing = self.dashboard.view.listing
        return keys.Situation(
            phase=self.connection.phase,
            state=snapshot.state if snapshot else None,
            figures=snapshot is not None,
            index=snapshot is not None and snapshot.index is not None,
            filterable=listing.can_filter,
            source=listing.source if isinstance(listing, PagedListing) else "",
            read_only=self.read_only,
            rights=self.model.hello.rights if self.model.hello else "write",
            row=listing.table.row is not None,
            sortable=listing.can_sort,
            log=isinstance(self.dashboard.view, LogView),
            frozen=self._held is not None,
        )

    def _tick(self) -> None:
        self.connection.tick(time.monotonic())
        self.draw()

    def _refill(self) -> None:
        asking = any(worker.group.startswith("list ") and worker.is_running for worker in self.workers)
        if self.app_focus and not asking:
            self.refill()

    # commands

    def action_command(self, command: str) -> None:
        """Give a command of the table of keys."""
        self.commands.give(command)

    def beside(
        self, work: Callable[[], Coroutine[Any, Any, None]], group: str, *, exclusive: bool = False
    ) -> None:
        """Run something beside the screen; an exclusive one ends those of its group that still run."""
        job = cast("Callable[[], Any]", work)  # Textual declares coroutines more narrowly than Python does
        self.run_worker(job, group=group, exclusive=exclusive, exit_on_error=False)

    def say(self, text: str, *, warn: bool = False, seconds: float = 0.0) -> None:
        """Show a short message; foreign text is welcome."""
        severity: SeverityLevel = "warning" if warn else "information"
        self.notify(
            cut(harmless(text), LONGEST_MESSAGE),
            severity=severity,
            timeout=seconds or (6 if warn else 3),
            markup=False,
        )

    def leave(self) -> None:
        """Leave; the exit status tells whether we could be of use."""
        self.exit(69 if self.connection.phase is Phase.MISMATCHED else 0)

    async def action_quit(self) -> None:
        """Leave by Textual's own key."""
        self.leave()

    @on(Painted.Command)
    def _clicked(self, event: Painted.Command) -> None:
        self.commands.give(event.command)

    @on(Table.Chosen)
    def _chosen(self) -> None:
        self.commands.give("details")

    @on(Table.Moved)
    def _moved(self) -> None:
        self.dashboard.show_keys(self.situation())

    @on(Details.Copy)
    def _copy(self, event: Details.Copy) -> None:
        self.commands.copy_text(event.text)

    @on(Details.Open)
    def _open(self, event: Details.Open) -> None:
        self.commands.open_text(event.text)

    async def on_event(self, event: events.Event) -> None:
        """Make harmless what is pasted, wherever it goes: it may come from a page."""
        if isinstance(event, events.Paste):
            event.text = harmless_lines(event.text)
        await super().on_event(event)

    # what the screen asks of the daemon

    @on(Question)
    def _asked(self, event: Question) -> None:
        if self.connection.connected:
            self.beside(partial(event.ask, self.client), event.group, exclusive=True)
        else:
            event.drop("no daemon is attached")

    @on(SettingBox.Wanted)
    def _setting_wanted(self, event: SettingBox.Wanted) -> None:
        self.commands.change(event.box, event.key, event.value)

    @on(SearchView.Left)
    def _left_search(self) -> None:
        self.commands.tab(self.dashboard.before_search)

    def refill(self) -> None:
        """Have the open tab ask for what no snapshot holds."""
        if self.connection.connected and self._held is None:
            self.dashboard.view.refill()

    # the terminal

    def on_app_focus(self) -> None:
        """Somebody looks: full pace."""
        self.link.watched = True

    def on_app_blur(self) -> None:
        """Nobody looks: half the pace."""
        self.link.watched = False
