"""The reports that the API answers: made by a process beside the crawl, read from a file.

Making them takes a look at every page and every link, so it is done when somebody asks, by a process that
runs when a processor would be idle; meanwhile the last ones are shown, with their time. They are made anew
when somebody asks, the store has more, and they are so many times older than they took to make.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import trio

from spiderd.api.crawl import ListQuery
from spiderd.config import Config
from spiderd.daemon.listing import part
from spiderd.errors import Unavailable, UsageError
from spiderd.protocol import Report, ReportColumn, ReportInfo, ReportRow, Reports

if TYPE_CHECKING:  # what most daemons are never asked for is imported when somebody asks
    from spiderd.audit.findings import Row
    from spiderd.audit.kinds import Kind

PATIENCE = 5.0  # seconds that the first who asks waits for the first reports
LEAST_AGE = 10.0  # seconds that reports stand in any case,
REST = 10.0  # and so many times as long as they took


class Auditing:
    """Makes reports when they are asked for, and reads them. `run` it in a nursery."""

    def __init__(
        self,
        config: Callable[[], Config],
        data_dir: Path,
        changes: Callable[[], int],
        flush: Callable[[], Awaitable[object]],
    ) -> None:
        """Prepare.

        Args:
            config: tells the configuration in effect.
            data_dir: where everything is kept.
            changes: tells a number that grows with the store.
            flush: has the store write what it has, for others to read.
        """
        self._config = config
        self._data_dir = data_dir
        self._changes = changes
        self._flush = flush
        self._wanted = trio.Event()
        self._made = trio.Event()  # there are reports of this run
        self._making = False
        self._took = 0.0
        self._ended = -math.inf
        self._seen = -1  # of `changes`, when they were begun
        self._problem = ""

    async def reports(self, query: ListQuery) -> Reports:
        """List the reports with the number of rows in each."""
        self._want()
        await self._wait()
        return await trio.to_thread.run_sync(self._list, query)

    async def report(self, kind: str, query: ListQuery) -> Report:
        """Read rows of a report.

        Raises:
            UsageError: there is none of the name.
            Unavailable: they are being made for the first time.
        """
        from spiderd.audit.kinds import KINDS

        if kind not in KINDS:
            raise UsageError(f'there is no report "{kind}"; there are {", ".join(KINDS)}')
        self._want()
        await self._wait()
        return await trio.to_thread.run_sync(self._read, KINDS[kind], query)

    # making

    def _want(self) -> None:
        age = trio.current_time() - self._ended
        old = age > max(LEAST_AGE, REST * self._took)
        if old and not self._making and self._changes() != self._seen:
            self._making = True
            self._wanted.set()

    async def _wait(self) -> None:
        with trio.move_on_after(PATIENCE):
            await self._made.wait()
        if not self._made.is_set():
            why = self._problem or "they are being made for the first time, which takes a moment: ask again"
            raise Unavailable(f"There are no reports yet: {why}.")

    async def run(self) -> None:
        """Make reports whenever they are wanted, until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted = trio.Event()
            began, self._seen = trio.current_time(), self._changes()
            await self._flush()
            await self._make()
            self._ended = trio.current_time()
            self._took = self._ended - began
            self._making = False

    async def _make(self) -> None:
        command = [sys.executable, "-m", "spiderd.audit.auditor", str(self._data_dir)]
        task = msgspec.json.encode(self._config())
        run = partial(trio.run_process, command, stdin=task, check=False)
        try:
            done = await run(capture_stderr=True, stdout=subprocess.DEVNULL, process_group=0)
        except OSError as error:
            self._problem = str(error)
            return
        self._problem = done.stderr.decode(errors="replace").strip().rpartition("\n")[2].rstrip(".")
        if done.returncode == 0:
            self._problem = ""
            self._made.set()
        else:
            self._seen = -1

    # reading

    def _list(self, query: ListQuery) -> Reports:
        from spiderd.audit.auditor import findings_of
        from spiderd.audit.findings import Findings
        from spiderd.audit.kinds import KINDS

        with Findings(findings_of(self._data_dir)) as findings:
            counts = findings.counts()
            rows = [_info(kind, counts[kind.name]) for kind in KINDS.values()]
            shown, total = part(rows, query, lambda row: f"{row.name} {row.help}")
            return Reports(
                rows=shown,
                total=total,
                offset=query.offset,
                limit=query.limit,
                made=findings.made,
                urls=findings.pages,
                making=self._making,
            )

    def _read(self, kind: Kind, query: ListQuery) -> Report:
        from spiderd.audit.auditor import findings_of
        from spiderd.audit.findings import Findings

        with Findings(findings_of(self._data_dir)) as findings:
            found = findings.rows(kind.name, offset=query.offset, limit=query.limit, contains=query.filter)
            return Report(
                kind=kind.name,
                rows=[_row(kind, row) for row in found],
                total=findings.count(kind.name, query.filter),
                offset=query.offset,
                limit=query.limit,
                made=findings.made,
                making=self._making,
            )


def _info(kind: Kind, count: int) -> ReportInfo:
    columns = [ReportColumn(name=each.name, title=each.title, form=each.form) for each in kind.columns]
    return ReportInfo(name=kind.name, help=kind.help, noun=kind.noun, count=count, columns=columns)


def _row(kind: Kind, row: Row) -> ReportRow:
    urls = (
        str(cell)
        for cell, column in zip(row.cells, kind.columns, strict=True)
        if column.form == "url" and cell
    )
    return ReportRow(page=row.page, url=next(urls, ""), cells=row.cells)
