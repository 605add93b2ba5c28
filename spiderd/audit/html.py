"""Reports as one page of HTML that needs nothing else: no script, no file beside it, no network.

Everything that was crawled is text here. Two walls stand before it: the template escapes whatever it is
given, and the page's own policy allows nothing but its one style sheet, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from jinja2 import Environment

from spiderd.audit.findings import Findings, Row
from spiderd.audit.forms import is_number
from spiderd.audit.kinds import Cell, Column, Kind
from spiderd.audit.plots import MOST, Chart, chart_of
from spiderd.printable import printable
from spiderd.units import human_cell, human_count

ROWS = 1_000  # of a report, where nobody has said how many
LINKED = ("http://", "https://")

STYLE = """
:root { color-scheme: light dark; --line: #8884; --mark: #2f6fd0; --soft: #777; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1100px; padding: 1.5rem; }
h1 { margin: 0 0 .2rem; } h2 { margin: 2.2rem 0 .3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p { margin: .2rem 0 .8rem; color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th.number, td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
a { color: var(--mark); } .plot { max-width: 720px; width: 100%; margin: .4rem 0 .8rem; }
.plot rect { fill: var(--mark); } .plot text { font-size: 12px; fill: currentColor; }
.plot .label { text-anchor: end; }
"""


def render(findings: Findings, kinds: Sequence[Kind], *, title: str, limit: int = ROWS) -> Iterator[str]:
    """Yield the page in pieces.

    Args:
        findings: a finished file.
        kinds: the reports that are wanted.
        title: what was crawled.
        limit: rows of a report; -1 = all.
    """
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    source = files("spiderd.audit").joinpath("page.html").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    counts = findings.counts()
    yield from environment.from_string(source).generate(
        title=printable(title),
        style=STYLE,
        digest=digest,
        made=datetime.fromtimestamp(findings.made, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        urls=human_count(findings.pages),
        sections=(_section(findings, kind, counts[kind.name], limit) for kind in kinds),
        contents=[(kind, human_count(counts[kind.name])) for kind in kinds],
    )


def _section(findings: Findings, kind: Kind, count: int, limit: int) -> dict[str, Any]:
    left_out = count - limit if 0 <= limit < count else 0
    return {
        "kind": kind,
        "columns": [(column.title, is_number(column)) for column in kind.columns],
        "plot": _plot(findings, kind),
        "rows": (
            [_cell(cell, column) for cell, column in zip(row.cells, kind.columns, strict=True)]
            for row in findings.rows(kind.name, limit=limit)
        ),
        "count": count,
        "left_out": human_count(left_out) if left_out else "",
    }


def _cell(cell: Cell, column: Column) -> tuple[str, bool, str]:
    """What is shown, whether it is a number, and where it leads ("" = nowhere)."""
    text = printable(human_cell(cell, column.form))
    leads = column.form == "url" and isinstance(cell, str) and cell.startswith(LINKED)
    return text, is_number(column), str(cell) if leads else ""


def _plot(findings: Findings, kind: Kind) -> Chart | None:
    if kind.plot is None:
        return None
    names = [column.name for column in kind.columns]
    label, value = (names.index(name) for name in kind.plot)
    form = kind.columns[value].form
    rows: list[Row] = list(findings.rows(kind.name, limit=MOST))
    made = [
        (printable(str(row.cells[label])), float(row.cells[value]), human_cell(row.cells[value], form))
        for row in rows
    ]
    return chart_of(made) if made else None
