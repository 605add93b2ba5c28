"""Whether a crawl has stored what it should: every page once, byte for byte, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.truth import Bed
from spiderd.archive.directory import INDEX, directory_path, resource_name
from spiderd.archive.reading import read_body
from spiderd.archive.records import OFFSET_BYTES, OFFSETS, RECORDS, offset_of
from spiderd.states import OutcomeKind
from spiderd.store.environment import Environment
from spiderd.store.records import PageRecord, decode


@dataclass(slots=True)
class Verdict:
    """What is wrong with a crawl; nothing where all lists are empty."""

    truth: int = 0
    pages: int = 0  # of the truth: stored, or known to be the same as one that is
    duplicates: int = 0  # of these: the same content under another URL, stored once
    unserved: list[str] = field(default_factory=list)  # in the truth, but the server has no such page
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)  # not the bytes of the server's file
    untidy: list[str] = field(default_factory=list)  # index, files and store do not say the same
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """Whether everything is as it should be."""
        return not (self.missing or self.extra or self.twice or self.different or self.untidy)

    def complaints(self, most: int) -> Iterator[str]:
        """Lines for people, a few of each kind."""
        for name in ("unserved", "missing", "extra", "twice", "different", "untidy"):
            entries: list[str] = getattr(self, name)
            for entry in entries[:most]:
                yield f"{name}: {entry}"
            if len(entries) > most:
                yield f"{name}: and {len(entries) - most} more"


def page_records(data_dir: Path) -> list[PageRecord]:
    """Every row of the page table. The daemon must have ended."""
    with Environment(data_dir / "store") as environment:
        transaction = environment.begin(write=False)
        try:
            with transaction.cursor(db=environment.tables["pages"]) as cursor:
                return [decode(PageRecord, bytes(row)) for _, row in cursor]
        finally:
            transaction.abort()


def examine(data_dir: Path, bed: Bed, workload: str) -> Verdict:
    """Hold the store, the index files and the resources of a crawl against the truth and each other."""
    root = data_dir / "pages"
    records = page_records(data_dir)
    truth = bed.truth(workload)
    verdict = Verdict(truth=len(truth), statuses=Counter(record.status for record in records))
    kept = [record for record in records if record.kind in (OutcomeKind.STORED, OutcomeKind.DUPLICATE)]
    stored = [record for record in kept if record.kind is OutcomeKind.STORED]
    verdict.twice = _repeated(record.url for record in kept) + _repeated_contents(stored)
    by_url = {record.url: record for record in kept}
    place = {record.digest: record for record in stored}
    _compare_pages(verdict, truth, by_url, place, bed, root)
    verdict.untidy = [*_check_directories(root, stored)]
    return verdict


def _body(root: Path, record: PageRecord) -> bytes | None:
    """The body as it is kept, file or record; None where it cannot be read."""
    try:
        return read_body(root, record.directory, record.number)
    except OSError:
        return None


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _repeated_contents(stored: list[PageRecord]) -> list[str]:
    counts = Counter(record.digest for record in stored)
    return [f"content of {record.url}" for record in stored if counts[record.digest] > 1]


def _compare_pages(
    verdict: Verdict,
    truth: list[str],
    by_url: dict[str, PageRecord],
    place: dict[bytes, PageRecord],
    bed: Bed,
    root: Path,
) -> None:
    for url in truth:
        record = by_url.get(url)
        if record is None:
            (verdict.missing if bed.is_served(url) else verdict.unserved).append(url)
            continue
        verdict.pages += 1
        verdict.duplicates += record.kind is OutcomeKind.DUPLICATE
        kept = place.get(record.digest)
        if kept is None:
            verdict.different.append(f"{url} is nowhere")
        elif _body(root, kept) != bed.file(url).read_bytes():
            where = directory_path(root, kept.directory) / resource_name(kept.number)
            verdict.different.append(f"{url} in {where}")
    verdict.extra = sorted(by_url.keys() - set(truth))


def _check_directories(root: Path, stored: list[PageRecord]) -> Iterator[str]:
    """Yield what the index files, the resources beside them and the store say differently."""
    expected = {(record.directory, record.number): record.url for record in stored}
    for folder in sorted(root.glob("*")):
        lines = (folder / INDEX).read_text().splitlines()
        names = sorted([*_files(folder), *_records(folder)])
        if names != [resource_name(number + 1) for number in range(len(lines))]:
            yield f"{folder}: {len(names)} resources beside an index of {len(lines)} lines"
        for number, line in enumerate(lines, 1):
            url = expected.pop((int(folder.name), number), None)
            if line != f"{resource_name(number)}:{url}":
                yield f"{folder}, line {number} of its index: {line}, in the store: {url}"
    for (directory, number), url in expected.items():
        yield f"directory {directory} has no resource {number} for {url}"


def _files(folder: Path) -> Iterator[str]:
    """Yield the names of the resources that are files, and whatever else lies there."""
    for entry in folder.iterdir():
        if entry.name not in (INDEX, RECORDS, OFFSETS):
            yield entry.name


def _records(folder: Path) -> Iterator[str]:
    """Yield the names of the resources that are records."""
    offsets = folder / OFFSETS
    count = offsets.stat().st_size // OFFSET_BYTES if offsets.exists() else 0
    yield from (resource_name(number) for number in range(1, count + 1) if offset_of(folder, number))
