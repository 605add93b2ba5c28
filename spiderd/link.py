"""A two-way link between coordinator and fetcher that carries lists of messages.

Two kinds with the same face: in memory (fetcher in the daemon's process) and over a stream (fetcher in a
process of its own), where a frame is a 4-byte big-endian length and a msgpack array of messages.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import msgspec
import trio

from spiderd.messages import ToCoordinator, ToFetcher

S_contra = TypeVar("S_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")
R = TypeVar("R")

HEADER = struct.Struct(">I")
LARGE_FRAME = 64 * 1024 * 1024  # bytes beyond which the messages of a frame go in several
MAX_FRAME = 2 * 1024 * 1024 * 1024  # a peer of ours never sends more; anything else is a torn stream
READ_SIZE = 256 * 1024


class LinkClosed(Exception):
    """The other side is gone."""


class Link(Protocol[S_contra, R_co]):
    """One end: sends messages of one kind, receives those of the other. One task sends, one receives."""

    async def send(self, messages: Sequence[S_contra]) -> None:
        """Send a list of messages.

        Raises:
            LinkClosed: the other side is gone.
        """

    async def receive(self) -> Sequence[R_co]:
        """Wait for the next list of messages.

        Raises:
            LinkClosed: the other side is gone.
        """

    async def aclose(self) -> None:
        """Close this end; the other one's `receive` ends."""


CoordinatorEnd = Link[ToFetcher, ToCoordinator]
FetcherEnd = Link[ToCoordinator, ToFetcher]


class MemoryLink:
    """One end of a link inside a process."""

    def __init__(self, out: trio.MemorySendChannel[Any], into: trio.MemoryReceiveChannel[Any]) -> None:
        self._out = out
        self._into = into

    async def send(self, messages: Sequence[Any]) -> None:
        """Hand over; waits for nobody."""
        try:
            self._out.send_nowait(messages)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LinkClosed from error
        await trio.lowlevel.checkpoint()

    async def receive(self) -> Sequence[Any]:
        """Wait for the next list."""
        try:
            messages: Sequence[Any] = await self._into.receive()
        except (trio.EndOfChannel, trio.ClosedResourceError) as error:
            raise LinkClosed from error
        return messages

    async def aclose(self) -> None:
        """Close both directions."""
        self._out.close()
        self._into.close()
        await trio.lowlevel.checkpoint()


def memory_pair() -> tuple[CoordinatorEnd, FetcherEnd]:
    """A link inside the process: the coordinator's end and the fetcher's."""
    # unbounded, because leases are: the coordinator never has more of them out than workers can hold
    out, into = trio.open_memory_channel[Any](float("inf")), trio.open_memory_channel[Any](float("inf"))
    return MemoryLink(out[0], into[1]), MemoryLink(into[0], out[1])


class StreamLink:
    """One end of a link over a stream, usually a socket pair."""

    def __init__(self, stream: trio.abc.Stream, receives: Any) -> None:
        """Use `stream`; `receives` is the union of the message types that come in."""
        self._stream = stream
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(list[receives]).decode
        self._buffer = bytearray()

    async def send(self, messages: Sequence[Any]) -> None:
        """Send one frame, or several where it would be a large one."""
        payload = self._encode(messages)
        if len(payload) > LARGE_FRAME and len(messages) > 1:
            del payload
            middle = len(messages) // 2
            await self.send(messages[:middle])
            await self.send(messages[middle:])
            return
        try:
            await self._stream.send_all(HEADER.pack(len(payload)) + payload)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LinkClosed from error

    async def receive(self) -> Sequence[Any]:
        """Wait for the next frame."""
        size = HEADER.unpack(await self._take(HEADER.size))[0]
        if size > MAX_FRAME:
            raise LinkClosed
        frame = await self._take(size)
        messages: Sequence[Any] = self._decode(frame)
        return messages

    async def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                data = await self._stream.receive_some(max(READ_SIZE, size - len(self._buffer)))
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LinkClosed from error
            if not data:
                raise LinkClosed
            self._buffer += data
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


def coordinator_stream(stream: trio.abc.Stream) -> CoordinatorEnd:
    """The coordinator's end over a stream."""
    return StreamLink(stream, ToCoordinator)


def fetcher_stream(stream: trio.abc.Stream) -> FetcherEnd:
    """The fetcher's end over a stream."""
    return StreamLink(stream, ToFetcher)
