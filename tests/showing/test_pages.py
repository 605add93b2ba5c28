"""What the pages say, without a browser and so without a script."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from xml.etree import ElementTree as ET

import httpx
import pytest
import trio

from tests.showing.served import HOSTILE, PAGES, serving

pytestmark = pytest.mark.trio


@pytest.fixture
async def client(crawled: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(crawled) as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        yield client


def targets(text: str, of: str) -> list[str]:
    """Where the links of a class lead."""
    return [href.replace("&amp;", "&") for href in re.findall(rf'<a class="{of}"[^>]* href="([^"]+)"', text)]


async def test_results_come_ten_a_page_and_all_of_them_once(client: httpx.AsyncClient) -> None:
    path, found, pages = "/search?q=zeppelin+site%3Aship.test", [], 0
    while path:
        answer = await client.get(path)
        assert answer.status_code == 200
        found += targets(answer.text, "open")
        pages += 1
        assert answer.text.count('value="zeppelin site:ship.test"') == 2  # the boxes above and below
        assert bool(targets(answer.text, "previous")) == (pages > 1)
        path = next(iter(targets(answer.text, "next")), "")
    assert pages == 3
    assert sorted(found) == sorted(f"http://ship.test/{n}" for n in range(PAGES))


async def test_words_are_marked(client: httpx.AsyncClient) -> None:
    text = (await client.get("/search?q=number7")).text
    assert "<mark>number7</mark>" in text
    assert text.count("<li>") == 1


async def test_filters_narrow_the_search_and_stay(client: httpx.AsyncClient) -> None:
    text = (await client.get("/search?q=zeppelin&lang=de")).text
    assert targets(text, "open") == ["http://schiff.test/"]
    assert text.count('<option value="de" selected>') == 2
    text = (await client.get("/search?q=zeppelin&site=other.test")).text
    assert targets(text, "open") == ["http://other.test/far"]
    assert "/search?q=zeppelin&amp;site=other.test" in text
    text = (await client.get("/search?q=zeppelin&lang=xx%22&site=a+b")).text
    assert "1 to 10 of " in text  # filters that make no sense are none


async def test_a_filter_holds_whatever_the_query_leaves_open(client: httpx.AsyncClient) -> None:
    for query in ('"zeppelin', '"is somewhere', "zeppelin OR", "OR zeppelin", "zeppelin -"):
        text = (await client.get("/search", params={"q": query, "site": "other.test"})).text
        assert targets(text, "open") == ["http://other.test/far"]


async def test_suggestions_keep_the_filters_apart(client: httpx.AsyncClient) -> None:
    text = (await client.get("/search?q=zepelin&lang=de")).text
    assert '<a href="/search?q=zeppelin&amp;lang=de">zeppelin</a>' in text


async def test_nothing_found_is_answered_kindly(client: httpx.AsyncClient) -> None:
    text = (await client.get("/search?q=zepelin")).text
    assert "Nothing that was crawled matches" in text
    assert 'This would match: <a href="/search?q=zeppelin">zeppelin</a>' in text
    for query in ("/search", "/search?q=", "/search?q=%20&lang=de"):
        assert "<h1>Search what was crawled</h1>" in (await client.get(query)).text


async def test_pages_beyond_the_last_and_odd_numbers(client: httpx.AsyncClient) -> None:
    for page in ("0", "-1", "x", "999999999999", "\u0663", "100"):
        answer = await client.get("/search", params={"q": "zeppelin", "page": page})
        assert answer.status_code == 200


async def test_hostile_titles_stay_text(client: httpx.AsyncClient) -> None:
    text = (await client.get("/search?q=balloon")).text
    assert "<script>document" not in text
    assert "<img src=x" not in text
    assert "&lt;script&gt;document.title" in text
    assert "\u202e" not in text
    assert text.count("<script") == 1  # ours
    (number,) = re.findall(r"/page\?id=(\d+)", text)
    kept = (await client.get(f"/page?id={number}")).text
    assert kept.count("<script") == 1
    assert "&lt;img src=x onerror=alert(1)&gt;" in kept


@pytest.mark.parametrize("query", [HOSTILE, '"><script>', "{{ 7*7 }}", "a" * 5000, "\x00\x1b[31m", "\ud83d"])
async def test_hostile_queries_stay_text(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(
        "/search", params={"q": query.encode("utf-8", "surrogatepass").decode("latin-1")}
    )
    assert answer.status_code == 200
    assert answer.text.count("<script") == 1
    assert "49" not in re.sub(r"\d\.\d+ s", "", answer.text)


async def test_the_cached_text_of_a_page(client: httpx.AsyncClient) -> None:
    text = (await client.get("/search?q=number7")).text
    kept = await client.get(targets(text, "cached")[0])
    assert '<h1 dir="auto">Ship 7</h1>' in kept.text
    assert "The zeppelin number7 flies." in kept.text
    assert "200 (stored)" in kept.text
    for wrong in ("", "?id=", "?id=0", "?id=x", "?id=99999", "?id=-1"):
        answer = await client.get(f"/page{wrong}")
        assert answer.status_code == 404
        assert "<h1>That cannot be shown</h1>" in answer.text


async def test_a_browser_can_add_it_as_a_search_engine(client: httpx.AsyncClient) -> None:
    home = (await client.get("/")).text
    assert 'rel="search" type="application/opensearchdescription+xml"' in home
    answer = await client.get("/opensearch.xml")
    assert answer.headers["content-type"].startswith("application/opensearchdescription+xml")
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    urls = {url.get("type"): url.get("template") for url in ET.fromstring(answer.text).iter(f"{space}Url")}
    asked = urls["text/html"].replace("{searchTerms}", "number7").replace("{startPage?}", "1")
    assert asked.startswith(str(client.base_url).rstrip("/"))
    assert targets((await client.get(asked)).text, "open") == ["http://ship.test/7"]
    suggest = urls["application/x-suggestions+json"].replace("{searchTerms}", "luftsch")
    assert json.loads((await client.get(suggest)).text) == ["luftsch", ["Luftschiff"]]


async def test_the_status_of_a_crawl_without_a_daemon(client: httpx.AsyncClient) -> None:
    text = (await client.get("/status")).text
    assert "No daemon runs; this is what was crawled." in text
    host = client.base_url.netloc
    async with await trio.open_tcp_stream(client.base_url.host, client.base_url.port) as stream:
        await stream.send_all(b"GET /status/stream HTTP/1.0\r\nHost: %b\r\n\r\n" % host)
        told = b""
        while told.count(b"\n\n") < 2 and (piece := await stream.receive_some()):  # a heartbeat follows
            told += piece
    head, _, body = told.partition(b"\r\n\r\n")
    assert b"content-type: text/event-stream" in head
    first, _, second = body.partition(b"\n\n")
    assert json.loads(first.removeprefix(b"data: "))["state"] == "stopped"
    assert second.startswith(b": alive")


async def test_files_and_what_is_not_there(client: httpx.AsyncClient) -> None:
    script = await client.get("/static/page.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "innerHTML" not in script.text
    assert (await client.get("/static/..%2fapp.py")).status_code == 404
    assert (await client.get("/static/app.py")).status_code == 404
    assert (await client.get("/robots.txt")).text == "User-agent: *\nDisallow: /\n"
    assert (await client.get("/nothing")).status_code == 404


async def test_where_nothing_was_indexed_it_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        answer = await client.get("/search?q=zeppelin")
        assert answer.status_code == 503
        assert 'role="alert"' in answer.text
        answer = await client.get("/status")
        assert "nothing was ever crawled here" in answer.text
