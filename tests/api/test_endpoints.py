"""Each endpoint over a real socket, held against golden files: a change of these is a change of the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.api.sample import SHAPE, SampleCrawl
from tests.api.serving import client, served

GOLDEN = Path(__file__).parent / "golden"
THREE = ["http://example.test/new", "http://example.test/", "mailto:a@b"]


class Case(NamedTuple):
    name: str
    path: str
    method: str = "GET"
    status: int = 200
    body: Any = None


CASES = [
    Case("hello", "/v1/"),
    Case("status", "/v1/status"),
    Case("workers", "/v1/workers"),
    Case("directories", "/v1/directories?limit=2&offset=1&sort=count&desc=true"),
    Case("hosts", "/v1/hosts"),
    Case("host", "/v1/host?host=example.test"),
    Case("host_unknown", "/v1/host?host=elsewhere.test", status=422),
    Case("tree", "/v1/tree"),
    Case("tree_level", "/v1/tree?host=example.test&sort=found&limit=1"),
    Case("tree_badly", "/v1/tree?sort=size", status=422),
    Case("errors", "/v1/errors"),
    Case("events", "/v1/events?since=1"),
    Case("traps", "/v1/traps?limit=10"),
    Case("settings", "/v1/settings"),
    Case("reports", "/v1/reports"),
    Case("report", "/v1/report?kind=broken&limit=5"),
    Case("report_unknown", "/v1/report?kind=none", status=422),
    Case("why", "/v1/why?url=http://example.test/private"),
    Case("search", "/v1/search?q=example&limit=500"),
    Case("search_nothing", "/v1/search?q=%E6%A8%A3%22-&page=2"),
    Case("page", "/v1/page?id=7"),
    Case("links", "/v1/links?id=7"),
    Case("links_of_nothing", "/v1/links?id=8", status=422),
    Case("page_unknown", "/v1/page?url=http://example.test/none", status=422),
    Case("page_of_nothing", "/v1/page", status=422),
    Case("add", "/v1/add", "POST", body={"urls": THREE}),
    Case("check", "/v1/check", "POST", body={"urls": THREE[:1]}),
    Case("pause", "/v1/pause", "POST"),
    Case("resume", "/v1/resume", "POST"),
    Case("stop", "/v1/stop", "POST"),
    Case("visited", "/v1/visited", "POST", body={"urls": THREE}),
    Case("retry", "/v1/retry", "POST"),
    Case("retry_some", "/v1/retry", "POST", body={"urls": ["http://example.test/gone", THREE[0]]}),
    Case("revisit_url", "/v1/revisit", "POST", body={"what": "http://example.test/"}),
    Case("revisit_pattern", "/v1/revisit", "POST", body={"what": "example"}),
    Case("release_shape", "/v1/release", "POST", body={"what": SHAPE}),
    Case("release_host", "/v1/release", "POST", body={"what": "example.test"}),
    Case("release_nothing", "/v1/release", "POST", 422, body={"what": "elsewhere.test"}),
    Case("reload", "/v1/reload", "POST"),
    Case("set", "/v1/settings", "POST", body={"key": "crawl.threads", "value": 16}),
    Case("unset", "/v1/settings", "POST", body={"key": "crawl.threads"}),
    Case("set_unknown", "/v1/settings", "POST", 422, body={"key": "crawl.thread", "value": 16}),
    Case("set_badly", "/v1/settings", "POST", 422, body={"key": "crawl.threads", "value": {"a": 1}}),
    Case("reindex", "/v1/reindex", "POST"),
    Case("not_found", "/v1/nothing", status=404),
    Case("method_not_allowed", "/v1/pause", status=405),
    Case("bad_value", "/v1/hosts?limit=many", status=422),
    Case("storage_error", "/v1/errors?filter=broken+store", status=503),
    Case("internal", "/v1/errors?filter=bug", status=500),
]


def eventful(count: int = 3) -> SampleCrawl:
    crawl = SampleCrawl()
    for number in range(count):
        crawl.log.add(
            "info", "stored", f"page {number}", url=f"http://example.test/{number}", host="example.test"
        )
    return crawl


@pytest.mark.trio
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_answers_are_as_in_the_golden_files(sock_path, case):
    async with served(sock_path, eventful()), client(sock_path) as http:
        answer = await http.request(case.method, case.path, json=case.body)
    assert answer.status_code == case.status
    assert answer.headers["content-type"] == "application/json"
    assert json.dumps(answer.json(), indent=1, ensure_ascii=False) + "\n" == golden(case.name)


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.json").read_text()
