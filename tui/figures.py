"""All counters of a crawl, as names and texts, and the sentence that sums a finished one up."""

from __future__ import annotations

from spiderd.protocol import Snapshot
from spiderd.states import Reason
from spiderd.units import human_count, human_duration, human_size
from tui.text import date, percent, plural

Facts = list[tuple[str, str]]


def figures(snapshot: Snapshot) -> Facts:
    """List everything that is counted."""
    counters, hello = snapshot.counters, snapshot.hello
    return [
        ("state", f"{snapshot.state} since {date(snapshot.since)}"),
        ("crawl", hello.crawl),
        ("data directory", hello.data_dir),
        ("daemon", f"spiderd {hello.version}, pid {hello.pid}, since {date(hello.started)}"),
        ("order", snapshot.order),
        ("threads", human_count(snapshot.threads)),
        ("page limit", human_count(snapshot.max_pages) if snapshot.max_pages else "none"),
        ("", ""),
        ("known", human_count(counters.known)),
        ("waiting", human_count(counters.waiting)),
        ("processing", human_count(counters.processing)),
        ("complete", human_count(counters.complete)),
        ("error", human_count(counters.error)),
        ("", ""),
        ("pages", f"{human_count(counters.pages)}, {human_size(counters.bytes)} stored"),
        ("received", human_size(counters.bytes_received)),
        ("duplicates", human_count(counters.duplicates)),
        ("redirects", human_count(counters.redirects)),
        ("skipped", human_count(counters.skipped)),
        ("retries", human_count(counters.retries)),
        ("links", human_count(counters.links)),
        ("hosts", human_count(counters.hosts)),
        *_revisits(snapshot),
        *_table("answers by status", counters.statuses),
        *_table("errors by kind", counters.failures),
        *_table("links not followed", counters.refused),
    ]


def _revisits(snapshot: Snapshot) -> Facts:
    """Pages that are visited again."""
    again, counters = snapshot.revisits, snapshot.counters
    if again is None or not (again.on or again.scheduled or counters.revisits):
        return []
    return [
        ("", ""),
        ("visits", "on" if again.on else "off, but for what somebody asks for"),
        ("visited again", f"{human_count(counters.revisits)}, {human_count(counters.changes)} had changed"),
        ("gone", human_count(counters.gone)),
        ("due", f"{human_count(again.due)}, {human_count(again.overdue)} overdue"),
        ("next due", date(again.next) if again.next else "none"),
        *_table("pages change every", again.rates, by_size=False),
    ]


def summary(snapshot: Snapshot, began: float) -> str:
    """Sum a finished crawl up.

    Args:
        snapshot: of the complete crawl.
        began: unix time at which it began to run; 0 = not known.
    """
    counters = snapshot.counters
    parts = [
        "the page limit is reached" if snapshot.reason is Reason.PAGE_LIMIT else "the crawl is complete",
        plural(counters.pages, "page"),
        human_size(counters.bytes),
        plural(counters.error, "error"),
    ]
    if 0 < began < snapshot.since:
        parts.append(f"in {human_duration(snapshot.since - began)}")
    return " · ".join(parts) + " · i shows all figures"


def _table(title: str, counts: dict[str, int], *, by_size: bool = True) -> Facts:
    """Counts, the largest first (or as they come), under a title."""
    if not counts:
        return []
    total = sum(counts.values())
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0])) if by_size else [*counts.items()]
    return [
        ("", ""),
        (title, ""),
        *((f"  {name}", f"{human_count(n)}  {percent(n, total)}") for name, n in rows),
    ]
