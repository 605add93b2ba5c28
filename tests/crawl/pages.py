"""Small pages and sites for crawls."""

from __future__ import annotations

from collections.abc import Mapping

from tests.web.server import Route


def page(*links: str, text: str = "") -> str:
    """A page with links."""
    return f"<title>{text}</title>" + "".join(f'<a href="{link}">{link}</a>' for link in links) + text


def site_of(pages: Mapping[str, Route]) -> dict[str, Route]:
    """A site without a robots.txt."""
    return {"/robots.txt": (404, {}, b""), **pages}
