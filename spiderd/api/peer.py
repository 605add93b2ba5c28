"""Who is at the other end of a connection, and what they may do.

The kernel tells the user that connected: SO_PEERCRED on Linux, LOCAL_PEERCRED on macOS and the BSDs (what
getpeereid(3) asks). Whoever the socket's mode lets in may read; the daemon's own user and root may write.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import Literal

import trio

Rights = Literal["read", "write"]

_UCRED = struct.Struct("3i")  # Linux, unix(7): pid, uid, gid
_XUCRED = struct.Struct("IIh2x16I")  # xucred: version, uid, number of groups, groups
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1


def peer_uid(sock: socket.socket | trio.socket.SocketType) -> int:
    """Tell the user id of the process that connected.

    Raises:
        OSError: The system does not tell, or the socket is no unix socket.
    """
    if sys.platform == "linux":
        _, uid, _ = _UCRED.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    else:
        _, uid, *_ = _XUCRED.unpack(sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size))
    return int(uid)


def rights_of(uid: int, own: int | None = None) -> Rights:
    """Tell what a user may do with a daemon that runs as user `own` (default: this process's)."""
    return "write" if uid in {0, os.geteuid() if own is None else own} else "read"
