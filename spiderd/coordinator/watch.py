"""The trap watch: shapes of URLs that bring nothing new are parked (see `spiderd.schedule.traps`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from spiderd.coordinator.desk import Desk
from spiderd.messages import Outcome
from spiderd.schedule.lineage import Lineage, content_name
from spiderd.schedule.similarity import Fingerprints
from spiderd.schedule.traps import Shapes, ShapeState, shape_of
from spiderd.states import OutcomeKind
from spiderd.store.records import WaitingUrl, decode, encode

PRINTS = 5000
"""Pages that a new one is compared with, some 5 MB."""


def shape_key(shape: str) -> bytes:
    """A shape as 8 bytes, the first part of the key of a parked URL."""
    return hashlib.blake2b(shape.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class TrapWatch:
    """Watches what the pages of a shape bring."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._shapes = Shapes(desk.config.traps.shape_window)
        self._prints = Fingerprints(PRINTS)
        self._lineage = Lineage()

    def restore(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Take in the parked shapes that the store has."""
        self._shapes.restore([], [(shape.decode(), decode(ShapeState, row)) for shape, row in rows])

    def reconfigure(self, window: int) -> None:
        """Park shapes after so many pages without new content from now on."""
        self._shapes.window = window

    def trap_of(self, waiting: WaitingUrl, shape: str) -> str:
        """Name the trap that a URL belongs to, by its shape or by the page that named it; "" for none."""
        if waiting.kind != "page":
            return ""
        if self._shapes.judge(shape):
            return shape
        for name in self._lineage.contents_of(waiting.referrer):
            if self._shapes.judge(name) and not self._lineage.probes(name):
                return name
        return ""

    def wants_fingerprint(self, shape: str, url: str) -> bool:
        """Whether the page at a URL is to be compared with others when it comes."""
        return self._shapes.compares(shape, url)

    def record(self, page: int, waiting: WaitingUrl, outcome: Outcome, *, leads_on: bool) -> None:
        """Take note of a page by its number; `leads_on`: it brought URLs that had never been seen."""
        shape = shape_of(waiting.url)
        content = content_name(shape.partition("/")[0], outcome.likeness or outcome.digest)
        new = not self._lineage.is_known(content) and outcome.kind is OutcomeKind.STORED
        nearly = self._prints.find(outcome.simhash) is not None
        self._prints.add(outcome.simhash)
        if new and not nearly:
            self._credit(waiting)
        else:
            self._lineage.note(page, (shape,) if new else (shape, content))
        if self._shapes.record(
            shape, waiting.url, new_content=new, nearly_known=nearly, leads_on=leads_on, depth=waiting.depth
        ):
            self._park(shape, "its last pages brought nothing new", waiting)
        if not new and self._shapes.record(content, waiting.url, new_content=False, leads_on=leads_on):
            self._park(content, "it came under many URLs and brought nothing new", waiting)

    def _credit(self, waiting: WaitingUrl) -> None:
        """What led to a page with something new is no trap."""
        for name in self._lineage.of(waiting.referrer):
            self._lineage.credit(name)
            if self._shapes.credit(name) and self._shapes.release(name):
                self._desk.step.frees.append((name, shape_key(name)))
                text = f"{name} is no trap: it has led to something new"
                self._desk.events.add("info", "trap", text, url=waiting.url)

    def _park(self, name: str, why: str, waiting: WaitingUrl) -> None:
        state = self._shapes.parked()[name]
        self._desk.step.saves.append(("shapes", name.encode(), encode(state)))
        text = f"{name} is parked: {why} (spiderd release frees it)"
        self._desk.events.add("warning", "trap", text, url=waiting.url)

    def set_aside(self, shape: str) -> None:
        """Count a URL of a parked shape that is parked with it."""
        state = self._shapes.set_aside(shape)
        if state is not None:
            self._desk.keep("shapes", shape.encode(), encode(state))

    def release(self, shape: str) -> bool:
        """Let a parked shape go on; False where it is not parked."""
        return self._shapes.release(shape)

    def shapes(self) -> dict[str, ShapeState]:
        """The parked shapes."""
        return self._shapes.parked()
