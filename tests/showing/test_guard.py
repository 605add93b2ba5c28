"""Who may read the pages, by which name, and what comes with every answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from spiderd.web.guard import HEADERS, Guard
from tests.showing.served import serving

pytestmark = pytest.mark.trio
PASSWORD = "correct horse battery"


@pytest.fixture
async def client(crawled) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(crawled) as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        yield client


async def test_every_answer_has_the_policy(client: httpx.AsyncClient) -> None:
    for path in ("/", "/search?q=zeppelin", "/status", "/static/style.css", "/nothing", "/page?id=x"):
        answer = await client.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "*" not in policy


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:80", "127.0.0.1.evil.test", "localhost.evil.test", "[x]"]
)
async def test_a_name_that_is_not_ours_is_refused(client: httpx.AsyncClient, host: str) -> None:
    answer = await client.get("/search?q=zeppelin", headers={"host": host})
    assert answer.status_code == 421
    assert "zeppelin" not in answer.text
    assert answer.headers["content-security-policy"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8017", "LOCALHOST", "[::1]:80", "192.0.2.7"])
async def test_addresses_and_localhost_are_ours(client: httpx.AsyncClient, host: str) -> None:
    assert (await client.get("/", headers={"host": host})).status_code == 200


async def test_names_of_the_configuration_are_ours(crawled) -> None:
    async with serving(crawled, names=["Search.Example"]) as url, httpx.AsyncClient() as client:
        for host, status in (("search.example:8017", 200), ("other.example", 421)):
            assert (await client.get(url, headers={"host": host})).status_code == status


async def test_a_password_is_asked_for_everywhere(crawled) -> None:
    async with serving(crawled, password=PASSWORD) as url, httpx.AsyncClient(base_url=url) as client:
        for path in (
            "/",
            "/search?q=zeppelin",
            "/page?id=1",
            "/status/stream",
            "/static/page.js",
            "/nothing",
        ):
            answer = await client.get(path)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Basic realm=")
            assert "zeppelin" not in answer.text
        assert (await client.get("/", auth=("anybody", PASSWORD))).status_code == 200
        bearer = {"authorization": f"Bearer {PASSWORD}"}
        assert (await client.get("/", headers=bearer)).status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Basic",
        "Basic ***",
        "Basic Y29ycmVjdCBob3JzZSBiYXR0ZXJ5",  # without a colon
        f"Bearer {PASSWORD}x",
        f"Bearer {PASSWORD[:-1]}",
        f"Digest {PASSWORD}",
        "Bearer \xe9",
    ],
)
async def test_a_wrong_password_is_none(given: str) -> None:
    guard = Guard(lambda *_: None, password=PASSWORD)  # type: ignore[arg-type, return-value]  # never called
    assert not guard._may_read(given)


async def test_only_reading_is_possible(client: httpx.AsyncClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        answer = await client.request(method, "/search?q=zeppelin")
        assert answer.status_code == 405
