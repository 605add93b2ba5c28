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


class ClientStream:
    """A socket stream whose sends have a deadline, and that can be cut off at once.

    Its methods raise trio.BrokenResourceError or trio.ClosedResourceError where the client is gone.
    """

    def __init__(self, stream: trio.SocketStream, *, patience: float = PATIENCE) -> None:
        self._stream = stream
        self._socket = stream.socket
        self._patience = patience
        self._unread = 0  # after the last send
        self._read_at = trio.current_time()  # when the client was last known to read

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket, for those who ask the kernel about it."""
        return self._socket

    async def send_all(self, data: bytes) -> None:
        """Send everything, piece by piece; cut off a client that does not read."""
        self._check_reading()
        view = memoryview(data)
        for start in range(0, len(view), PIECE):
            with trio.move_on_after(self._patience) as scope:
                await self._stream.send_all(view[start : start + PIECE])
            if scope.cancelled_caught:
                self._give_up()
        self._unread = _unread(self._socket)

    async def receive_some(self) -> bytes:
        """Receive what is there; b"" at the end."""
        return bytes(await self._stream.receive_some(PIECE))

    async def linger(self, limit: int, seconds: float) -> None:
        """Say that nothing more will come, and drop what the client still sends.

        A connection that is closed with data unread is reset, and then the client may not see the last
        answer (RFC 9112, section 9.6).
        """
        with trio.move_on_after(seconds):
            await self._stream.send_eof()
            while limit > 0 and (data := await self.receive_some()):
                limit -= len(data)

    def cut(self) -> None:
        """Close the connection now; whoever waits for it is woken with an error."""
        self._socket.close()

    def _check_reading(self) -> None:
        now = trio.current_time()
        unread = _unread(self._socket)
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
