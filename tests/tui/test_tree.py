"""The site tree: in and out of levels, with the keys and the mouse, on a real daemon."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.daemons import daemon
from tests.tui.piloting import attached, dashboard, on_asyncio, screen, told, wait_for
from tests.web.server import threaded_site
from tui.tables.tree import HERE

PAGES = ["/docs/a", "/docs/api/b", "/docs/api/c", "/blog/2026/d", "/blog/2026/gone", "/%E4%B8%AD/e", "/f"]


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def answer(request):
    if request.path == "/":
        return "".join(f'<a href="{path}">x</a>' for path in PAGES)
    missing = request.path == "/robots.txt" or "gone" in request.path
    return (404, {}, b"") if missing else f"<title>{request.path}</title>"


def names(listing):
    return {row.name or HERE: (row.found, row.complete, row.error) for row in listing.table.rows}


@on_asyncio
async def test_levels_are_entered_and_left(data_dir):
    with threaded_site(answer) as pages, daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "✓ COMPLETE" in screen(pilot))
            await pilot.press("v")
            await wait_for(pilot, lambda: "only in the directories: 3" in told(pilot))
            await pilot.press("3", "v")
            tree = app.dashboard.view.tree_listing
            await wait_for(pilot, lambda: tree.table.total == 1)
            await pilot.press("enter")
            await wait_for(pilot, lambda: tree.table.total == 4)
            assert names(tree) == {
                "docs": (3, 3, 0),
                "blog": (2, 1, 1),
                "中": (1, 1, 0),
                HERE: (2, 2, 0),
            }
            assert "中/" in screen(pilot)
            await pilot.press("f", *"blog", "enter")
            await wait_for(pilot, lambda: tree.table.total == 1)
            await pilot.press("enter")
            await wait_for(pilot, lambda: set(names(tree)) == {"2026"})
            assert f"Site tree: {pages.url('/').removeprefix('http://')}blog/" in screen(pilot)
            await pilot.press("enter")  # a directory with nothing but pages: what is known of it
            await wait_for(pilot, lambda: "/blog/2026/" in screen(pilot) and "2 URLs" in screen(pilot))
            await pilot.press("escape", "backspace")
            await wait_for(pilot, lambda: tree.table.total == 4)
            await wait_for(pilot, lambda: tree.table.row.name == "blog")
            await pilot.press("escape")
            await wait_for(pilot, lambda: tree.table.total == 1 and not tree.inside)
            await pilot.press("left", "escape")
            assert tree.table.total == 1
            await pilot.click(tree.table, offset=(4, 1))
            await wait_for(pilot, lambda: tree.table.total == 4)
            await pilot.press("v")
            await wait_for(pilot, lambda: "filled" in screen(pilot))
            await pilot.press("backspace")
            await wait_for(pilot, lambda: "only in the site tree" in told(pilot))
            await pilot.press("v")
            await wait_for(pilot, lambda: tree.table.total == 4)


@on_asyncio
async def test_a_level_is_sorted_by_the_daemon(data_dir):
    with threaded_site(answer) as pages, daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "✓ COMPLETE" in screen(pilot))
            await pilot.press("3", "v")
            tree = app.dashboard.view.tree_listing
            await wait_for(pilot, lambda: tree.table.total == 1)
            await pilot.press("enter")
            await wait_for(pilot, lambda: [row.found for row in tree.table.rows] == [3, 2, 2, 1])
            await pilot.press("I")
            await wait_for(pilot, lambda: [row.found for row in tree.table.rows] == [1, 2, 2, 3])
            await pilot.press("less_than_sign")
            await wait_for(pilot, lambda: [row.name for row in tree.table.rows] == ["", "blog", "docs", "中"])
