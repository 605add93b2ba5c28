"""How well and how fast the search finds known pages, beside SQLite's FTS5 on the same pages.

    python -m bench.search_quality DATA_DIR [--verbose] [--seed N] [--no-fts] [--during COMMAND]

DATA_DIR holds a crawl of the bed's sites (`bench.bed` tells of the bed) and its index. Queries are those of
`search_queries.tsv`, written by people from what pages are about, and entries of the sites' own indexes
(Python, PostgreSQL, SQLite), drawn by the seed: who made those has said which page an entry leads to. An
entry counts if it has three words and leads to one page.

A page with the same text as the one wanted (the bed has untranslated copies under many folders) is as good.
With --during, latency is measured for as long as a command runs, which may be a crawl on the same machine.

FTS5 gets the same words, all required, with the title weighing five times the text; Chinese and Japanese go
to a trigram index, and words too short for one are sought by LIKE.
"""

from __future__ import annotations

import argparse
import random
import re
import shlex
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode
from tantivy import Query

from spiderd.search.engine import Engine, find
from spiderd.search.matching import Matcher
from spiderd.search.opened import Opened, View
from spiderd.search.ordering import NEAR
from spiderd.search.query import parse
from spiderd.search.schema import EVERY
from spiderd.store.reader import StoreReader
from spiderd.urls import key_hash, seen_key

QUERIES = Path(__file__).with_name("search_queries.tsv")
PORT = 8081
INDEXES = {
    "index: python": [f"http://127.0.2.1:{PORT}/genindex-all.html"],
    "index: postgres": [f"http://127.0.2.2:{PORT}/bookindex.html"],
    "index: sqlite": [f"http://127.0.2.3:{PORT}/keyword_index.html"],
}
SAMPLE = 20  # entries of each index
DEPTH = 10


class Known(NamedTuple):
    """A query and the number of the page that must be found."""

    kind: str
    query: str
    page: int


def queries(reader: StoreReader, archive: Path, seed: int) -> list[Known]:
    """All queries whose page is in the store."""
    made = []
    for line in QUERIES.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, query, url = line.split("\t")
            made.append(Known(kind, query, number_of(reader, url)))
    for kind, urls in INDEXES.items():
        entries = sorted(entries_of(reader, archive, urls))
        chosen = random.Random(seed).sample(entries, min(SAMPLE, len(entries)))
        made += [Known(kind, query, number_of(reader, url)) for query, url in chosen]
    missing = [known.query for known in made if not known.page]
    if missing:
        print(f"not crawled, left out: {', '.join(missing)}", file=sys.stderr)
    return [known for known in made if known.page]


def number_of(reader: StoreReader, url: str) -> int:
    """The number of a stored page; of a duplicate, that of the page with its content."""
    number = reader.number_of(key_hash(seen_key(url)))
    page = reader.page(number)
    if page is not None and page.kind == "duplicate":
        return reader.first_with(page.digest) or 0
    return number if page is not None and page.kind == "stored" else 0


def entries_of(reader: StoreReader, archive: Path, urls: list[str]) -> Iterator[tuple[str, str]]:
    """Entries of a site's index that have three words or more and lead to one page."""
    targets: dict[str, set[str]] = {}
    for url in urls:
        page = reader.page(number_of(reader, url))
        if page is None:
            continue
        body = (archive / f"{page.directory:05d}" / f"{page.number:05d}").read_bytes()
        for item in LexborHTMLParser(body).css("li, dt"):
            anchor = next((node for node in item.iter() if node.tag == "a"), None)
            href = anchor.attributes.get("href") if anchor is not None else None
            if anchor is None or not href:
                continue
            text = (item.text(deep=False) if item.tag == "dt" else anchor.text()) or ""
            words = re.findall(r"[\w.-]+", f"{above(item)} {text}")
            if len(words) >= 3 and "see" not in words:
                targets.setdefault(" ".join(words), set()).add(urldefrag(urljoin(url, href))[0])
    return ((text, next(iter(found))) for text, found in targets.items() if len(found) == 1)


def above(item: LexborNode) -> str:
    """The entry under which an entry of a definition list stands; "" where it stands under none."""
    outer = item.parent.parent if item.tag == "dt" and item.parent is not None else None
    term = outer.prev if outer is not None and outer.tag == "dd" else None
    while term is not None and term.tag != "dt":
        term = term.prev
    return (term.text(deep=False) or "") if term is not None else ""


class Ours:
    """spiderd's search."""

    def __init__(self, data_dir: Path) -> None:
        self.engine = Engine(data_dir)
        self.view: View = Opened(data_dir).view()

    def rank(self, known: Known, wanted: set[int]) -> int | None:
        """The place of the first page that is as good as the wanted one, from 1."""
        view = self.view
        clauses = parse(known.query).clauses
        found = find(view, Matcher(view.schema, view.languages, view.frequency), clauses)
        for place, (_, address) in enumerate(found[:DEPTH], 1):
            if view.column("number", [address])[0] in wanted:
                return place
        return None

    def answer(self, query: str) -> None:
        """The whole answer, as the API gives it."""
        self.engine.search(query)


class Fts5:
    """SQLite's full text search."""

    def __init__(self, pages: list[tuple[int, str, str]]) -> None:
        self.base = sqlite3.connect(":memory:")
        self.base.execute("CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize='porter unicode61')")
        self.base.execute("CREATE VIRTUAL TABLE threes USING fts5(title, body, tokenize='trigram')")
        for table in ("words", "threes"):
            self.base.executemany(f"INSERT INTO {table}(rowid, title, body) VALUES (?, ?, ?)", pages)

    def top(self, query: str) -> list[int]:
        """Numbers of the best pages."""
        words = re.findall(r"[\w.-]+", query)
        if query.isascii() or not re.search("[\u3041-\ud7a3]", query):
            match = " ".join('"' + word + '"' for word in words)
            where, values = "words MATCH ?", [match]
            table = "words"
        else:
            table = "threes"
            long = [word for word in words if len(word) > 2]
            short = [word for word in words if len(word) <= 2]
            where = " AND ".join(
                ["threes MATCH ?"] * bool(long) + ["(title LIKE ? OR body LIKE ?)"] * len(short)
            )
            values = [" ".join('"' + word + '"' for word in long)] * bool(long)
            values += [f"%{word}%" for word in short for _ in range(2)]
        order = f"bm25({table}, 5.0, 1.0)" if "MATCH" in where else "rowid"
        sql = f"SELECT rowid FROM {table} WHERE {where} ORDER BY {order} LIMIT {DEPTH}"
        return [row[0] for row in self.base.execute(sql, values)]


def contents(view: View) -> tuple[list[tuple[int, str, str]], dict[int, int]]:
    """All pages of the index as number, title and text, and the fingerprint of each."""
    hits = view.searcher.search(Query.term_query(view.schema, "site", EVERY), limit=10**6, count=False).hits
    addresses = [address for _, address in hits]
    numbers = view.column("number", addresses)
    kept = [view.kept(address) for address in addresses]
    pages = [
        (number, each.title, f"{each.body}\n{each.rest}") for number, each in zip(numbers, kept, strict=True)
    ]
    return pages, dict(zip(numbers, view.column("print", addresses), strict=True))


def as_good(number: int, prints: dict[int, int]) -> set[int]:
    """Pages whose text is that of a page, or nearly."""
    mark = prints[number]
    return {other for other, theirs in prints.items() if (mark ^ theirs).bit_count() <= NEAR}


def report(name: str, ranks: list[tuple[str, int | None]], times: list[float]) -> None:
    """Print one line a kind of query, and all together."""
    kinds = dict.fromkeys(kind for kind, _ in ranks)
    for kind in [*kinds, "all"]:
        mine = [rank for other, rank in ranks if kind in (other, "all")]
        first = sum(rank == 1 for rank in mine) / len(mine)
        ten = sum(rank is not None for rank in mine) / len(mine)
        mrr = sum(1 / rank for rank in mine if rank) / len(mine)
        print(f"{name:8} {kind:16} n={len(mine):3}  @1 {first:.3f}  @10 {ten:.3f}  MRR {mrr:.3f}")
    times = sorted(times)
    p50, p95 = statistics.median(times), times[int(0.95 * len(times))]
    print(f"{name:8} latency p50 {p50 * 1e3:.1f} ms, p95 {p95 * 1e3:.1f} ms, max {times[-1] * 1e3:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="which entries of the indexes are drawn")
    parser.add_argument("--verbose", action="store_true", help="show what was not found first")
    parser.add_argument("--no-fts", action="store_true", help="leave SQLite out")
    parser.add_argument("--during", default="", metavar="COMMAND", help="measure latency while this runs")
    options = parser.parse_args()
    with StoreReader(options.data_dir / "store") as reader:
        known = queries(reader, options.data_dir / "pages", options.seed)
    ours = Ours(options.data_dir)
    pages, prints = contents(ours.view)
    wanted = {each.page: as_good(each.page, prints) for each in known if each.page in prints}
    known = [each for each in known if each.page in wanted]
    print(f"{len(pages)} pages, {len(known)} queries")

    ranks, times = [], []
    for each in known:
        rank = ours.rank(each, wanted[each.page])
        ranks.append((each.kind, rank))
        if options.verbose and rank != 1:
            print(f"  {rank or '-':>2}  {each.kind}: {each.query}")
    with subprocess.Popen(shlex.split(options.during or "true"), stdout=DEVNULL, stderr=DEVNULL) as other:
        while not times or (options.during and other.poll() is None):
            for each in known:
                began = time.perf_counter()
                ours.answer(each.query)
                times.append(time.perf_counter() - began)
    report("spiderd", ranks, times)
    if options.no_fts:
        return
    fts = Fts5(pages)
    ranks, times = [], []
    for each in known:
        began = time.perf_counter()
        top = fts.top(each.query)
        times.append(time.perf_counter() - began)
        good = (place for place, number in enumerate(top, 1) if number in wanted[each.page])
        ranks.append((each.kind, next(good, None)))
    report("FTS5", ranks, times)


if __name__ == "__main__":
    main()
