"""The runs that the table of aims is made of, by name: what is crawled, by whom, and how.

Each is called with the bed and gives the figures of one run. A new one is an entry of RUNS; what is made of
it, a line of bench.aims.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import doors, peers, waiting
from bench.bed import Options, crawl
from bench.resting import resting
from bench.truth import Bed, Door

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """Where, and with what for all runs."""

    bed: Bed
    threads: int = 32  # and connections, for all that have several
    timeout: float = 400.0

    def behind(self, door: Door) -> Bed:
        """The bed behind a door."""
        return Bed(self.bed.bench, self.bed.work, door)


Run = Callable[[Bench], Row]


def ours(workload: str, archive: str = "files") -> Run:
    """Spiderd, on a workload of the bed."""

    def run(bench: Bench) -> Row:
        options = Options(threads=bench.threads, archive=archive, timeout=bench.timeout)
        row, verdict = crawl(bench.bed, workload, options)
        return {**row, "complaints": [*verdict.complaints(3)]}

    return run


def peer(name: str, workload: str) -> Run:
    """Another crawler, by the bed's own runner."""
    return lambda bench: peers.by_runner(
        bench.bed, workload, name, threads=bench.threads, timeout=bench.timeout
    )


def ours_behind(door: Door, workload: str) -> Run:
    """Spiderd, behind a door; the authority is trusted by the environment, as OpenSSL has it."""

    def run(bench: Bench) -> Row:
        env = (("SSL_CERT_FILE", str(doors.authority(bench.bed).with_name(doors.BUNDLE))),)
        with doors.opened(bench.bed):
            options = Options(threads=bench.threads, timeout=bench.timeout, env=env)
            row, verdict = crawl(bench.behind(door), workload, options)
        return {**row, "complaints": [*verdict.complaints(3)]}

    return run


def wget_over_tls(bench: Bench) -> Row:
    """GNU wget on mix5k over TLS."""
    bed = bench.behind(doors.TLS)
    command = peers.wget(bed, "mix5k", f"--ca-certificate={doors.authority(bed)}")
    with doors.opened(bench.bed):
        return peers.mirrored(bed, "mix5k", "wget", command, timeout=bench.timeout)


def wget2_compressed(bench: Bench) -> Row:
    """GNU wget2 on mix5k with gzip."""
    bed = bench.behind(doors.GZIP)
    command = peers.wget2(bed, "mix5k", bench.threads, "--compression=gzip")
    with doors.opened(bench.bed):
        return peers.mirrored(bed, "mix5k", "wget2", command, timeout=bench.timeout)


def knowing(store: str) -> Run:
    """Spiderd, on top of a store that bench.big has filled."""

    def run(bench: Bench) -> Row:
        folder = bench.bed.work / "big" / store / "store"
        if not folder.exists():
            return {"skipped": f"python -m bench.big fill ... --to WORK/big/{store} comes first"}
        options = Options(threads=bench.threads, timeout=bench.timeout, store=folder)
        row, verdict = crawl(bench.bed, "mix5k", options)
        (Path(row["folder"]) / "data" / "store" / "data.mdb").unlink()  # gigabytes, and one inode
        return {**row, "complaints": [*verdict.complaints(3)]}

    return run


RUNS: dict[str, Run] = {
    "mix5k": ours("mix5k"),
    "mix5k wget": peer("wget", "mix5k"),
    "mix5k scrapy-jobdir": peer("scrapy-jobdir", "mix5k"),
    "mix5k warc": ours("mix5k", "warc"),
    "mix5k tls": ours_behind(doors.TLS, "mix5k"),
    "mix5k tls wget": wget_over_tls,
    "mix5k gzip": ours_behind(doors.GZIP, "mix5k"),
    "mix5k gzip wget2": wget2_compressed,
    "many40": ours("many40"),
    "many40 wget": peer("wget", "many40"),
    "docs20k": ours("docs20k"),
    "docs20k wget2": peer("wget2", "docs20k"),
    "late": lambda bench: waiting.late_host(bench.bed.work, Options(timeout=bench.timeout)),
    "polite": lambda bench: waiting.many_hosts(bench.bed.work, Options(timeout=bench.timeout)),
    "10k known": knowing("small"),
    "10M known": knowing("big"),
    "rest": lambda bench: resting(bench.bed.work),
}
ONCE = {"rest"}  # of a series: it takes half a minute, and its figures are medians or long already
