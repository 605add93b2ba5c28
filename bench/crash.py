"""Kills a crawl with SIGKILL again and again, and holds what is left at the end against a run in peace.

    python -m bench.crash [--kills 20] [--pages 1000] [--threads 8] [--processes N] [--format files|warc]
                          [--durability commit|batch] [--seed N] [--work DIR]

Who is killed, and when, is drawn by the seed:

- the daemon, from outside, a random number of requests after the last kill
- the daemon, by itself, at a moment that matters (between a file and its index line, between sync and commit,
  in the middle of a frame of the journal, while the map grows; see `tests/cases/killing.py`)
- a fetcher, or the indexer, under a daemon that goes on

Four times the data directory is moved; now and then the crawl is paused before the daemon is killed, and must
then still be paused. At the end all of this must hold:

- every page is there, once, byte for byte; redirects, missing pages and copies, too
- no more was asked for than there is, plus what the workers had in hand: workers x (kills + 1)
- counters, links of each page and documents in the search index are those of the run in peace
- `spiderd verify` finds nothing

Exit status 0 if so. The short form of this is `tests/cases/test_crashes.py`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

import trio

from spiderd.client import Client
from spiderd.errors import SpiderdError
from spiderd.states import CrawlState
from tests.cases.crashing import ROOT, Result, command, complaints, environment, result_of, run, site
from tests.cases.killing import MOMENTS, OF_RECORDS
from tests.web.server import Answer, Route, Site, threaded_site

T = TypeVar("T")

PATIENCE = 120.0  # seconds for a run, for the index to catch up, for a daemon to answer
LATENCY = 0.03  # seconds that the site takes for an answer, so that all workers have something in hand
LOOK = 0.3  # seconds in which a paused crawl must ask for nothing
CHILDREN = {"a fetcher": ("spiderd-fetcher", "spiderd.fetcher"), "the indexer": ("spiderd.search.indexer",)}
"""What the name of a process (of a fork) or its command has in it."""


@dataclass
class Killing:
    """A crawl that is killed."""

    given: argparse.Namespace
    site: Site
    data: Path
    chance: random.Random
    kills: int = 0
    how: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def count(self, how: str) -> None:
        """One more kill."""
        self.kills += 1
        self.how[how.partition(" (")[0]] += 1
        print(f"{len(self.site.requests):6} requests  {how}", flush=True)


def options(given: argparse.Namespace, *, processes: int) -> list[str]:
    """How the site is crawled."""
    settings = {
        "archive.max_count": 70,
        "archive.format": given.format,
        "archive.durability": given.durability,
        "politeness.per_host": given.threads,
        "politeness.per_ip": given.threads,
        "crawl.retries": 20,  # a URL that is in hand whenever a fetcher is killed is no bad one
    }
    return [
        *("--threads", str(given.threads), "--processes", str(processes), "--delay", "0"),
        *("--follow", "host", "--log-level", "error"),
        *(part for key, value in settings.items() for part in ("--set", f"{key}={value}")),
    ]


def slow(route: Route) -> Route:
    """A plain route that takes its time."""

    plain = cast("Answer", route)

    async def answer(_stream: object, _request: object) -> Answer:
        await trio.sleep(LATENCY)
        return plain

    return answer


def documents(data_dir: Path, given: argparse.Namespace) -> int:
    """Let the index catch up; how many documents it has."""
    with daemon(command(data_dir, *options(given, processes=1))) as process:
        found: list[int] = []

        def caught_up() -> bool:
            index = _answer(data_dir, lambda client: client.status().index)
            if index is None or not index.pages or index.indexed < index.pages or index.state != "idle":
                return False
            found.append(index.documents)
            return True

        if not wait(process, caught_up):
            raise SystemExit("The index does not catch up.")
        process.terminate()
        return found[0]


@contextmanager
def daemon(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon; killed on leaving, if it still runs."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(arguments, env=environment(), cwd=ROOT, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0 if process.poll() is None else None)
            process.kill()


def _answer(data_dir: Path, ask: Callable[[Client], T]) -> T | None:
    with suppress(SpiderdError), Client(data_dir / "spiderd.sock") as client:
        return ask(client)
    return None


def wait(process: subprocess.Popen[bytes], condition: Callable[[], object]) -> bool:
    """Wait until something is so; False where the process ends before."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.002)
    return False


def children(pid: int, names: tuple[str, ...]) -> list[int]:
    """Processes of a daemon that have one of these names."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):  # they belong to the thread that has made them
        with suppress(OSError):
            found += [int(child) for child in task.read_text().split() if _is_called(child, names)]
    return found


def _is_called(pid: str, names: tuple[str, ...]) -> bool:
    told = "".join(Path(f"/proc/{pid}/{file}").read_text() for file in ("comm", "cmdline"))
    return any(name in told for name in names)


def kill_some(crawl: Killing) -> bool:
    """One run of the crawl, with kills; False where it came to its end first."""
    given, chance = crawl.given, crawl.chance
    most = max(4, given.pages // given.kills)  # pages of one run, so that all kills find their place
    draw = chance.random()
    if draw < 0.4:
        return _kill_itself(crawl, most)
    arguments = options(given, processes=given.processes)
    with daemon(command(crawl.data, *arguments, "--once", crawl.site.url("/"))) as process:
        for _ in range(chance.choice((0, 1, 2)) if given.processes else 0):
            if crawl.kills < given.kills - 1 and _requests(process, crawl, chance.randrange(most)):
                _kill_child(process, crawl)
        if not _requests(process, crawl, chance.randrange(most)):
            return process.poll() is None
        paused = draw > 0.95 and _pause(process, crawl)
        time.sleep(chance.random() * 0.1)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            return False
    crawl.count("the daemon, paused" if paused else "the daemon")
    return not paused or _is_still_paused(crawl)


def _kill_itself(crawl: Killing, most: int) -> bool:
    """Let the daemon kill itself."""
    moments = MOMENTS | (OF_RECORDS if crawl.given.format == "warc" else {})
    moment, count = crawl.chance.choice(list(moments)), crawl.chance.randint(1, most // 4)
    arguments = [*options(crawl.given, processes=0), "--once", crawl.site.url("/")]
    with daemon(command(crawl.data, *arguments, moment=moment, count=count)) as process:
        how = "the daemon" if _requests(process, crawl, most) else f"{moment} ({count})"
        process.kill()
        if process.wait() != -signal.SIGKILL:
            return False
    crawl.count(how)
    return True


def _requests(process: subprocess.Popen[bytes], crawl: Killing, more: int) -> bool:
    """Wait for so many requests."""
    until = len(crawl.site.requests) + more
    return wait(process, lambda: len(crawl.site.requests) >= until)


def _kill_child(process: subprocess.Popen[bytes], crawl: Killing) -> None:
    name = crawl.chance.choice(list(CHILDREN))
    if wait(process, lambda: children(process.pid, CHILDREN[name])):
        for child in children(process.pid, CHILDREN[name])[:1]:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
                crawl.count(name)


def _pause(process: subprocess.Popen[bytes], crawl: Killing) -> bool:
    """Pause the crawl; False where it ended before."""
    _answer(crawl.data, Client.pause)
    return wait(process, lambda: _state(crawl) is CrawlState.PAUSED)


def _state(crawl: Killing) -> CrawlState | None:
    return _answer(crawl.data, lambda client: client.status().state)


def _is_still_paused(crawl: Killing) -> bool:
    """Start again what was paused: it must stay so until somebody resumes it."""
    before = len(crawl.site.requests)
    with daemon(command(crawl.data, *options(crawl.given, processes=crawl.given.processes))) as process:
        wait(process, lambda: _state(crawl) is not None)
        time.sleep(LOOK)
        if _state(crawl) is not CrawlState.PAUSED or len(crawl.site.requests) != before:
            crawl.wrong.append(f"a paused crawl was {_state(crawl)} after a kill")
        _answer(crawl.data, Client.resume)
        _requests(process, crawl, 1)
        process.kill()
    crawl.count("the daemon, resumed")
    return True


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
    parser.add_argument("--format", choices=["files", "warc"], default="files")
    parser.add_argument("--durability", choices=["commit", "batch"], default="commit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, help="folder for the crawls; a temporary one by default")
    given = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="spiderd-crash-", dir=given.work))
    code = _compare(given, work)
    if code == 0:
        shutil.rmtree(work, ignore_errors=True)
    else:
        print(f"see {work}")
    return code


def _compare(given: argparse.Namespace, work: Path) -> int:
    began = time.monotonic()
    with threaded_site({path: slow(route) for path, route in site(given.pages).items()}) as pages:
        peaceful = [*options(given, processes=given.processes), "--once", pages.url("/")]
        ended = run(command(work / "peace", *peaceful), PATIENCE)
        if ended.returncode:
            raise SystemExit(ended.stderr)
        wanted, there = result_of(work / "peace", pages.origin), len(pages.requests)
        pages.requests.clear()
        crawl = Killing(given, pages, work / "killed", random.Random(given.seed))
        moves = 1
        while crawl.kills < given.kills and kill_some(crawl):
            if crawl.kills >= given.kills * moves // 5:
                crawl.data = crawl.data.rename(work / f"moved{moves}")
                moves += 1
        ended = run(command(crawl.data, *peaceful), PATIENCE)
        asked = len([request for request in pages.requests if request.path != "/robots.txt"])
        most = there - 1 + given.threads * (crawl.kills + 1)
        found = crawl.wrong + ([] if ended.returncode == 0 else [ended.stderr])
        found += differences(result_of(crawl.data, pages.origin), wanted)
        found += [f"{asked} requests, at most {most} were due"] if asked > most else []
        found += [] if crawl.kills >= given.kills else ["the crawl ended before all kills: take more pages"]
    found += complaints(crawl.data)
    indexed, due = documents(crawl.data, given), documents(work / "peace", given)
    found += [f"{indexed} documents in the index, should be {due}"] if indexed != due else []
    _tell(crawl, asked, there - 1, most, indexed, moves - 1, time.monotonic() - began)
    print(*(found or ["everything as in the run in peace"]), sep="\n")
    return 1 if found else 0


def _tell(
    crawl: Killing, asked: int, there: int, most: int, indexed: int, moves: int, seconds: float
) -> None:
    given = crawl.given
    print(
        f"seed {given.seed}, {given.format}, {given.durability}, {given.processes} fetchers, "
        f"{given.threads} workers: {crawl.kills} kills, {moves} moves, {asked} requests for {there} URLs "
        f"(at most {most}), {indexed} documents indexed, {seconds:.0f} s"
    )
    for how, count in crawl.how.most_common():
        print(f"{count:6}  {how}")


if __name__ == "__main__":
    sys.exit(main())
