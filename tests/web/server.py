"""A web server for tests that does what real ones do, and what they should not.

    async with serve({"/": b"<a href=/b>b</a>", "/b": (404, {}, b"gone")}) as site:
        ...  site.url("/")  site.requests  site.max_concurrency

A route maps a path (with its query, else without it, else "*") to an answer:

    bytes or str              200, text/html
    (status, headers, body)   headers: a dict or a list of pairs; Content-Length is added where none is given
    callable(request)         returns one of the above
    async callable(stream, request)   writes what it likes to the trio stream, then the connection is closed;
                              or returns one of the above, which is then sent as usual

Instead of a mapping one callable may answer everything. `site.routes` may be changed while the site runs.
Each site has an address of its own (127.0.0.0/8 is all loopback), so "many hosts" is many sites. Outside of
trio: `with threaded_site(routes) as site:`, and `python -m tests.web.server --help` in a process of its own.
Times are `trio.current_time()`, so that a MockClock is obeyed. Ready-made faults: `tests.web.faults`.
"""

from __future__ import annotations

import argparse
import inspect
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import trio

HeaderPairs = Mapping[str, str] | list[tuple[str, str]]
Answer = bytes | str | tuple[int, HeaderPairs, bytes | str]
Route = Answer | Callable[..., Answer | Awaitable[Answer | None]]
Routes = MutableMapping[str, Route] | Callable[..., Answer | Awaitable[Answer | None]]

MAX_HEAD = 256 * 1024  # a test client that sends more is at fault


@dataclass(slots=True)
class Request:
    """A request as it was seen."""

    method: str
    target: str  # as it stood in the request line
    headers: list[tuple[str, str]]  # names in lower case
    body: bytes
    time: float  # trio.current_time() at arrival
    connection: int  # 1 for the first connection of the site
    number: int  # 1 for the first request of the connection
    concurrency: int  # requests being answered, this one included

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """What follows the question mark."""
        return self.target.partition("?")[2]

    def header(self, name: str, default: str = "") -> str:
        """The first value of a header."""
        return next((value for key, value in self.headers if key == name.lower()), default)


@dataclass
class Site:
    """A running server and all that it has seen."""

    routes: Routes
    host: str
    port: int
    scheme: str = "http"
    requests: list[Request] = field(default_factory=list)
    connections: int = 0  # ever accepted
    open_connections: int = 0
    concurrency: int = 0
    max_concurrency: int = 0
    errors: list[BaseException] = field(default_factory=list)  # what handlers raised, broken streams aside

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        return f"{self.scheme}://{self.host}:{self.port}"

    def url(self, target: str = "/") -> str:
        """The URL of a path."""
        return self.origin + target

    @property
    def targets(self) -> list[str]:
        """The targets asked for, in order."""
        return [request.target for request in self.requests]

    def count(self, target: str) -> int:
        """How often a target was asked for."""
        return self.targets.count(target)

    def find(self, request: Request) -> Route:
        """The route for a request."""
        if callable(self.routes):
            return self.routes
        for key in (request.target, request.path, "*"):
            if key in self.routes:
                return self.routes[key]
        return (404, {}, b"no such page")

    async def handle(self, stream: trio.abc.Stream) -> None:
        """Serve one connection until it is closed."""
        self.connections += 1
        self.open_connections += 1
        connection = self.connections
        try:
            async with stream:
                await self._converse(stream, connection)
        except (trio.BrokenResourceError, trio.ClosedResourceError, ssl.SSLError, OSError):
            pass  # the client has gone: its right
        except Exception as error:  # noqa: BLE001 - a test looks at it; the other connections go on
            self.errors.append(error)
        finally:
            self.open_connections -= 1

    async def _converse(self, stream: trio.abc.Stream, connection: int) -> None:
        buffer = bytearray()
        number = 0
        while True:
            request = await read_request(stream, buffer)
            if request is None:
                return
            number += 1
            request.connection, request.number = connection, number
            self.concurrency += 1
            self.max_concurrency = max(self.max_concurrency, self.concurrency)
            request.concurrency = self.concurrency
            self.requests.append(request)
            try:
                answer = await call(self.find(request), stream, request)
                if answer is None:
                    return
                await stream.send_all(render(answer, request))
            finally:
                self.concurrency -= 1
            if request.header("connection").lower() == "close" or closes(answer):
                return


async def call(route: Route, stream: trio.abc.Stream, request: Request) -> Answer | None:
    """The answer of a route; None where the route has written to the stream itself."""
    if not callable(route):
        return route
    two = len([p for p in inspect.signature(route).parameters.values() if p.default is p.empty]) > 1
    answer: Any = route(stream, request) if two else route(request)
    return await answer if inspect.isawaitable(answer) else answer


def pairs(answer: Answer) -> list[tuple[str, str]]:
    """The headers of an answer."""
    headers: HeaderPairs = answer[1] if isinstance(answer, tuple) else {"Content-Type": "text/html"}
    return list(headers.items()) if isinstance(headers, Mapping) else list(headers)


def closes(answer: Answer) -> bool:
    """Whether the answer says that the connection ends with it."""
    return any(name.lower() == "connection" and value.lower() == "close" for name, value in pairs(answer))


def render(answer: Answer, request: Request | None = None) -> bytes:
    """The bytes of an answer on the wire."""
    status, body = (answer[0], answer[2]) if isinstance(answer, tuple) else (200, answer)
    content = body.encode() if isinstance(body, str) else body
    headers = pairs(answer)
    names = {name.lower() for name, _ in headers}
    if not names & {"content-length", "transfer-encoding"} and status not in {204, 304}:
        headers.append(("Content-Length", str(len(content))))
    head = f"HTTP/1.1 {status} {'OK' if status < 300 else 'Status'}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
    return head.encode() + (b"" if request is not None and request.method == "HEAD" else content)


async def read_request(stream: trio.abc.Stream, buffer: bytearray) -> Request | None:
    """Read one request; what follows it stays in the buffer. None at the end of the connection."""
    while (end := buffer.find(b"\r\n\r\n")) < 0:
        data = await stream.receive_some(65536)
        if not data:
            return None
        buffer += data
        if len(buffer) > MAX_HEAD:
            return None
    lines = bytes(buffer[:end]).decode("latin-1").split("\r\n")
    del buffer[: end + 4]
    method, target, _ = lines[0].split(" ", 2)
    split = (line.partition(":") for line in lines[1:])
    headers = [(name.strip().lower(), value.strip()) for name, _, value in split]
    request = Request(method, target, headers, b"", trio.current_time(), 0, 0, 0)
    length = int(request.header("content-length", "0"))
    while len(buffer) < length:
        data = await stream.receive_some(65536)
        if not data:
            return None
        buffer += data
    request.body = bytes(buffer[:length])
    del buffer[:length]
    return request


@asynccontextmanager
async def serve(
    routes: Routes | Mapping[str, Any] | None = None,
    host: str = "127.0.0.7",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[Site]:
    """Serve a site for the length of the block; `tls` makes it https (see `tests.web.tls`)."""
    made: Any = {} if routes is None else routes
    listeners = await trio.open_tcp_listeners(port, host=host)
    site = Site(made, host, listeners[0].socket.getsockname()[1], "https" if tls else "http")
    serving: list[Any] = list(listeners)
    if tls:
        serving = [trio.SSLListener(listener, tls, https_compatible=True) for listener in listeners]
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(trio.serve_listeners, site.handle, serving, handler_nursery=nursery))
        try:
            yield site
        finally:
            nursery.cancel_scope.cancel()


@contextmanager
def threaded_site(
    routes: Routes | Mapping[str, Any] | None = None,
    host: str = "127.0.0.7",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Site]:
    """Serve a site from a thread of its own, for tests that run the daemon as a process."""
    ready = threading.Event()
    running: dict[str, Any] = {}

    async def main() -> None:
        with trio.CancelScope() as scope:
            async with serve(routes, host, port, tls) as site:
                running.update(site=site, token=trio.lowlevel.current_trio_token(), scope=scope)
                ready.set()
                await trio.sleep_forever()

    def run() -> None:
        try:
            trio.run(main)
        except BaseException as error:  # noqa: BLE001 - told to the thread that waits
            running["error"] = error
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="tests.web.server")
    thread.start()
    ready.wait()
    try:
        if "error" in running:
            raise running["error"]
        yield running["site"]
    finally:
        if "scope" in running:
            running["token"].run_sync_soon(running["scope"].cancel)
        thread.join()


def folder_site(root: Path) -> dict[str, Route]:
    """Routes for the files of a folder (`index.html` answers for its directory)."""
    kinds = {".html": "text/html", ".txt": "text/plain", ".xml": "application/xml", ".css": "text/css"}
    routes: dict[str, Route] = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name = "/" + path.relative_to(root).as_posix()
        answer = (
            200,
            {"Content-Type": kinds.get(path.suffix, "application/octet-stream")},
            path.read_bytes(),
        )
        routes[name] = answer
        if path.name == "index.html":
            routes[name.removesuffix("index.html")] = answer
    return routes


def main() -> None:
    """Serve the catalogue of faults, or a folder, until interrupted; the first line printed is the URL."""
    from tests.web.faults import catalogue

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--host", default="127.0.0.7")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()

    async def run() -> None:
        routes = folder_site(options.folder) if options.folder else catalogue()
        async with serve(routes, options.host, options.port) as site:
            print(site.url(), flush=True)  # noqa: T201 - what this command is for
            await trio.sleep_forever()

    try:
        trio.run(run)
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
