"""What widgets want to know from the daemon.

A widget posts a question; the application asks it beside the screen, and the question hands the answer to the
widget, or the sentence that says why there is none. No handler ever waits. A newer question of a group ends
an older one that is still under way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.message import Message

from spiderd.errors import SpiderdError
from tui import telling
from tui.client import Client
from tui.telling import Section

if TYPE_CHECKING:
    from tui.screens.add import AddBox
    from tui.screens.details import Details
    from tui.views.search import SearchView
    from tui.views.settings import SettingsView
    from tui.widgets.listing import PagedListing, Query


class Question(Message):
    """Base of all questions."""

    namespace = "question"

    @property
    def group(self) -> str:
        """Which questions a newer one ends."""
        return type(self).__name__

    async def ask(self, client: Client) -> None:
        """Ask, and give the answer to whom it concerns."""
        raise NotImplementedError

    def drop(self, reason: str) -> None:
        """There is nobody to ask; by default what is on the screen stays there."""


class ListQuestion(Question):
    """A window of a list."""

    def __init__(self, listing: PagedListing[Any], query: Query) -> None:
        super().__init__()
        self.listing = listing
        self.query = query

    @property
    def group(self) -> str:
        """Each list has its own."""
        return f"list {self.listing.source}"

    def drop(self, reason: str) -> None:
        """Say so where no rows are that could stay."""
        if not self.listing.table.total:
            self.listing.show_problem(self.query, reason)

    async def ask(self, client: Client) -> None:
        """Ask for the rows."""
        try:
            page = await client.rows(self.listing.source, self.query.parameters())
        except SpiderdError as problem:
            self.listing.show_problem(self.query, str(problem))
        else:
            self.listing.show_page(self.query, page.rows, page.total)


class SettingsQuestion(Question):
    """The configuration in effect."""

    def __init__(self, view: SettingsView) -> None:
        super().__init__()
        self.view = view

    async def ask(self, client: Client) -> None:
        """Ask for all settings; there are a few dozen."""
        try:
            self.view.show_settings(await client.settings())
        except SpiderdError as problem:
            self.view.settings.remark(str(problem))


class SearchQuestion(Question):
    """A page of results, and the one after it, so that scrolling does not stutter."""

    def __init__(self, view: SearchView, text: str, page: int, size: int) -> None:
        super().__init__()
        self.view = view
        self.text = text
        self.page = page
        self.size = size

    async def ask(self, client: Client) -> None:
        """Search."""
        try:
            replies = [await client.search(self.text, self.page, self.size)]
            if self.page < replies[0].pages:
                replies.append(await client.search(self.text, self.page + 1, self.size))
        except SpiderdError as problem:
            self.view.show_problem(self.text, str(problem))
        else:
            self.view.show_results(self.text, replies)


class PreviewQuestion(Question):
    """The page of the result that the cursor rests on."""

    def __init__(self, view: SearchView, number: int) -> None:
        super().__init__()
        self.view = view
        self.number = number

    async def ask(self, client: Client) -> None:
        """Ask for the page; without it the preview has less to say."""
        try:
            page = await client.page(self.number)
        except SpiderdError:
            return
        self.view.show_page(page)


class PageQuestion(Question):
    """A page in full; `kept` keeps what the box says already."""

    def __init__(self, box: Details, number: int, *, kept: bool = False) -> None:
        super().__init__()
        self.box = box
        self.number = number
        self.kept = kept

    async def ask(self, client: Client) -> None:
        """Ask for the page."""
        try:
            page = await client.page(self.number)
        except SpiderdError as problem:
            self.box.add([("page", f"not readable: {problem}")])
        else:
            facts = [*self.box.facts, *telling.page_facts(page)] if self.kept else telling.page_facts(page)
            text = Section("", page.text.splitlines())
            self.box.replace(facts, [text])
            await self._add_links(client, facts, text)

    async def _add_links(self, client: Client, facts: telling.Facts, text: Section) -> None:
        try:
            sections = telling.link_sections(await client.links(self.number))
        except SpiderdError as problem:
            sections = [Section("Links", [f"not known: {problem}"])]
        self.box.replace(facts, [text, *sections])


class HostQuestion(Question):
    """A host in full."""

    def __init__(self, box: Details, host: str, now: float) -> None:
        super().__init__()
        self.box = box
        self.host = host
        self.now = now  # the daemon's time

    def drop(self, reason: str) -> None:
        """Say that nobody knows more."""
        self.box.add([("queue", f"not known: {reason}")])

    async def ask(self, client: Client) -> None:
        """Ask for what no list holds."""
        try:
            answer = await client.host(self.host)
        except SpiderdError as problem:
            self.drop(str(problem))
        else:
            self.box.replace(telling.host_facts(answer, self.now), telling.host_sections(answer))


class WhyQuestion(Question):
    """Which rule decides about a URL."""

    def __init__(self, box: Details, url: str) -> None:
        super().__init__()
        self.box = box
        self.url = url

    def drop(self, reason: str) -> None:
        """Say that nobody knows."""
        self.box.add([("why", f"not known: {reason}")])

    async def ask(self, client: Client) -> None:
        """Ask for the rule."""
        try:
            facts = telling.why_facts(await client.why(self.url))
        except SpiderdError as problem:
            facts = [("why", f"not known: {problem}")]
        self.box.add(facts)


class CheckQuestion(Question):
    """What would become of URLs that somebody is typing."""

    def __init__(self, box: AddBox, urls: list[str]) -> None:
        super().__init__()
        self.box = box
        self.urls = urls

    def drop(self, reason: str) -> None:
        """Say that nobody has checked."""
        self.box.show_problem(self.urls, reason)

    async def ask(self, client: Client) -> None:
        """Ask for the verdict."""
        try:
            self.box.show_check(self.urls, await client.check(self.urls))
        except SpiderdError as problem:
            self.box.show_problem(self.urls, str(problem))
