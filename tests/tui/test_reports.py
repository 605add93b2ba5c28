"""The reports tab: which there are, into one and out again, and from a row to its page."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from spiderd.protocol import ReportColumn, ReportInfo, ReportRow
from tests.tui.daemons import daemon
from tests.tui.piloting import attached, dashboard, on_asyncio, screen, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage
from tests.web.server import threaded_site
from tui.columns import layout
from tui.tables.reports import columns_of


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def answer(request):
    pages = {
        "/": '<a href="/a">a</a><a href="/gone">the lost page</a>',
        "/a": '<title>A</title><a href="/gone">x</a>',
    }
    return pages.get(request.path, (404, {}, b""))


@on_asyncio
async def test_from_the_reports_to_the_rows_to_the_page(data_dir):
    with threaded_site(answer) as pages, daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket, size=(140, 40)) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "✓ COMPLETE" in screen(pilot))
            await pilot.press("8")
            view = app.dashboard.view
            await wait_for(pilot, lambda: view.paged.table.total > 15)
            counts = {row.name: row.count for row in view.paged.table.rows}
            assert (counts["broken"], counts["redirects"]) == (2, 0)
            assert view.paged.table.row.name == "broken"
            await pilot.press("enter")
            await wait_for(pilot, lambda: view.rows is not None and view.rows.table.total == 2)
            assert "Report: broken" in screen(pilot)
            assert "the lost page" in screen(pilot)
            await pilot.press("enter")
            await wait_for(pilot, lambda: "404 failed (http_error)" in screen(pilot))
            assert "the lost page" in screen(pilot)
            await pilot.press("escape", "backspace")
            await wait_for(pilot, lambda: view.rows is None and "Report: broken" not in screen(pilot))
            assert view.paged.table.row.name == "broken"
            await pilot.press("down", "enter")
            await wait_for(pilot, lambda: "none: no redirect of this kind was found" in screen(pilot))
            await pilot.press("escape")
            await wait_for(pilot, lambda: view.rows is None)


@on_asyncio
async def test_what_a_site_says_is_text(sock_path):
    stage = Stage()
    columns = [
        ReportColumn(name=name, title=name, form=form) for name, form in (("title", "text"), ("url", "url"))
    ]
    stage.report_infos = [ReportInfo(name="titles", help="t", noun="page", count=1, columns=columns)]
    hostile = "[red]\x1b[31m\u202ebad[/red]"
    stage.report_rows = {
        "titles": [ReportRow(page=0, url="http://a.test/", cells=[hostile, "http://a.test/"])]
    }
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("8")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total == 1)
            await pilot.press("enter")
            await wait_for(pilot, lambda: "[red]" in screen(pilot))
            assert "\x1b" not in screen(pilot)
            assert "\u202e" not in screen(pilot)


def test_columns_fit_into_any_window():
    forms = ("text", "url", "status", "count", "url", "status", "count", "url")
    columns = [ReportColumn(name=f"c{n}", title=f"c{n}", form=form) for n, form in enumerate(forms)]
    made = columns_of(ReportInfo(name="redirects", help="", noun="redirect", count=0, columns=columns))
    for width in range(20, 200, 7):
        chosen = layout(made, width)
        assert [column.name for column, _ in chosen] == [f"c{n}" for n in range(len(chosen))]
        assert sum(cells for _, cells in chosen) + 2 * (len(chosen) - 1) <= width
