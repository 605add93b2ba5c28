"""What keeping pages costs: microseconds of CPU a page, as a file each and as a record each.

    python -m bench.archive FOLDER --to FOLDER [--pages N] [--rounds N]

The pages are taken evenly from a folder (see bench.parse) and stored as a fetcher's thread stores them, each
round in a new download directory below `--to`, which is not deleted: deleting makes ext4 slow (bench.bed).
Most of what a file costs is the kernel's. The best round counts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.parse import pages_in
from spiderd.archive.directory import Directory
from spiderd.archive.warc import Received

HEAD = b'HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html\r\nConnection: keep-alive\r\nETag: "1"'
REQUEST = b"GET /page.html HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: spiderd\r\nAccept: text/html\r\n\r\n"


def cost(root: Path, number: int, pages: dict[str, bytes], *, warc: bool) -> float:
    """Microseconds of CPU a page; a directory's opening and closing are not counted."""
    directory = Directory(root, number, warc=warc)
    received = [Received(url, 1.7e9, 200, HEAD, body, REQUEST) for url, body in pages.items()]
    began = time.process_time()
    for each in received:
        directory.store(each.url, each.body, each)
    took = time.process_time() - began
    directory.close()
    return took / len(pages) * 1e6


def main() -> None:
    """Measure both, round by round."""
    parser = argparse.ArgumentParser(prog="python -m bench.archive", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    pages = pages_in(given.folder, given.pages, 10 * 1024 * 1024)
    root = given.to / f"archive-{time.time_ns()}"
    took: dict[str, list[float]] = {"file": [], "record": []}
    for number in range(given.rounds):
        took["file"].append(cost(root, 2 * number + 1, pages, warc=False))
        took["record"].append(cost(root, 2 * number + 2, pages, warc=True))
    print(f"{len(pages)} pages of {sum(map(len, pages.values())) / len(pages) / 1024:.1f} KiB")
    for name, rounds in took.items():
        print(f"{name:8} {min(rounds):8.1f} us a page")


if __name__ == "__main__":
    main()
