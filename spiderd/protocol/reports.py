"""The reports on what was crawled."""

from __future__ import annotations

from msgspec import field

from spiderd.protocol.base import Page, Reply


class ReportColumn(Reply):
    """A column of a report; `form` says how people read it."""

    name: str
    title: str
    form: str  # text, url, status, count, size, seconds, share


class ReportInfo(Reply):
    """A report on what was crawled."""

    name: str
    help: str  # one line
    noun: str  # what a row is
    count: int  # rows
    columns: list[ReportColumn] = field(default_factory=list)


class Reports(Page):
    """GET /v1/reports."""

    rows: list[ReportInfo]
    made: float = 0.0  # unix time of what the reports speak of; 0 = they are being made for the first time
    urls: int = 0  # that had been asked for then
    making: bool = False  # newer ones are on the way


class ReportRow(Reply):
    """A finding."""

    page: int  # number of the page that it speaks of; 0 = of none
    url: str  # that it speaks of; "" = of none
    cells: list[str | int | float]  # as the columns


class Report(Page):
    """GET /v1/report?kind=NAME&limit=&offset=&filter= ; the columns are those of GET /v1/reports."""

    kind: str
    rows: list[ReportRow]
    made: float = 0.0  # as in Reports
    making: bool = False
