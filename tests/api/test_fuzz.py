"""Whatever a client sends, it gets an answer below 500 or a closed connection, and the next one is served."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.serving import exchange, raw, served

READS = ["", "status", "workers", "directories", "hosts", "errors", "traps", "settings", "events", "why"]
READS += ["search", "page"]
WRITES = ["add", "check", "visited", "pause", "resume", "stop", "retry", "release", "reload", "settings"]
WRITES += ["reindex"]
PATHS = [*(f"/v1/{name}" for name in READS + WRITES), "/metrics"]
NAMES = ["limit", "offset", "sort", "desc", "filter", "since", "level", "url", "wait", "q", "page", "id"]

text = st.text(max_size=20)
number = st.one_of(st.integers(), st.floats(max_value=0.01)).map(str)  # no wait that keeps the test waiting
values = st.one_of(
    number, st.sampled_from(["", "true", "worker", "warning", "url", "%", "%ff", "+", "&&", "="]), text
)
queries = st.lists(st.tuples(st.one_of(st.sampled_from(NAMES), text), values), max_size=4)
paths = st.one_of(st.sampled_from(PATHS), st.sampled_from(PATHS).map(lambda path: path + "/"), text)
methods = st.sampled_from(
    ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW", "get"]
)
nested = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), text),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=10,
)
bodies = st.one_of(
    st.binary(max_size=200),
    nested.map(json.dumps).map(str.encode),
    st.fixed_dictionaries(
        {},
        optional={
            "urls": st.one_of(nested, st.lists(text)),
            "what": st.one_of(text, nested),
            "key": st.one_of(st.just("crawl.threads"), text),
            "value": nested,
            "all": nested,
        },
    )
    .map(json.dumps)
    .map(str.encode),
)


def percent(value: str) -> str:
    return "".join(f"%{byte:02x}" for byte in value.encode(errors="surrogatepass"))


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """A request that is HTTP, for the most part to paths that there are."""
    path = draw(paths)
    target = path if path in PATHS else "/" + percent(path)
    query = "&".join(f"{percent(name)}={percent(value)}" for name, value in draw(queries))
    body = draw(bodies)
    head = f"{draw(methods)} {target}?{query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body


def judge(path: Path, requests: list[bytes]) -> list[bytes]:
    async def run() -> list[bytes]:
        with trio.fail_after(20):
            async with served(path):
                answers = [await exchange(path, request) for request in requests]
                assert (await exchange(path, ALIVE)).startswith(b"HTTP/1.1 200 OK")
        return answers

    return trio.run(run)


ALIVE = b"GET /v1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def path():
    with tempfile.TemporaryDirectory(prefix="spiderd-") as directory:
        yield Path(directory) / "api.sock"


@settings(deadline=None, max_examples=60)
@given(st.lists(requests(), min_size=1, max_size=8))
def test_no_request_makes_the_daemon_fail(path, requests):
    for request, answer in zip(requests, judge(path, requests), strict=True):
        status = int(answer.split(b" ", 2)[1])
        assert 200 <= status < 500, request
        body = answer.partition(b"\r\n\r\n")[2]
        if status >= 400 and not request.startswith(b"HEAD "):
            assert set(json.loads(body)["error"]) == {"code", "message"}, request


@st.composite
def garbled(draw: st.DrawFn) -> bytes:
    """A request with bytes changed, cut out or put in, so that it need not be HTTP."""
    data = bytearray(draw(requests()))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        stop = draw(st.integers(start, min(len(data), start + 10)))
        data[start:stop] = draw(
            st.one_of(st.binary(max_size=6), st.sampled_from([b"\r\n", b"\0", b": ", b" ", b"\n\n"]))
        )
    return bytes(data)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(garbled(), st.binary(max_size=100)), min_size=1, max_size=8))
def test_no_bytes_make_the_daemon_fail(path, requests):
    async def run() -> None:
        with trio.fail_after(20):
            async with served(path):
                for request in requests:
                    async with await raw(path) as stream:
                        await stream.send_all(request)
                        await stream.send_eof()
                        answer = b"".join([bytes(piece) async for piece in stream])
                    assert b"HTTP/1.1 5" not in answer, request
                assert (await exchange(path, ALIVE)).startswith(b"HTTP/1.1 200 OK")

    trio.run(run)
