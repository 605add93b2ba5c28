"""Hosts that did not answer, and shapes of URLs that are parked as traps."""

from __future__ import annotations

from spiderd.audit.collector import Collector
from spiderd.audit.findings import BATCH
from spiderd.schedule.politeness import HostState
from spiderd.schedule.traps import ShapeState
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import HostRecord, PageRecord, decode
from spiderd.urls import host_key

SILENCE = frozenset(
    {
        Failure.DNS_TEMPORARY,
        Failure.DNS_NO_SUCH_NAME,
        Failure.CONNECT_REFUSED,
        Failure.CONNECT_TIMEOUT,
        Failure.CONNECT_FAILED,
        Failure.TLS_FAILED,
        Failure.FIRST_BYTE_TIMEOUT,
        Failure.CONNECTION_LOST,
        Failure.HOST_UNREACHABLE,
    }
)
"""Failures of a host rather than of a page: no byte of an answer came."""


class Unreachable(Collector):
    """Hosts that never answered, or not always."""

    kinds = ("unreachable",)

    def begin(self) -> None:
        """Make the table to group in."""
        self.findings.db.execute("CREATE TABLE silent (host TEXT, failure TEXT, page INTEGER)")
        self._rows: list[tuple[str, str, int]] = []

    def page(self, number: int, page: PageRecord) -> None:
        """Note a URL that was not answered."""
        if page.kind is OutcomeKind.FAILED and not page.status and page.failure in SILENCE:
            self._rows.append((host_key(page.url), page.failure.value, number))
            if len(self._rows) >= BATCH:
                self._flush()

    def _flush(self) -> None:
        self.findings.insert("silent", self._rows)
        self._rows.clear()

    def finish(self) -> None:
        """File the hosts: those that never answered first."""
        self._flush()
        db = self.findings.db
        db.execute("CREATE INDEX by_host ON silent (host, page)")
        for host, count, number in db.execute("SELECT host, count(*), min(page) FROM silent GROUP BY host"):
            page = self.material.store.page(number)
            if page is not None:
                record = self.material.store.host(host) or HostRecord(host)
                self._file(host, record, count, page.failure.value, number, page.url)
        for key, row in self.material.store.rows("politeness"):
            state = decode(HostState, row)
            if state.hold == "unreachable":
                self._held(key, state)

    def _held(self, key: bytes, state: HostState) -> None:
        """A host that is being waited for, and of which no URL has failed yet."""
        row = self.material.store.row("hosts", key)
        if row is None:
            return
        record = decode(HostRecord, row)
        known = self.findings.db.execute("SELECT 1 FROM silent WHERE host = ? LIMIT 1", (record.key,))
        if record.waiting and not known.fetchone():
            self._file(record.key, record, 0, state.hold_reason, 0, "")

    def _file(self, host: str, record: HostRecord, count: int, why: str, number: int, url: str) -> None:
        answered = max(0, record.complete + record.error - count)
        problem = "sometimes silent" if answered else "never answered"
        rank = f"{int(answered > 0)}{10**12 - count:013}"
        self.findings.file(
            "unreachable", rank, number, host, problem, count, answered, record.waiting, why, url
        )


class Traps(Collector):
    """Shapes of URLs that are parked."""

    kinds = ("traps",)

    def finish(self) -> None:
        """File them, those that keep the most URLs back first."""
        for shape, row in self.material.store.rows("shapes"):
            state = decode(ShapeState, row)
            number = self.material.number_of(state.example) if state.example else 0
            name = shape.decode("utf-8", "replace")
            self.findings.file(
                "traps", -state.waiting, number, name, state.pages, state.waiting, state.example
            )
