"""Holds the reports of a crawl of the bed against what its files say, and times them.

    python -m bench.audit SITE --bench DIR [--work DIR] [--data DATA_DIR]

Crawls one site of the bed (such as `apache`), unless a data directory of such a crawl is given, and makes all
reports. Then what some of them tell is found out anew from the files on the server's disk, with the parser of
the standard library and without anything of ours but the list of the URLs that were asked for:

    broken       links of pages to files that are not there
    duplicates   pages whose file has the bytes of another page's
    titles       missing, on several pages, long
    dead-ends    pages without a link to a page
    sizes        pages and bytes

Exit status 1 where they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

from bench.bed import ROOT, Options, add_bed_options, configuration
from bench.measure import measure
from bench.truth import Bed
from spiderd.audit.building import audit
from spiderd.audit.edges import MOST_SOURCES
from spiderd.audit.findings import Findings
from spiderd.audit.kinds import KINDS
from spiderd.audit.material import Limits
from spiderd.export import export

LINKING = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)


class Facts(HTMLParser):
    """Title and links of a page, as the standard library reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.links: list[str] = []
        self.base = ""
        self._inside = False
        self._seen = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "title" and not self._seen:
            self._inside = self._seen = True
        elif tag == "base" and not self.base:
            self.base = given.get("href") or ""
        elif (target := given.get(LINKING.get(tag, ""))) is not None:
            self.links.append(target)
        elif tag == "link" and (href := given.get("href")):
            rel = set((given.get("rel") or "").lower().split())
            if rel and not rel & {"stylesheet", "icon", "preload", "manifest"}:
                self.links.append(href)

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.title.append(data)


@dataclass
class Page:
    """What the file of a page says."""

    size: int
    digest: bytes
    title: str
    links: list[str] = field(default_factory=list)  # absolute, without fragment


def read(url: str, file: Path) -> Page:
    """Read the file that the server sends for a URL."""
    body = file.read_bytes()
    declared = DECLARED.search(body[:1024])
    name = declared[1].decode() if declared else "utf-8"
    facts = Facts()
    try:
        facts.feed(body.decode(name, "replace"))
    except LookupError:
        facts.feed(body.decode("utf-8", "replace"))
    base = urljoin(url, facts.base) if facts.base else url
    links = [_absolute(base, link) for link in facts.links]
    return Page(len(body), hashlib.sha256(body).digest(), " ".join("".join(facts.title).split()), links)


def _absolute(base: str, link: str) -> str:
    try:
        return urldefrag(urljoin(base, link.strip()))[0].replace(" ", "%20")
    except ValueError:
        return ""


def asked(data_dir: Path) -> set[str]:
    """The URLs that the crawl has asked for."""
    out = io.BytesIO()
    export(data_dir, "urls", out)
    return set(out.getvalue().decode().split("\n")) - {""}


@dataclass
class Truth:
    """What the reports should say."""

    broken: set[tuple[str, str]]  # URL, page that links to it
    copies: int
    missing: set[str]
    doubled: set[str]
    long: set[str]
    dead_ends: set[str]
    pages: int
    bytes: int


def truth_of(urls: set[str], bed: Bed) -> Truth:
    """Find the truth out, from the files alone."""
    files = {url: bed.file(url) for url in urls}
    pages = {url: read(url, file) for url, file in files.items() if file.is_file() and bed.is_served(url)}
    gone = urls - pages.keys()
    by_digest: dict[bytes, list[str]] = defaultdict(list)
    for url, page in pages.items():
        by_digest[page.digest].append(url)
    titles = Counter(pages[same[0]].title for same in by_digest.values())
    originals = {same[0]: pages[same[0]] for same in by_digest.values()}
    return Truth(
        broken={(to, url) for url, page in pages.items() for to in page.links if to in gone},
        copies=len(pages) - len(by_digest),
        missing={url for url, page in originals.items() if not page.title},
        doubled={page.title for page in originals.values() if page.title and titles[page.title] > 1},
        long={page.title for page in originals.values() if len(page.title) > Limits().title},
        dead_ends={url for url, page in originals.items() if not _leads_on(url, page)},
        pages=len(originals),
        bytes=sum(page.size for page in originals.values()),
    )


def _leads_on(url: str, page: Page) -> bool:
    return any(link != url and urlsplit(link).scheme in {"http", "https"} for link in page.links)


def differences(findings: Findings, truth: Truth) -> Iterator[tuple[str, object, object]]:
    """Yield name, told, and true, of everything that is compared."""
    cells = {kind: [row.cells for row in findings.rows(kind)] for kind in KINDS}
    titles = cells["titles"]
    links = {(str(row[0]), str(row[3])) for row in cells["broken"]}
    many = {url for url, count in Counter(url for url, _ in truth.broken).items() if count > MOST_SOURCES}
    told: dict[str, tuple[object, object]] = {
        "broken links": (
            {link for link in links if link[0] not in many},
            {link for link in truth.broken if link[0] not in many},
        ),
        "pages with more of them than are told": (
            {url: sum(link[0] == url for link in links & truth.broken) for url in many},
            dict.fromkeys(many, MOST_SOURCES),
        ),
        "duplicates": (len(cells["duplicates"]), truth.copies),
        "missing titles": (len([row for row in titles if row[0] == "missing"]), len(truth.missing)),
        "duplicate titles": ({row[1] for row in titles if row[0] == "duplicate"}, truth.doubled),
        "long titles": ({row[1] for row in titles if row[0] == "long"}, truth.long),
        "dead ends": (len(cells["dead-ends"]), len(truth.dead_ends)),
        "pages": (sum(int(row[1]) for row in cells["sizes"]), truth.pages),
        "bytes": (sum(int(row[3]) for row in cells["sizes"]), truth.bytes),
    }
    for name, (found, true) in told.items():
        yield name, found, true


def main() -> int:
    """Crawl, report, compare; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.audit", description=__doc__.split("\n")[0])
    parser.add_argument("site")
    parser.add_argument("--data", type=Path, help="data directory of a crawl of the site")
    add_bed_options(parser)
    given = parser.parse_args()
    bed = Bed(given.bench, given.work)
    data = given.data or _crawl(bed, given.site)
    run = measure(
        [sys.executable, "-m", "spiderd", "report", "--json", "--data-dir", data],
        cwd=data,
        log=data.parent / "report.log",
        timeout=600,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    began = time.perf_counter()
    with audit(data, data.parent / "findings") as findings:
        took = time.perf_counter() - began
        size = (data.parent / "findings").stat().st_size
        counts = findings.counts()
        print(f"{given.site}: {findings.pages} URLs, all reports in {run.wall:.2f} s as a process")
        print(
            f"  {1e6 * took / findings.pages:.0f} us a URL in this one; peak {run.peak_rss >> 20} MiB, "
            f"of which {run.peak_anon >> 20} are its own"
        )
        print(f"  findings {size >> 10} KiB;", ", ".join(f"{name} {count}" for name, count in counts.items()))
        wrong = 0
        for name, found, true in differences(findings, truth_of(asked(data), bed)):
            same = found == true
            wrong += not same
            told = len(found) if isinstance(found, set | dict) else found
            print(f"  {'ok   ' if same else 'WRONG'} {name}: {told}", "" if same else _gap(found, true))
    return 1 if wrong else 0


def _gap(found: object, true: object) -> str:
    if isinstance(found, set) and isinstance(true, set):
        vain, untold = sorted(found - true)[:3], sorted(true - found)[:3]
        return f"({len(true)} are true; told in vain {vain}, not told {untold})"
    return f"({true} are true)"


def _crawl(bed: Bed, site: str) -> Path:
    """Crawl one site of the bed into a new folder; its data directory."""
    host = bed.host(site)
    folder = bed.work / "spiderd-runs" / f"audit-{site}-{time.time_ns()}"
    folder.mkdir(parents=True)
    config = configuration(bed, bed.workloads[0], Options())
    seeds = json.dumps([host])
    (folder / "config.toml").write_text(re.sub(r"(?m)^seeds = .*$", f"seeds = {seeds}", config))
    command = [sys.executable, "-m", "spiderd", "start", "--once", "--config", str(folder / "config.toml")]
    command += ["--data-dir", str(folder / "data"), "--log-level", "error"]
    subprocess.run(
        command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    return folder / "data"


if __name__ == "__main__":
    sys.exit(main())
