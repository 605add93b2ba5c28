"""The reports that a running daemon answers."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from spiderd.api.crawl import ListQuery
from spiderd.audit.auditor import findings_of
from spiderd.audit.kinds import KINDS
from spiderd.config import Config
from spiderd.daemon import auditing
from spiderd.daemon.auditing import Auditing
from spiderd.errors import Unavailable, UsageError
from spiderd.protocol import Reports
from tests.audit.planted import make
from tests.crawl.controlled import controlled
from tests.crawl.harness import configured
from tests.crawl.pages import page, site_of
from tests.web.server import serve

pytestmark = pytest.mark.trio
ALL = ListQuery()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "PATIENCE", 60.0)  # for machines that are busy


async def nothing() -> None:
    return None


async def idle(reports: Auditing) -> None:
    """Wait for another process."""
    while True:
        if not reports._making:
            return
        await trio.sleep(0.01)


async def settled(reports: Auditing) -> Reports:
    await idle(reports)
    return await reports.reports(ALL)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("planted") / "data"
    make(data)
    return data


async def test_reports_are_made_when_somebody_asks(data: Path, nursery: trio.Nursery) -> None:
    reports = Auditing(Config, data, lambda: 1, nothing)
    nursery.start_soon(reports.run)
    assert not findings_of(data).exists()
    listed = await reports.reports(ALL)
    assert [row.name for row in listed.rows] == list(KINDS)
    assert {row.name: row.count for row in listed.rows}["broken"] == 5
    assert listed.made > 0
    assert listed.urls > 30
    part = await reports.report("redirects", ListQuery(limit=3, offset=2))
    assert (len(part.rows), part.total) == (3, 8)
    assert all(len(row.cells) == len(KINDS["redirects"].columns) for row in part.rows)
    assert all(row.page and row.url.startswith("http") for row in part.rows)
    found = await reports.report("redirects", ListQuery(filter="CHAIN1"))
    assert found.total == 2
    with pytest.raises(UsageError, match="there is no report"):
        await reports.report("nothing", ALL)


async def test_they_stand_until_the_store_has_more_and_they_are_old(
    data: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = 1
    reports = Auditing(Config, data, lambda: changes, nothing)
    nursery.start_soon(reports.run)
    first = (await reports.reports(ALL)).made
    monkeypatch.setattr(auditing, "LEAST_AGE", 0.0)
    monkeypatch.setattr(auditing, "REST", 0.0)
    assert not (await reports.reports(ALL)).making  # nothing has happened
    changes = 2
    assert (await reports.reports(ALL)).making
    with trio.fail_after(60):
        listed = await settled(reports)
    assert listed.made > first


async def test_what_cannot_be_made_is_told(
    tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = Auditing(Config, tmp_path, lambda: 1, nothing)
    nursery.start_soon(reports.run)
    monkeypatch.setattr(auditing, "PATIENCE", 0.01)
    with pytest.raises(Unavailable, match="for the first time"):
        await reports.reports(ALL)
    with trio.fail_after(60):
        await idle(reports)
    with pytest.raises(Unavailable, match="There is no store in"):
        await reports.reports(ALL)


async def test_a_daemon_answers_by_its_socket(tmp_path: Path) -> None:
    routes = site_of({"/": page("/a", "/gone"), "/a": page("/gone", text="a")})
    async with serve(routes) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.complete()
        listed = await daemon.get("reports")
        assert {row["name"]: row["count"] for row in listed["rows"]}["broken"] == 2
        rows = (await daemon.get("report", kind="broken", limit=1))["rows"]
        assert rows[0]["cells"][:2] == [site.url("/gone"), 404]
