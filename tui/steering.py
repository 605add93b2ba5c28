"""The commands that change something: they ask the daemon beside the screen, and tell what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from spiderd.errors import SpiderdError
from spiderd.protocol import Added, Reconfigured, Released, Retried, StateReply, TrapRow
from spiderd.states import CrawlState
from tui import starting
from tui.client import LineBroken
from tui.screens.add import AddBox
from tui.screens.confirm import Confirm
from tui.screens.seeding import Wish
from tui.screens.setting import SettingBox
from tui.screens.start import StartBox
from tui.settings import Value
from tui.text import plural

if TYPE_CHECKING:
    from tui.app import SpiderApp


class Steering:
    """Steers the crawl of one application."""

    def __init__(self, app: SpiderApp) -> None:
        self.app = app

    def pause(self) -> None:
        """Pause a crawl that runs, resume one that does not."""
        snapshot = self.app.model.snapshot
        paused = snapshot is not None and snapshot.state in {CrawlState.PAUSED, CrawlState.PAUSING}
        self._call(self.app.client.resume if paused else self.app.client.pause, self._state_changed)

    def stop(self) -> None:
        """Stop the daemon, after asking."""
        question = (
            "The daemon finishes what is in flight, commits and ends. Nothing is lost: the same command "
            "continues the crawl."
        )

        def answered(yes: bool | None) -> None:  # noqa: FBT001 - Textual calls it so
            if yes:
                self._call(self.app.client.stop, self._state_changed)

        self.app.push_screen(Confirm("Stop the daemon?", question, "Stop it", "Leave it running"), answered)

    def add(self, url: str = "") -> None:
        """Ask for URLs, beginning with one if it is given, and add them.

        Where nothing was crawled yet the number of threads is asked for as well: here a crawl begins.
        """
        snapshot = self.app.model.snapshot
        beginning = snapshot is not None and snapshot.state is CrawlState.IDLE

        def answered(wish: Wish | None) -> None:
            if wish is not None:
                self._call(partial(self._begin, wish), self._added)

        threads = snapshot.threads if snapshot is not None and beginning else 0
        self.app.push_screen(AddBox(url, threads=threads), answered)

    def retry(self) -> None:
        """Try the errors again that may pass."""
        self._call(self.app.client.retry, self._retried)

    def again(self) -> None:
        """Try one URL of the error queue again."""
        self._call(partial(self.app.client.retry, [self.app.dashboard.view.listing.subject]), self._retried)

    def release(self) -> None:
        """Let a host or a shape go on."""
        row = self.app.dashboard.view.listing.table.row
        if row is not None:
            what = row.shape if isinstance(row, TrapRow) else row.host
            self._call(partial(self.app.client.release, what), self._released)

    def reload(self) -> None:
        """Have the configuration read again."""
        self._call(self.app.client.reload, self._reconfigured)

    def change(self, box: SettingBox, key: str, value: Value | None) -> None:
        """Change a setting; the box stays open until that has worked."""
        self.app.beside(partial(self._change, box, key, value), "calls")

    def start(self) -> None:
        """Ask what to start, and start it."""

        def answered(wish: Wish | None) -> None:
            if wish is not None:
                self.app.beside(partial(self._start, wish), "start", exclusive=True)

        self.app.push_screen(StartBox(self.app.data_dir), answered)

    async def _begin(self, wish: Wish) -> Added:
        if wish.threads:
            await self.app.client.change("crawl.threads", wish.threads)
        return await self.app.client.add(wish.urls)

    async def _change(self, box: SettingBox, key: str, value: Value | None) -> None:
        try:
            answer = await self.app.client.change(key, value)
        except SpiderdError as problem:
            box.show_problem(str(problem))
            return
        box.close()
        self._reconfigured(answer)

    async def _start(self, wish: Wish) -> None:
        self.app.say("starting a daemon")
        line = starting.command_line(
            wish.urls, data_dir=self.app.data_dir, socket=self.app.socket, threads=wish.threads
        )
        try:
            await starting.start(line)
        except starting.NotStarted as problem:
            self.app.say(f"not started: {problem}", warn=True)
        self.app.link.nudge()

    def _call(self, call: Callable[[], Awaitable[Any]], done: Callable[[Any], None]) -> None:
        """Call the daemon beside the screen, and tell what comes of it."""

        async def run() -> None:
            try:
                answer = await call()
            except LineBroken as problem:
                self.app.say(f"not done: {problem}", warn=True)
            except SpiderdError as problem:
                self.app.say(f"the daemon refuses: {problem}", warn=True)
            else:
                done(answer)
                self._look_again()

        self.app.beside(run, "calls")

    def _look_again(self) -> None:
        """See at once what has changed."""
        self.app.link.nudge()
        self.app.refill()

    def _state_changed(self, reply: StateReply) -> None:
        self.app.say(f"the crawl is {reply.state}")
        self.app.model.become(reply.state, reply.reason)
        self.app.draw()

    def _retried(self, reply: Retried) -> None:
        self.app.say(f"{plural(reply.urls, 'URL')} of the error queue will be tried again")

    def _released(self, reply: Released) -> None:
        self.app.say(f"{reply.name} goes on: {plural(reply.urls, 'URL')} may be fetched again")

    def _reconfigured(self, reply: Reconfigured) -> None:
        told = [f"{change.key} is now {change.value}" for change in reply.changed]
        told += [f"{change.key} will be {change.value} after a restart" for change in reply.restart]
        told += [f"{change.key} stays as it was made live" for change in reply.hidden]
        self.app.say(" · ".join([*told, *reply.notes]) or "nothing has changed")
        self._look_again()

    def _added(self, answer: Added) -> None:
        self.app.say(
            f"{plural(answer.new, 'new URL')}, {answer.known} already known, {answer.refused} refused",
            warn=not answer.new,
        )
