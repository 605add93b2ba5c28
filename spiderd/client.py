"""The blocking client of the local API, for the command line.

One connection, kept open; the standard library's HTTP over a unix socket, because a command that asks one
question must not pay for the import of more. The first thing it asks is who is there: an API of another
version is refused with a sentence instead of being misread.

Errors are those of `spiderd.errors`. Whatever keeps an answer from coming is `Unavailable`, and `NotRunning`
where it is certain that there is no daemon. What the daemon refuses is raised as what it would have been
there.
"""

from __future__ import annotations

import http.client
import socket
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import urlencode

import msgspec

from spiderd import protocol
from spiderd.errors import (
    AlreadyRunning,
    ConfigError,
    SpiderdError,
    StorageError,
    Unavailable,
    UsageError,
)
from spiderd.paths import short_enough
from spiderd.protocol import API_VERSION

GREETING = "/v1/"
TIMEOUT = 10.0  # seconds without a byte; the daemon answers in milliseconds or is in trouble

Reply = TypeVar("Reply", bound=msgspec.Struct)
Query = Mapping[str, str | int | float]

_RAISED: Mapping[str, type[SpiderdError]] = {
    "bad_value": UsageError,
    "bad_config": ConfigError,
    "storage_error": StorageError,
    "unavailable": Unavailable,
    "already_running": AlreadyRunning,
}
"""Code of an error answer -> what is raised here."""


class NotRunning(Unavailable):
    """It is certain that no daemon listens: there is no socket, or nobody behind it."""


class _Greeting(msgspec.Struct):
    """The part of the greeting that every version has."""

    api: int
    version: str = ""


class Client:
    """Calls of the local API; each blocks until the answer is there.

    Args:
        path: of the socket.
        timeout: seconds to wait for each piece of an answer.
    """

    def __init__(self, path: Path, *, timeout: float = TIMEOUT) -> None:
        self.path = short_enough(path)
        self.timeout = timeout
        self._connection: http.client.HTTPConnection | None = None
        self._hello: protocol.Hello | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; the next call connects and greets anew."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._hello = None

    def hello(self) -> protocol.Hello:
        """Ask who is there, once a connection.

        Raises:
            Unavailable: nobody, or a daemon that speaks another version of the API.
        """
        if self._hello is None:
            body = self._exchange("GET", GREETING)
            greeting = self._decode(body, _Greeting)
            if greeting.api != API_VERSION:
                raise Unavailable(
                    f"the daemon at {self.path} is spiderd {greeting.version} and speaks version "
                    f"{greeting.api} of the API, this program speaks {API_VERSION}: use the same release"
                )
            self._hello = self._decode(body, protocol.Hello)
        return self._hello

    def status(self) -> protocol.Snapshot:
        """Ask for all that one screen shows."""
        return self._get("/v1/status", protocol.Snapshot)

    def workers(self, query: Query | None = None) -> protocol.Workers:
        """List the workers; a query has limit, offset, sort, desc ("true"), filter."""
        return self._get("/v1/workers", protocol.Workers, query)

    def directories(self, query: Query | None = None) -> protocol.Directories:
        """List the download directories."""
        return self._get("/v1/directories", protocol.Directories, query)

    def hosts(self, query: Query | None = None) -> protocol.Hosts:
        """List the host queues."""
        return self._get("/v1/hosts", protocol.Hosts, query)

    def errors(self, query: Query | None = None) -> protocol.Errors:
        """List the error queue."""
        return self._get("/v1/errors", protocol.Errors, query)

    def traps(self, query: Query | None = None) -> protocol.Traps:
        """List the shapes that are parked as traps."""
        return self._get("/v1/traps", protocol.Traps, query)

    def settings(self) -> protocol.Settings:
        """Ask for the configuration in effect."""
        return self._get("/v1/settings", protocol.Settings)

    def events(self, *, since: int, wait: float = 0.0, level: str = "debug") -> protocol.Events:
        """Ask for the events after `since`; with none, wait for the next up to `wait` seconds."""
        query: Query = {"since": since, "wait": wait, "level": level}
        return self._get("/v1/events", protocol.Events, query, patience=wait)

    def why(self, url: str) -> protocol.Why:
        """Ask which rule decides about a URL."""
        return self._get("/v1/why", protocol.Why, {"url": url})

    def search(
        self, query: str, *, page: int = 1, limit: int = 10, typing: bool = False
    ) -> protocol.SearchReply:
        """Search what was crawled; with `typing` the last word may be the beginning of others."""
        asked: dict[str, str | int] = {"q": query, "page": page, "limit": limit}
        if typing:
            asked["typing"] = "true"
        return self._get("/v1/search", protocol.SearchReply, asked)

    def page(self, *, number: int = 0, url: str = "") -> protocol.PageReply:
        """Ask what is kept of a page, by its number or its URL."""
        return self._get("/v1/page", protocol.PageReply, {"id": number, "url": url})

    def reindex(self) -> protocol.IndexState:
        """Have the search index built anew."""
        return self._post("/v1/reindex", protocol.IndexState)

    def add(self, urls: Sequence[str]) -> protocol.Added:
        """Put URLs into the frontier; at most 1 MiB of them."""
        return self._post("/v1/add", protocol.Added, protocol.AddRequest(urls=list(urls)))

    def visited(self, urls: Sequence[str]) -> protocol.Added:
        """Take URLs as seen without fetching them; at most 1 MiB of them."""
        return self._post("/v1/visited", protocol.Added, protocol.AddRequest(urls=list(urls)))

    def pause(self) -> protocol.StateReply:
        """Have no more leases given out."""
        return self._post("/v1/pause", protocol.StateReply)

    def resume(self) -> protocol.StateReply:
        """Go on after a pause."""
        return self._post("/v1/resume", protocol.StateReply)

    def stop(self) -> protocol.StateReply:
        """Have the daemon begin to stop."""
        return self._post("/v1/stop", protocol.StateReply)

    def reload(self) -> protocol.Reconfigured:
        """Have the configuration read again.

        Raises:
            ConfigError: it is wrong; the daemon goes on with the old one.
        """
        return self._post("/v1/reload", protocol.Reconfigured)

    def set(self, key: str, value: protocol.SettingValue) -> protocol.Reconfigured:
        """Make a setting live; the value is written as in the file.

        Raises:
            UsageError: key or value are wrong.
        """
        asked = protocol.SettingRequest(key=key, value=value)
        return self._post("/v1/settings", protocol.Reconfigured, asked)

    def unset(self, key: str) -> protocol.Reconfigured:
        """Go back to what the file says of a setting that was made live."""
        return self._post("/v1/settings", protocol.Reconfigured, protocol.SettingRequest(key=key))

    def retry(self, *, urls: Sequence[str] = (), everything: bool = False) -> protocol.Retried:
        """Put URLs of the error queue back: these, all, or those whose failure may pass."""
        asked = protocol.RetryRequest(all=everything, urls=list(urls))
        return self._post("/v1/retry", protocol.Retried, asked)

    def revisit(self, what: str) -> protocol.RevisitReply:
        """Have a page visited again, or those whose URLs a regular expression matches.

        Raises:
            Refused: there is no such page, and it is no expression either.
        """
        return self._post("/v1/revisit", protocol.RevisitReply, protocol.RevisitRequest(what=what))

    def release(self, what: str) -> protocol.Released:
        """Let a parked shape go on, or a host that is held back.

        Raises:
            UsageError: nothing of that name is parked or known.
        """
        return self._post("/v1/release", protocol.Released, protocol.ReleaseRequest(what=what))

    def _get(self, path: str, reply: type[Reply], query: Query | None = None, patience: float = 0.0) -> Reply:
        self.hello()
        # Arguments that are no UTF-8 come in as surrogates and go out as the bytes they were.
        target = f"{path}?{urlencode(query, errors='surrogateescape')}" if query else path
        return self._decode(self._exchange("GET", target, patience=patience), reply)

    def _post(self, path: str, reply: type[Reply], body: msgspec.Struct | None = None) -> Reply:
        self.hello()
        return self._decode(self._exchange("POST", path, msgspec.json.encode(body) if body else b""), reply)

    def _exchange(self, method: str, target: str, body: bytes | None = None, patience: float = 0.0) -> bytes:
        """Send a request and return the body of a good answer; a kept connection that died is replaced."""
        kept = self._connection is not None
        try:
            status, answer = self._attempt(method, target, body, patience)
        except (http.client.RemoteDisconnected, ConnectionError) as error:
            self.close()
            if not kept or method != "GET":
                raise self._explained(error) from error
            if target != GREETING:  # it may be another daemon by now
                self.hello()
            return self._exchange(method, target, body, patience)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._explained(error) from error
        if status != http.client.OK:
            raise self._refusal(status, answer)
        return answer

    def _attempt(self, method: str, target: str, body: bytes | None, patience: float) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = _UnixConnection(self.path, self.timeout)
            self._connection.connect()
        connection = self._connection
        connection.sock.settimeout(self.timeout + patience)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        return response.status, response.read()

    def _decode(self, body: bytes, reply: type[Reply]) -> Reply:
        try:
            return msgspec.json.decode(body, type=reply)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unavailable(
                f"the answer of {self.path} is not understood ({error}): is the daemon another release?"
            ) from error

    def _refusal(self, status: int, body: bytes) -> SpiderdError:
        try:
            error = msgspec.json.decode(body, type=protocol.ErrorReply).error
        except (msgspec.DecodeError, UnicodeDecodeError):
            return Unavailable(
                f"what listens at {self.path} is no spiderd: it answers with HTTP status {status}"
            )
        if self._hello is None:
            return Unavailable(f"the daemon at {self.path} does not greet: {error.message}")
        if error.code == "not_found":  # a call that came with a later release
            return Unavailable(f"the daemon, spiderd {self._hello.version}, cannot do that: {error.message}")
        return _RAISED.get(error.code, SpiderdError)(error.message)

    def _explained(self, error: Exception) -> Unavailable:
        match error:
            case FileNotFoundError() | NotADirectoryError():
                return NotRunning(f"no daemon is running: there is no socket at {self.path}")
            case ConnectionRefusedError() if not _is_socket(self.path):
                return NotRunning(f"no daemon is running: {self.path} is not a socket")
            case ConnectionRefusedError():
                return NotRunning(f"no daemon is running: nobody listens at {self.path} any more")
            case PermissionError():
                return Unavailable(f"the socket {self.path} is not open to this user (see api.group)")
            case TimeoutError():
                return Unavailable(f"the daemon at {self.path} does not answer within {self.timeout:g} s")
            case BlockingIOError():  # its backlog is full: it accepts nobody
                return Unavailable(f"the daemon at {self.path} does not take any more clients")
            case http.client.RemoteDisconnected() | ConnectionError():
                return Unavailable(f"the daemon at {self.path} hung up without an answer")
            case http.client.HTTPException():
                return Unavailable(f"what listens at {self.path} is no spiderd: it does not speak HTTP")
            case _:
                return Unavailable(f"the daemon at {self.path} cannot be asked: {error}")


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("spiderd", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def _is_socket(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISSOCK(path.stat().st_mode)
    return False
