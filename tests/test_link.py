"""The link between coordinator and fetcher: the same in memory and over a stream, however that arrives."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from spiderd import link
from spiderd.config.declaration import Config
from spiderd.link import (
    HEADER,
    MAX_FRAME,
    CoordinatorEnd,
    FetcherEnd,
    LinkClosed,
    coordinator_stream,
    fetcher_stream,
    memory_pair,
)
from spiderd.messages import Claim, Drain, Grant, Lease, Outcome, Setup, Verdict, WorkerState, WorkerStates
from spiderd.states import Failure, OutcomeKind, Step

TO_FETCHER = st.one_of(
    st.builds(
        Lease, st.integers(0, 2**63), st.text(max_size=50), st.sampled_from(["page", "robots", "sitemap"])
    ),
    st.builds(Grant, st.integers(0, 99), st.integers(0, 99), st.integers(0, 5000), st.integers(0, 2**40)),
    st.builds(Verdict, st.integers(0, 2**63), st.booleans()),
    st.builds(Drain, st.floats(0, 1e6)),
)
FRAMES = st.lists(st.lists(TO_FETCHER, max_size=4), min_size=1, max_size=5)


class Pieces(trio.abc.Stream):
    """What was sent arrives in pieces of the given sizes, then the stream ends (or breaks)."""

    def __init__(self, data: bytes, sizes: Sequence[int] = (), *, breaks: bool = False) -> None:
        self._data = data
        self._sizes = list(sizes)
        self._breaks = breaks

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        if not self._data and self._breaks:
            raise trio.BrokenResourceError
        size = min(self._sizes.pop(0) if self._sizes else len(self._data), max_bytes or len(self._data))
        piece, self._data = self._data[:size], self._data[size:]
        return piece

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        raise trio.BrokenResourceError

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def framed(messages: Sequence[object]) -> bytes:
    payload = msgspec.msgpack.encode(messages)
    return len(payload).to_bytes(4, "big") + payload


def received(stream: trio.abc.Stream) -> list[list[object]]:
    """All frames until the link says that the other side is gone."""

    async def read() -> list[list[object]]:
        link, frames = fetcher_stream(stream), []
        try:
            while True:
                frames.append(list(await link.receive()))
        except LinkClosed:
            return frames

    return trio.run(read)


@given(FRAMES, st.lists(st.integers(1, 9), max_size=200))
def test_frames_are_the_same_however_the_stream_is_cut(frames, sizes) -> None:
    assert received(Pieces(b"".join(map(framed, frames)), sizes)) == frames


@given(FRAMES, st.data())
def test_a_torn_stream_gives_the_whole_frames_and_then_says_so(frames, data) -> None:
    sent = b"".join(map(framed, frames))
    end = data.draw(st.integers(0, len(sent) - 1))
    ends = [len(b"".join(map(framed, frames[: n + 1]))) for n in range(len(frames))]
    whole = frames[: sum(at <= end for at in ends)]
    assert received(Pieces(sent[:end], [3] * 50, breaks=data.draw(st.booleans()))) == whole


@pytest.mark.trio
async def test_a_length_that_no_peer_of_ours_would_send_is_a_torn_stream() -> None:
    """And nobody waits for so much."""
    one, other = memory_stream_pair()
    await one.send_all(HEADER.pack(MAX_FRAME + 1))
    with trio.fail_after(5), pytest.raises(LinkClosed):
        await fetcher_stream(other).receive()


@pytest.mark.trio
async def test_a_frame_of_many_megabytes_arrives_whole() -> None:
    one, other = memory_stream_pair()
    body = bytes(range(256)) * 64 * 1024  # 16 MiB
    sent = Outcome(1, 0, OutcomeKind.ROBOTS, body=body)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fetcher_stream(one).send, [sent, sent])
            assert list(await coordinator_stream(other).receive()) == [sent, sent]


@pytest.mark.trio
async def test_what_is_large_goes_in_several_frames_and_arrives_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "LARGE_FRAME", 1000)
    ours, theirs = memory_stream_pair()
    sender, receiver = coordinator_stream(ours), fetcher_stream(theirs)
    urls = ["http://h.test/" + "x" * size for size in (10, 400, 5000, 20, 600, 600, 3)]
    await sender.send([Lease(number, url) for number, url in enumerate(urls)])
    await ours.aclose()
    frames = []
    while sum(map(len, frames)) < len(urls):
        frames.append(await receiver.receive())
    assert [lease.url for frame in frames for lease in frame] == urls
    assert max(sum(len(lease.url) for lease in frame) for frame in frames if len(frame) > 1) <= 1000
    assert len(frames) > 3


def pair(kind: str) -> tuple[CoordinatorEnd, FetcherEnd]:
    if kind == "memory":
        return memory_pair()
    one, other = trio.socket.socketpair()
    return coordinator_stream(trio.SocketStream(one)), fetcher_stream(trio.SocketStream(other))


def everything_for_a_fetcher() -> list[object]:
    return [
        Setup(Config(), [0, 2], "pages", ["http://h.test/"]),
        Grant(2, 7, 4000, 123_456),
        Lease(1, "http://h.test/\udcff".encode("utf-8", "replace").decode(), "sitemap", 3, 1, '"e"', "Sun"),
        Verdict(1, new=True),
        Drain(1.5),
    ]


def everything_for_the_coordinator() -> list[object]:
    return [
        Claim(1, b"\0" * 16),
        Outcome(1, 2, OutcomeKind.FAILED, 404, Failure.HTTP_ERROR, "no", title="\u4e2d", body=b"\xff"),
        WorkerStates([WorkerState(2, Step.PARSING, 1.0, "http://h.test/")]),
    ]


@pytest.mark.trio
@pytest.mark.parametrize("kind", ["memory", "socket"])
async def test_every_message_passes_in_both_directions(kind: str) -> None:
    ours, theirs = pair(kind)
    await ours.send(everything_for_a_fetcher())
    await theirs.send(everything_for_the_coordinator())
    await theirs.send([])
    assert list(await theirs.receive()) == everything_for_a_fetcher()
    assert list(await ours.receive()) == everything_for_the_coordinator()
    assert list(await ours.receive()) == []
    await ours.aclose()
    await theirs.aclose()


@pytest.mark.trio
@pytest.mark.parametrize("kind", ["memory", "socket"])
async def test_when_one_side_is_gone_the_other_reads_to_the_end_and_is_told(kind: str) -> None:
    ours, theirs = pair(kind)
    await theirs.send([Claim(1, b"d")])
    await theirs.aclose()
    assert list(await ours.receive()) == [Claim(1, b"d")]
    with pytest.raises(LinkClosed):
        await ours.receive()
    with pytest.raises(LinkClosed):
        await ours.send([Drain(1.0)])
    await ours.aclose()
    with pytest.raises(LinkClosed):
        await ours.receive()


@pytest.mark.trio
@pytest.mark.parametrize("kind", ["memory", "socket"])
async def test_closing_ends_a_wait_for_the_next_frame(kind: str) -> None:
    ours, theirs = pair(kind)
    ended = trio.Event()

    async def wait() -> None:
        with pytest.raises(LinkClosed):
            await ours.receive()
        ended.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        await theirs.aclose()
    assert ended.is_set()
    await ours.aclose()


@pytest.mark.trio
async def test_the_coordinator_never_waits_for_a_fetcher_in_the_same_process() -> None:
    ours, theirs = memory_pair()
    for number in range(1000):
        await ours.send([Lease(number, "http://h.test/")])
    assert [(await theirs.receive())[0].id for _ in range(1000)] == list(range(1000))
