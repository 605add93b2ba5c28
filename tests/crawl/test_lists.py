"""Lists of URLs from files and from standard input: seeds, and what need not be fetched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from spiderd.client import Client
from spiderd.states import CrawlState
from tests.crawl.harness import archived, daemon_process, wait_until
from tests.crawl.pages import page, site_of
from tests.web.server import threaded_site

ROOT = Path(__file__).parents[2]
PAGES = 30


@pytest.mark.parametrize("given", ["a file", "standard input"])
def test_what_was_visited_elsewhere_is_never_fetched(tmp_path: Path, given: str) -> None:
    """The list is longer than what fits in one request, and the seeds are on it, too."""
    data = tmp_path / "data"
    routes = {f"/{n}": page(f"/{n + 1}", f"/{n + 2}", text=f"n{n}") for n in range(PAGES)}
    options = ("--delay", "0", "--follow", "host", "--processes", "0", "--set", "search.enabled=false")
    with threaded_site(site_of(routes)) as web, daemon_process(data, *options) as daemon:
        wait_until((data / "spiderd.sock").exists, daemon)
        visited = [web.url("/5"), "# a remark", "", *(f"http://h.test/{n}/{'x' * 60}" for n in range(20_000))]
        (tmp_path / "seeds.txt").write_text(f"{web.url('/0')}\r\n{web.url('/4')}\n{web.url('/5')}\n")
        lines = "\n".join(visited)
        (tmp_path / "visited.txt").write_text(lines)
        file = tmp_path / "visited.txt" if given == "a file" else "-"
        add = [sys.executable, "-m", "spiderd", "add", "--data-dir", str(data), "--visited", str(file)]
        told = subprocess.run(
            [*add, "--file", str(tmp_path / "seeds.txt")],
            input=lines if file == "-" else None,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout == "20,003 new, 1 known, 0 refused\n"
        wait_until(lambda: is_complete(data), daemon)
        daemon.terminate()
        daemon.wait()
        asked = {request.path for request in web.requests}
    assert asked == {"/robots.txt", *(f"/{n}" for n in range(PAGES + 2) if n != 5)}
    assert len(archived(data)) == PAGES - 1


def is_complete(data: Path) -> bool:
    with Client(data / "spiderd.sock") as client:
        return client.status().state is CrawlState.COMPLETE


def test_a_list_is_read_piece_by_piece(tmp_path: Path) -> None:
    """A list of 60 MB goes through a process that has not so much memory to spare."""
    line = f"http://h.test/{'x' * 1800}\n"
    program = (
        "import resource, sys; from spiderd.cli.adding import _batches, _lines;"
        "resource.setrlimit(resource.RLIMIT_DATA, (48 << 20, 48 << 20));"
        "print(sum(len(batch) for batch in _batches(_lines(sys.stdin))))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=PIPE,
        stdout=PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        for _ in range(33):
            process.stdin.write(line * 1000)
        told, _ = process.communicate()
    assert told == "33000\n"
