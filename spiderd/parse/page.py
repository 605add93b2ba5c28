"""A fetched page in, its links out: the whole of parsing, in stages that can be measured one by one.

    decode    which encoding, UTF-8 for the parser              (charset)
    collect   elements to references, by kind                   (scan, collect)
    judge     reference to fetch URL, key hash, scope           (spiderd.urls.memory)
    record    the row of the link table                         (links)

Nothing in a page can make it fail, and its time is linear in the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import ada_url

from spiderd.config.declaration import Config
from spiderd.messages import Links
from spiderd.parse.charset import Decoded, decode_page
from spiderd.parse.collect import Collector
from spiderd.parse.links import LinkFlag, LinkKind, LinkRecord, OtherLink, encode_record
from spiderd.parse.refresh import parse_link_header
from spiderd.parse.scan import ScanText, scan
from spiderd.robots.directives import Directives, of_meta, together
from spiderd.urls import ScopeRules, key_hash, seen_key
from spiderd.urls.resolve import resolve

MAX_FOLLOWED = 50_000
"""Links of a page that are handed on; what lies beyond is counted as "too many"."""
MAX_RECORDED = 5_000
"""Links of a page that are kept in its row."""
MAX_REASONS = 32
"""Different reasons and schemes counted on a page; a hostile one can make up as many as it has links."""

_HTML = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml"})
_XML = frozenset({"application/xhtml+xml", "image/svg+xml", "application/xml", "text/xml"})
_LOOKS_LIKE_HTML = re.compile(
    rb"[\t\n\f\r ]*+<"
    rb"(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)"
    rb"(?=[\t\n\f\r >-])",
    re.IGNORECASE,
)  # MIME Sniffing 7.1, for answers without a type
_XHTML_ROOT = re.compile(rb"<(?:[A-Za-z]+:)?html[\t\n\r >]")
_SELF_CLOSING = re.compile(
    r"<(script|style|title|textarea|iframe|noframes|noembed|xmp|a)"
    r"((?:[\t\n\f\r ](?:[^<>\"'/]++|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)?+)/>"
)
_CDATA = re.compile(r"<!\[CDATA\[([^\]]*+(?:\](?!\]>)[^\]]*+)*+)(?:\]\]>|\Z)")


@dataclass(slots=True)
class ParsedPage:
    """What a page says of itself and of others."""

    links: Links
    title: str = ""
    charset: str = ""  # name in the Encoding Standard; "" for what is no text
    charset_source: str = ""  # who decided: bom, header, meta, utf-8 (undeclared, and valid), detected
    charset_lie: bool = False  # the declaration was wrong
    charset_confidence: float = 1.0  # of what was detected
    lang: str = ""  # as declared
    canonical: str = ""  # fetch URL
    noindex: bool = False  # by meta elements that speak to us
    nofollow: bool = False


def parse_page(
    body: bytes,
    url: str,
    content_type: str,
    config: Config,
    scope: ScopeRules,
    depth: int,
    *,
    headers: Iterable[tuple[str, str]] = (),
    nofollow: bool = False,
) -> ParsedPage:
    """Parse a page.

    Args:
        body: As received, content coding undone.
        url: Its fetch URL.
        content_type: The header; without one the first bytes decide whether it is HTML.
        config: Sections fetch and politeness count.
        scope: Decides on the links; remembers what it has decided.
        depth: Of the links, that is one more than the page's own.
        headers: Of the answer; `Link` and `Refresh` are read, names in any letter case.
        nofollow: Whether a header forbids to follow the links.
    """
    essence = content_type.partition(";")[0].strip().lower()
    is_html = essence in _HTML or (not essence and _LOOKS_LIKE_HTML.match(body) is not None)
    if essence in _XML and not is_html:
        is_html = _XHTML_ROOT.search(body, 0, 1024) is not None
    if not (is_html or essence.startswith("text/")):
        return ParsedPage(Links(b"", [], b"", {}))
    decoded = decode_page(body, content_type, xml=essence in _XML)
    collector = collect(decoded, essence, is_html=is_html, headers=headers)
    return _finish(collector, decoded, url, config, scope, depth, nofollow=nofollow)


def collect(
    decoded: Decoded, essence: str, *, is_html: bool = True, headers: Iterable[tuple[str, str]] = ()
) -> Collector:
    """Collect the references of a decoded page."""
    text = _text(decoded)
    if is_html:
        if essence in _XML:
            text = _CDATA.sub(_escape, _SELF_CLOSING.sub(r"<\1\2></\1>", text))
        collector = _scanned(text)
    else:
        collector = Collector(ScanText(text))
        if essence == "text/css":
            collector.css(text)
    for document in collector.documents:
        collector.merge(_scanned(document))
    for name, value in headers:
        if name.lower() == "refresh":
            collector.refresh_to(value)
        elif name.lower() == "link":
            for link in parse_link_header(value):
                get = link.parameters.get
                collector.relation(link.url, link.rel, get("type", ""), get("hreflang", ""))
    return collector


def _scanned(html: str) -> Collector:
    collector = Collector(ScanText(html))
    scan(html, collector)
    return collector


def _text(decoded: Decoded) -> str:
    return decoded.html.decode("utf-8", "replace") if decoded.text is None else decoded.text


def _escape(section: re.Match[str]) -> str:
    return section[1].replace("&", "&amp;").replace("<", "&lt;")


def _finish(
    collector: Collector,
    decoded: Decoded,
    url: str,
    config: Config,
    scope: ScopeRules,
    depth: int,
    *,
    nofollow: bool,
) -> ParsedPage:
    robots = together(map(of_meta, collector.robots)) if collector.robots else Directives()
    base = _base(url, collector.base)
    if base is url:
        collector.pages.pop("", None)  # the page itself
    maker = _LinkMaker(scope, base, decoded.charset, url, config)
    closed = "depth" if scope.too_deep(depth) else ""
    if nofollow or (robots.nofollow and config.politeness.meta_robots):
        closed = "nofollow"
    maker.pages(collector, closed)
    maker.assets(collector, closed)
    canonical = (resolve(base, collector.canonical, decoded.charset) or "") if collector.canonical else ""
    return ParsedPage(
        links=maker.links(canonical, collector.dropped),
        title=collector.title or "",
        charset=decoded.charset,
        charset_source=decoded.source,
        charset_lie=decoded.lie,
        charset_confidence=decoded.confidence,
        lang=collector.lang or collector.content_language,
        canonical=canonical,
        noindex=robots.noindex,
        nofollow=robots.nofollow,
    )


def _base(url: str, href: str | None) -> str:
    """Return the document base URL (HTML, "set the frozen base URL")."""
    if not href:
        return url
    try:
        base = ada_url.join_url(url, href)
    except ValueError:
        return url
    return url if base.startswith(("data:", "javascript:")) else base


class _LinkMaker:
    """Judges the references of one page and puts its links together."""

    def __init__(self, scope: ScopeRules, base: str, encoding: str, url: str, config: Config) -> None:
        self._judge = scope.memory.at(base, encoding)
        self._config = config
        self._own = key_hash(seen_key(url, config.urls))
        self._place: dict[bytes, int] = {}  # key hash to place among the followed
        self._urls: list[str] = []
        self._kinds = bytearray()
        self._texts: list[str] = []
        self._others: dict[str, OtherLink] = {}
        self._refused: Counter[str] = Counter()
        self._dropped = 0

    def pages(self, collector: Collector, closed: str) -> None:
        """Take the links to pages; `closed` is the reason why none of them may be followed."""
        judge, own, place = self._judge, self._own, self._place
        obeys, forms = self._config.politeness.nofollow, self._config.fetch.forms
        for href, (kind, nofollow, text) in collector.pages.items():
            url, digest, reason = judge(href)
            if digest == own:
                continue
            if not reason:
                if kind is LinkKind.FORM and not forms:
                    reason = "form"
                elif nofollow and obeys:
                    reason = "nofollow"
                else:
                    reason = closed
            if reason:
                self._refuse(reason)
                if url:
                    self._other(url, kind, text, nofollow=nofollow or closed == "nofollow")
            elif digest not in place:
                self._follow(url, digest, kind, text)
            elif text and not self._texts[place[digest]]:
                self._texts[place[digest]] = text

    def assets(self, collector: Collector, closed: str) -> None:
        """Take the references to resources."""
        fetch = self._config.fetch.assets and not closed
        for reference, kind in collector.assets.items():
            href = reference.partition("#")[0]
            url, digest, reason = self._judge(href) if href else ("", b"", "")
            if not url or digest == self._own:
                continue
            if fetch and not reason:
                if digest not in self._place:
                    self._follow(url, digest, kind, "")
            else:
                self._other(url, kind, "", nofollow=False)

    def _refuse(self, reason: str) -> None:
        known = reason in self._refused or len(self._refused) < MAX_REASONS
        self._refused[reason if known else "other"] += 1

    def _follow(self, url: str, digest: bytes, kind: LinkKind, text: str) -> None:
        if len(self._urls) < MAX_FOLLOWED:
            self._place[digest] = len(self._urls)
            self._urls.append(url)
            self._kinds.append(kind)
            self._texts.append(text)
        else:
            self._refused["too many"] += 1

    def _other(self, url: str, kind: LinkKind, text: str, *, nofollow: bool) -> None:
        if url in self._others:
            return
        if len(self._others) < MAX_RECORDED and len(url) <= self._config.urls.max_length:
            flags = LinkFlag.NOFOLLOW if nofollow else LinkFlag.NONE
            self._others[url] = OtherLink(url, kind, flags, text)
        else:
            self._dropped += 1

    def links(self, canonical: str, dropped: int) -> Links:
        """Return what the coordinator gets."""
        keys = b"".join(self._place)
        kept = min(len(self._urls), MAX_RECORDED)
        others = list(self._others.values())[: MAX_RECORDED - kept]
        dropped += self._dropped + len(self._urls) - kept + len(self._others) - len(others)
        record = LinkRecord(
            keys=keys[: 8 * kept],
            kinds=bytes(self._kinds[:kept]),
            texts=self._texts[:kept],
            others=others,
            dropped=dropped,
            canonical=canonical,
        )
        return Links(keys, self._urls, encode_record(record), dict(self._refused))
