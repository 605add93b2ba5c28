"""The search tab: a box, results while one types, and what a result is about.

The best thousand pages are reached, fifty at a time: the table scrolls over all of them and asks for the part
it does not have. Answers to what is no longer asked are dropped.
"""

from __future__ import annotations

from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from spiderd.protocol import Hit, IndexState, PageReply, SearchReply
from tui import kinds
from tui.glyphs import Glyphs
from tui.marked import marked
from tui.model import Picture
from tui.questions import PreviewQuestion, SearchQuestion
from tui.text import date, harmless, plural
from tui.views.view import View
from tui.widgets.listing import BUSY_AFTER, Listing
from tui.widgets.panel import Panel
from tui.widgets.search_box import SearchBox
from tui.widgets.table import Table

PAGE = 50  # results asked for at a time
TYPING_PAUSE = 0.2  # seconds without a key before the daemon is asked
LOOKING_PAUSE = 0.15  # seconds that the cursor rests on a result before its page is asked for
TEXT_SHOWN = 2000  # characters of a page's text in the preview


class Hits(Listing[Hit]):
    """The results; the box above is their filter, and the daemon has put them in order."""

    def renew(self) -> None:
        """Nothing to do: rows come with answers."""


class SearchView(View):
    """Posts questions, and shows what comes."""

    class Left(Message):
        """Escape in an empty box: back to where one came from."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="search")
        self.box = SearchBox()
        self.hits = Hits("Results", kinds.HITS, glyphs=glyphs, id="hits")
        self.hits.can_sort = self.hits.can_filter = False
        self.preview = Static(id="preview-text")
        self.search_panel = Panel("Search pages", self.box, id="search-panel")
        self.preview_panel = Panel("Preview", self.preview, id="preview")
        self._text = ""  # what is searched for
        self._answered = ""  # what was last answered
        self._timer: Timer | None = None
        self._pages: dict[int, PageReply] = {}

    def compose(self) -> ComposeResult:
        """The box over the results over the preview."""
        yield self.search_panel
        yield self.hits
        yield self.preview_panel

    @property
    def main(self) -> Listing[Any]:
        """The results."""
        return self.hits

    def draw(self, picture: Picture) -> None:
        """Dim what is old; say where there is no index."""
        self.set_class(picture.old, "-old")
        snapshot = picture.snapshot
        if snapshot is not None and not self._text:
            self.search_panel.remark(_index(snapshot.index))

    def begin(self) -> None:
        """Put the cursor into the box, over what was typed before."""
        self.screen.set_focus(self.box)
        self.box.select_all()

    def refill(self) -> None:
        """What was not there a moment ago may be indexed by now."""
        if self._text and not self.hits.table.total:
            self.post_message(SearchQuestion(self, self._text, 1, PAGE))

    # questions

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._after(TYPING_PAUSE, self._ask)

    def _ask(self) -> None:
        self._text = self.box.value.strip()
        if self._text:
            self.post_message(SearchQuestion(self, self._text, 1, PAGE))
            self.set_timer(BUSY_AFTER, self._say_busy)
        else:
            self.hits.table.empty = ""
            self.hits.table.show([], 0.0)
            self.hits.remark("")
            self.preview.update("")

    def _say_busy(self) -> None:
        if self._text != self._answered:
            self.search_panel.remark("searching")

    @on(Table.Wanted)
    def _more(self, event: Table.Wanted) -> None:
        event.stop()
        self.post_message(SearchQuestion(self, self._text, event.first // PAGE + 1, PAGE))

    @on(Table.Moved)
    def _moved(self) -> None:
        self._after(LOOKING_PAUSE, self._look)
        self._show_hit()

    def _look(self) -> None:
        hit = self.hits.table.row
        if hit is not None and hit.id not in self._pages:
            self.post_message(PreviewQuestion(self, hit.id))

    def _after(self, seconds: float, what: Any) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(seconds, what)

    @on(SearchBox.ToResults)
    def _to_results(self) -> None:
        if self.hits.table.total:
            self.screen.set_focus(self.hits.table)

    @on(SearchBox.Leave)
    def _leave(self) -> None:
        self.post_message(self.Left())

    # answers

    def show_results(self, query: str, replies: list[SearchReply]) -> None:
        """Show consecutive pages of results, unless something else is searched for by now."""
        if query != self._text:
            return
        self._answered = query
        first = replies[0]
        reachable = min(first.total, first.pages * first.limit)
        hits = [hit for reply in replies for hit in reply.hits]
        self._pages.clear()
        self.hits.table.empty = first.message or "no page holds all of these words"
        if first.page == 1:
            self.hits.table.cursor = 0
        self.hits.table.show(hits, 0.0, first=(first.page - 1) * first.limit, total=reachable)
        self.search_panel.remark(f"{_found(first)} · {first.elapsed * 1000:.0f} ms · {_index(first.index)}")
        order = f"the best {reachable:,}" if first.total > reachable else "by relevance"
        self.hits.remark(order if hits else "")
        if hits:
            self._show_hit()
            self._after(LOOKING_PAUSE, self._look)
        else:
            self.preview.update(_advice(first))

    def show_problem(self, query: str, problem: str) -> None:
        """Show why there is no answer."""
        if query == self._text:
            self._answered = query
            self.search_panel.remark(problem)

    def show_page(self, page: PageReply) -> None:
        """Show what is kept of the page that the cursor rests on."""
        self._pages[page.id] = page
        self._show_hit()

    def _show_hit(self) -> None:
        hit = self.hits.table.row
        if hit is None:
            return
        page = self._pages.get(hit.id)
        lines = [
            marked(hit.title, hit.title_marks).stylize("bold"),
            Content(harmless(hit.url)).stylize("$foreground 75%"),
            Content(_facts(hit, page)).stylize("$foreground 75%"),
            Content(""),
            marked(hit.snippet, hit.marks),
        ]
        if page is not None and page.text:
            lines += [Content(""), *(Content(harmless(line)) for line in page.text[:TEXT_SHOWN].splitlines())]
        self.preview.update(Content("\n").join(lines))


def _found(reply: SearchReply) -> str:
    return plural(reply.total, "page") if reply.exact else f"about {plural(reply.total, 'page')}"


def _index(index: IndexState | None) -> str:
    """Say how far behind the index is."""
    if index is None:
        return "this daemon builds no search index"
    if index.message:
        return harmless(index.message)
    behind = index.pages - index.indexed
    return f"{plural(behind, 'page')} not yet indexed" if behind > 0 else "index up to date"


def _advice(reply: SearchReply) -> Content:
    """Say what may be tried where nothing was found."""
    lines = [harmless(reply.message) or "Nothing was found."]
    if reply.suggestions:
        lines += ["", "These do match:", *(f"  {harmless(text)}" for text in reply.suggestions)]
    return Content("\n".join(lines))


def _facts(hit: Hit, page: PageReply | None) -> str:
    facts = [f"fetched {date(hit.fetched)}"]
    if hit.language:
        facts.append(harmless(hit.language))
    if hit.duplicates:
        facts.append(f"{plural(hit.duplicates, 'page')} more with the same text")
    if page is not None:
        facts += [str(page.status), harmless(page.content_type), f"links out {page.links_out:,}"]
        if page.links_in >= 0:
            facts.append(f"links in {page.links_in:,}")
    return " · ".join(facts)
