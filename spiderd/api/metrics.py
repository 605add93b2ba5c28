"""Prometheus text of the counters, format 0.0.4.

Made by hand: the format is three kinds of lines, and a library would keep a second copy of counters that the
store already holds (with a registry, locks and 30 ms of import).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from starlette.responses import Response

from spiderd.api.crawl import Crawl
from spiderd.api.vitals import Vitals
from spiderd.histogram import BOUNDS, Histogram
from spiderd.protocol import Snapshot
from spiderd.states import CrawlState, Queue, Step

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Kind = Literal["counter", "gauge", "histogram"]
Labels = tuple[tuple[str, str], ...]
Sample = tuple[Mapping[str, str], float]


async def metrics_reply(crawl: Crawl) -> Response:
    """Answer with the metrics as they are now."""
    vitals = await crawl.vitals()
    return Response(exposition(crawl.snapshot(), vitals), headers={"content-type": CONTENT_TYPE})


def exposition(snapshot: Snapshot, vitals: Vitals) -> str:
    """Write the metrics of a crawl, and of the daemon that runs it."""
    crawl = [*_identity(snapshot), *_totals(snapshot), *_labelled(snapshot), *_now(snapshot)]
    return "".join([*crawl, *_times(vitals), *_store(vitals), *_processes(vitals)])


def _identity(snapshot: Snapshot) -> Iterable[str]:
    hello = snapshot.hello
    labels = {"version": hello.version, "crawl": hello.crawl}
    yield _family("spiderd_info", "gauge", "Which daemon this is.", [(labels, 1)])
    yield _plain("spiderd_start_time_seconds", "gauge", "When the daemon started, unix time.", hello.started)


def _totals(snapshot: Snapshot) -> Iterable[str]:
    counters = snapshot.counters
    yield _plain("spiderd_pages_total", "counter", "Pages stored.", counters.pages)
    yield _plain("spiderd_duplicates_total", "counter", "Pages whose content was there.", counters.duplicates)
    yield _plain("spiderd_redirects_total", "counter", "Redirects.", counters.redirects)
    yield _plain("spiderd_skipped_total", "counter", "Answers that were not to be stored.", counters.skipped)
    yield _plain("spiderd_retries_total", "counter", "Tries after the first.", counters.retries)
    yield _plain("spiderd_stored_bytes_total", "counter", "Bytes stored.", counters.bytes)
    yield _plain("spiderd_received_bytes_total", "counter", "Bytes received.", counters.bytes_received)
    yield _plain("spiderd_links_total", "counter", "Links found on pages.", counters.links)
    yield _plain("spiderd_revisits_total", "counter", "Later visits of pages.", counters.revisits)
    yield _plain("spiderd_changes_total", "counter", "Of these, those with news.", counters.changes)
    yield _plain("spiderd_gone_total", "counter", "Pages that are not there any more.", counters.gone)


def _labelled(snapshot: Snapshot) -> Iterable[str]:
    counters = snapshot.counters
    yield _by("spiderd_answers_total", "counter", "Answers by HTTP status.", "status", counters.statuses)
    yield _by("spiderd_urls_failed", "gauge", "URLs whose last try failed.", "failure", counters.failures)
    yield _by("spiderd_links_refused_total", "counter", "Links not followed.", "reason", counters.refused)


def _now(snapshot: Snapshot) -> Iterable[str]:
    counters = snapshot.counters
    queues = {queue.value: getattr(counters, queue.value) for queue in Queue}
    steps = Counter({step.value: 0 for step in Step})
    steps.update(row.step for row in snapshot.workers)
    states = {state.value: float(state == snapshot.state) for state in CrawlState}
    yield _by("spiderd_urls", "gauge", "URLs by queue.", "queue", queues)
    yield _plain("spiderd_urls_parked", "gauge", "Of the waiting, those set aside.", counters.parked)
    yield _plain("spiderd_hosts", "gauge", "Hosts known.", counters.hosts)
    yield _by("spiderd_workers", "gauge", "Workers by what they do.", "step", steps)
    yield _by("spiderd_state", "gauge", "1 for the state that the crawl is in.", "state", states)
    yield _plain("spiderd_pages_per_second", "gauge", "Over the last 10 s.", snapshot.rates.pages)
    yield _plain("spiderd_bytes_per_second", "gauge", "Over the last 10 s.", snapshot.rates.bytes)
    if snapshot.revisits is not None and snapshot.revisits.on:
        again = snapshot.revisits
        yield _plain("spiderd_revisits_scheduled", "gauge", "Pages with a next visit.", again.scheduled)
        yield _plain("spiderd_revisits_due", "gauge", "Pages whose time has come.", again.due)
        yield _plain("spiderd_revisits_overdue", "gauge", "Of these, those long due.", again.overdue)
    if snapshot.index is not None:
        index = snapshot.index
        yield _plain("spiderd_index_behind", "gauge", "Pages not in the index.", index.pages - index.indexed)
        yield _plain("spiderd_index_documents", "gauge", "Pages that can be found.", index.documents)
        yield _plain("spiderd_index_bytes", "gauge", "Size of the search index.", index.bytes)


def _times(vitals: Vitals) -> Iterable[str]:
    fetches = [
        ({"outcome": outcome, "failure": failure}, count)
        for (outcome, failure), count in sorted(vitals.fetches.items())
    ]
    yield _family("spiderd_fetches_total", "counter", "Leases by how they ended, since the start.", fetches)
    phases: dict[Labels, Histogram] = {(("phase", name),): one for name, one in vitals.phases.items()}
    yield _histograms("spiderd_fetch_phase_seconds", "Time of a fetch, by phase.", phases)
    yield _histograms("spiderd_store_commit_seconds", "Time of a commit.", {(): vitals.commits})


def _store(vitals: Vitals) -> Iterable[str]:
    behind = "Commits since the oldest snapshot that somebody reads."
    yield _plain("spiderd_store_bytes", "gauge", "Size of the store.", vitals.store_bytes)
    yield _plain("spiderd_store_readers", "gauge", "Snapshots of the store that are open.", vitals.readers)
    yield _plain("spiderd_store_oldest_reader_commits", "gauge", behind, vitals.reader_lag)
    yield _plain("spiderd_hosts_in_memory", "gauge", "Hosts that have work, as far as read.", vitals.hosts)


def _processes(vitals: Vitals) -> Iterable[str]:
    labelled = [({"process": one.role, "pid": str(one.pid)}, one) for one in vitals.processes]
    memory = [(labels, one.resident) for labels, one in labelled]
    seconds = [(labels, one.cpu) for labels, one in labelled]
    yield _family("spiderd_process_resident_bytes", "gauge", "Memory by process.", memory)
    yield _family("spiderd_process_cpu_seconds_total", "counter", "Processor time by process.", seconds)


def _histograms(name: str, text: str, histograms: Mapping[Labels, Histogram]) -> str:
    lines = [f"# HELP {name} {text}\n", f"# TYPE {name} histogram\n"]
    for pairs, histogram in histograms.items():
        counts, total, labels = histogram.counts, histogram.total, dict(pairs)
        below = 0
        for bound, count in zip((*map(repr, BOUNDS), "+Inf"), counts, strict=True):
            below += count
            lines.append(f"{name}_bucket{_labels({**labels, 'le': bound})} {below}\n")
        lines.append(f"{name}_sum{_labels(labels)} {_number(total)}\n")
        lines.append(f"{name}_count{_labels(labels)} {below}\n")
    return "".join(lines)


def _plain(name: str, kind: Kind, text: str, value: float) -> str:
    return _family(name, kind, text, [({}, value)])


def _by(name: str, kind: Kind, text: str, label: str, values: Mapping[str, float]) -> str:
    return _family(name, kind, text, [({label: key}, value) for key, value in sorted(values.items())])


def _family(name: str, kind: Kind, text: str, samples: Iterable[Sample]) -> str:
    lines = [f"# HELP {name} {text}\n", f"# TYPE {name} {kind}\n"]
    lines += [f"{name}{_labels(labels)} {_number(value)}\n" for labels, value in samples]
    return "".join(lines)


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items()) + "}"


def _escape(value: str) -> str:
    text = value.encode(errors="replace").decode()  # half a surrogate pair cannot be sent
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))
