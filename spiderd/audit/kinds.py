"""Which reports there are, in their order, and what a row of each has.

The cells of a row are text and numbers; `Column.form` says how people read them. A row also knows the number
of the page that it speaks of (0 where of none), by which whoever shows it leads on to the page.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Form = Literal["text", "url", "status", "count", "size", "seconds", "share"]
Cell = str | int | float


class Column(NamedTuple):
    """One column of a report."""

    name: str  # in CSV and JSON
    form: Form = "text"

    @property
    def title(self) -> str:
        """The name for people."""
        return self.name.replace("_", " ")


class Kind(NamedTuple):
    """A report."""

    name: str
    help: str  # one line
    columns: tuple[Column, ...]
    noun: str  # what a row is
    plot: tuple[str, str] | None = None  # names of the columns that a bar chart shows: label, value


_STATUS = (Column("status", "status"), Column("failure"))

_KINDS = (
    Kind(
        "broken",
        "links to pages that fail, with the pages and the texts that link there",
        (Column("url", "url"), *_STATUS, Column("source", "url"), Column("text"), Column("by")),
        "link",
    ),
    Kind(
        "redirects",
        "redirects with where they end: chains, loops, and those that end nowhere",
        (
            Column("problem"),
            Column("url", "url"),
            Column("status", "status"),
            Column("hops", "count"),
            Column("end", "url"),
            Column("end_status", "status"),
            Column("links", "count"),
            Column("source", "url"),
        ),
        "redirect",
    ),
    Kind(
        "duplicates",
        "pages whose content is that of another page, byte for byte",
        (Column("url", "url"), Column("copy_of", "url"), Column("size", "size"), Column("canonical", "url")),
        "page",
    ),
    Kind(
        "near-duplicates",
        "pages whose words are nearly those of another page",
        (
            Column("url", "url"),
            Column("like", "url"),
            Column("bits", "count"),
            Column("title"),
            Column("canonical", "url"),
        ),
        "page",
    ),
    Kind(
        "titles",
        "titles that are missing, long, or on several pages",
        (Column("problem"), Column("title"), Column("length", "count"), Column("url", "url")),
        "page",
    ),
    Kind(
        "orphans",
        "pages that a sitemap names and no page links to",
        (
            Column("url", "url"),
            Column("status", "status"),
            Column("outcome"),
            Column("sitemap", "url"),
            Column("title"),
        ),
        "page",
    ),
    Kind(
        "dead-ends",
        "pages that link to no page",
        (
            Column("url", "url"),
            Column("type"),
            Column("size", "size"),
            Column("depth", "count"),
            Column("title"),
        ),
        "page",
    ),
    Kind(
        "depth",
        "how many links from a seed the pages are",
        (
            Column("depth", "count"),
            Column("pages", "count"),
            Column("share", "share"),
            Column("example", "url"),
        ),
        "depth",
        ("depth", "pages"),
    ),
    Kind(
        "sizes",
        "how big the pages are",
        (
            Column("size"),
            Column("pages", "count"),
            Column("share", "share"),
            Column("bytes", "size"),
            Column("truncated", "count"),
            Column("largest", "url"),
        ),
        "class",
        ("size", "pages"),
    ),
    Kind(
        "slow",
        "pages that took long, slowest first",
        (
            Column("seconds", "seconds"),
            Column("url", "url"),
            Column("size", "size"),
            Column("status", "status"),
        ),
        "page",
    ),
    Kind(
        "statuses",
        "how the URLs were answered",
        (Column("status"), Column("urls", "count"), Column("share", "share"), Column("example", "url")),
        "answer",
        ("status", "urls"),
    ),
    Kind(
        "types",
        "media types of what was fetched",
        (
            Column("type"),
            Column("pages", "count"),
            Column("share", "share"),
            Column("bytes", "size"),
            Column("example", "url"),
        ),
        "type",
        ("type", "pages"),
    ),
    Kind(
        "robots",
        "URLs that robots.txt keeps back, and pages that ask not to be indexed",
        (Column("problem"), Column("url", "url"), Column("rule"), Column("source", "url")),
        "URL",
    ),
    Kind(
        "encodings",
        "pages that are not in the encoding they declare",
        (
            Column("url", "url"),
            Column("declared"),
            Column("declared_by"),
            Column("found"),
            Column("certainty", "share"),
        ),
        "page",
    ),
    Kind(
        "mixed",
        "pages fetched by https that refer to http",
        (Column("problem"), Column("url", "url"), Column("refers_to", "url"), Column("by"), Column("text")),
        "reference",
    ),
    Kind(
        "unreachable",
        "hosts that did not answer",
        (
            Column("host"),
            Column("problem"),
            Column("unanswered", "count"),
            Column("answered", "count"),
            Column("waiting", "count"),
            Column("failure"),
            Column("example", "url"),
        ),
        "host",
    ),
    Kind(
        "traps",
        "shapes of URLs that are parked as traps",
        (Column("shape"), Column("pages", "count"), Column("waiting", "count"), Column("example", "url")),
        "shape",
    ),
    Kind(
        "changes",
        "what was added, changed, and is gone since an earlier visit or crawl",
        (
            Column("change"),
            Column("url", "url"),
            Column("status", "status"),
            Column("before", "status"),
            Column("title"),
        ),
        "page",
    ),
)

KINDS = {kind.name: kind for kind in _KINDS}
