"""What a run comes to: the table at its end, and the line about what an earlier one has left."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from spiderd.cli.status import queues
from spiderd.printable import printable
from spiderd.protocol import Counters, Snapshot
from spiderd.states import CrawlState, Reason
from spiderd.units import counted, human_count, human_duration, human_rate, human_size


def summary(snapshot: Snapshot, elapsed: float) -> RenderableType:
    """Describe a crawl that is complete: pages, bytes, by status, errors by kind, time, rate.

    Args:
        snapshot: of its end; counters are those since the crawl began, the rate is that of this run.
        elapsed: seconds that this run took.
    """
    counters = snapshot.counters
    table = Table.grid(padding=(0, 2))
    table.title = Text(_headline(snapshot), style="bold")
    table.title_justify = "left"
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column()
    for name, value, remark in _rows(snapshot, elapsed):
        table.add_row(Text(name), Text(value), Text(remark))
    for title, counts in (
        ("status", counters.statuses),
        ("error", counters.failures),
        ("refused", counters.refused),
    ):
        for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            table.add_row(Text(f"{title} {kind}"), Text(human_count(count)), Text(""))
    return table


def restored(counters: Counters) -> str:
    """Say what an earlier run has left, in a line."""
    return (
        f"continuing: {human_count(counters.waiting)} waiting, {human_count(counters.complete)} done, "
        f"{human_count(counters.processing)} leased (given out again), {human_count(counters.error)} failed"
    )


def left(counters: Counters) -> str:
    """Say what is left at the end of a run, in a line."""
    return f"stopped: {queues(counters)}, {counted(counters.pages, 'page')} stored; start again to go on"


def _headline(snapshot: Snapshot) -> str:
    if snapshot.state is CrawlState.COMPLETE and snapshot.reason is Reason.PAGE_LIMIT:
        return f"crawl complete: the limit of {counted(snapshot.max_pages, 'page')} is reached"
    if snapshot.state is CrawlState.WAITING:
        return f"crawl complete; waiting {printable(snapshot.message)} to visit pages again"
    if snapshot.state is CrawlState.COMPLETE:
        return "crawl complete" + (f": {printable(snapshot.message)}" if snapshot.message else "")
    return f"crawl {snapshot.state}"


def _rows(snapshot: Snapshot, elapsed: float) -> list[tuple[str, str, str]]:
    counters, pages = snapshot.counters, snapshot.pages_this_run
    rate = pages / elapsed if elapsed > 0 else 0.0
    this_run = f"this run, {counted(pages, 'page')}" if pages != counters.pages else ""
    return [
        ("pages", human_count(counters.pages), f"{human_size(counters.bytes)} stored"),
        ("duplicates", human_count(counters.duplicates), "same content under another URL"),
        ("redirects", human_count(counters.redirects), ""),
        ("skipped", human_count(counters.skipped), "not wanted, or forbidden by robots.txt"),
        ("errors", human_count(counters.error), f"after {counted(counters.retries, 'retry', 'retries')}"),
        ("URLs", human_count(counters.known), f"{human_count(counters.waiting)} not fetched"),
        ("links", human_count(counters.links), f"on {counted(counters.hosts, 'host')}"),
        ("received", human_size(counters.bytes_received), ""),
        ("time", human_duration(elapsed), this_run),
        ("rate", human_rate(rate), ""),
    ]
