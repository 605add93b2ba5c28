"""`cdxj`: an index of the records that the archive is kept as (`archive.format = "warc"`), for replay tools.

One line a response or revisit, sorted by bytes: the URL as a sort-friendly key (SURT), the time, and a JSON
object that says where the record lies, as pywb writes it. File names are relative to the folder of pages.
More lines than fit in memory are sorted in runs, which are merged at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from heapq import merge
from typing import BinaryIO

import msgspec

from spiderd.archive.directory import directory_path
from spiderd.archive.records import RECORDS, walk_records
from spiderd.archive.warc import SUFFIX
from spiderd.export.job import Job
from spiderd.export.surt import surt

RUN = 100_000  # lines that are sorted in memory, about 30 MB


def write_cdxj(job: Job) -> None:
    """Write the index of all directories that have records."""
    with sorted_lines(_lines(job)) as lines:
        job.out.writelines(lines)


@contextmanager
def sorted_lines(lines: Iterable[bytes]) -> Iterator[Iterator[bytes]]:
    """Sort lines by bytes, more than fit in memory; empty ones are left out."""
    with ExitStack() as files:
        runs: list[BinaryIO] = []
        run: list[bytes] = []
        for line in filter(None, lines):
            run.append(line)
            if len(run) >= RUN:
                runs.append(files.enter_context(_run(run)))
                run = []
        yield merge(*runs, sorted(run))


def _run(lines: list[bytes]) -> BinaryIO:
    file = tempfile.TemporaryFile()  # noqa: SIM115  # it is closed by whoever merges
    file.writelines(sorted(lines))
    file.seek(0)
    return file


def _lines(job: Job) -> Iterator[bytes]:
    directories = [(number, row.records_bytes) for number, row in job.snapshot.directories()]
    if not any(length for _, length in directories):
        job.notes.append("the archive has no records: it is not kept as WARC (archive.format)")
    for done, (number, length) in enumerate(directories):
        job.progress("directories", done, len(directories))
        folder = directory_path(job.archive, number)
        name = f"{folder.name}/{RECORDS}"
        try:
            for offset, size, data in walk_records(folder, length):
                yield cdxj_line(data, name, offset, size)
        except OSError:
            job.missing += 1


def cdxj_line(data: bytes, name: str, offset: int, size: int) -> bytes:
    """Return the line of a record; b"" where it is neither response nor revisit."""
    head, _, block = data.partition(SUFFIX)
    fields = dict(_field(line) for line in head.split(b"\r\n")[1:])
    kind, url = fields.get("warc-type"), fields.get("warc-target-uri", "")
    if kind not in ("response", "revisit"):
        return b""
    status, *answer = block.partition(SUFFIX)[0].split(b"\r\n")
    mime = dict(_field(line) for line in answer).get("content-type", "").partition(";")[0].strip()
    said = {
        "url": url,
        "mime": "warc/revisit" if kind == "revisit" else mime or "unk",
        "status": status.decode("latin-1")[9:12],
        "digest": fields.get("warc-payload-digest", "").rpartition(":")[2],
        "length": str(size),
        "offset": str(offset),
        "filename": name,
    }
    stamp = "".join(filter(str.isdigit, fields.get("warc-date", "")))
    return f"{surt(url)} {stamp} ".encode() + msgspec.json.encode(said) + b"\n"


def _field(line: bytes) -> tuple[str, str]:
    name, _, value = line.decode("utf-8", "replace").partition(":")
    return name.lower(), value.strip()
