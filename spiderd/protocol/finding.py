"""What is known of one URL or page, and what a search has found."""

from __future__ import annotations

from msgspec import field

from spiderd.protocol.base import Reply
from spiderd.protocol.state import IndexState


class Why(Reply):
    """GET /v1/why?url=URL : which rule decides about a URL, and what is known of it."""

    url: str  # as it would be fetched
    key: str  # its seen key, 16 hexadecimal digits
    allowed: bool  # may it be fetched, by scope and robots
    scope: str  # the rule that decides, for people
    robots: str  # the line of robots.txt that decides; "" where none does
    queue: str  # a `states.Queue`; "" where the URL is not known
    tries: int
    failure: str  # of the last try; "" where none failed
    host: str
    host_state: str  # as in HostRow; "" where the host is not known
    next_allowed: float  # unix time at which the host may be asked; 0 = now
    summary: str = ""  # what happens to the URL and why, in one sentence for people
    host_reason: str = ""  # why the host is parked or backing off
    seen: bool = False  # whether it was ever found; what no rule admits is not kept
    depth: int = -1  # links from the nearest seed; -1 = not known
    shape: str = ""  # of the URL, where that is parked as a trap
    next_try: float = 0.0  # unix time at which it is tried again after a failure; 0 = none is due
    before: int = -1  # URLs of its host that come first; -1 = not known
    kind: str = ""  # a `states.OutcomeKind`: how it was settled
    status: int = 0  # HTTP status
    detail: str = ""  # of the failure
    fetched: float = 0.0  # unix time
    location: str = ""  # target of a redirect
    path: str = ""  # file in the archive
    referrer: str = ""  # URL of the page that led here; "" = a seed, or not known
    visits: int = 0  # after the first one, that told whether the page had changed
    changes: int = 0  # of these, those that found a change
    changed: float = 0.0  # unix time of the last visit that found one; 0 = none has
    changes_every: float = 0.0  # seconds between two changes, as estimated; 0 = not known
    next_visit: float = 0.0  # unix time; 0 = none is to come
    asked_again: bool = False  # its time has come: it waits for its host's turn


class Hit(Reply):
    """One result of a search.

    Marks are the words that were looked for, as ranges [from, to) of characters of the text, in order.
    """

    id: int  # page number: GET /v1/page?id=
    url: str
    title: str
    site: str  # host and port
    fetched: float
    language: str = ""  # BCP 47 primary tag; "" where it is not known
    snippet: str = ""  # on one line; fragments are joined by " … "
    marks: list[tuple[int, int]] = field(default_factory=list)  # of snippet
    title_marks: list[tuple[int, int]] = field(default_factory=list)
    duplicates: int = 0  # pages with the same text that are not shown
    score: float = 0.0


class SearchReply(Reply):
    """GET /v1/search?q=&page=&limit=&typing= : one page of results; the best 1,000 are reached."""

    query: str
    page: int  # from 1
    pages: int  # how many there are
    limit: int  # results on a page
    total: int  # pages that match
    exact: bool  # False: there are about `total`
    elapsed: float
    hits: list[Hit]
    message: str = ""  # a sentence for people where nothing matches, or where a part was not understood
    suggestions: list[str] = field(default_factory=list)  # queries that do match
    index: IndexState | None = None


class LinkRow(Reply):
    """A link, as told of one of its two pages."""

    url: str  # of the other page; "" where it is followed and was not asked for yet
    text: str
    kind: str  # what stands there: "a", "img", "refresh", ...
    page: int  # number of the other page; 0 where it was never asked for
    status: int  # HTTP status of the other page; 0 = none


class Links(Reply):
    """GET /v1/links?id= : where a page leads, and which pages lead to it; of many the first."""

    out: list[LinkRow]
    out_total: int
    into: list[LinkRow]
    looked: int  # pages that were looked at for those, of
    pages: int  # all that there are


class PageReply(Reply):
    """GET /v1/page?url= or ?id= : what is kept of one page, with its readable text."""

    id: int
    url: str
    title: str
    status: int
    kind: str  # a `states.OutcomeKind`
    failure: str
    fetched: float
    content_type: str
    size: int
    depth: int
    referrer: str  # URL of the page that led here; "" = a seed
    location: str  # target of a redirect
    path: str  # file in the archive; "" where nothing was stored
    language: str
    text: str  # readable text, with line ends; "" where the index has none
    cut: bool  # the text goes on
    links_out: int
    links_in: int  # from pages of this crawl, as of the last ranking; -1 = never ranked
