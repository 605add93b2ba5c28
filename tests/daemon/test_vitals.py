"""/metrics of a real daemon: times of a real crawl, its processes, and a snapshot that somebody holds."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from spiderd.daemon.vitals import processes
from tests.crawl.controlled import controlled
from tests.crawl.harness import configured
from tests.crawl.pages import page, site_of
from tests.web.server import serve


async def scraped(crawl):
    text = (await crawl._http.get("/metrics")).text
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def total(samples, name, **labels):
    wanted = labels.items()
    return sum(one.value for one in samples if one.name == name and wanted <= one.labels.items())


@pytest.mark.trio
async def test_a_crawl_is_measured(tmp_path):
    paths = [f"/{number}" for number in range(6)]
    routes = site_of({"/": page(*paths), **{path: page("/", text=path) for path in paths}})
    async with serve(routes) as site, controlled(configured(site.url()), tmp_path) as crawl:
        snapshot = await crawl.complete()
        while total(found := await scraped(crawl), "spiderd_fetch_phase_seconds_count", phase="body") < 7:
            await crawl.until(lambda _: True)  # workers report four times a second
        fetches = total(found, "spiderd_fetches_total")
        assert fetches == len(site.requests)
        assert total(found, "spiderd_fetches_total", outcome="stored") == snapshot["counters"]["pages"] == 7
        assert total(found, "spiderd_fetch_phase_seconds_count", phase="first_byte") == fetches
        assert 1 <= total(found, "spiderd_fetch_phase_seconds_count", phase="connect") <= site.connections
        assert total(found, "spiderd_fetch_phase_seconds_count", phase="tls") == 0
        assert total(found, "spiderd_store_commit_seconds_count") > 0
        assert total(found, "spiderd_store_bytes") > 4096


@pytest.mark.trio
async def test_whoever_holds_an_old_snapshot_of_the_store_shows(tmp_path):
    async with serve(site_of({"/": page()})) as site, controlled(configured(site.url()), tmp_path) as crawl:
        await crawl.complete()
        before = total(await scraped(crawl), "spiderd_store_oldest_reader_commits")
        # LMDB allows an environment once a process: a child holds the snapshot, as an export would.
        code = (
            "import lmdb, sys; env = lmdb.open(sys.argv[1], readonly=True, max_dbs=99); txn = env.begin();"
            "print('open', flush=True); sys.stdin.read()"
        )
        child = await trio.to_thread.run_sync(
            partial(
                subprocess.Popen,
                [sys.executable, "-c", code, str(tmp_path / "store")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        try:
            assert child.stdout.readline() == b"open\n"
            for number in range(5):
                await crawl.post("add", urls=[site.url(f"/{number}")])
            found = await scraped(crawl)
            assert total(found, "spiderd_store_oldest_reader_commits") >= before + 5
            assert total(found, "spiderd_store_readers") >= 1
        finally:
            child.stdin.close()
            child.wait(10)
            child.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the children of a process")
@pytest.mark.trio
async def test_memory_is_told_for_each_process(tmp_path):
    async with serve(site_of({"/": page()})) as site:
        config = configured(site.url(), crawl={"processes": 1}, search={"enabled": True})
        async with controlled(config, tmp_path) as crawl:
            await crawl.complete()
            found = await scraped(crawl)
            for role in ("daemon", "fetcher", "indexer"):
                assert total(found, "spiderd_process_resident_bytes", process=role) > 1_000_000
                assert total(found, "spiderd_process_cpu_seconds_total", process=role) >= 0
            assert total(found, "spiderd_process_resident_bytes", pid=str(os.getpid())) > 1_000_000


def test_this_process_is_among_them():
    assert os.getpid() in {one.pid for one in processes() if one.role == "daemon"}
