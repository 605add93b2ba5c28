"""The stream of one client, bounded: a client that reads nothing for a while is cut off.

Two ways not to read: a large answer fills the socket's buffer, and sending it never ends (each piece of it
has to be taken in `patience` seconds); or small pieces, such as heartbeats, trickle into a buffer that takes
minutes to fill. For these Linux tells how much of what was sent lies unread (SIOCOUTQ); where it has not
shrunk between one piece and the next for `patience` seconds, the client does not read.
"""

from __future__ import annotations

import fcntl
import struct
import sys
import termios

import trio

PATIENCE = 10.0  # seconds
PIECE = 64 * 1024  # bytes; what even a slow reader takes in PATIENCE seconds

_INT = struct.Struct("i")


class ClientStream(trio.abc.HalfCloseableStream):
    """A socket stream whose sends have a deadline, and that can be cut off at once."""

    def __init__(self, stream: trio.SocketStream, *, patience: float = PATIENCE) -> None:
        self._stream = stream
        self._patience = patience
        self._unread = 0  # after the last send
        self._read_at = trio.current_time()  # when the client was last known to read

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket, as the HTTP server asks for it."""
        return self._stream.socket

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send everything, piece by piece.

        Raises:
            trio.BrokenResourceError: The client does not read; it has been cut off.
        """
        self._check_reading()
        view = memoryview(data)
        for start in range(0, len(view), PIECE):
            with trio.move_on_after(self._patience) as scope:
                await self._stream.send_all(view[start : start + PIECE])
            if scope.cancelled_caught:
                self._give_up()
        self._unread = _unread(self.socket)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until there is room to send."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive what is there; b"" at the end."""
        return await self._stream.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """Tell the client that no more will come."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    def cut(self) -> None:
        """Close the connection now; whoever waits for it is woken with an error."""
        self._stream.socket.close()

    def _check_reading(self) -> None:
        now = trio.current_time()
        unread = _unread(self.socket)
        if unread == 0 or unread < self._unread:
            self._read_at = now
        elif now - self._read_at > self._patience:
            self._give_up()

    def _give_up(self) -> None:
        self.cut()
        raise trio.BrokenResourceError(f"the client has read nothing for {self._patience:g} s")


def _unread(sock: trio.socket.SocketType) -> int:
    """How much of what was sent has not been read (in the kernel's own accounting); 0 where nobody tells."""
    if sys.platform != "linux":
        return 0
    try:
        (unread,) = _INT.unpack(fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(_INT.size)))
    except OSError:  # closed meanwhile: the send itself will say so
        return 0
    return int(unread)
