"""The socket that the API listens on: made by us, or handed over by systemd.

Who may replace what: the lock on the data directory decides which daemon lives, so the caller takes it
*before* it comes here, and a socket at the path is then taken for the rest of one that died. Two daemons with
different data directories may have been given the same path, though; so a socket that still answers is left
alone as well. Anything at the path that is not a socket is never touched.
"""

from __future__ import annotations

import grp
import os
import socket
import stat
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path

from spiderd.errors import AlreadyRunning, CannotCreate, ConfigError
from spiderd.paths import SOCKET_PATH_MAX

BACKLOG = 64
FIRST_FD = 3  # SD_LISTEN_FDS_START of sd_listen_fds(3)


@contextmanager
def listening(path: Path, *, group: str = "") -> Iterator[socket.socket]:
    """Bind and listen at `path`; at the end remove the socket, if it is still ours.

    The socket is for its owner alone (0600), or for `group` too (0660). The caller holds the data
    directory's lock.

    Raises:
        CannotCreate: The path is too long, taken by something else, or cannot be written.
        AlreadyRunning: Another daemon answers there.
        ConfigError: There is no such group.
    """
    gid = _group_id(group)
    _check_length(path)
    _prepare_directory(path.parent, gid)
    _clear(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        identity = _bind(sock, path, gid)
        try:
            sock.listen(BACKLOG)
            yield sock
        finally:
            # Before the socket is closed: as long as it is open no other file can have its inode number.
            _unlink_ours(path, identity)
    finally:
        sock.close()


def inherited(environ: MutableMapping[str, str], *, first: int = FIRST_FD) -> socket.socket | None:
    """Take the listening socket that systemd has opened for this process, if there is one.

    The variables are removed from `environ`, so that no child takes them for its own. The socket's file is
    systemd's: it is never unlinked.

    Raises:
        CannotCreate: What was handed over is not exactly one listening unix stream socket.
    """
    if environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    count = environ.get("LISTEN_FDS", "")
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        environ.pop(name, None)
    if count != "1":
        raise CannotCreate(
            f"systemd handed over {count or 'no'} sockets; the socket unit must have exactly one"
        )
    try:
        sock = socket.socket(fileno=first)
    except OSError as error:
        message = f"file descriptor {first}, handed over by systemd, is no socket: {error.strerror}"
        raise CannotCreate(message) from error
    if not _is_unix_listener(sock):
        sock.close()
        raise CannotCreate(
            "the socket handed over by systemd is no listening unix stream socket (ListenStream=PATH)"
        )
    sock.set_inheritable(False)
    return sock


def _is_unix_listener(sock: socket.socket) -> bool:
    if sock.family != socket.AF_UNIX or sock.type != socket.SOCK_STREAM:
        return False
    return bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _group_id(group: str) -> int | None:
    if not group:
        return None
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        raise ConfigError(f'api.group: there is no group "{group}" on this machine') from None


def _check_length(path: Path) -> None:
    length = len(os.fsencode(path))
    if length > SOCKET_PATH_MAX:
        raise CannotCreate(
            f"the path of the socket has {length} bytes and the system allows {SOCKET_PATH_MAX}: {path} "
            "(set api.socket or SPIDERD_SOCKET to a shorter one)"
        )


def _prepare_directory(directory: Path, gid: int | None) -> None:
    """Make the directory where it is missing; refuse one in which others could replace the socket."""
    try:
        if not directory.exists():
            directory.mkdir(mode=0o700, parents=True)
            if gid is not None:  # its members must get through to the socket
                os.chown(directory, -1, gid)
                directory.chmod(0o710)
        found = directory.stat()
    except OSError as error:
        raise CannotCreate(
            f"the directory of the socket cannot be made: {directory}: {error.strerror}"
        ) from error
    if not stat.S_ISDIR(found.st_mode):
        raise CannotCreate(f"the socket cannot be made: {directory} is not a directory")
    if found.st_uid not in {0, os.geteuid()}:
        raise CannotCreate(f"the socket is not made in {directory}, which belongs to another user")
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        raise CannotCreate(f"the socket is not made in {directory}, which everybody may write to")


def _clear(path: Path) -> None:
    """Remove the socket of a daemon that died; leave everything else."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotCreate(f"the socket cannot be made: {path}: {error.strerror}") from error
    if not stat.S_ISSOCK(found.st_mode):
        raise CannotCreate(
            f"{path} is there already and is not a socket; it was left as it is (see api.socket)"
        )
    if _answers(path):
        raise AlreadyRunning(f"another daemon answers at {path}; give this one another api.socket")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise CannotCreate(f"the stale socket {path} cannot be removed: {error.strerror}") from error


def _answers(path: Path) -> bool:
    """Whether somebody listens there; a full queue counts as well."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(os.fspath(path))
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True


def _bind(sock: socket.socket, path: Path, gid: int | None) -> tuple[int, int]:
    """Bind under a umask that leaves no moment in which others could connect; answers device and inode."""
    before = os.umask(0o177)
    try:
        sock.bind(os.fspath(path))
        if gid is not None:
            os.chown(path, -1, gid)
            path.chmod(0o660)
        found = path.lstat()
    except PermissionError as error:
        hint = " (is the daemon's user a member of api.group?)" if gid is not None else ""
        raise CannotCreate(f"the socket {path} cannot be made: {error.strerror}{hint}") from error
    except OSError as error:
        raise CannotCreate(f"the socket {path} cannot be made: {error.strerror}") from error
    finally:
        os.umask(before)
    return found.st_dev, found.st_ino


def _unlink_ours(path: Path, identity: tuple[int, int]) -> None:
    with suppress(OSError):
        found = path.lstat()
        if (found.st_dev, found.st_ino) == identity:
            path.unlink()
