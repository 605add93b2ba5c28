"""Reports on a crawl that goes on: one moment of it, and no hold on the store for longer than a piece."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from spiderd.audit.building import audit
from spiderd.audit.findings import Findings
from spiderd.audit.material import Material
from spiderd.config.declaration import Urls
from tests.audit.planted import make
from tests.crawl.controlled import controlled
from tests.crawl.harness import configured
from tests.crawl.pages import page, site_of
from tests.web.server import Request, serve

ROOT = Path(__file__).parents[2]
HELD = r"\d+ +[0-9a-f]+ +\d+"  # process, thread, transaction


@pytest.mark.trio
async def test_a_report_is_of_one_moment_while_the_crawl_goes_on(tmp_path: Path) -> None:
    gate = trio.Event()

    async def slow(stream: object, request: Request) -> str:
        await gate.wait()
        return page("/later", "/gone", text="slow")

    async def rows(kind: str) -> list[dict[str, Any]]:
        """As another process sees it; LMDB takes a store only once in each."""
        command = [sys.executable, "-m", "spiderd", "report", kind, "--json", "--data-dir", str(tmp_path)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = await trio.run_process(command, capture_stdout=True, env=env)
        return [json.loads(line) for line in done.stdout.splitlines()]

    async def look() -> tuple[int, int]:
        return sum(row["urls"] for row in await rows("statuses")), len(await rows("broken"))

    async def becomes(wanted: tuple[int, int]) -> None:
        """A commit may be a tenth of a second behind what the daemon tells."""
        with trio.fail_after(30):
            while True:
                if await look() == wanted:
                    return

    routes = site_of({"/": page("/slow", "/gone", text="root"), "/slow": slow, "/later": "later"})
    async with serve(routes) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.until(lambda now: now["counters"]["error"] == 1 and site.count("/slow"))
        await becomes((2, 1))
        gate.set()
        await daemon.complete()
        await becomes((4, 2))


def test_no_view_of_the_store_is_held_between_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "data")
    monkeypatch.setattr("spiderd.store.snapshot.PIECE", 3)
    monkeypatch.setattr("spiderd.store.reader._PIECE", 3)
    looked: list[list[str]] = []
    opened: list[Material] = []

    class Opened(Material):
        def __init__(self, *args: Any, **rest: Any) -> None:
            super().__init__(*args, **rest)
            opened.append(self)

    def look(*_: object) -> None:
        readers = opened[0].store._env.readers().splitlines()
        looked.append([line for line in readers if re.search(HELD, line)])

    monkeypatch.setattr("spiderd.audit.building.Material", Opened)
    monkeypatch.setattr("spiderd.audit.material.TELL", 1)
    with audit(tmp_path / "data", tmp_path / "findings", progress=look):
        pass
    assert len(looked) > 40
    assert not any(looked)


def test_a_view_that_is_held_would_be_seen(tmp_path: Path) -> None:
    make(tmp_path / "data")
    with Material(tmp_path / "data", urls=Urls()) as material, material.store._view():
        assert re.search(HELD, material.store._env.readers())


def test_what_was_recorded_after_the_beginning_is_left_out(tmp_path: Path) -> None:
    make(tmp_path / "data")
    with Material(tmp_path / "data", urls=Urls()) as material:
        material.store.last = material.last = 10
        assert [number for number, _ in material.pages()] == list(range(1, 11))


def test_findings_that_are_not_whole_are_not_read(tmp_path: Path) -> None:
    make(tmp_path / "data")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(tmp_path / "data", tmp_path / "findings", progress=stop)
    with pytest.raises(Exception, match="cannot be opened: it is not finished"):
        Findings(tmp_path / "findings")
    with audit(tmp_path / "data", tmp_path / "findings") as findings:
        whole = findings.counts()
    with Findings(tmp_path / "findings") as again:
        assert again.counts() == whole
