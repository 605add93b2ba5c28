"""The calls of the local API, as the dashboard needs them.

Every failure comes out as `CallFailed` (the daemon said no, and why) or `LineBroken` (there is no daemon to
say anything); nothing of httpx is seen above this module.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import httpx
import msgspec

from spiderd.errors import SpiderdError
from spiderd.protocol import (
    Added,
    AddRequest,
    Directories,
    ErrorReply,
    Errors,
    Events,
    Hello,
    HostReply,
    Hosts,
    Links,
    PageReply,
    Reconfigured,
    Released,
    ReleaseRequest,
    Report,
    Reports,
    Retried,
    RetryRequest,
    SearchReply,
    SettingRequest,
    Settings,
    Snapshot,
    StateReply,
    Traps,
    Tree,
    Why,
)
from tui.connection import Problem
from tui.settings import Value

Answer = TypeVar("Answer")

Rows = Hosts | Directories | Errors | Traps | Tree | Reports | Report

LISTS: Mapping[str, type[Rows]] = {
    "hosts": Hosts,
    "directories": Directories,
    "errors": Errors,
    "traps": Traps,
    "tree": Tree,
    "reports": Reports,
    "report": Report,
}

ANSWER_WITHIN = 10.0  # seconds; the daemon answers reads in milliseconds
EVENTS_WAIT = 10.0  # seconds that the daemon may hold a request for events open


class LineBroken(SpiderdError):
    """Nobody answered, or not in words that we understand."""

    def __init__(self, problem: Problem, detail: str) -> None:
        super().__init__(detail)
        self.problem = problem


class CallFailed(SpiderdError):
    """The daemon refused a call; `code` is stable, the text is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Client:
    """One daemon, by the path of its socket."""

    def __init__(self, socket: str) -> None:
        self.socket = socket
        # Two pools: a request for events that is held open must never be in the way of a command.
        self._calls = self._connect(ANSWER_WITHIN)
        self._stream = self._connect(EVENTS_WAIT + ANSWER_WITHIN)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back."""
        await self._calls.aclose()
        await self._stream.aclose()

    async def hello(self) -> Hello:
        """Who is there?"""
        return await self._get("", Hello)

    async def status(self) -> Snapshot:
        """All that a screen needs."""
        return await self._get("status", Snapshot)

    async def events(self, since: int, wait: float = EVENTS_WAIT) -> Events:
        """Events after an id; held open by the daemon until there are some or `wait` seconds are over."""
        return await self._get("events", Events, {"since": since, "wait": wait}, client=self._stream)

    async def rows(self, name: str, query: Mapping[str, str | float]) -> Rows:
        """A window of one of the lists that are too long for a snapshot."""
        return await self._get(name, LISTS[name], query)

    async def host(self, name: str) -> HostReply:
        """One host in full."""
        return await self._get("host", HostReply, {"host": name})

    async def why(self, url: str) -> Why:
        """Which rule decides about a URL, and what is known of it?"""
        return await self._get("why", Why, {"url": url})

    async def search(self, query: str, page: int, limit: int) -> SearchReply:
        """One page of results; the last word may be the beginning of others."""
        return await self._get(
            "search", SearchReply, {"q": query, "page": page, "limit": limit, "typing": "true"}
        )

    async def page(self, number: int) -> PageReply:
        """What is kept of a page."""
        return await self._get("page", PageReply, {"id": number})

    async def links(self, number: int) -> Links:
        """Where a page leads, and what leads to it."""
        return await self._get("links", Links, {"id": number})

    async def settings(self) -> Settings:
        """The configuration in effect."""
        return await self._get("settings", Settings)

    async def change(self, key: str, value: Value | None) -> Reconfigured:
        """Make a setting live, or (None) take it back."""
        return await self._post("settings", Reconfigured, SettingRequest(key=key, value=value))

    async def reload(self) -> Reconfigured:
        """Have the daemon read its configuration again."""
        return await self._post("reload", Reconfigured)

    async def release(self, what: str) -> Released:
        """Let a parked shape or host go on."""
        return await self._post("release", Released, ReleaseRequest(what=what))

    async def check(self, urls: list[str]) -> Added:
        """What would become of these URLs if they were added?"""
        return await self._post("check", Added, AddRequest(urls=urls))

    async def add(self, urls: list[str]) -> Added:
        """Add seeds."""
        return await self._post("add", Added, AddRequest(urls=urls))

    async def pause(self) -> StateReply:
        """Give out no more leases."""
        return await self._post("pause", StateReply)

    async def resume(self) -> StateReply:
        """Go on."""
        return await self._post("resume", StateReply)

    async def retry(self, urls: list[str] | None = None) -> Retried:
        """Put back the URLs of the error queue that may pass, or just these, whatever their failure."""
        return await self._post("retry", Retried, RetryRequest(urls=urls or []))

    async def stop(self) -> StateReply:
        """Ask the daemon to finish what is in flight, commit and leave."""
        return await self._post("stop", StateReply)

    def _connect(self, timeout: float) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=self.socket),
            base_url="http://spiderd/v1/",
            timeout=timeout,
            trust_env=False,
        )

    async def _get(
        self,
        path: str,
        kind: type[Answer],
        query: Mapping[str, str | float] | None = None,
        *,
        client: httpx.AsyncClient | None = None,
    ) -> Answer:
        return await self._send(client or self._calls, "GET", path, kind, params=query)

    async def _post(self, path: str, kind: type[Answer], body: msgspec.Struct | None = None) -> Answer:
        content = msgspec.json.encode(body) if body is not None else b"{}"
        return await self._send(self._calls, "POST", path, kind, content=content)

    async def _send(
        self,
        client: httpx.AsyncClient,
        method: str,
        path: str,
        kind: type[Answer],
        *,
        params: Mapping[str, str | float] | None = None,
        content: bytes | None = None,
    ) -> Answer:
        headers = {"Content-Type": "application/json"} if content is not None else {}
        try:
            answer = await client.request(method, path, params=params, content=content, headers=headers)
        except httpx.HTTPError as problem:
            raise _line_broken(problem, self.socket) from problem
        if answer.is_success:
            return _decode(answer.content, kind)
        raise _refusal(answer)


def _decode(body: bytes, kind: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as problem:  # ValidationError is one of them
        raise LineBroken(Problem.GARBLED, f"the daemon's answer cannot be read: {problem}") from problem


def _refusal(answer: httpx.Response) -> SpiderdError:
    """Turn an answer that is not 2xx into the error that it names."""
    try:
        said = msgspec.json.decode(answer.content, type=ErrorReply).error
    except msgspec.DecodeError:
        return LineBroken(Problem.GARBLED, f"the daemon answered HTTP {answer.status_code} without a reason")
    return CallFailed(said.code, said.message)


def _line_broken(problem: httpx.HTTPError, socket: str) -> LineBroken:
    """Say what is wrong with the line, from the system's error at the bottom of the chain."""
    number = _errno(problem)
    if number == errno.ENOENT:
        return LineBroken(Problem.NO_SOCKET, f"there is no socket at {socket}")
    if number in {errno.ECONNREFUSED, errno.ENOTSOCK}:
        return LineBroken(Problem.NOBODY, f"nothing listens on {socket}")
    if number in {errno.EACCES, errno.EPERM}:
        return LineBroken(Problem.FORBIDDEN, f"you may not use {socket}{_owner(socket)}")
    if isinstance(problem, httpx.TimeoutException):
        return LineBroken(Problem.SILENT, f"no answer on {socket}")
    return LineBroken(Problem.BROKEN, f"the connection to {socket} broke")


def _owner(socket: str) -> str:
    """Say whose a socket is: those, and members of the group that `api.group` names, may use it."""
    try:
        found = Path(socket)
        return f", which is {found.owner()}'s, of the group {found.group()}"
    except (OSError, KeyError, NotImplementedError):  # not to be seen, or without a name
        return ""


def _errno(problem: BaseException | None) -> int:
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno:
            return problem.errno
        problem = problem.__cause__ or problem.__context__
    return 0
