"""Kills a crawl with SIGKILL again and again, and holds what is left at the end against a run in peace.

    python -m bench.crash [--kills 20] [--pages 1000] [--threads 8] [--processes N] [--seed N] [--work DIR]

Every other time the daemon is killed from outside, a random number of requests after the last time; else it
kills itself at a moment that matters (between a file and its index line, in the middle of a frame of the
journal, while the map grows; see `tests/cases/killing.py`). Once the data directory is moved.

At the end all of this must hold:

- every page is there, once, byte for byte; redirects, missing pages and copies, too
- no more was asked for than there is, plus what the workers had in hand at each kill
- counters, links of each page and documents in the search index are those of the run in peace
- `spiderd verify` finds nothing

Exit status 0 if so. The short form of this is `tests/cases/test_crashes.py`.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from spiderd.client import Client
from spiderd.errors import SpiderdError
from tests.cases.crashing import ROOT, Result, command, complaints, environment, result_of, run, site
from tests.cases.killing import MOMENTS
from tests.web.server import Site, threaded_site

PATIENCE = 120.0  # seconds for a run, and for the index to catch up


def options(given: argparse.Namespace, *, processes: int) -> list[str]:
    """How the site is crawled."""
    return [
        *("--threads", str(given.threads), "--processes", str(processes), "--delay", "0"),
        *("--follow", "host", "--log-level", "error", "--set", "archive.max_count=70"),
    ]


def documents(data_dir: Path, given: argparse.Namespace) -> int:
    """Let the index catch up; how many documents it has."""
    arguments = command(data_dir, *options(given, processes=1))
    with subprocess.Popen(arguments, env=environment(), cwd=ROOT, stdout=subprocess.DEVNULL) as daemon:
        try:
            return _caught_up(data_dir / "spiderd.sock")
        finally:
            daemon.terminate()


def _caught_up(path: Path) -> int:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with Client(path) as client:
                index = client.status().index
        except SpiderdError:
            index = None
        if index is not None and index.pages and index.indexed == index.pages and index.state == "idle":
            return index.documents
        time.sleep(0.1)
    raise SystemExit("The index does not catch up.")


def kill_once(data_dir: Path, pages: Site, given: argparse.Namespace, chance: random.Random) -> str:
    """Run until killed; how that was done, "" where the crawl came to its end first."""
    most = max(4, given.pages // given.kills)  # pages of one run, so that all kills find their place
    moment, count = "", 0
    if chance.random() < 0.5:
        moment, count = chance.choice(list(MOMENTS)), chance.randint(1, most // 4)
    until = len(pages.requests) + (most if moment else chance.randrange(most))
    crawl = [*options(given, processes=0 if moment else given.processes), "--once", pages.url("/")]
    with subprocess.Popen(
        command(data_dir, *crawl, moment=moment, count=count),
        env=environment(),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as daemon:
        while len(pages.requests) < until and daemon.poll() is None:
            time.sleep(0.001)
        if daemon.poll() is None:
            time.sleep(chance.random() * 0.1)
            daemon.kill()
            moment = ""
    if daemon.returncode != -signal.SIGKILL:
        return ""
    return f"{moment} ({count})" if moment else "from outside"


def differences(found: Result, wanted: Result) -> list[str]:
    """What is not as it should be, in words."""
    told = []
    for name in ("counters", "kinds", "links", "bodies"):
        ours, theirs = getattr(found, name), getattr(wanted, name)
        odd = sorted(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
        told += [
            f"{name}: {key}: {ours.get(key)!r:.80}, should be {theirs.get(key)!r:.80}" for key in odd[:5]
        ]
    return told


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m bench.crash", description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, help="folder for the crawls; a temporary one by default")
    given = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="spiderd-crash-", dir=given.work))
    try:
        return _compare(given, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _compare(given: argparse.Namespace, work: Path) -> int:
    chance = random.Random(given.seed)
    with threaded_site(site(given.pages)) as pages:
        peaceful = [*options(given, processes=given.processes), "--once", pages.url("/")]
        ended = run(command(work / "peace", *peaceful), PATIENCE)
        if ended.returncode:
            raise SystemExit(ended.stderr)
        wanted, there = result_of(work / "peace", pages.origin), len(pages.requests)
        pages.requests.clear()
        data, kills = work / "killed", 0
        while kills < given.kills:
            how = kill_once(data, pages, given, chance)
            print(f"{len(pages.requests):6} requests  {how or 'came to its end'}", flush=True)
            if not how:
                break
            kills += 1
            if kills == given.kills // 2:
                data = data.rename(work / "moved")
        ended = run(command(data, *peaceful), PATIENCE)
        asked = len([request for request in pages.requests if request.path != "/robots.txt"])
        most = there - 1 + given.threads * (kills + 1)
        found = [] if ended.returncode == 0 else [ended.stderr]
        found += differences(result_of(data, pages.origin), wanted)
        found += [f"{asked} requests, at most {most} were due"] if asked > most else []
    found += complaints(data)
    indexed, due = documents(data, given), documents(work / "peace", given)
    found += [f"{indexed} documents in the index, should be {due}"] if indexed != due else []
    print(
        f"{kills} kills, {asked} requests for {there - 1} URLs (at most {most}), {indexed} documents indexed"
    )
    print(*(found or ["everything as in the run in peace"]), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
