"""The files that systemd needs, and where they go.

They lie in `packaging/` as distributions want them, with the program at /usr/bin/spiderd; an installed wheel
has them beside this module. What is put in place names the program that puts it there.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from spiderd.errors import CannotCreate

PROGRAM = "/usr/bin/spiderd"  # in the files as they are distributed
HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108 - what ProtectHome and PrivateTmp hide


class File(NamedTuple):
    """One file: where it lies in the distribution, where it goes, what it is for."""

    source: str
    target: str
    purpose: str


class Scope(NamedTuple):
    """Whom the service is for."""

    name: Literal["user", "system"]
    files: tuple[File, ...]


USER = Scope(
    "user",
    (
        File("systemd/user/spiderd.service", "systemd/user/spiderd.service", "the daemon"),
        File("systemd/user/spiderd.socket", "systemd/user/spiderd.socket", "optional: starts it when asked"),
    ),
)
SYSTEM = Scope(
    "system",
    (
        File("systemd/system/spiderd.service", "systemd/system/spiderd.service", "the daemon, hardened"),
        File(
            "systemd/system/spiderd.socket", "systemd/system/spiderd.socket", "optional: starts it when asked"
        ),
        File("sysusers.d/spiderd.conf", "sysusers.d/spiderd.conf", "its user and group"),
        File("tmpfiles.d/spiderd.conf", "tmpfiles.d/spiderd.conf", "the folder of its socket"),
    ),
)


class Placed(NamedTuple):
    """One file as it is to be."""

    path: Path
    text: str
    purpose: str

    def state(self) -> Literal["new", "same", "differs"]:
        """Compare with what is there.

        Raises:
            CannotCreate: it cannot be read.
        """
        try:
            return "same" if self.path.read_text(encoding="utf-8") == self.text else "differs"
        except FileNotFoundError:
            return "new"
        except (OSError, UnicodeDecodeError) as error:
            raise CannotCreate(f"cannot read {self.path}: {error}") from error

    def write(self) -> None:
        """Write it, whole or not at all.

        Raises:
            CannotCreate: it cannot be written.
        """
        beside = self.path.with_name(f".{self.path.name}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(self.text, encoding="utf-8")
            beside.chmod(0o644)
            beside.replace(self.path)
        except OSError as error:
            raise CannotCreate(f"cannot write {self.path}: {error.strerror}") from error


def rendered(
    scope: Scope, command: str, environ: Mapping[str, str], root: Path | None = None
) -> list[Placed]:
    """The files of a scope with the paths they go to; `root` goes before these."""
    folder = Path("/etc") if scope is SYSTEM else _config_home(environ)
    if root is not None:
        folder = root / folder.relative_to("/")
    return [
        Placed(folder / file.target, _text(file.source).replace(PROGRAM, command), file.purpose)
        for file in scope.files
    ]


def command_line(argv0: str | None = None) -> str:
    """How systemd is to start this very program (systemd.service(5), command lines)."""
    program = Path(sys.argv[0] if argv0 is None else argv0)
    found = program if program.name == "spiderd" and os.access(program, os.X_OK) else None
    if found is None:
        beside = Path(sys.executable).parent / "spiderd"
        found = beside if os.access(beside, os.X_OK) else None
    words = [str(found.absolute())] if found else [sys.executable, "-m", "spiderd"]
    return " ".join(map(_quoted, words))


def hidden_by_the_unit(command: str) -> str:
    """The folder of the program, where the system unit cannot see it; else ""."""
    path = command.strip('"').split('"')[0]
    return next((folder for folder in HIDDEN if path.startswith(f"{folder}/")), "")


def _quoted(word: str) -> str:
    word = word.replace("%", "%%").replace("$", "$$")
    if re.fullmatch(r"[\w/.+@%$:,=-]+", word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _config_home(environ: Mapping[str, str]) -> Path:
    named = environ.get("XDG_CONFIG_HOME", "")
    return Path(named) if named.startswith("/") else Path("~/.config").expanduser()


def _text(source: str) -> str:
    for folder in (Path(__file__).parent / "packaging", Path(__file__).parents[2] / "packaging"):
        if (folder / source).is_file():
            return (folder / source).read_text(encoding="utf-8")
    raise CannotCreate(f"this installation lacks {source}; the repository has it under packaging/")
