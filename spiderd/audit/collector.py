"""What a report is while an audit is under way: told of every page, then asked to file what it has."""

from __future__ import annotations

from spiderd.audit.findings import Findings
from spiderd.audit.material import Limits, Material
from spiderd.store.records import PageRecord


class Collector:
    """Base of all reports; each one files under the names of its `kinds`."""

    kinds: tuple[str, ...] = ()

    def __init__(
        self, material: Material, findings: Findings, wanted: frozenset[str], limits: Limits
    ) -> None:
        """Begin.

        Args:
            material: what is looked at.
            findings: where to file.
            wanted: names of the reports that are wanted; a collector is made where one of its kinds is.
            limits: from where on a page is told of.
        """
        self.material = material
        self.findings = findings
        self.wanted = wanted
        self.limits = limits
        self.begin()

    def begin(self) -> None:
        """Make what is needed beside the findings."""

    def page(self, number: int, page: PageRecord) -> None:
        """Look at a page; called for each, by number."""

    def finish(self) -> None:
        """File what could not be filed before all pages were seen."""
