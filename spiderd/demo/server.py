"""Serves the demonstration site.

The pages lie in `site/` as bytes in their own encodings and are sent without a charset, as many servers do.
What a folder of files cannot show is in the two tables here: an address that has moved, a text that has two.
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

SITE = Path(__file__).parent / "site"
PORT = 8642
"""The usual port. A fixed one, so that a second crawl finds the same URLs and has nothing left to do."""

MOVED = {"/spiders/cross-spider.html": "/spiders/garden-cross-spider.html"}
COPIES = {"/print/dragline.html": "/silk/dragline.html"}


class Handler(SimpleHTTPRequestHandler):
    """Answers with the files of the site, and nothing about them in a log."""

    protocol_version = "HTTP/1.1"
    server_version = "spiderd-demo"
    sys_version = ""
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait 40 ms for an ACK
    timeout = 30  # seconds that an idle connection may keep its thread
    extensions_map = {  # noqa: RUF012 - the name and the kind of table are http.server's
        ".css": "text/css",
        ".html": "text/html",
        ".svg": "image/svg+xml",
        ".txt": "text/plain",
        "": "application/octet-stream",
    }

    def __init__(self, *args: object) -> None:
        super().__init__(*args, directory=str(SITE))  # type: ignore[arg-type]  # handed through from the server

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer what is no file, else leave it to the file of that name."""
        path = urlsplit(self.path).path
        if path in MOVED:
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", MOVED[path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        self.path = COPIES.get(path, path)
        return super().send_head()

    def list_directory(self, path: object) -> None:
        """Show no folder that has no page."""
        del path
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *args: object) -> None:
        """Say nothing: whoever crawls the site tells of it."""


class Server(ThreadingHTTPServer):
    """A server that does not ask the name service about its own address, as http.server's does."""

    def server_bind(self) -> None:
        """Bind; on some machines the reverse look-up of 127.0.0.1 takes seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]  # IPv4


@contextmanager
def serving(port: int | None = None) -> Iterator[str]:
    """Serve the site from a thread, for as long as the context lasts.

    Args:
        port: 0 = any free one; None = the usual one, or any free one where that is taken.

    Yields:
        The URL of the front page.

    Raises:
        OSError: the port cannot be had.
    """
    with _bind(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def _bind(port: int | None) -> Server:
    try:
        return Server(("127.0.0.1", PORT if port is None else port), Handler)
    except OSError:
        if port is not None:
            raise
        return Server(("127.0.0.1", 0), Handler)
