"""The references of a page as its elements name them: what is a link, of which kind, and what is not.

Elements come from the scanner (`spiderd.parse.scan`), in the order of the page; nothing is resolved here,
since a `base` element may come after the links that it is for. A reference that stands on the page more than
once is kept once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from spiderd.parse.css import parse_css
from spiderd.parse.links import FIRST_ASSET, TEXT_LIMIT, LinkKind
from spiderd.parse.refresh import MAX_REFRESH_DELAY, parse_refresh
from spiderd.parse.srcset import parse_srcset

Attributes = Mapping[str, str | None]
TextOf = Callable[[Any], str]

MAX_REFERENCES = 100_000
"""Different references of a page that are looked at; a page of 10 MB can hold a million."""
MAX_DOCUMENTS = 16
"""Documents in `srcdoc` attributes that are looked at."""
TITLE_LIMIT = 500

_RESOURCE_RELS = {
    "stylesheet": LinkKind.STYLESHEET,
    "icon": LinkKind.ICON,
    "apple-touch-icon": LinkKind.ICON,
    "apple-touch-icon-precomposed": LinkKind.ICON,
    "mask-icon": LinkKind.ICON,
    "fluid-icon": LinkKind.ICON,
}
# HTML Standard: link types that are hyperlinks for a link element, and those that books on the web use
_PAGE_RELS = frozenset({
    "alternate", "author", "help", "license", "next", "prev", "previous", "search", "privacy-policy",
    "terms-of-service", "first", "last", "start", "begin", "end", "up", "top", "parent", "home", "index",
    "contents", "toc", "chapter", "section", "subsection", "appendix", "glossary", "copyright", "child",
    "sibling", "archives", "bookmark", "tag", "me"
})  # fmt: skip
_PAGE_TYPES = ("", "text/html", "application/xhtml+xml", "text/plain", "application/pdf")
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")


class Reference(NamedTuple):
    """One reference of a page, and what is known of it."""

    kind: LinkKind
    nofollow: bool
    text: str


class Collector:
    """Takes the elements of one page."""

    def __init__(self, text_of: TextOf) -> None:
        """Start a page.

        Args:
            text_of: Gives the text of an element from the `source` that comes with it.
        """
        self.pages: dict[str, Reference] = {}  # by reference, without fragment
        self.assets: dict[str, LinkKind] = {}
        self.dropped = 0
        self.base: str | None = None  # href of the first base element that has one
        self.title: str | None = None
        self.lang = ""
        self.content_language = ""
        self.canonical = ""
        self.refresh = ""
        self.robots: list[str] = []  # contents of the robots meta elements that speak to us
        self.documents: list[str] = []  # of iframes, as HTML; they share the base of the page
        self._text_of = text_of

    def merge(self, other: Collector) -> None:
        """Take the references of a document within the page."""
        for href, reference in other.pages.items():
            self.pages.setdefault(href, reference)
        for href, kind in other.assets.items():
            self.assets.setdefault(href, kind)
        self.dropped += other.dropped

    # what references are added to

    def page(self, href: str | None, kind: LinkKind, source: Any = None, *, nofollow: bool = False) -> None:
        """Add a link to a page. An anchor that names nothing but a fragment leads to the base, "" here."""
        if href is None:
            return
        if "#" in href:
            href = href[: href.index("#")]
        if not href and kind > LinkKind.AREA:
            return
        known = self.pages.get(href)
        if known is None:
            if len(self.pages) >= MAX_REFERENCES:
                self.dropped += 1
                return
            text = fold(self._text_of(source)) if source is not None else ""
            self.pages[href] = Reference(kind, nofollow, text)
        elif (source is not None and not known.text) or (known.nofollow and not nofollow):
            text = known.text or (fold(self._text_of(source)) if source is not None else "")
            self.pages[href] = Reference(known.kind, known.nofollow and nofollow, text)

    def asset(self, href: str | None, kind: LinkKind) -> None:
        """Add a reference to a resource; what the page holds itself (`data:`) is none."""
        if href and href[:5].lower() != "data:" and href[0] != "#":
            if href in self.assets or len(self.assets) < MAX_REFERENCES:
                self.assets.setdefault(href, kind)
            else:
                self.dropped += 1

    def css(self, text: str | None) -> None:
        """Add what a stylesheet, a style element or a style attribute refers to."""
        if text and ("(" in text or "@" in text):
            for reference, imported in parse_css(text):
                self.asset(reference, LinkKind.STYLESHEET if imported else LinkKind.CSS_URL)

    # elements

    def anchor(self, href: str, source: Any, *, nofollow: bool) -> None:
        """Take a hyperlink, also that of SVG.

        Args:
            href: Its reference, without the fragment.
            source: Its text comes from.
            nofollow: Whether it says so.
        """
        known = self.pages.get(href)
        if known is None or not known.text or (known.nofollow and not nofollow):
            self.page(href, LinkKind.A, source, nofollow=nofollow)

    def area(self, attributes: Attributes, _source: Any) -> None:
        """Take a region of an image map; its text is that of its alt attribute."""
        href, rel = attributes.get("href"), attributes.get("rel") or ""
        self.page(href, LinkKind.AREA, nofollow="nofollow" in rel.lower().split())
        known = self.pages.get((href or "").partition("#")[0])
        if known is not None and not known.text:
            self.pages[(href or "").partition("#")[0]] = known._replace(
                text=fold(attributes.get("alt") or "")
            )

    def base_element(self, attributes: Attributes, _source: Any) -> None:
        """Take the base: the first that has an href, whatever it is worth (HTML, "frozen base URL")."""
        if self.base is None and "href" in attributes:
            self.base = attributes["href"] or ""

    def link(self, attributes: Attributes, _source: Any) -> None:
        """Take a link element."""
        self.relation(
            attributes.get("href"),
            attributes.get("rel") or "",
            attributes.get("type") or "",
            attributes.get("hreflang") or "",
        )

    def relation(self, href: str | None, rel: str, media_type: str, hreflang: str) -> None:
        """Take a link element or a link of a `Link` header, by its relation."""
        kind = kind_of_relation(rel, media_type) if href and rel else None
        if href is None or kind is None:
            return
        if kind >= FIRST_ASSET:
            self.asset(href, kind)
            return
        if kind is LinkKind.CANONICAL:
            self.canonical = self.canonical or href
        elif hreflang:
            kind = LinkKind.HREFLANG
        self.page(href, kind, nofollow="nofollow" in rel.lower())

    def meta(self, attributes: Attributes, _source: Any) -> None:
        """Take a meta element: refresh, robots, language."""
        content = attributes.get("content")
        if content is None:
            return
        pragma = attributes.get("http-equiv")
        if pragma:
            pragma = pragma.strip().lower()
            if pragma == "refresh":
                self.refresh_to(content)
            elif pragma == "content-language":
                self.content_language = self.content_language or content.strip()
        name = attributes.get("name")
        if name and name.strip().lower() in ("robots", "spiderd"):
            self.robots.append(content)

    def refresh_to(self, value: str) -> None:
        """Take the value of a refresh; the first that goes elsewhere counts, a slow one does not."""
        refresh = parse_refresh(value)
        if refresh and refresh.url and not self.refresh and refresh.delay <= MAX_REFRESH_DELAY:
            self.refresh = refresh.url
            self.page(refresh.url, LinkKind.REFRESH)

    def img(self, attributes: Attributes, _source: Any) -> None:
        """Take an image."""
        self.asset(attributes.get("src"), LinkKind.IMG)
        self.srcset(attributes.get("srcset"))

    def source(self, attributes: Attributes, _source: Any) -> None:
        """Take a source of a picture, video or audio."""
        self.asset(attributes.get("src"), LinkKind.SOURCE)
        self.srcset(attributes.get("srcset"))

    def srcset(self, value: str | None) -> None:
        """Take the candidates of a srcset."""
        if value:
            for href in parse_srcset(value):
                self.asset(href, LinkKind.SRCSET)

    def video(self, attributes: Attributes, _source: Any) -> None:
        """Take a video and its poster."""
        self.asset(attributes.get("src"), LinkKind.VIDEO)
        self.asset(attributes.get("poster"), LinkKind.POSTER)

    def audio(self, attributes: Attributes, _source: Any) -> None:
        """Take an audio element."""
        self.asset(attributes.get("src"), LinkKind.AUDIO)

    def track(self, attributes: Attributes, _source: Any) -> None:
        """Take subtitles."""
        self.asset(attributes.get("src"), LinkKind.TRACK)

    def script(self, attributes: Attributes, _source: Any) -> None:
        """Take a script by its URL (in SVG it may be an href)."""
        self.asset(
            attributes.get("src") or attributes.get("href") or attributes.get("xlink:href"), LinkKind.SCRIPT
        )

    def style(self, _attributes: Attributes, source: Any) -> None:
        """Take what a style element refers to."""
        self.css(self._text_of(source))

    def frame(self, attributes: Attributes, _source: Any) -> None:
        """Take a frame."""
        self.page(attributes.get("src"), LinkKind.FRAME)

    def iframe(self, attributes: Attributes, _source: Any) -> None:
        """Take an inline frame, and the document that it may hold itself."""
        self.page(attributes.get("src"), LinkKind.IFRAME)
        document = attributes.get("srcdoc")
        if document and len(self.documents) < MAX_DOCUMENTS:
            self.documents.append(document)

    def object_element(self, attributes: Attributes, _source: Any) -> None:
        """Take an object."""
        self.asset(attributes.get("data"), LinkKind.OBJECT)

    def embed(self, attributes: Attributes, _source: Any) -> None:
        """Take an embedded resource."""
        self.asset(attributes.get("src"), LinkKind.EMBED)

    def form(self, attributes: Attributes, _source: Any) -> None:
        """Take the bare action of a form that reads and does not write."""
        if (attributes.get("method") or "get").strip().lower() == "get":
            self.page(
                attributes.get("action"), LinkKind.FORM, nofollow="nofollow" in (attributes.get("rel") or "")
            )

    def input(self, attributes: Attributes, _source: Any) -> None:
        """Take the image of a button."""
        if (attributes.get("type") or "").lower() == "image":
            self.asset(attributes.get("src"), LinkKind.IMG)

    def svg_resource(self, attributes: Attributes, _source: Any) -> None:
        """Take an image or a part of another SVG document."""
        self.asset(attributes.get("href") or attributes.get("xlink:href"), LinkKind.SVG)

    def background(self, attributes: Attributes, _source: Any) -> None:
        """Take the background that old pages set by an attribute."""
        self.asset(attributes.get("background"), LinkKind.BACKGROUND)

    def html(self, attributes: Attributes, _source: Any) -> None:
        """Take the language of the page."""
        self.lang = self.lang or (attributes.get("lang") or attributes.get("xml:lang") or "").strip()

    def title_element(self, _attributes: Attributes, source: Any) -> None:
        """Take the title: the first, even an empty one."""
        if self.title is None:
            self.title = " ".join(self._text_of(source).split())[:TITLE_LIMIT]


HANDLERS: dict[str, Callable[[Collector, Attributes, Any], None]] = {
    "area": Collector.area,
    "base": Collector.base_element,
    "link": Collector.link,
    "meta": Collector.meta,
    "img": Collector.img,
    "source": Collector.source,
    "video": Collector.video,
    "audio": Collector.audio,
    "track": Collector.track,
    "script": Collector.script,
    "style": Collector.style,
    "frame": Collector.frame,
    "iframe": Collector.iframe,
    "object": Collector.object_element,
    "embed": Collector.embed,
    "form": Collector.form,
    "input": Collector.input,
    "image": Collector.img,  # HTML Standard 13.2.6.4.7: "Don't ask."
    "body": Collector.background,
    "html": Collector.html,
    "title": Collector.title_element,
}
"""What is done with each element but anchors, by its name."""


@lru_cache(maxsize=1024)
def kind_of_relation(rel: str, media_type: str) -> LinkKind | None:
    """Say which kind of link a relation makes, None where it makes none."""
    rels = rel.lower().split()
    media_type = media_type.partition(";")[0].strip().lower()
    for name in rels:
        if name in _RESOURCE_RELS:
            return _RESOURCE_RELS[name]
    if media_type in _FEED_TYPES or "feed" in rels:
        return LinkKind.FEED
    if "canonical" in rels:
        return LinkKind.CANONICAL
    if media_type in _PAGE_TYPES and not _PAGE_RELS.isdisjoint(rels):
        return LinkKind.REL
    return LinkKind.RESOURCE if rels else None


def fold(text: str) -> str:
    """Fold blanks and cut to the length that anchor texts are kept at."""
    if len(text) > TEXT_LIMIT:
        text = text[: 8 * TEXT_LIMIT]
        return " ".join(text.split())[:TEXT_LIMIT].rstrip()
    return " ".join(text.split())
