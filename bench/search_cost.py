"""What the search costs: how much it slows a crawl, how fast the index is built, how large it is.

    python -m bench.search_cost mix5k --bench DIR [--work DIR] [--rounds N] [--set KEY=VALUE ...]

Crawls a workload of the bed with search on and off in turn, start-up and end included, and gives the medians
and their ratio. Then the archive of the last crawl is indexed by itself, on a machine that does nothing else,
and ranked.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

from tantivy import Query

from bench.bed import Options, add_bed_options, crawl, run_failed
from bench.truth import Bed
from spiderd.config.declaration import Urls
from spiderd.search.exchange import Task
from spiderd.search.indexer import Bell, Indexer
from spiderd.search.linkage import update
from spiderd.search.opened import Opened
from spiderd.search.places import Places
from spiderd.search.schema import EVERY, VERSION
from spiderd.store.reader import StoreReader
from spiderd.urls import key_hash, seen_key

MIB = 1024 * 1024


def compare(bed: Bed, workload: str, rounds: int, settings: tuple[str, ...]) -> Path:
    """Crawl with and without; the data directory of the last crawl with."""
    walls: dict[str, list[float]] = {"false": [], "true": []}
    last = Path()
    for _ in range(rounds):
        for enabled, times in walls.items():
            options = Options(settings=(*settings, f"search.enabled={enabled}"))
            row, verdict = crawl(bed, workload, options)
            if run_failed(row) or not verdict.complete:
                raise SystemExit(f"the crawl in {row['folder']} is not what it should be")
            times.append(row["wall"])
            last = Path(row["folder"])
            known = Opened(last / "data").view().searcher.num_docs - 1 if enabled == "true" else 0
            print(
                f"search {enabled:5}  {row['wall']:6.2f} s  {row['pps']:5.0f} pages/s  CPU {row['cpu']:.2f} s"
                f"  peak {row['rss_mb']:.0f} MiB  {known} indexed at the end"
            )
    off, on = (statistics.median(times) for times in walls.values())
    print(f"median off {off:.2f} s, on {on:.2f} s: {100 * (on / off - 1):+.1f} %")
    return last / "data"


def build(data_dir: Path) -> None:
    """Index an archive from the beginning, in this process."""
    began, cpu = time.perf_counter(), time.process_time()
    Indexer(Task(str(data_dir), Urls(), rebuild=True, follow=False), Bell(), lambda _: None).run()
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    view = Opened(data_dir).view()
    hits = view.searcher.search(Query.term_query(view.schema, "site", EVERY), limit=10**6, count=False).hits
    texts = [view.kept(address) for _, address in hits]
    text = sum(len(kept.body.encode()) + len(kept.rest.encode()) for kept in texts)
    index = sum(
        file.stat().st_size for file in (Places(data_dir).current("words", VERSION) or data_dir).iterdir()
    )
    print(
        f"{len(texts)} documents in {wall:.1f} s ({cpu:.1f} s of CPU): {len(texts) / wall:.0f} a second, "
        f"{1e6 * cpu / len(texts):.0f} us of CPU each"
    )
    print(f"{text / MIB:.1f} MiB of text, {index / MIB:.1f} MiB of index: {index / text:.2f} bytes a byte")
    began = time.perf_counter()
    with StoreReader(data_dir / "store") as reader:
        links = update(Places(data_dir), reader, lambda url: key_hash(seen_key(url)), lambda *_: None)
    print(f"{links} links ranked, their texts indexed, in {time.perf_counter() - began:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workload")
    add_bed_options(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="handed to spiderd")
    options = parser.parse_args()
    bed = Bed(options.bench, options.work)
    if options.workload not in bed.workloads:
        sys.exit(f"There is no workload {options.workload}; there are: {', '.join(bed.workloads)}.")
    build(compare(bed, options.workload, options.rounds, tuple(options.set)))


if __name__ == "__main__":
    main()
