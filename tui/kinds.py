"""What each list is of: columns, keys, what is copied from a row, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence

from spiderd.protocol import DirectoryRow, ErrorRow, Event, Hit, HostRow, PageReply, Why, WorkerRow
from spiderd.units import human_count, human_duration, human_size
from tui.columns import Column
from tui.glyphs import Glyphs
from tui.tables import directories, errors, events, hits, hosts, threads
from tui.text import UNKNOWN, date
from tui.widgets.listing import Kind

THREADS: Kind[WorkerRow] = Kind(
    columns=threads.COLUMNS,
    key=lambda row: row.worker,
    subject=lambda row: row.url,
    details=lambda row: [
        ("thread", str(row.worker)),
        ("step", row.step),
        ("since", date(row.since)),
        ("url", row.url or UNKNOWN),
        ("directory", threads.directory_name(row.directory)),
        ("pages", f"{human_count(row.pages)} since the daemon started"),
        ("errors", human_count(row.errors)),
    ],
    empty="no threads yet",
    sort="worker",
)

HOSTS: Kind[HostRow] = Kind(
    columns=hosts.COLUMNS,
    key=lambda row: row.host,
    subject=lambda row: f"https://{row.host}/" if "://" not in row.host else row.host,
    details=lambda row: [
        ("host", row.host),
        ("state", row.state),
        ("why", row.reason or UNKNOWN),
        ("waiting", human_count(row.waiting)),
        ("processing", human_count(row.processing)),
        ("complete", human_count(row.complete)),
        ("error", human_count(row.error)),
        ("delay", human_duration(row.delay)),
        ("next allowed", date(row.next_allowed) if row.next_allowed else "now"),
        ("robots.txt", row.robots or UNKNOWN),
        ("last status", str(row.last_status or UNKNOWN)),
    ],
    empty="no hosts yet: a adds a URL",
    sort="waiting",
    descending=True,
)

ERRORS: Kind[ErrorRow] = Kind(
    columns=errors.COLUMNS,
    key=lambda row: row.url,
    subject=lambda row: row.url,
    details=lambda row: [
        ("url", row.url),
        ("failure", row.failure),
        ("status", str(row.status or UNKNOWN)),
        ("detail", row.detail or UNKNOWN),
        ("tries", str(row.tries)),
        ("last try", date(row.at)),
        ("found on", row.referrer or UNKNOWN),
    ],
    empty="no errors",
    sort="at",
    descending=True,
)


def _events_kind(columns: Sequence[Column[Event]], empty: str) -> Kind[Event]:
    return Kind(
        columns=columns,
        key=lambda row: row.id,
        subject=lambda row: row.url or row.message,
        details=lambda row: [
            ("time", date(row.at)),
            ("level", row.level),
            ("event", row.name),
            ("message", row.message),
            ("url", row.url or UNKNOWN),
            ("host", row.host or UNKNOWN),
            ("thread", str(row.worker) if row.worker >= 0 else UNKNOWN),
            ("number", str(row.id)),
        ],
        empty=empty,
    )


LOG = _events_kind(events.COLUMNS, "nothing has happened yet")
RECENT = _events_kind(events.RECENT, "none")


HITS: Kind[Hit] = Kind(
    columns=hits.COLUMNS,
    key=lambda row: row.id,
    subject=lambda row: row.url,
    details=lambda row: [("url", row.url), ("title", row.title), ("fetched", date(row.fetched))],
)


def page_facts(page: PageReply) -> list[tuple[str, str]]:
    """Say what is kept of a page."""
    return [
        ("url", page.url),
        ("title", page.title or UNKNOWN),
        ("status", f"{page.status} {page.kind}{f' ({page.failure})' if page.failure else ''}"),
        ("fetched", date(page.fetched)),
        ("type", page.content_type or UNKNOWN),
        ("size", human_size(page.size)),
        ("language", page.language or UNKNOWN),
        ("depth", f"{human_count(page.depth)} links from a seed"),
        ("found on", page.referrer or "it is a seed"),
        *([("leads to", page.location)] if page.location else []),
        ("archived as", page.path or "not stored"),
        ("links", f"{human_count(page.links_out)} out, {_links_in(page)} in"),
    ]


def _links_in(page: PageReply) -> str:
    return human_count(page.links_in) if page.links_in >= 0 else "not yet counted"


def directories_kind(glyphs: Glyphs, *, pane: bool = False) -> Kind[DirectoryRow]:
    """Make the kind of the directories, whose bars are drawn with these glyphs."""
    return Kind(
        columns=directories.open_columns(glyphs) if pane else directories.columns(glyphs),
        key=lambda row: row.directory,
        subject=lambda row: row.path,
        details=lambda row: [
            ("directory", threads.directory_name(row.directory)),
            ("path", row.path),
            ("thread", str(row.worker)),
            ("pages", f"{human_count(row.count)} of {human_count(row.max_count)}"),
            ("size", human_size(row.bytes)),
            ("state", "open" if row.open else "closed"),
        ],
        empty="nothing stored yet",
        sort="worker" if pane else "directory",
        descending=not pane,
    )


def why_facts(answer: Why) -> list[tuple[str, str]]:
    """Say which rule decides about a URL, and what is known of it."""
    return [
        ("", ""),
        ("fetched as", answer.url),
        ("may be fetched", "yes" if answer.allowed else "no"),
        ("scope", answer.scope or UNKNOWN),
        ("robots.txt", answer.robots or "no line decides"),
        ("queue", answer.queue or "not known to the crawl"),
        ("tries", str(answer.tries)),
        ("last failure", answer.failure or "none"),
        ("host", f"{answer.host} ({answer.host_state})" if answer.host_state else answer.host or UNKNOWN),
        ("next allowed", date(answer.next_allowed) if answer.next_allowed else "now"),
        ("seen key", answer.key),
    ]
