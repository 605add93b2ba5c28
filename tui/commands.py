"""What the commands of the keys do. No command waits for the daemon: calls run beside the screen.

Names are those of `keys.KEYS`, an argument after a colon: "tab:hosts", "sort:-1".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from spiderd.errors import SpiderdError
from spiderd.protocol import Added, Hit, Retried, StateReply
from spiderd.states import CrawlState
from tui import keys, kinds, starting
from tui.client import LineBroken
from tui.figures import figures
from tui.screens.add import AddBox
from tui.screens.confirm import Confirm
from tui.screens.details import Details
from tui.screens.help import Help
from tui.screens.start import StartBox, Wish
from tui.text import cut, harmless, plural
from tui.views.log import LogView
from tui.views.search import PAGE, SearchView

if TYPE_CHECKING:
    from tui.app import SpiderApp
    from tui.widgets.listing import Listing

WEB = ("http://", "https://")


class Commands:
    """Carries out the commands on one application."""

    def __init__(self, app: SpiderApp) -> None:
        self.app = app

    def give(self, command: str) -> None:
        """Carry out a command, or say why not."""
        key = keys.BY_COMMAND[command]
        if reason := keys.unavailable(key, self.app.situation()):
            self.app.say(f"{key.help.split(';')[0]}: {reason}", warn=True)
            return
        name, _, argument = command.partition(":")
        method: Callable[..., None] = getattr(self, name)
        method(*([argument] if argument else []))

    # the screen

    def tab(self, name: str) -> None:
        """Open a tab."""
        self.app.dashboard.open_tab(name)
        self.app.draw()

    def search(self) -> None:
        """Open the search and its box."""
        self.tab("search")

    def freeze(self) -> None:
        """Hold the picture still, or let it go."""
        self.app.freeze()

    def refresh(self) -> None:
        """Ask, or try, at once."""
        self.app.link.nudge()
        self.app.dashboard.view.refill()

    def help(self) -> None:
        """Show the keys."""
        self.app.push_screen(Help(self.app.situation()))

    def palette(self) -> None:
        """Open the palette."""
        self.app.action_command_palette()

    def leave(self) -> None:
        """Leave; the crawl goes on."""
        self.app.leave()

    def back(self) -> None:
        """Clear the filter; in the results of a search, go back to the box."""
        view = self.app.dashboard.view
        if isinstance(view, SearchView):
            view.begin()
        else:
            self._listing.filter_box.action_clear_and_close()

    def figures(self) -> None:
        """Show all counters."""
        snapshot = self.app.model.snapshot
        if snapshot is not None:
            self.app.push_screen(Details("Figures", figures(snapshot), snapshot.hello.data_dir))

    # the table

    @property
    def _listing(self) -> Listing[Any]:
        return self.app.dashboard.view.listing

    def details(self) -> None:
        """Show what is known of the row, and which rule decides about its URL."""
        listing = self._listing
        hit = listing.table.row
        if isinstance(hit, Hit):
            self.page(hit)
            return
        box = Details(str(listing.border_title), listing.details(), listing.subject)
        self.app.push_screen(box)
        if listing.subject.startswith(WEB) and self.app.connection.connected:
            self.app.beside(partial(self._explain, box, listing.subject), "why", exclusive=True)

    def page(self, hit: Hit) -> None:
        """Show what is kept of a page, its text included."""
        box = Details("Page", kinds.HITS.details(hit), hit.url)
        self.app.push_screen(box)
        self.app.beside(partial(self._read, box, hit.id), "why", exclusive=True)

    async def _read(self, box: Details, number: int) -> None:
        try:
            page = await self.app.client.page(number)
        except SpiderdError as problem:
            box.add([("page", f"not readable: {problem}")])
        else:
            box.replace(kinds.page_facts(page), page.text)

    def why(self, url: str) -> None:
        """Show which rule decides about a URL."""
        box = Details("Why", [("url", url)], url)
        self.app.push_screen(box)
        self.app.beside(partial(self._explain, box, url), "why", exclusive=True)

    async def _explain(self, box: Details, url: str) -> None:
        try:
            facts = kinds.why_facts(await self.app.client.why(url))
        except SpiderdError as problem:
            facts = [("why", f"not known: {problem}")]
        box.add(facts)

    def filter(self) -> None:
        """Open the filter."""
        self._listing.filter_box.open()

    def sort(self, step: str) -> None:
        """Sort by another column."""
        self._listing.sort_step(int(step))

    def invert(self) -> None:
        """Turn the order round."""
        self._listing.invert()

    def follow(self) -> None:
        """Keep the row in view, or not."""
        table = self._listing.table
        table.follow = not table.follow
        self.app.say("following the row" if table.follow else "no longer following the row")

    def copy(self) -> None:
        """Copy URL or path."""
        self.copy_text(self._listing.subject)

    def open(self) -> None:
        """Open the URL."""
        self.open_text(self._listing.subject)

    def copy_text(self, text: str) -> None:
        """Put a text on the clipboard of the terminal, and show it: not every terminal takes it."""
        if not text:
            self.app.say("there is nothing to copy in this row", warn=True)
            return
        text = harmless(text)
        self.app.copy_to_clipboard(text)
        self.app.say(f"copied {cut(text, 200)}")

    def open_text(self, text: str) -> None:
        """Open a URL where this program runs."""
        if not text.startswith(WEB):
            self.app.say("this row has no URL to open", warn=True)
            return
        self.app.open_url(text)
        self.app.say(f"opened on this machine: {cut(harmless(text), 200)}")

    def errors_only(self) -> None:
        """Show warnings and errors only, or all."""
        view = self.app.dashboard.view
        if isinstance(view, LogView):
            view.errors_only = not view.errors_only
            self.app.draw()

    # the crawl

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

    def add(self) -> None:
        """Ask for URLs and add them."""
        self.add_url("")

    def add_url(self, url: str) -> None:
        """Ask for URLs, beginning with one, and add them."""

        def answered(urls: list[str] | None) -> None:
            if urls:
                self._call(lambda: self.app.client.add(urls), self._added)

        self.app.push_screen(AddBox(url), answered)

    def retry(self) -> None:
        """Put the error queue back."""
        self._call(self.app.client.retry, self._retried)

    def start(self) -> None:
        """Ask what to start, and start it."""

        def answered(wish: Wish | None) -> None:
            if wish is not None:
                self.app.beside(partial(self._start, wish), "start", exclusive=True)

        self.app.push_screen(StartBox(self.app.data_dir), answered)

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

    async def check(self, box: AddBox, urls: list[str]) -> None:
        """Ask the daemon what would become of URLs, and tell the box."""
        try:
            box.show_check(urls, await self.app.client.check(urls))
        except SpiderdError as problem:
            box.show_problem(urls, str(problem))

    async def look_up(self, view: SearchView, query: str, page: int) -> None:
        """Search, and tell the view; the next page comes along, so that scrolling does not stutter."""
        try:
            replies = [await self.app.client.search(query, page, PAGE)]
            if page < replies[0].pages:
                replies.append(await self.app.client.search(query, page + 1, PAGE))
        except SpiderdError as problem:
            view.show_problem(query, str(problem))
        else:
            view.show_results(query, replies)

    async def peek(self, view: SearchView, number: int) -> None:
        """Get what is kept of a page for the preview; without it the preview has less to say."""
        with suppress(SpiderdError):
            view.show_page(await self.app.client.page(number))

    def _state_changed(self, reply: StateReply) -> None:
        self.app.say(f"the crawl is {reply.state}")
        self.app.model.become(reply.state, reply.reason)
        self.app.draw()
        self.app.link.nudge()

    def _retried(self, reply: Retried) -> None:
        self.app.say(f"{plural(reply.urls, 'URL')} of the error queue will be tried again")
        self.app.link.nudge()

    def _added(self, answer: Added) -> None:
        self.app.say(
            f"{plural(answer.new, 'new URL')}, {answer.known} already known, {answer.refused} refused",
            warn=not answer.new,
        )
        self.app.link.nudge()

    def _call(self, call: Callable[[], Awaitable[Any]], done: Callable[[Any], None]) -> None:
        """Call the daemon beside the screen and report what comes of it."""

        async def run() -> None:
            try:
                answer = await call()
            except LineBroken as problem:
                self.app.say(f"not done: {problem}", warn=True)
            except SpiderdError as problem:
                self.app.say(f"the daemon refuses: {problem}", warn=True)
            else:
                done(answer)

        self.app.beside(run, "calls")
