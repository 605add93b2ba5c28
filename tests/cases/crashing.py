"""A site to crawl while the crawler is killed, and what must hold at the end however often it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from spiderd.archive.reading import read_body
from spiderd.parse.links import decode_record
from spiderd.protocol import Counters
from spiderd.states import OutcomeKind
from spiderd.store.environment import Environment
from spiderd.store.records import PageRecord, decode
from spiderd.store.transaction import State
from tests.crawl.harness import archived
from tests.crawl.pages import page, site_of
from tests.web.server import Route

ROOT = Path(__file__).parents[2]


def site(pages: int) -> dict[str, Route]:
    """A site of so many pages and some of everything else; each page is reached by several ways."""
    routes: dict[str, Route] = {}
    for number in range(pages):
        targets = [f"/{(number * 7 + step) % pages}" for step in range(1, 9)]
        if number % 10 == 0:
            targets += [f"/gone{number}", f"/copy{number}", f"/moved{number}"]
            routes[f"/copy{number}"] = page("/0", text="the same everywhere")
            routes[f"/moved{number}"] = (301, {"Location": f"/{number + 1}"}, b"")
        routes[f"/{number}"] = page(*targets, text=f"n{number}")
    return site_of({"/": page("/0", "/1", text="root"), **routes})


@dataclass(frozen=True)
class Result:
    """What a crawl of a site has come to, without anything that depends on the order of its events."""

    counters: dict[str, Any]
    kinds: dict[str, str]  # by path; the copies of a content are all one kind
    links: dict[str, list[bytes]]  # by path, hashes of what it leads to (another port: other hashes)
    bodies: dict[str, bytes]


def result_of(data_dir: Path, origin: str, *, holes: bool = False) -> Result:
    """Read what a crawl has left behind; directories must not have `holes` unless they may."""
    with Environment(data_dir / "store") as env, env.begin(write=False) as txn:
        rows = {bytes(key): decode(PageRecord, bytes(row)) for key, row in txn.cursor(db=env.tables["pages"])}
        state = decode(State, bytes(txn.get(b"state", db=env.tables["meta"])))
        links = {
            rows[bytes(key)].url.removeprefix(origin): len(decode_record(bytes(row)).keys) // 8
            for key, row in txn.cursor(db=env.tables["links"])
            if row
        }
    bodies = kept(data_dir, rows.values())
    if not holes and not any(data_dir.glob("pages/*/records.warc.gz")):
        assert archived(data_dir) == bodies
    copies = {OutcomeKind.STORED: "page", OutcomeKind.DUPLICATE: "page"}
    return Result(
        comparable(state.counters),
        {row.url.removeprefix(origin): copies.get(row.kind, row.kind) for row in rows.values()},
        links,  # type: ignore[arg-type]  # how many, since hashes hold the port
        {url.removeprefix(origin): body for url, body in bodies.items() if "/copy" not in url},
    )


def kept(data_dir: Path, rows: Iterable[PageRecord]) -> dict[str, bytes]:
    """What the archive has of the pages that were stored."""
    return {
        row.url: read_body(data_dir / "pages", row.directory, row.number)
        for row in rows
        if row.kind is OutcomeKind.STORED
    }


def comparable(counters: Counters) -> dict[str, Any]:
    """The counters that must not depend on how often a crawl was interrupted."""
    counted: dict[str, Any] = msgspec.to_builtins(counters)
    counted.pop("retries")  # of what a killed fetcher had in hand
    counted.pop("bytes_received")  # heads have lengths of their own
    return counted


def command(data_dir: Path, *arguments: str, moment: str = "", count: int = 0) -> list[str]:
    """`spiderd start`, killed at a moment if one is named."""
    program = ["tests.cases.killing", moment, str(count)] if moment else ["spiderd"]
    return [sys.executable, "-m", *program, "start", "--data-dir", str(data_dir), *arguments]


def environment(**more: str) -> Mapping[str, str]:
    """Where the program is found."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def run(arguments: Sequence[str], timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        arguments, env=environment(), cwd=ROOT, timeout=timeout, capture_output=True, text=True, check=False
    )


def complaints(data_dir: Path) -> list[str]:
    """What `spiderd verify` finds wrong, and whatever lies about that should not."""
    told = run([sys.executable, "-m", "spiderd", "verify", "--json", "--data-dir", str(data_dir)])
    found = [str(path) for path in data_dir.rglob("*.part")]
    if told.returncode:
        found.append(told.stdout + told.stderr)
    else:
        json.loads(told.stdout)
    return found
