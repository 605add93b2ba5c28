"""One connection to a server: bytes out, the head and the body of an answer in.

A plain connection is a non-blocking socket and two calls of `trio.lowlevel`; trio's own SocketStream costs a
failed receive and a check for conflicts more for every piece. TLS goes through trio's SSLStream. Closing is
synchronous in both cases, so that it can happen in any `finally`, cancelled or not.
"""

from __future__ import annotations

import select
import socket
import ssl
from typing import Protocol

import trio
from trio.lowlevel import wait_readable, wait_writable

from spiderd.fetch.failure import FetchError
from spiderd.fetch.framing import BadFraming, Framing, framing_of, persists
from spiderd.fetch.head import HEAD_END, BadHead, Head, looks_wrong, parse_head
from spiderd.fetch.headers import Headers
from spiderd.fetch.watch import Watch
from spiderd.states import Failure, Step

PIECE = 64 * 1024  # bytes asked of the kernel at a time
GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, ssl.SSLError)  # the peer has left


class Channel(Protocol):
    """What a connection needs of its stream."""

    async def send(self, data: bytes) -> None:
        """Send all of it."""

    async def receive(self) -> bytes:
        """Wait for some bytes; b"" at the end."""

    def stale(self) -> bool:
        """Whether an idle channel cannot be used: closed, or bytes are waiting that nobody asked for."""

    def close(self) -> None:
        """Close at once."""


class PlainChannel:
    """A connected, non-blocking socket."""

    __slots__ = ("_poll", "socket")

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self._poll = _watcher(sock)

    async def send(self, data: bytes) -> None:
        """Send all of it."""
        while True:
            try:
                sent = self.socket.send(data)
            except BlockingIOError:
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            await wait_writable(self.socket)

    async def receive(self) -> bytes:
        """Wait for some bytes; b"" at the end. Always a checkpoint, so that a flood starves nobody."""
        while True:
            await wait_readable(self.socket)
            try:
                return self.socket.recv(PIECE)
            except BlockingIOError:
                continue

    def stale(self) -> bool:
        """Whether the peer has closed, or has sent something unasked."""
        return bool(self._poll.poll(0))

    def close(self) -> None:
        """Close at once."""
        self.socket.close()


class TlsChannel:
    """TLS over a socket."""

    __slots__ = ("_poll", "_socket", "_stream")

    def __init__(self, stream: trio.SSLStream[trio.SocketStream]) -> None:
        self._stream = stream
        self._socket = stream.transport_stream.socket
        self._poll = _watcher(self._socket)

    async def send(self, data: bytes) -> None:
        """Send all of it."""
        await self._stream.send_all(data)

    async def receive(self) -> bytes:
        """Wait for some bytes; b"" at the end."""
        return bytes(await self._stream.receive_some(PIECE))

    def stale(self) -> bool:
        """Whether the peer has closed, or has sent something unasked (the notice that it closes, mostly)."""
        return bool(self._poll.poll(0))

    def close(self) -> None:
        """Close at once, without the farewell that few servers wait for."""
        self._socket.close()


def _watcher(sock: socket.socket | trio.socket.SocketType) -> select.poll:
    """Tells in 0.3 us whether anything has happened on an idle socket (a receive that fails takes 3)."""
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return poll


_NO_HEAD = Head(0, 0, Headers([]))


class Connection:
    """A channel on which one request at a time is answered."""

    __slots__ = ("address", "channel", "framing", "head", "idle_since", "key", "reusable")

    def __init__(self, channel: Channel, key: object, address: str) -> None:
        self.channel = channel
        self.key = key  # what it may be reused for
        self.address = address
        self.idle_since = 0.0
        self.reusable = False
        self.head = _NO_HEAD
        self.framing = Framing()

    async def ask(self, request: bytes, watch: Watch) -> Head:
        """Send a request and read the head of its answer.

        Raises FetchError; its failure is CONNECTION_LOST where not one byte of an answer came, so that a
        connection that was reused may be replaced.
        """
        watch.address = self.address
        watch.request = request
        watch.on_step(Step.WAITING)
        try:
            await self.channel.send(request)
        except GONE as error:
            raise watch.fail(Failure.CONNECTION_LOST, f"closed while asking: {reason(error)}") from None
        watch.sent = trio.current_time()
        try:
            return await self._read_head(watch)
        except (BadHead, BadFraming) as error:
            raise watch.fail(Failure.PROTOCOL_ERROR, str(error)) from None

    async def _receive(self, watch: Watch) -> bytes:
        """The next bytes; raises FetchError where the connection breaks."""
        try:
            data = await self.channel.receive()
        except GONE as error:
            failure = Failure.TRUNCATED if watch.received else Failure.CONNECTION_LOST
            raise watch.fail(failure, f"the connection broke: {reason(error)}") from None
        if data:
            watch.arrived(len(data))
        return data

    async def _read_head(self, watch: Watch) -> Head:
        data = b""
        searched = 0
        received = 0  # bytes of all heads so far, for a server that sends one interim answer after another
        while True:
            end = HEAD_END.search(data, searched)
            if end is None:
                if received + len(data) > watch.limits.max_headers:
                    raise self._too_big(watch)
                if looks_wrong(data):
                    raise BadHead("the answer does not begin with an HTTP status line")
                searched = max(0, len(data) - 3)
                if watch.received:
                    watch.more()
                piece = await self._receive(watch)
                if not piece:
                    raise self._ended_early(data, watch)
                data = (data + piece).lstrip(b"\r\n") if not searched else data + piece
                continue
            received += end.end()
            if received > watch.limits.max_headers:
                raise self._too_big(watch)
            watch.head = data[: end.end()]
            head = parse_head(watch.head)
            data = data[end.end() :]
            searched = 0
            if head.status >= 200:
                self._begin_body(head, data, watch)
                return head
            if head.status == 101:
                raise BadHead("the server switches to a protocol that nobody asked for")

    def _begin_body(self, head: Head, data: bytes, watch: Watch) -> None:
        watch.status, watch.headers = head.status, head.headers
        self.head = head
        self.framing = framing_of(head)
        self.reusable = persists(head)
        if data:
            if self.framing.complete:
                self.framing.surplus = True
            else:
                self.framing.feed(data)

    def _too_big(self, watch: Watch) -> FetchError:
        return watch.fail(
            Failure.HEADERS_TOO_BIG, f"the header is longer than {watch.limits.max_headers} bytes"
        )

    def _ended_early(self, data: bytes, watch: Watch) -> FetchError:
        if data and looks_wrong(data, ended=True):
            return watch.fail(Failure.PROTOCOL_ERROR, "the answer does not begin with an HTTP status line")
        if watch.received:
            return watch.fail(Failure.TRUNCATED, "closed in the middle of the header")
        return watch.fail(Failure.CONNECTION_LOST, "closed before any byte of an answer")

    async def read_more(self, watch: Watch) -> None:
        """Read one more piece of the body into `framing`; raises FetchError where it ends too early."""
        framing = self.framing
        watch.more()
        data = await self._receive(watch)
        if not data:
            self.reusable = False
            if not framing.finish():
                raise watch.fail(Failure.TRUNCATED, _short(framing))
            framing.complete = True
            return
        try:
            framing.feed(data)
        except BadFraming as error:
            raise watch.fail(Failure.PROTOCOL_ERROR, str(error)) from None

    def may_be_reused(self) -> bool:
        """Whether the next request may go over this connection."""
        return self.reusable and self.framing.complete and not self.framing.surplus

    def close(self) -> None:
        """Close at once."""
        self.channel.close()


def _short(framing: Framing) -> str:
    missing = framing.missing()
    if missing is None:
        return f"closed after {framing.size} bytes, before the last chunk"
    return f"closed after {framing.size} bytes of {framing.size + missing}"


def reason(error: BaseException) -> str:
    """What an error of the network says, in a few words."""
    cause = error.__cause__ if isinstance(error, trio.BrokenResourceError) and error.__cause__ else error
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror.lower()
    return str(cause) or type(cause).__name__
