"""A small crawl that has all kinds of rows, made once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from spiderd.store.environment import Environment
from spiderd.store.transaction import State, Transaction
from tests.crawl.harness import configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.server import serve

PAGES = 12


def site() -> dict:
    """Pages, a redirect, a page that is not there, one content under two URLs, and a query in Chinese."""
    names = [f"/{n}" for n in range(PAGES)]
    return site_of(
        {
            "/": page(*names, "/gone", "/moved", "/twin", "/%E4%BD%A0?q=%E5%A5%BD", text="root"),
            **{name: page("/", f"{name}/deeper", text=f"page {name}") for name in names},
            "/moved": (301, {"Location": "/0"}, b""),
            "/gone": (404, {}, b"gone"),
            "/twin": page("/", "/0/deeper", text="page /0"),
            "/%E4%BD%A0": page("/", text="你好"),
        }
    )


def make(data: Path, **changes) -> None:
    """Crawl the site until a few pages are left."""

    async def run() -> None:
        async with serve(site()) as web:
            changes.setdefault("crawl", {}).setdefault("max_pages", PAGES + 2)
            await crawl(configured(web.url("/"), **changes), data)

    trio.run(run)


def copy_of(data: Path, to: Path) -> Path:
    """A data directory that a test may damage."""
    shutil.copytree(data, to, ignore=shutil.ignore_patterns("*.sock", "index"))
    return to


@contextmanager
def opened(data: Path) -> Iterator[Transaction]:
    """The tables of a store that nobody else has open; what is changed is committed."""
    with Environment(data / "store") as env:
        rows = Transaction(env)
        rows.begin()
        yield rows
        rows.commit()


def first(rows: Transaction, table: str, wanted: Callable[[bytes], bool] = bool) -> tuple[bytes, bytes]:
    """The first row of a table with a value that is wanted."""
    with rows.cursor(table) as cursor:
        return next((key, value) for key, value in cursor if wanted(value))


def state(data: Path) -> State:
    with opened(data) as rows:
        return rows.state
