"""Where a redirect ends, hop by hop."""

from __future__ import annotations

from typing import NamedTuple

from spiderd.audit.material import Material
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import PageRecord

MOST_HOPS = 20

_ORDER = ("loop", "too many hops", "no target", "ends in an error", "chain", "not followed", "")


class Chain(NamedTuple):
    """A redirect to its end."""

    problem: str  # one of `_ORDER`; "" where one hop leads to a page
    hops: int
    end: str  # URL; that of the first hop that comes again where it is a loop
    status: int  # of the end; 0 where it was not fetched

    @property
    def rank(self) -> int:
        """The worst first."""
        return _ORDER.index(self.problem)


def resolve_chain(material: Material, number: int, page: PageRecord) -> Chain:
    """Follow a redirect through the pages of the crawl."""
    if page.failure is Failure.BAD_REDIRECT:
        return Chain("no target", 0, page.location, 0)
    if page.failure is Failure.TOO_MANY_REDIRECTS:
        return Chain("too many hops", 1, page.location, 0)
    passed = {number}
    for hops in range(1, MOST_HOPS + 1):
        number = material.number_of(page.location)
        target = material.store.page(number) if number else None
        if target is None:
            return Chain("not followed", hops, page.location, 0)
        if number in passed:
            return Chain("loop", hops, target.url, target.status)
        passed.add(number)
        page = target
        if page.failure is Failure.TOO_MANY_REDIRECTS:
            return Chain("too many hops", hops, page.url, page.status)
        if page.kind is not OutcomeKind.REDIRECT:
            failed = page.kind is OutcomeKind.FAILED
            problem = "ends in an error" if failed else "chain" if hops > 1 else ""
            return Chain(problem, hops, page.url, page.status)
    return Chain("too many hops", MOST_HOPS, page.url, page.status)
