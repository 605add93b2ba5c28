"""The Prometheus text, read back by a small parser of the format (version 0.0.4)."""

from __future__ import annotations

import re

import msgspec
import pytest

from spiderd.api.metrics import CONTENT_TYPE, exposition
from tests.api.sample import STARTED, SampleCrawl
from tests.api.serving import client, served

LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)")
UNESCAPED = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}


def parse(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Read samples; every family has one HELP and one TYPE before its samples, and no sample comes twice."""
    assert text.endswith("\n")
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    kinds: dict[str, str] = {}
    helped = None
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert (name, kind in {"counter", "gauge"}, name in kinds) == (helped, True, False)
            kinds[name] = kind
        else:
            name, labels, value = read_sample(line)
            assert name == helped
            assert (kinds[name] == "counter") == name.endswith("_total")
            assert (name, labels) not in samples
            samples[name, labels] = value
    return samples


def read_sample(line: str) -> tuple[str, frozenset[tuple[str, str]], float]:
    found = SAMPLE.fullmatch(line)
    assert found, line
    name, labels, value = found.groups()
    pairs = LABEL.findall(labels or "")
    assert ",".join(f'{key}="{text}"' for key, text in pairs) == (labels or "")
    clean = ((key, re.sub(r'\\["\\n]', lambda part: UNESCAPED[part[0]], text)) for key, text in pairs)
    return name, frozenset(clean), float(value)


def test_every_counter_is_there_with_its_value():
    samples = parse(exposition(SampleCrawl().snapshot()))

    def value(name: str, **labels: str) -> float:
        return samples[name, frozenset(labels.items())]

    assert value("spiderd_pages_total") == 30
    assert value("spiderd_stored_bytes_total") == 123456
    assert value("spiderd_urls", queue="waiting") == 60
    assert value("spiderd_urls", queue="error") == 3
    assert value("spiderd_answers_total", status="404") == 3
    assert value("spiderd_failures_total", failure="http_error") == 2
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
    values = set(parse(exposition(snapshot)).values())
    missing = {name for name, value in marked.items() if value not in values}
    assert missing == {"known"}, "which is the sum of the queues"


def test_hostile_labels_are_escaped():
    snapshot = SampleCrawl().snapshot()
    hostile = 'a"b\\c\nd} 1\n# TYPE x counter\u2028caf\u00e9'
    snapshot.counters.refused = {hostile: 1, "half \udce9": 2}
    samples = parse(exposition(snapshot))
    assert samples["spiderd_links_refused_total", frozenset({("reason", hostile)})] == 1
    assert samples["spiderd_links_refused_total", frozenset({("reason", "half ?")})] == 2


@pytest.mark.trio
async def test_metrics_are_served_in_their_own_type(sock_path):
    async with served(sock_path), client(sock_path) as http:
        answer = await http.get("/metrics")
    assert answer.headers["content-type"] == CONTENT_TYPE
    assert answer.text == exposition(SampleCrawl().snapshot())
