"""Measures what the dashboard costs, in a pseudo-terminal, on the real API with a crawl of any size.

    python -m bench.tui [--threads 64] [--hosts 20000] [--events 2000] [--seconds 20] [--presses 60]
    python -m bench.tui --crawl [--rounds 10] [--seconds 8]

Three processes: the API with a made-up crawl (its rows change at every look, events come at the rate asked
for), the dashboard as users start it, and this one, which plays the terminal: it reads all that is drawn, and
presses keys. Told is

- processor time of the dashboard, on its overview and on the log, in per cent of one core;
- repaints a second (synchronised updates, which Textual brackets each frame with) and bytes a second;
- time from a key to the picture that it asks for: from the press until the text that only that picture has
  has arrived here;
- processor time of the API with and without the dashboard, which is what watching costs the crawl.

With --crawl a real daemon crawls an endless site on loopback as fast as it can, by turns alone and watched.
Told is what watching costs it, in processor time a page and in pages a second, beside the noise of the
machine: to be run where nothing else runs. Pages a second suffer from whatever else wants a processor, the
screen's own work included; processor time a page is what the daemon itself does for the screen.

Linux only: times are read from /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from fcntl import ioctl
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from spiderd.protocol import Snapshot
from spiderd.states import Step
from tests.tui.daemons import daemon, site
from tests.tui.serving import served
from tests.tui.stage import NOW, Stage
from tests.web.server import Site

ROOT = Path(__file__).parents[1]
TICK = os.sysconf("SC_CLK_TCK")

# A key, and what is on the screen only once it has been obeyed. Each changes the whole picture.
PRESSES = [
    ("2", b"robots"),
    ("3", b"filled"),
    ("5", b"following"),
    ("6", b"failure"),
    ("1", b"Throughput"),
]

WARM_UP = 2.0  # seconds before a window of --crawl begins

SYNCHRONISED = b"\x1b[?2026h"
ASKS_FOR_IT = b"\x1b[?2026$p"
GRANTED = b"\x1b[?2026;2$y"


def serve(path: Path, threads: int, hosts: int, events: int) -> None:
    """Answer for a made-up crawl until killed."""

    class Busy(Stage):
        def snapshot(self) -> Snapshot:
            chance = self.chance
            self.worker_rows = [
                replace(
                    row,
                    step=chance.choice(list(Step)),
                    since=NOW - chance.random() * 3,
                    url=f"https://host{chance.randrange(999)}.example.com/{chance.random()}.html",
                    pages=row.pages + 1,
                )
                for row in self.worker_rows
            ]
            self.counters.pages += 50
            self.counters.complete += 50
            self.history = [*self.history[-599:], 100 + 50 * chance.random()]
            return super().snapshot()

    stage = Busy(threads=threads, hosts=hosts, directories=threads * 2)
    with served(stage, path) as server:
        print("ready", flush=True)
        due = time.monotonic()
        while True:
            due += 0.05
            time.sleep(max(0.0, due - time.monotonic()))
            if events:
                server.call(stage.happen, events // 20)


class Screen:
    """The dashboard in a pseudo-terminal; a thread reads what it draws."""

    def __init__(self, socket: Path, columns: int, lines: int) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
            os.chdir(ROOT)
            code = "from tui.main import main; main()"
            os.execv(sys.executable, [sys.executable, "-c", code, "--socket", str(socket)])
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.bytes = self.frames = 0
        self._sought = b""
        self._window = b""
        self._found = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                if not select.select([self.fd], [], [], 60)[0]:
                    continue
                got = os.read(self.fd, 1 << 16)
            except OSError:
                return
            self.bytes += len(got)
            self.frames += got.count(SYNCHRONISED)
            if ASKS_FOR_IT in got:
                os.write(self.fd, GRANTED)
            self._window = (self._window + got)[-200_000:]
            if self._sought and self._sought in self._window:
                self._found.set()

    def wait_for(self, text: bytes, seconds: float = 20.0) -> None:
        self._found.clear()
        self._sought = text
        if text not in self._window and not self._found.wait(seconds):
            sys.exit(f"{text!r} never came")

    def press(self, key: str, text: bytes) -> float:
        """Press a key; seconds until the text that it should bring has come."""
        self._found.clear()
        self._window, self._sought = b"", text
        begin = time.perf_counter()
        os.write(self.fd, key.encode())
        if not self._found.wait(20):
            sys.exit(f"{key} never brought {text!r}")
        return time.perf_counter() - begin

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def watch(screen: Screen, api: int, seconds: float) -> dict[str, float]:
    """Look on for a while."""
    before = (cpu(screen.pid), cpu(api), screen.frames, screen.bytes)
    time.sleep(seconds)
    after = (cpu(screen.pid), cpu(api), screen.frames, screen.bytes)
    ours, theirs, frames, size = ((late - early) / seconds for late, early in zip(after, before, strict=True))
    return {"cpu %": 100 * ours, "API's cpu %": 100 * theirs, "repaints/s": frames, "KiB/s": size / 1024}


@contextmanager
def api(options: argparse.Namespace, socket: Path) -> Iterator[int]:
    command = [sys.executable, "-m", "bench.tui", "--serve", str(socket)]
    command += [f"--{name}={getattr(options, name)}" for name in ("threads", "hosts", "events")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="spiderd-") as folder:
        socket = Path(folder) / "api.sock"
        with api(options, socket) as pid:
            begin = cpu(pid)
            time.sleep(options.seconds)
            alone = 100 * (cpu(pid) - begin) / options.seconds
            started = time.perf_counter()
            screen = Screen(socket, options.columns, options.lines)
            screen.wait_for(b"RUNNING")
            results["start"] = {"ms to the first picture": 1000 * (time.perf_counter() - started)}
            screen.wait_for(b"Throughput")
            time.sleep(2)
            results["overview"] = watch(screen, pid, options.seconds)
            times = [screen.press(*PRESSES[number % len(PRESSES)]) for number in walk(options.presses)]
            times = sorted(1000 * seconds for seconds in times)
            results["key to screen, ms"] = {
                "p50": times[len(times) // 2],
                "p95": times[int(len(times) * 0.95)],
                "max": times[-1],
            }
            screen.press("5", b"following")
            results["log"] = watch(screen, pid, options.seconds)
            for name in ("overview", "log"):
                results[name]["what it costs the API, %"] = results[name].pop("API's cpu %") - alone
            screen.close()
    return results


def crawl(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Crawl by turns alone and watched: A B B A, so that what drifts falls on both alike."""
    settings = ("politeness.per_host=8", "traps.shape_window=10000000", "search.enabled=false")
    flags = ("--delay", "0", *(word for setting in settings for word in ("--set", setting)))
    rounds: list[dict[str, list[Pace]]] = []
    with (
        tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as folder,
        site(0, endless=True) as pages,
        daemon(Path(folder), pages.url("/"), options=flags) as running,
    ):
        assert running.process is not None
        time.sleep(WARM_UP)
        for _ in range(options.rounds):
            found: dict[str, list[Pace]] = {"alone": [], "watched": []}
            for name in ("alone", "watched", "watched", "alone"):
                with watching(running.socket, options) if name == "watched" else nullcontext():
                    time.sleep(WARM_UP)  # starting is not watching
                    found[name].append(pace(running.process.pid, pages, options.seconds))
            rounds.append(found)
    return told(rounds)


def told(rounds: list[dict[str, list[Pace]]]) -> dict[str, dict[str, float]]:
    """Medians, and what watching costs: of each round the watched against the alone, the median of these.

    What differs between the two windows alone of a round is the noise that a cost must stand out from.
    """
    results: dict[str, dict[str, float]] = {}
    for name in ("alone", "watched"):
        paces = [pace for found in rounds for pace in found[name]]
        results[name] = {
            "pages/s": statistics.median(pace.pages for pace in paces),
            "daemon's cpu us a page": statistics.median(pace.cpu for pace in paces),
        }
    for title, field, sign in (("more cpu a page, %", "cpu", 1), ("fewer pages a second, %", "pages", -1)):
        costs, noise = [], []
        for found in rounds:
            alone, watched = ([getattr(pace, field) for pace in found[name]] for name in ("alone", "watched"))
            costs.append(sign * 100 * (sum(watched) / sum(alone) - 1))
            noise.append(abs(100 * (alone[1] / alone[0] - 1)))
        quarters = statistics.quantiles(costs, n=4) if len(costs) > 1 else [costs[0]] * 3
        results[title] = {
            "median": statistics.median(costs),
            "lower quartile": quarters[0],
            "upper quartile": quarters[2],
            "alone against alone": statistics.median(noise),
        }
    return results


@contextmanager
def watching(socket: Path, options: argparse.Namespace) -> Iterator[None]:
    """Have the dashboard attached, on its overview."""
    screen = Screen(socket, options.columns, options.lines)
    try:
        screen.wait_for(b"RUNNING")
        yield
    finally:
        screen.close()


class Pace(NamedTuple):
    """How fast a crawl went."""

    pages: float  # a second
    cpu: float  # microseconds of the daemon's processor time, a page


def pace(pid: int, pages: Site, seconds: float) -> Pace:
    """Look at a crawl for a while."""
    used, count, begin = cpu(pid), len(pages.requests), time.perf_counter()
    time.sleep(seconds)
    fetched = len(pages.requests) - count
    return Pace(fetched / (time.perf_counter() - begin), 1e6 * (cpu(pid) - used) / fetched)


def walk(presses: int) -> Iterator[int]:
    """Numbers of the keys, with pauses that do not beat in time with anything."""
    chance = random.Random(1)
    for number in range(presses):
        time.sleep(0.1 + 0.2 * chance.random())
        yield number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--events", type=int, default=2_000, help="a second")
    parser.add_argument("--seconds", type=float, default=20, help="of each look")
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--crawl", action="store_true", help="what watching costs a real crawl")
    parser.add_argument("--rounds", type=int, default=10, help="of --crawl: alone, watched, watched, alone")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.threads, options.hosts, options.events)
        return
    results = crawl(options) if options.crawl else measure(options)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    made_up = f"{options.threads} threads, {options.hosts:,} hosts, {options.events:,} events/s"
    print(f"{'a real crawl' if options.crawl else made_up}; load {load}\n")
    for name, figures in results.items():
        print(f"{name:24}", "   ".join(f"{key} {value:.1f}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
