"""The forms that there are, and how one is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from spiderd.errors import StorageError
from spiderd.export.cdxj import write_cdxj
from spiderd.export.edges import write_links
from spiderd.export.job import Job, Progress
from spiderd.export.tables import write_csv, write_jsonl, write_urls
from spiderd.export.tianwang import write_tianwang
from spiderd.export.wacz import write_wacz
from spiderd.export.warc import write_warc
from spiderd.store.snapshot import Snapshot


class Kind(NamedTuple):
    """A form of export."""

    write: Callable[[Job], None]
    help: str
    binary: bool = False


KINDS = {
    "urls": Kind(write_urls, "URLs that were asked for, one a line"),
    "jsonl": Kind(write_jsonl, "what is known of each, a JSON object a line"),
    "csv": Kind(write_csv, "the same as CSV"),
    "links": Kind(write_links, "the link graph: source, target, kind, nofollow, anchor text; tabs between"),
    "warc": Kind(
        write_warc, "pages, duplicates and redirects as WARC 1.1, a gzip member a record", binary=True
    ),
    "wacz": Kind(write_wacz, "the same with index and list of pages in one file (WACZ 1.1.1)", binary=True),
    "cdxj": Kind(write_cdxj, "an index of the archive's own records, where it is kept as WARC"),
    "tianwang": Kind(write_tianwang, "pages in the raw format of Tianwang and TSE", binary=True),
    "tianwang-zip": Kind(
        partial(write_tianwang, packed=True), "the same, each page packed with zlib", binary=True
    ),
}


def export(data_dir: Path, kind: str, out: BinaryIO, progress: Progress = lambda *_: None) -> Job:
    """Write the pages that there are now; a daemon may go on meanwhile.

    Args:
        data_dir: the data directory.
        kind: a key of `KINDS`.
        out: where to.
        progress: told how far it is.

    Raises:
        StorageError: there is no store, or it cannot be read.
        OSError: `out` cannot be written.
    """
    store = data_dir / "store"
    if not (store / "data.mdb").is_file():
        raise StorageError(f"There is no store in {data_dir}: nothing was ever crawled into it.")
    with Snapshot(store) as snapshot:
        job = Job(snapshot, data_dir / "pages", out, progress)
        KINDS[kind].write(job)
    if job.missing:
        job.notes.append(f"{job.missing} bodies could not be read; spiderd verify tells which")
    return job
