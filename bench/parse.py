"""What parsing costs: microseconds of CPU a page, by stage, over the HTML files of a folder.

usage: parse.py FOLDER [--pages N] [--rounds N] [--max-bytes N] [--lxml]

The files are taken evenly from the folder, as if they were the pages of one site. Each stage is timed alone
and the best of some rounds counts, since other work on the machine only ever makes them slower:

    decode     which encoding, and is it true
    tree       lexbor's tree alone, for comparison
    collect    elements to references
    judge      references to URL, key hash and decision, nothing remembered / all remembered
    whole      parse_page, nothing remembered at the start of the round
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from spiderd.config.declaration import Config
from spiderd.parse.charset import decode_page
from spiderd.parse.page import collect, parse_page
from spiderd.urls import ScopeRules

SITE = "http://bench.test/"
SUFFIXES = (".html", ".htm", ".xhtml")


def pages_in(folder: Path, wanted: int, max_bytes: int) -> dict[str, bytes]:
    """Read files, spread evenly over the folder; by the URL that they would have."""
    names = sorted(
        path
        for where, _, files in os.walk(folder, followlinks=True)
        for path in (Path(where) / name for name in files)
        if path.suffix in SUFFIXES and 0 < path.stat().st_size <= max_bytes
    )
    step = max(1, len(names) // wanted)
    return {SITE + str(path.relative_to(folder)): path.read_bytes() for path in names[::step][:wanted]}


def best(rounds: int, pages: int, work: Callable[[], object]) -> float:
    """Microseconds of CPU a page, in the best round."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times) / pages * 1e6


def drain(work: Iterable[object]) -> None:
    for _ in work:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-bytes", type=int, default=10 * 1024 * 1024)
    parser.add_argument("--lxml", action="store_true", help="time lxml beside it (it must be installed)")
    chosen = parser.parse_args()

    pages = pages_in(chosen.folder, chosen.pages, chosen.max_bytes)
    config = Config()
    decoded = {url: decode_page(body, "text/html") for url, body in pages.items()}
    collected = {url: collect(page, "text/html") for url, page in decoded.items()}

    def judge(scope: ScopeRules) -> None:
        for url, collector in collected.items():
            drain(map(scope.memory.at(url, "utf-8"), collector.pages))

    def whole() -> None:
        scope = ScopeRules(config, [SITE])
        for url, body in pages.items():
            parse_page(body, url, "text/html", config, scope, 1)

    warm = ScopeRules(config, [SITE])
    judge(warm)
    bodies = list(pages.values())
    stages: dict[str, Callable[[], object]] = {
        "decode": lambda: drain(decode_page(body, "text/html") for body in bodies),
        "tree": lambda: drain(LexborHTMLParser(body, options=1) for body in bodies),
        "collect": lambda: drain(collect(page, "text/html") for page in decoded.values()),
        "judge, afresh": lambda: judge(ScopeRules(config, [SITE])),
        "judge, known": lambda: judge(warm),
        "whole": whole,
    }
    if chosen.lxml:
        etree = importlib.import_module("lxml.etree")  # no dependency, and without types

        stages["lxml alone"] = lambda: drain(map(etree.HTML, bodies))
        stages["lxml, //a/@href"] = lambda: drain(etree.HTML(body).xpath("//a/@href") for body in bodies)

    size = sum(map(len, bodies)) / len(bodies)
    links = sum(len(collector.pages) for collector in collected.values()) / len(bodies)
    print(f"{len(bodies)} pages of {size / 1024:.1f} KiB with {links:.1f} references")
    for name, work in stages.items():
        print(f"{name:16} {best(chosen.rounds, len(bodies), work):8.1f} us a page")


if __name__ == "__main__":
    main()
