"""Nothing is lost: killed at any moment, the same command goes on, and nothing is stored twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from spiderd.client import Client
from spiderd.states import CrawlState
from tests.crawl.harness import archived, daemon_process, pages_of, wait_until
from tests.crawl.pages import page, site_of
from tests.web.server import Site, threaded_site

PAGES = 300
THREADS = 8
OPTIONS = (
    "--once",
    "--threads",
    str(THREADS),
    "--delay",
    "0",
    "--follow",
    "host",
    "--set",
    "search.enabled=false",
)


def big_site() -> dict:
    """Every page is reached by several ways, so that an order of discovery is not needed for completeness."""
    routes = {
        f"/{n}": page(*(f"/{(n * 7 + k) % PAGES}" for k in range(1, 9)), text=f"n{n}") for n in range(PAGES)
    }
    return site_of({"/": page("/0", "/1", text="root"), **routes})


def finish(site: Site, data: Path, *arguments: str) -> None:
    with daemon_process(data, *arguments, site.url("/")) as process:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()


@pytest.mark.parametrize(("processes", "seed"), [(0, 1), (0, 2), (2, 3), (2, 4)])
def test_kill_nine_at_random_moments(tmp_path: Path, processes: int, seed: int) -> None:
    chance = random.Random(seed)
    data = tmp_path / "data"
    kills = 0
    arguments = (*OPTIONS, "--processes", str(processes))
    with threaded_site(big_site()) as site:
        for _ in range(6):
            until = len(site.requests) + chance.randrange(1, 60)
            with daemon_process(data, *arguments, site.url("/")) as process:
                wait_until(lambda until=until: len(site.requests) >= until, process)
                process.send_signal(signal.SIGKILL)
                kills += 1
            if kills == 3:
                shutil.move(data, tmp_path / "moved")
                data = tmp_path / "moved"
        finish(site, data, *arguments)
        fetched = len([request for request in site.requests if request.path != "/robots.txt"])
        stored = archived(data)
        assert stored == {
            site.url(path): body.encode() for path, body in big_site().items() if path != "/robots.txt"
        }
    assert len(pages_of(data)) == PAGES + 1
    assert fetched <= PAGES + 1 + THREADS * (kills + 1)
    assert not list(data.rglob("*.part"))


def test_a_fetcher_that_dies_is_replaced_and_its_urls_are_given_out_again(tmp_path: Path) -> None:
    with threaded_site(big_site()) as site:
        arguments = (*OPTIONS, "--processes", "2", site.url("/"))
        with daemon_process(tmp_path, *arguments) as process:
            wait_until(lambda: len(site.requests) > 40, process)
            victims = subprocess.run(
                ["pgrep", "-P", str(process.pid), "spiderd-fetcher"],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
            os.kill(int(victims[0]), signal.SIGKILL)
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors.decode()
        assert b"died" in errors
        assert len(archived(tmp_path)) == PAGES + 1


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT], [signal.SIGINT, signal.SIGTERM]])
def test_a_signal_ends_in_order_and_the_next_start_goes_on(
    tmp_path: Path, signals: list[signal.Signals]
) -> None:
    with threaded_site(big_site()) as site:
        with daemon_process(tmp_path, *OPTIONS, "--processes", "1", site.url("/")) as process:
            wait_until(lambda: len(site.requests) > 50, process)
            for number in signals:
                process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors.decode()
            assert b"Traceback" not in errors
        assert 0 < len(archived(tmp_path)) < PAGES
        finish(site, tmp_path, *OPTIONS)
        assert len(archived(tmp_path)) == PAGES + 1
        if len(signals) == 1:
            assert {site.count(f"/{n}") for n in range(PAGES)} == {1}


def test_a_paused_crawl_stays_paused_across_kill_nine(tmp_path: Path) -> None:
    with threaded_site(big_site()) as site:
        arguments = (*OPTIONS, "--processes", "0", site.url("/"))
        with daemon_process(tmp_path, *arguments) as process:
            wait_until(lambda: len(site.requests) > 30, process)
            with Client(tmp_path / "spiderd.sock") as client:
                client.pause()
                wait_until(lambda: client.status().state is CrawlState.PAUSED, process)
            process.send_signal(signal.SIGKILL)
        asked = len(site.requests)
        with daemon_process(tmp_path, *arguments) as process:
            wait_until((tmp_path / "spiderd.sock").exists, process)
            with Client(tmp_path / "spiderd.sock") as client:
                wait_until(lambda: answers(client), process)
                assert client.status().state is CrawlState.PAUSED
                assert len(site.requests) == asked
                client.resume()
            process.communicate(timeout=60)
            assert process.returncode == 0
        assert len(archived(tmp_path)) == PAGES + 1


def answers(client: Client) -> bool:
    """Whether a daemon is there."""
    try:
        client.hello()
    except Exception:  # noqa: BLE001  # whatever is in the way, it is asked again
        return False
    return True
