from __future__ import annotations

import grp
import os
import socket
import stat
import subprocess
import sys

import pytest

from spiderd.api.listening import inherited, listening
from spiderd.errors import AlreadyRunning, CannotCreate, ConfigError
from spiderd.paths import SOCKET_PATH_MAX


def test_the_socket_is_for_its_owner_alone_and_goes_at_the_end(sock_path):
    before = os.umask(0o000)
    try:
        with listening(sock_path) as sock:
            assert stat.S_IMODE(sock_path.lstat().st_mode) == 0o600
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
            assert os.umask(0o000) == 0, "the umask is put back"
    finally:
        os.umask(before)
    assert not sock_path.exists()


def test_a_missing_directory_is_made_for_its_owner_alone(sock_path):
    deep = sock_path.parent / "run" / "spiderd" / "api.sock"
    with listening(deep):
        assert stat.S_IMODE(deep.parent.stat().st_mode) == 0o700


def test_a_group_may_use_the_socket_and_reach_it(sock_path):
    group = grp.getgrgid(os.getgid())
    path = sock_path.parent / "run" / "api.sock"
    with listening(path, group=group.gr_name):
        found = path.lstat()
        assert (stat.S_IMODE(found.st_mode), found.st_gid) == (0o660, group.gr_gid)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o710


def test_a_group_that_is_not_there_is_a_wrong_configuration(sock_path):
    with (
        pytest.raises(ConfigError, match=r'api\.group: there is no group "no-such-group"'),
        listening(sock_path, group="no-such-group"),
    ):
        pass


def test_a_path_that_is_too_long_is_told_with_its_length(sock_path):
    room = SOCKET_PATH_MAX - len(os.fsencode(sock_path.parent)) - 1
    with listening(sock_path.parent / ("x" * room)):
        pass
    too_long = sock_path.parent / ("x" * (room + 1))
    with (
        pytest.raises(
            CannotCreate, match=f"has {SOCKET_PATH_MAX + 1} bytes and the system allows {SOCKET_PATH_MAX}"
        ),
        listening(too_long),
    ):
        pass


@pytest.mark.parametrize("kind", ["file", "directory", "symlink", "dangling"])
def test_what_is_not_a_socket_is_left_as_it_is(sock_path, kind):
    target = sock_path.parent / "target"
    {
        "file": lambda: sock_path.write_text("precious"),
        "directory": sock_path.mkdir,
        "symlink": lambda: (target.write_text("precious"), sock_path.symlink_to(target)),
        "dangling": lambda: sock_path.symlink_to(target),
    }[kind]()
    before = sock_path.lstat()
    with pytest.raises(CannotCreate, match="is not a socket; it was left as it is"), listening(sock_path):
        pass
    assert sock_path.lstat().st_ino == before.st_ino
    assert kind == "dangling" or sock_path.is_dir() or sock_path.read_text() == "precious"


def test_a_stale_socket_is_replaced(sock_path):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(sock_path))
        dead.listen()
    with listening(sock_path), socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(sock_path))


def test_a_live_socket_is_never_replaced(sock_path):
    with listening(sock_path):
        ours = sock_path.lstat().st_ino
        with pytest.raises(AlreadyRunning, match="another daemon answers at"), listening(sock_path):
            pass
        assert sock_path.lstat().st_ino == ours


def test_a_live_socket_whose_queue_is_full_is_never_replaced(sock_path):
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(str(sock_path))
        busy.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(str(sock_path))
        with pytest.raises(AlreadyRunning), listening(sock_path):
            pass
        for client in waiting:
            client.close()


def test_a_socket_that_another_has_put_there_is_not_removed(sock_path):
    with listening(sock_path), socket.socket(socket.AF_UNIX) as other:
        sock_path.unlink()
        other.bind(str(sock_path))
    assert sock_path.is_socket()


def test_a_path_through_a_file_is_told(sock_path):
    sock_path.write_text("")
    with pytest.raises(CannotCreate, match="cannot be made"), listening(sock_path / "api.sock"):
        pass


def test_a_directory_that_everybody_may_write_to_is_refused_unless_sticky(sock_path):
    sock_path.parent.chmod(0o777)
    with pytest.raises(CannotCreate, match="everybody may write"), listening(sock_path):
        pass
    sock_path.parent.chmod(0o1777)
    with listening(sock_path):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_a_directory_of_another_user_is_refused(sock_path):
    os.chown(sock_path.parent, 65534, -1)
    with pytest.raises(CannotCreate, match="belongs to another user"), listening(sock_path):
        pass


HANDED_OVER = """
import os, socket, sys
from spiderd.api.listening import inherited
from spiderd.errors import CannotCreate
environ = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": sys.argv[1], "LISTEN_FDNAMES": "api.socket"}
try:
    sock = inherited(environ)
except CannotCreate as error:
    print(error)
else:
    print(sock.getsockname(), os.get_inheritable(3), environ)
"""


def run_with_fd(sock: socket.socket, count: str = "1") -> str:
    """Start a process whose descriptor 3 is the socket, as systemd does."""
    as_systemd = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.execv(sys.argv[2], sys.argv[2:])"
    command = [sys.executable, "-c", as_systemd, str(sock.fileno()), sys.executable, "-c", HANDED_OVER, count]
    done = subprocess.run(command, pass_fds=[sock.fileno()], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_socket_from_systemd_is_taken_and_its_variables_are_removed(sock_path):
    with listening(sock_path) as sock:
        assert run_with_fd(sock) == f"{sock_path} False {{}}"
        assert sock_path.is_socket()


@pytest.mark.parametrize(
    ("kind", "count", "sentence"),
    [
        ("tcp", "1", "no listening unix stream socket"),
        ("datagram", "1", "no listening unix stream socket"),
        ("not listening", "1", "no listening unix stream socket"),
        ("good", "2", "handed over 2 sockets; the socket unit must have exactly one"),
    ],
)
def test_what_systemd_hands_over_is_checked(sock_path, kind, count, sentence):
    family = socket.AF_INET if kind == "tcp" else socket.AF_UNIX
    with socket.socket(family, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM) as sock:
        if kind in {"tcp", "good"}:
            sock.bind(("127.0.0.1", 0) if kind == "tcp" else str(sock_path))
            sock.listen()
        assert sentence in run_with_fd(sock, count)


def test_a_file_in_place_of_the_socket_is_told(sock_path):
    with sock_path.open("w") as file:
        assert "handed over by systemd, is no socket" in run_with_fd(file)


@pytest.mark.parametrize("environ", [{}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}])
def test_variables_that_are_not_for_us_are_left_alone(environ):
    before = dict(environ)
    assert inherited(environ) is None
    assert environ == before
