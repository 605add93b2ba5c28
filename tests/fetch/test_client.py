from __future__ import annotations

import pytest

from spiderd.config import Config
from spiderd.fetch import Client, FetchError
from spiderd.states import Failure
from tests.web.faults import catalogue
from tests.web.server import serve


@pytest.mark.trio
async def test_a_page():
    async with serve({"/a": b"<p>hello"}) as site, Client(Config(), seeds=[site.url()]) as client:
        answer = await client.get(site.url("/a?b#c"))
        assert (answer.status, answer.body, answer.truncated) == (200, b"<p>hello", False)
        assert answer.headers.get("content-TYPE") == "text/html"
        assert answer.address == "127.0.0.7"
        await client.get(site.url("/a"))
    assert site.targets == ["/a?b", "/a"]
    assert site.connections == 1


@pytest.mark.trio
@pytest.mark.parametrize(
    ("target", "failure"),
    [
        ("/short", Failure.TRUNCATED),
        ("/chunks-cut", Failure.TRUNCATED),
        ("/reset-in-body", Failure.TRUNCATED),
        ("/close", Failure.CONNECTION_LOST),
        ("/reset", Failure.CONNECTION_LOST),
        ("/garbage", Failure.PROTOCOL_ERROR),
        ("/chunks-bad", Failure.PROTOCOL_ERROR),
        ("/lengths-differ", Failure.PROTOCOL_ERROR),
        ("/header-bomb", Failure.HEADERS_TOO_BIG),
        ("/bomb", Failure.DECODED_TOO_BIG),
        ("/not-gzip", Failure.BAD_ENCODING),
    ],
)
async def test_every_fault_has_its_name(target, failure):
    async with serve(catalogue()) as site, Client(Config(), seeds=[site.url()]) as client:
        with pytest.raises(FetchError) as caught:
            await client.get(site.url(target))
        assert caught.value.failure is failure
        assert caught.value.detail
        assert len(client.pool) == (1 if target in {"/bomb", "/not-gzip"} else 0)
