"""What each list is of: columns, keys, what is copied from a row, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence

from spiderd.protocol import (
    DirectoryRow,
    ErrorRow,
    Event,
    Hit,
    HostRow,
    ReportInfo,
    ReportRow,
    SettingRow,
    TrapRow,
    TreeRow,
    WorkerRow,
)
from spiderd.units import human_cell, human_count, human_duration, human_size
from tui.columns import Column
from tui.glyphs import Glyphs
from tui.kind import Kind
from tui.tables import (
    directories,
    errors,
    events,
    hits,
    hosts,
    reports,
    settings,
    threads,
    traps,
    tree,
    wrapped,
)
from tui.text import UNKNOWN, date

THREADS: Kind[WorkerRow] = Kind(
    one="Thread",
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
    one="Host",
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
    one="Error",
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
        one="Event",
        columns=columns,
        key=lambda row: (row.at, row.id),  # another daemon counts anew
        subject=lambda row: row.url or row.message,
        details=_event_facts,
        empty=empty,
    )


def _event_facts(row: Event) -> list[tuple[str, str]]:
    return [
        ("time", date(row.at)),
        ("level", row.level),
        ("event", row.name),
        ("message", row.message),
        ("url", row.url or UNKNOWN),
        ("host", row.host or UNKNOWN),
        ("thread", str(row.worker) if row.worker >= 0 else UNKNOWN),
        ("number", str(row.id)),
    ]


LOG = _events_kind(events.COLUMNS, "nothing has happened yet")
RECENT = _events_kind(events.RECENT, "none")
LOG_WRAPPED: Kind[wrapped.Line] = Kind(
    one=LOG.one,
    columns=wrapped.COLUMNS,
    key=lambda row: (row.event.at, row.event.id, row.number),
    subject=lambda row: LOG.subject(row.event),
    details=lambda row: _event_facts(row.event),
    empty=LOG.empty,
)


TRAPS: Kind[TrapRow] = Kind(
    one="Trap",
    columns=traps.COLUMNS,
    key=lambda row: row.shape,
    subject=lambda row: row.example,
    details=lambda row: [
        ("shape", row.shape),
        ("host", row.host),
        ("fetched", human_count(row.pages)),
        ("set aside", human_count(row.waiting)),
        ("for example", row.example),
    ],
    empty="none",
    sort="waiting",
    descending=True,
)

SETTINGS: Kind[SettingRow] = Kind(
    one="Setting",
    columns=settings.COLUMNS,
    key=lambda row: row.key,
    subject=lambda row: f"{row.key} = {row.value}",
    details=lambda row: [
        ("setting", row.key),
        ("value", row.value),
        ("in the file", row.filed),
        ("changes", "while the crawl runs" if row.live else "only when the daemon starts"),
    ],
)

HITS: Kind[Hit] = Kind(
    one="Page",
    columns=hits.COLUMNS,
    key=lambda row: row.id,
    subject=lambda row: row.url,
    details=lambda row: [("url", row.url), ("title", row.title), ("fetched", date(row.fetched))],
)


REPORTS: Kind[ReportInfo] = Kind(
    one="Report",
    columns=reports.COLUMNS,
    key=lambda row: row.name,
    subject=lambda row: row.name,
    details=lambda row: [("report", row.name), ("rows", human_count(row.count)), ("what", row.help)],
)


def report_kind(info: ReportInfo) -> Kind[ReportRow]:
    """Make the kind of the rows of a report."""
    return Kind(
        one=info.noun.capitalize(),
        columns=reports.columns_of(info),
        key=lambda row: (row.page, *row.cells),
        subject=lambda row: row.url,
        details=lambda row: [
            (column.title, human_cell(cell, column.form) or UNKNOWN)
            for column, cell in zip(info.columns, row.cells, strict=False)
        ],
        empty=f"none: no {info.noun} of this kind was found",
    )


def directories_kind(glyphs: Glyphs, *, pane: bool = False) -> Kind[DirectoryRow]:
    """Make the kind of the directories, whose bars are drawn with these glyphs."""
    return Kind(
        one="Directory",
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


def tree_kind(glyphs: Glyphs) -> Kind[TreeRow]:
    """Make the kind of the site tree, whose bars are drawn with these glyphs."""
    return Kind(
        one="Part of the site",
        columns=tree.columns(glyphs),
        key=lambda row: (row.kind, row.host, row.prefix),
        subject=lambda row: f"https://{row.host}/{row.prefix}",
        details=lambda row: [
            ("host", row.host),
            ("directory", f"/{row.prefix}"),
            ("counted", "all that is below" if row.kind != "here" else "what lies right here"),
            ("found", f"{human_count(row.found)} URLs"),
            ("waiting", human_count(row.waiting)),
            ("complete", human_count(row.complete)),
            ("error", human_count(row.error)),
        ],
        empty="nothing was found here",
        sort="found",
        descending=True,
    )
