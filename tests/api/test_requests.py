"""Query values and bodies: what is taken, what is refused, and how the refusal names it."""

from __future__ import annotations

import pytest

from spiderd.api.crawl import ListQuery
from tests.api.serving import client, served


@pytest.mark.trio
@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("", ListQuery()),
        ("?limit=9999", ListQuery(limit=500)),
        ("?limit=0", ListQuery(limit=0)),
        (
            "?limit=7&offset=3&sort=pages&desc=1&filter=a%20b",
            ListQuery(limit=7, offset=3, sort="pages", desc=True, filter="a b"),
        ),
    ],
)
async def test_what_is_asked_reaches_the_crawl(sock_path, query, asked):
    async with served(sock_path) as crawl, client(sock_path) as http:
        assert (await http.get(f"/v1/workers{query}")).status_code == 200
    assert crawl.asked == [asked]


@pytest.mark.trio
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/workers?limit=many", "limit: "),
        ("/v1/workers?limit=-1", "limit: "),
        ("/v1/workers?limit=99999999999999999999999999", "limit: "),
        ("/v1/workers?offset=1.5", "offset: "),
        ("/v1/workers?desc=perhaps", "desc: "),
        ("/v1/workers?sort=colour", "sort: "),
        ("/v1/workers?limt=5", "`limt`"),
        ("/v1/events?since=-5", "since: "),
        ("/v1/events?wait=nan", "wait: "),
        ("/v1/events?wait=-1", "wait: "),
        ("/v1/events?level=loud", "level: "),
        ("/v1/events/stream?since=x", "since: "),
        ("/v1/why", "`url`"),
        ("/v1/why?url=", "url: "),
        ("/v1/status?verbose=1", "`verbose`"),
        ("/metrics?x=1", "`x`"),
    ],
)
async def test_a_wrong_value_is_refused_by_name(sock_path, path, field):
    async with served(sock_path), client(sock_path) as http:
        answer = await http.get(path)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "bad_value"
    assert field in answer.json()["error"]["message"]


@pytest.mark.trio
@pytest.mark.parametrize(
    ("body", "status", "code", "text"),
    [
        (b"", 400, "bad_json", "not JSON"),
        (b"{", 400, "bad_json", "not JSON"),
        (b'{"urls": ["\xff"]}', 400, "bad_json", "not JSON"),
        (b"[" * 100_000, 400, "bad_json", "not JSON"),
        (b"{}", 422, "bad_value", "`urls`"),
        (b"[]", 422, "bad_value", "Expected `object`"),
        (b'{"urls": "http://a/"}', 422, "bad_value", "urls: Expected `array`"),
        (b'{"urls": ["http://a/", 7]}', 422, "bad_value", "urls[1]: Expected `str`"),
    ],
)
async def test_a_wrong_body_is_refused_by_name(sock_path, body, status, code, text):
    async with served(sock_path) as crawl, client(sock_path) as http:
        answer = await http.post("/v1/add", content=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert text in error["message"]
    assert len(crawl.urls) == 1


@pytest.mark.trio
async def test_checking_changes_nothing_and_adding_twice_adds_once(sock_path):
    body = {"urls": ["http://example.test/new"]}
    async with served(sock_path) as crawl, client(sock_path) as http:
        assert (await http.post("/v1/check", json=body)).json()["new"] == 1
        assert len(crawl.urls) == 1
        assert (await http.post("/v1/add", json=body)).json()["new"] == 1
        again = (await http.post("/v1/add", json=body)).json()
    assert (again["new"], again["known"]) == (0, 1)


@pytest.mark.trio
async def test_text_that_is_no_unicode_does_not_break_an_answer(sock_path):
    async with served(sock_path) as crawl, client(sock_path) as http:
        crawl.log.add("info", "stored", "caf\udce9", url="http://example.test/")
        assert (await http.get("/v1/events")).json()["rows"][0]["message"] == "caf\ufffd"


@pytest.mark.trio
async def test_head_is_answered_without_a_body(sock_path):
    async with served(sock_path), client(sock_path) as http:
        for path in ("/v1/", "/v1/status", "/v1/events/stream"):
            answer = await http.head(path)
            assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.trio
async def test_a_failure_of_the_daemon_is_logged_and_its_details_are_not_told(sock_path, caplog):
    async with served(sock_path), client(sock_path) as http:
        answer = await http.get("/v1/errors?filter=bug")
        assert (await http.get("/v1/")).status_code == 200
    assert "ZeroDivisionError" not in answer.text
    assert "failed to answer GET /v1/errors" in caplog.text
    assert "ZeroDivisionError" in caplog.text
