"""The bed as this driver sees it: seeds, the rule, the pages that can be reached, and their files.

The bed's own modules say where things are (`sites.py`, `mkpaths.py`); nothing of that is repeated here.
"""

from __future__ import annotations

import http.client
import importlib
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Door:
    """Another way in: the same pages under another scheme and port, by a server with counters of its own."""

    scheme: str
    port: int
    status: int  # port of the counters


@dataclass(frozen=True, slots=True)
class Served:
    """What nginx has done so far."""

    connections: int
    requests: int


class Bed:
    """The bed in the folder `bench`, with its corpus in `work`; behind a door, all URLs are the door's."""

    def __init__(self, bench: Path, work: Path, door: Door | None = None) -> None:
        self.bench = bench.resolve()
        self.work = work.expanduser().resolve()
        self._sites = self._module("sites")
        self._paths = self._module("mkpaths")
        port = int(self._sites.PORT)
        self.door = door or Door("http", port, port)
        self._plain = f":{port}/"
        self.follow: str = self._behind(self._sites.FOLLOW)
        self.workloads: list[str] = list(self._sites.WORKLOADS)

    def _module(self, name: str) -> ModuleType:
        sys.path.insert(0, str(self.bench))
        sys.dont_write_bytecode, before = True, sys.dont_write_bytecode  # the bed belongs to somebody else
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise SystemExit(f"{self.bench} is not the bed: it has no {name}.py") from error
        finally:
            sys.path.remove(str(self.bench))
            sys.dont_write_bytecode = before

    def _behind(self, url: str) -> str:
        return url.replace("http:", f"{self.door.scheme}:", 1).replace(self._plain, f":{self.door.port}/", 1)

    def _before(self, url: str) -> str:
        return url.replace(f"{self.door.scheme}:", "http:", 1).replace(f":{self.door.port}/", self._plain, 1)

    def seeds(self, workload: str) -> list[str]:
        """The front pages of the workload's hosts."""
        return [self._behind(self._sites.url(host)) for host in self._sites.WORKLOADS[workload]]

    def host(self, site: str) -> str:
        """The front page of one site, such as "apache"."""
        return str(self._sites.url(self._sites.DOC_IP[site]))

    def truth(self, workload: str) -> list[str]:
        """The URLs of all pages that can be reached by the rule, found by the bed from the files alone."""
        return [self._behind(url) for url in (self.work / "truth" / f"{workload}.txt").read_text().split()]

    def file(self, url: str) -> Path:
        """The file that the server sends for a URL."""
        return Path(self._paths.disk(self.work, self._before(url)))

    def warm(self, urls: list[str]) -> None:
        """Bring the pages into the page cache: the disk is not what is measured."""
        for url in urls:
            self.file(url).read_bytes()

    def served(self) -> Served:
        """Ask nginx for its counters (that costs one connection and one request).

        Raises:
            SystemExit: it does not run.
        """
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.door.status}/status", timeout=5) as answer:
                words = answer.read().split()
        except OSError as error:
            raise SystemExit(f"The bed's nginx does not answer ({error}): run its start.sh.") from error
        at = words.index(b"requests")
        return Served(int(words[at + 2]), int(words[at + 3]))

    def is_served(self, url: str) -> bool:
        """Whether the server has a page for that URL; the truth comes from the files, without HTTP."""
        parts = urlsplit(self._before(url))
        connection = http.client.HTTPConnection(parts.netloc, timeout=5)
        try:
            connection.request("HEAD", parts.path)
            return connection.getresponse().status == 200
        finally:
            connection.close()
