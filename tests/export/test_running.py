"""Exports beside a daemon that goes on crawling."""

from __future__ import annotations

import io
import json
from pathlib import Path

from spiderd.export import export
from spiderd.export.tianwang import read_tianwang
from spiderd.states import Failure, OutcomeKind
from spiderd.store import snapshot
from spiderd.store.environment import Environment
from spiderd.store.records import PageRecord, encode, number_key
from spiderd.store.snapshot import Snapshot
from tests.crawl.harness import daemon_process, pages_of, wait_until
from tests.crawl.pages import page, site_of
from tests.verify.crawled import make
from tests.web.server import threaded_site

OPTIONS = ("--once", "--threads", "4", "--processes", "0", "--delay", "0", "--follow", "host")


def test_a_crawl_that_goes_on_is_exported_as_of_a_moment(tmp_path: Path) -> None:
    pages = 400
    routes = {
        f"/{n}": page(*(f"/{(n * 7 + k) % pages}" for k in range(1, 7)), text=f"n{n}") for n in range(pages)
    }
    exports: list[int] = []
    with (
        threaded_site(site_of(routes)) as site,
        daemon_process(tmp_path, *OPTIONS, site.url("/0")) as process,
    ):
        wait_until(lambda: len(site.requests) > 30, process)
        while process.poll() is None and len(exports) < 200:
            out = io.BytesIO()
            job = export(tmp_path, "tianwang", out)
            assert job.missing == 0
            urls = [record.properties["url"] for record in read_tianwang(io.BytesIO(out.getvalue()))]
            assert len(urls) == len(set(urls)) == job.snapshot.last
            exports.append(len(urls))
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    assert exports == sorted(exports)
    assert len(pages_of(tmp_path)) == pages


def test_pages_are_read_in_pieces_and_later_ones_are_left_out(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(snapshot, "PIECE", 3)
    make(tmp_path)
    with Snapshot(tmp_path / "store") as view:
        view.last = 10
        assert [number for number, _ in view.pages()] == list(range(1, 11))


def test_numbers_without_a_page_are_passed_over(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(snapshot, "PIECE", 2)
    make(tmp_path)
    with Environment(tmp_path / "store") as env, env.begin() as txn:
        for number in (1, 4, 5, 6):
            txn.delete(number_key(number), db=env.tables["pages"])
        late = PageRecord("http://h.test/", OutcomeKind.SKIPPED, 0, Failure.NONE, 0.0)
        txn.put(number_key(99), encode(late), db=env.tables["pages"])
    out = io.BytesIO()
    export(tmp_path, "jsonl", out)
    assert [json.loads(line)["page"] for line in out.getvalue().splitlines()] == [2, 3, *range(7, 18)]
