"""Search pages to look at: a small crawl that is indexed, and the real server on a port of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
import trio

from spiderd.cli.reaching import Reaching
from spiderd.config.declaration import Web
from spiderd.web.serving import serve_pages
from tests.search.crawled import Crawled, html, index

PAGES = 23
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)> &amp; \u202e\"'>"
FAR = "http://other.test/far"


def crawl(data_dir: Path) -> None:
    """Store and index some pages about zeppelins, one of them hostile, one in German, one elsewhere."""
    with Crawled(data_dir) as crawled:
        for n in range(PAGES):
            crawled.store(f"http://ship.test/{n}", html(f"Ship {n}", f"The zeppelin number{n} flies. " * 3))
        escaped = HOSTILE.replace("&", "&amp;").replace("<", "&lt;")
        text = f"{escaped} A balloon is no zeppelin."
        crawled.store('http://evil.test/"><script>alert(2)</script>', html(escaped, text))
        german = (
            "Das Luftschiff ist nicht schwer, und es ist auch nicht leicht; der Zeppelin ist ein Schiff. "
        )
        crawled.store("http://schiff.test/", html("Luftschiff", german * 5, lang="de"))
        crawled.store(FAR, html("Far", "A zeppelin that is somewhere else. " * 3))
    index(data_dir)


def backend(data_dir: Path) -> Reaching:
    return Reaching(data_dir / "nobody.sock", data_dir)


@asynccontextmanager
async def serving(data_dir: Path, **rules: object) -> AsyncIterator[str]:
    """Serve the pages of a data directory for the length of the block; the URL."""
    web = msgspec.structs.replace(Web(), **rules)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        async with trio.open_nursery() as nursery:
            asked = backend(data_dir)
            nursery.start_soon(asked.run)
            await nursery.start(serve_pages, asked, web, sock)
            try:
                yield f"http://127.0.0.1:{sock.getsockname()[1]}"
            finally:
                nursery.cancel_scope.cancel()


@contextmanager
def threaded(data_dir: Path, **rules: object) -> Iterator[str]:
    """The same, on a thread of its own."""
    ready, control = threading.Event(), {}

    async def main() -> None:
        async with serving(data_dir, **rules) as url:
            control.update(url=url, token=trio.lowlevel.current_trio_token(), stop=trio.Event())
            ready.set()
            await control["stop"].wait()

    thread = threading.Thread(target=trio.run, args=[main], daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield control["url"]
    finally:
        control["token"].run_sync_soon(control["stop"].set)
        thread.join(30)
        assert not thread.is_alive()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])
