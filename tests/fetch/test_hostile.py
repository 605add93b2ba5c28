"""Whatever comes out of the wire, and however it is cut, an exchange ends in an answer or in a FetchError."""

from __future__ import annotations

import zlib

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from spiderd.config import Config
from spiderd.config.declaration import Fetch
from spiderd.fetch import Client, Exchange, FetchError
from spiderd.fetch.connection import Connection
from spiderd.states import Failure

URL = "http://127.0.0.7:9/page"

PIECES = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 103 Early Hints\r\n",
        b"HTTP/1.0 304 Not Modified\r\n",
        b"HTTP/9999.9999 600\r\n",
        b"ICY 200 OK\r\n",
        b"Content-Length: 5\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Content-Length: -1\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Encoding: br, zstd\r\n",
        b"Set-Cookie: a=b; Max-Age=99999999999; Expires=never\r\n",
        b"Set-Cookie: \xff\xfe=\0\r\n",
        b"Connection: close\r\n",
        b" folded\r\n",
        b"no colon\r\n",
        b"\r\n",
        b"\n",
        b"\r",
        b"\0",
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"ffffffffffffffff\r\n",
        b"\x1f\x8b\x08\x1f\0\0\0\0\0\0",
        zlib.compress(b"hello" * 9, wbits=31),
        b"x" * 3000,
    ]
)
WIRE = st.lists(st.one_of(PIECES, PIECES, PIECES, st.binary(max_size=12)), max_size=16).map(b"".join)


class Wire:
    """A channel that gives prepared bytes, some at a time, then ends or breaks."""

    def __init__(self, data: bytes, step: int, *, breaks: bool) -> None:
        self.data = data
        self.step = step
        self.breaks = breaks
        self.closed = 0

    async def send(self, data: bytes) -> None:
        pass

    async def receive(self) -> bytes:
        if not self.data and self.breaks:
            raise ConnectionResetError
        piece, self.data = self.data[: self.step], self.data[self.step :]
        return piece

    def stale(self) -> bool:
        return False

    def close(self) -> None:
        self.closed += 1


async def fetch(wire: Wire) -> Exchange | FetchError:
    config = Config(fetch=Fetch(max_headers=8000, max_body=2000))
    async with Client(config, seeds=[URL]) as client:
        origin, _ = client.transport.origins.split(URL)
        client.pool.put(Connection(wire, origin, "127.0.0.7"), 0.0)
        try:
            return await client.get(URL)
        except FetchError as error:
            return error
        finally:
            assert wire.closed + len(client.pool) == 1


def run(data: bytes, step: int, *, breaks: bool = False) -> Exchange | FetchError:
    """What becomes of an answer on a warm connection; a retry finds nobody at the other end."""
    return trio.run(fetch, Wire(data, step, breaks=breaks))


@settings(deadline=None)
@given(WIRE, st.integers(1, 5000), st.booleans())
def test_there_is_always_an_outcome(data, step, breaks):
    result = run(data, step, breaks=breaks)
    if isinstance(result, Exchange):
        assert len(result.body) <= 2000
    else:
        assert result.failure is not Failure.NONE
        assert result.detail


@settings(deadline=None)
@given(WIRE, st.integers(1, 50))
def test_how_an_answer_is_cut_into_pieces_does_not_matter(data, step):
    whole, cut = run(b"HTTP/1.1 200 OK\r\n" + data, 10**6), run(b"HTTP/1.1 200 OK\r\n" + data, step)
    if isinstance(whole, Exchange) and not whole.truncated:
        assert isinstance(cut, Exchange)
        assert (whole.status, whole.body, whole.headers.raw) == (cut.status, cut.body, cut.headers.raw)
