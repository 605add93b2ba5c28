"""The Prometheus text (format 0.0.4), read back by Prometheus' own client library."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import msgspec
import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from spiderd.api.metrics import CONTENT_TYPE, exposition
from spiderd.api.metrics_port import is_loopback, serve_port
from spiderd.api.vitals import ProcessVitals, Vitals
from spiderd.errors import CannotCreate
from spiderd.histogram import BOUNDS
from spiderd.phases import PHASES, Phases
from tests.api.sample import STARTED, SampleCrawl
from tests.api.serving import client, served

PACKAGING = Path(__file__).parents[2] / "packaging"


def parse(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Read samples; every family has one HELP and one TYPE before its samples, and no sample comes twice."""
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    names = set()
    for family in text_string_to_metric_families(text):
        assert family.name not in names
        names.add(family.name)
        assert family.documentation.endswith(".")
        assert family.type in {"counter", "gauge", "histogram"}
        for sample in family.samples:
            assert (family.type == "counter") == sample.name.endswith("_total")
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in samples
            samples[key] = sample.value
    assert len(samples) == sum(not line.startswith("#") for line in text.splitlines())
    return samples


def busy() -> Vitals:
    phases = Phases()
    for number, name in enumerate(PHASES, 1):
        phases.by_name()[name].observe(number / 100)
        phases.by_name()[name].observe(1000.0)
    vitals = Vitals(phases=phases.by_name(), fetches={("stored", ""): 5, ("failed", "dns_temporary"): 2})
    vitals.commits.observe(0.02)
    vitals.store_bytes, vitals.readers, vitals.reader_lag, vitals.hosts = 4096, 2, 17, 3
    vitals.processes = [ProcessVitals("daemon", 10, 1000, 1.5), ProcessVitals("fetcher", 11, 2000, 0.5)]
    return vitals


def test_every_counter_is_there_with_its_value():
    samples = parse(exposition(SampleCrawl().snapshot(), Vitals()))

    def value(name: str, **labels: str) -> float:
        return samples[name, frozenset(labels.items())]

    assert value("spiderd_pages_total") == 30
    assert value("spiderd_stored_bytes_total") == 123456
    assert value("spiderd_urls", queue="waiting") == 60
    assert value("spiderd_urls", queue="error") == 3
    assert value("spiderd_answers_total", status="404") == 3
    assert value("spiderd_urls_failed", failure="http_error") == 2
    assert value("spiderd_links_refused_total", reason="scope") == 40
    assert value("spiderd_workers", step="receiving") == 1
    assert value("spiderd_workers", step="parsing") == 0
    assert value("spiderd_state", state="running") == 1
    assert value("spiderd_state", state="paused") == 0
    assert value("spiderd_info", version="1.2.3", crawl="amber-fox") == 1
    assert value("spiderd_start_time_seconds") == STARTED
    assert value("spiderd_pages_per_second") == 1.5


def test_every_number_of_the_counters_is_exposed():
    snapshot = SampleCrawl().snapshot()
    fields = msgspec.structs.fields(type(snapshot.counters))
    marked = {field.name: 7000 + place for place, field in enumerate(fields) if field.type is int}
    snapshot.counters = msgspec.structs.replace(snapshot.counters, **marked)
    values = set(parse(exposition(snapshot, Vitals())).values())
    missing = {name for name, value in marked.items() if value not in values}
    assert missing == {"known"}, "which is the sum of the queues"


def test_hostile_labels_are_escaped():
    snapshot = SampleCrawl().snapshot()
    hostile = 'a"b\\c\nd} 1\n# TYPE x counter caf\u00e9'
    snapshot.counters.refused = {hostile: 1, "half \udce9": 2}
    samples = parse(exposition(snapshot, Vitals()))
    assert samples["spiderd_links_refused_total", frozenset({("reason", hostile)})] == 1
    assert samples["spiderd_links_refused_total", frozenset({("reason", "half ?")})] == 2


@pytest.mark.trio
async def test_metrics_are_served_in_their_own_type(sock_path):
    async with served(sock_path), client(sock_path) as http:
        answer = await http.get("/metrics")
    assert answer.headers["content-type"] == CONTENT_TYPE
    assert answer.text == exposition(SampleCrawl().snapshot(), Vitals())


def test_times_are_histograms_that_add_up():
    samples = parse(exposition(SampleCrawl().snapshot(), busy()))
    for number, phase in enumerate(PHASES, 1):
        name, labels = "spiderd_fetch_phase_seconds", {"phase": phase}
        below = [
            samples[f"{name}_bucket", frozenset({**labels, "le": repr(bound)}.items())] for bound in BOUNDS
        ]
        assert below == [float(number / 100 <= bound) for bound in BOUNDS]
        assert samples[f"{name}_bucket", frozenset({**labels, "le": "+Inf"}.items())] == 2
        assert samples[f"{name}_count", frozenset(labels.items())] == 2
        assert samples[f"{name}_sum", frozenset(labels.items())] == pytest.approx(1000 + number / 100)
    assert samples["spiderd_store_commit_seconds_count", frozenset()] == 1


def test_the_vitals_are_told_with_their_labels():
    samples = parse(exposition(SampleCrawl().snapshot(), busy()))
    fetches = {("outcome", "failed"), ("failure", "dns_temporary")}
    assert samples["spiderd_fetches_total", frozenset(fetches)] == 2
    assert samples["spiderd_store_oldest_reader_commits", frozenset()] == 17
    assert samples["spiderd_hosts_in_memory", frozenset()] == 3
    fetcher = frozenset({("process", "fetcher"), ("pid", "11")})
    assert samples["spiderd_process_resident_bytes", fetcher] == 2000


@pytest.mark.trio
async def test_the_port_knows_metrics_and_nothing_else():
    async with trio.open_nursery() as nursery, httpx.AsyncClient() as http:
        listeners = await nursery.start(serve_port, SampleCrawl(), "127.0.0.1:0")
        port = listeners[0].socket.getsockname()[1]
        assert listeners[0].socket.getsockname()[0] == "127.0.0.1"
        there = f"http://127.0.0.1:{port}"
        answer = await http.get(f"{there}/metrics")
        assert (answer.status_code, answer.headers["content-type"]) == (200, CONTENT_TYPE)
        assert parse(answer.text)
        assert (await http.get(f"{there}/v1/status")).status_code == 404
        assert (await http.post(f"{there}/v1/stop")).status_code == 404
        assert (await http.post(f"{there}/metrics")).status_code == 405
        rebound = await http.get(f"{there}/metrics", headers={"host": f"evil.example:{port}"})
        assert rebound.status_code == 403
        with pytest.raises(CannotCreate, match="cannot listen at"):
            await serve_port(SampleCrawl(), f"127.0.0.1:{port}", task_status=trio.TASK_STATUS_IGNORED)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("host", "so"),
    [
        ("localhost:9105", True),
        ("127.0.0.1", True),
        ("[::1]:9105", True),
        ("[::1]", True),
        ("evil.example", False),
        ("localhost.evil.example:80", False),
        ("10.0.0.1:9105", False),
        ("", False),
    ],
)
def test_names_of_loopback(host, so):
    assert is_loopback(host) is so


def families():
    text = exposition(SampleCrawl().snapshot(), busy())
    names = set()
    for family in text_string_to_metric_families(text):
        names |= {sample.name for sample in family.samples}
    return names


EXAMPLES = sorted([*PACKAGING.rglob("*.json"), *PACKAGING.rglob("*.yml")])


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_dashboard_and_alerts_name_metrics_that_there_are(file):
    named = set(re.findall(r"\bspiderd_[a-z_]+\b", file.read_text()))
    assert len(named) > 5
    assert named <= families()


def test_the_dashboard_is_one():
    dashboard = json.loads((PACKAGING / "grafana" / "spiderd.json").read_text())
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 5
    for panel in panels:
        assert panel["title"]
        assert all(target["expr"] for target in panel["targets"])
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places)
