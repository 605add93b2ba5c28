"""Where things lie: the data directory, the socket, the configuration file.

Data directory, first that is there: `--data-dir`, `SPIDERD_DATA_DIR`, the unit's `STATE_DIRECTORY`,
`$XDG_STATE_HOME/spiderd`, `~/.local/state/spiderd`.

Socket, first that is there:

1. the one that is named: `--socket`, `SPIDERD_SOCKET`, `api.socket` in the configuration;
2. `DIR/spiderd.sock` where DIR was named with `--data-dir` or `SPIDERD_DATA_DIR`: as many daemons as there
   are data directories, and whoever knows the directory knows the socket, whatever the environment;
3. the unit's `RUNTIME_DIRECTORY/api.sock`;
4. `$XDG_RUNTIME_DIR/spiderd/api.sock`, which is what 3 gives in a user unit with `RuntimeDirectory=spiderd`;
5. `DIR/spiderd.sock` in the default data directory.

The daemon listens at that path and clients look there; where nothing was named and nothing is there, clients
look at that of a system unit (`/run/spiderd/api.sock`) too.

Variables of systemd may hold several paths separated by colons; the first counts (systemd.exec(5)). Relative
paths in XDG variables are ignored (XDG Base Directory Specification). Only `find_socket` and `config_file`
look at the file system.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spiderd.errors import CannotCreate, UsageError

SOCKET_PATH_MAX = 103 if sys.platform == "darwin" else 107
"""Bytes of a socket's path, without the closing NUL (unix(7), sockaddr_un)."""

SYSTEM_SOCKET = Path("/run/spiderd/api.sock")


@dataclass(frozen=True, slots=True)
class DataDir:
    """The data directory, and whether the user named it."""

    path: Path
    named: bool


def data_dir(flag: Path | None, environ: Mapping[str, str] = os.environ) -> DataDir:
    """Decide where the data lies; the path is absolute, nothing is created."""
    if flag is not None:
        return DataDir(absolute(flag), named=True)
    if named := environ.get("SPIDERD_DATA_DIR"):
        return DataDir(absolute(named), named=True)
    if unit := _first(environ.get("STATE_DIRECTORY")):
        return DataDir(unit, named=False)
    home = _xdg("XDG_STATE_HOME", environ) or _home(environ) / ".local" / "state"
    return DataDir(home / "spiderd", named=False)


def socket_path(data: DataDir, *, named: str = "", environ: Mapping[str, str] = os.environ) -> Path:
    """Decide where the daemon listens.

    Args:
        data: the data directory.
        named: the path that flag, environment or configuration name; "" where none does.
        environ: the environment.

    Raises:
        CannotCreate: no socket can have a path that long.
    """
    return short_enough(_socket(data, named, environ))


def find_socket(data: DataDir, *, named: str = "", environ: Mapping[str, str] = os.environ) -> Path:
    """Decide where a client looks: where the daemon would listen, else where a system unit does.

    Raises:
        CannotCreate: no socket can have a path that long.
    """
    path = socket_path(data, named=named, environ=environ)
    if not named and not data.named and not os.path.lexists(path) and os.path.lexists(SYSTEM_SOCKET):
        return SYSTEM_SOCKET
    return path


def short_enough(socket: Path) -> Path:
    """Return the path of a socket if the system can bind it.

    Raises:
        CannotCreate: it is too long, and what to do about it.
    """
    length = len(os.fsencode(socket))
    if length > SOCKET_PATH_MAX:
        raise CannotCreate(
            f"the path of the socket, {socket}, has {length} bytes and the system allows {SOCKET_PATH_MAX}: "
            "name a shorter one with --socket, SPIDERD_SOCKET or api.socket"
        )
    return socket


def config_file(environ: Mapping[str, str] = os.environ, directory: Path | None = None) -> Path | None:
    """Find the configuration file where none is named, in the usual places.

    These are: the unit's `CONFIGURATION_DIRECTORY`, `$XDG_CONFIG_HOME/spiderd` (`~/.config/spiderd`), and the
    current directory if it is a checkout of this program; another program's ./config.toml is not ours.
    """
    home = _xdg("XDG_CONFIG_HOME", environ) or _home(environ) / ".config"
    folders = [_first(environ.get("CONFIGURATION_DIRECTORY")), home / "spiderd"]
    here = absolute(directory or ".")
    if os.path.lexists(here / "spiderd" / "config" / "declaration.py"):
        folders.append(here)
    files = [folder / "config.toml" for folder in folders if folder]
    return next((file for file in files if os.path.lexists(file)), None)


def absolute(path: str | Path) -> Path:
    """Make a path absolute, `~` and `~user` included; symbolic links stay as they are.

    Raises:
        UsageError: it is relative to a current directory that is gone.
    """
    try:
        path = Path(path).expanduser()
    except RuntimeError:  # no such user, or no home: then the name is meant as it stands
        path = Path(path)
    try:
        return path.absolute()
    except FileNotFoundError as error:
        raise UsageError(f"{path} is relative to a current directory that has been removed") from error


def _socket(data: DataDir, named: str, environ: Mapping[str, str]) -> Path:
    if named:
        return absolute(named)
    if data.named:
        return data.path / "spiderd.sock"
    if unit := _first(environ.get("RUNTIME_DIRECTORY")):
        return unit / "api.sock"
    if user := _xdg("XDG_RUNTIME_DIR", environ):
        return user / "spiderd" / "api.sock"
    return data.path / "spiderd.sock"


def _first(paths: str | None) -> Path | None:
    head = (paths or "").split(":")[0]
    return Path(head) if head else None


def _xdg(name: str, environ: Mapping[str, str]) -> Path | None:
    value = environ.get(name, "")
    return Path(value) if value.startswith("/") else None


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) if environ.get("HOME") else absolute("~")  # from the user database
