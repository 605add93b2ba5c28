"""Short ways to parse a page in a test."""

from __future__ import annotations

from spiderd.config.declaration import Config, Scope
from spiderd.parse import LinkKind, LinkRecord, ParsedPage, decode_record, parse_page
from spiderd.urls import ScopeRules

PAGE = "http://example.test/dir/page.html"
ANY = Config(scope=Scope(follow="any"))


def parse(
    body: str | bytes,
    url: str = PAGE,
    content_type: str = "text/html; charset=utf-8",
    *,
    config: Config = ANY,
    depth: int = 1,
    headers: tuple[tuple[str, str], ...] = (),
) -> ParsedPage:
    data = body.encode() if isinstance(body, str) else body
    return parse_page(data, url, content_type, config, ScopeRules(config, [url]), depth, headers=headers)


def urls(body: str | bytes, url: str = PAGE, content_type: str = "text/html; charset=utf-8") -> list[str]:
    """URLs of the links that are followed."""
    return parse(body, url, content_type).links.urls


def record_of(page: ParsedPage) -> LinkRecord:
    return decode_record(page.links.record)


def others(page: ParsedPage) -> dict[str, LinkKind]:
    """URLs that are recorded and not followed, with their kinds."""
    return {link.url: LinkKind(link.kind) for link in record_of(page).others}


def kinds(page: ParsedPage) -> dict[str, LinkKind]:
    """URLs that are followed, with their kinds."""
    return dict(zip(page.links.urls, map(LinkKind, record_of(page).kinds), strict=True))
