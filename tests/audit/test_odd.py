"""What is rarer than the faults of the planted site: endless redirects, hosts that fall silent, old rows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spiderd.audit.building import audit
from spiderd.audit.counts import MOST, SIZES, Tallies, class_name, size_class
from spiderd.schedule.politeness import HostState
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import HostRecord, PageRecord, decode, encode
from spiderd.units import human_cell
from tests.audit.planted import make
from tests.crawl.harness import configured, crawl
from tests.crawl.pages import page, site_of
from tests.verify.crawled import first, opened
from tests.web.faults import redirect
from tests.web.server import Request, serve


def cells(data: Path, out: Path, kind: str) -> list[list[Any]]:
    with audit(data, out, [kind]) as findings:
        return [row.cells for row in findings.rows(kind)]


@pytest.mark.trio
async def test_redirects_without_end_and_out_of_scope(tmp_path: Path) -> None:
    def hop(request: Request) -> Any:
        if not request.path.startswith("/hop/"):
            return (404, {}, b"")
        return redirect(f"/hop/{int(request.path.rpartition('/')[2]) + 1}")

    pages = {"/": page("/hop/0", "/out"), "/out": redirect("http://elsewhere.test/", 301), "*": hop}
    async with serve(site_of(pages)) as site:
        await crawl(configured(site.url("/"), fetch={"max_redirects": 3}), tmp_path / "data")
        rows = cells(tmp_path / "data", tmp_path / "findings", "redirects")
        short = [[str(cell).removeprefix(site.origin) for cell in row] for row in rows]
    assert sorted(short) == [
        ["not followed", "/out", "301", "1", "http://elsewhere.test/", "0", "1", "/"],
        ["too many hops", "/hop/0", "302", "3", "/hop/3", "302", "1", "/"],
        ["too many hops", "/hop/1", "302", "2", "/hop/3", "302", "0", "/hop/0"],
        ["too many hops", "/hop/2", "302", "1", "/hop/3", "302", "0", "/hop/1"],
        ["too many hops", "/hop/3", "302", "1", "", "0", "0", "/hop/2"],
    ]


def test_a_host_that_is_waited_for_and_one_that_fell_silent(tmp_path: Path) -> None:
    make(tmp_path / "data")
    with opened(tmp_path / "data") as rows:
        key, row = first(rows, "hosts", lambda row: decode(HostRecord, row).waiting > 0)
        host = decode(HostRecord, row).key
        held = HostState(host, hold="unreachable", hold_reason="connect_refused, three times in a row")
        rows.put("politeness", key, encode(held))
    told = {row[0]: row[1:] for row in cells(tmp_path / "data", tmp_path / "findings", "unreachable")}
    assert told[host][:2] == ["sometimes silent", 0]
    assert told[host][4] == "connect_refused, three times in a row"
    with opened(tmp_path / "data") as rows:
        key, row = first(rows, "pages", lambda row: decode(PageRecord, row).status == 500)
        silent = decode(PageRecord, row)
        silent.status, silent.failure = 0, Failure.CONNECT_TIMEOUT
        rows.put("pages", key, encode(silent))
    told = {row[0]: row[1:] for row in cells(tmp_path / "data", tmp_path / "findings", "unreachable")}
    assert told[host][:2] == ["sometimes silent", 1]
    assert told[host][4:] == ["connect_timeout", silent.url]


def test_rows_that_are_damaged_or_lost_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path / "data")
    with opened(tmp_path / "data") as rows:
        key, _ = first(rows, "links", lambda row: len(row) > 500)
        rows.put("links", key, b"\xc1 no such row")
        lost, _ = first(rows, "pages", lambda row: decode(PageRecord, row).kind is OutcomeKind.SITEMAP)
        rows.delete("pages", lost)
    broken = cells(tmp_path / "data", tmp_path / "findings", "broken")
    assert {row[4] for row in broken} <= {
        "",
        "the same gone page",
    }  # those of the front page are gone with it
    assert cells(tmp_path / "data", tmp_path / "findings", "orphans") == []


def test_there_are_only_so_many_classes() -> None:
    tallies: Tallies[str] = Tallies("other")
    record = PageRecord("http://t.test/", OutcomeKind.STORED, 200, Failure.NONE, 0.0, size=3)
    for n in range(3 * MOST):
        tallies.add(str(n), n, record)
    assert len(tallies.by_class) == MOST + 1
    assert tallies.by_class["other"].count == 2 * MOST
    assert sum(tally.count for tally in tallies.by_class.values()) == tallies.total == 3 * MOST


def test_every_size_has_a_class_of_its_own() -> None:
    for place, (low, high) in enumerate(pairwise(SIZES)):
        assert size_class(low) == size_class(high - 1) == place
    names = [class_name(place) for place in range(len(SIZES) - 1)]
    assert len(set(names)) == len(names)
    assert (names[0], names[-1]) == ("under 1.00 KiB", "from 10.0 MiB")


def test_cells_for_people() -> None:
    assert [human_cell(404, "status"), human_cell(0, "status"), human_cell("404", "text")] == [
        "404",
        "",
        "404",
    ]
    assert [human_cell(1234, "count"), human_cell(2048, "size"), human_cell(1.5, "seconds")] == [
        "1,234",
        "2.00 KiB",
        "1.50 s",
    ]
    assert human_cell(0.123, "share") == "12.3%"
