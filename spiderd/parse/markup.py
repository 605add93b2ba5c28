"""The expressions that see the tags of a page, and what reads their attributes.

Two go from tag to tag. `TOKEN` passes over what is nothing to a crawler without a match, which is most of a
page and costs a quarter of a match: end tags, start tags without attributes, those of the usual names whose
attributes hide nothing. `EVERY_TOKEN` is for pages where any element may refer to something. `EVERY_TAG` sees
all tags, for the insides of templates and drawings.

Each expression takes all that it looks at, or fails at its first characters, so that its time is linear: a
tag that never ends is taken to the end of the page and is none, as the standard has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import unescape
from html.entities import html5

_BLANK = r"[ \t\n\f\r]"
_VALUE = r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)"""
# A quote is one only where a value begins.
_ATTRIBUTES = rf"""[^>=]*+(?:=(?:"[^"]*+"|{_BLANK}*+{_VALUE}?)[^>=]*+)*+"""
_NAME = r"[A-Za-z][^ \t\n\f\r/>]*+"
ENDS = r"(?=[ \t\n\f\r/>])"  # a name ends here
_COMMENT = r"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"
_BOGUS = r"[!?][^>]*+(?:>|\Z)|/(?![A-Za-z])[^>]*+(?:>|\Z)"  # bogus comments

# The script data states of the standard: what is written into a comment may hold a whole script element.
_SCRIPT = (
    rf"(?:[^<]++|<(?!/script{ENDS}|!--)"
    rf"|<!--(?:-*+>|(?:[^<-]++|-(?!->)|<(?!/?script{ENDS})"
    rf"|<script{ENDS}(?:[^<-]++|-(?!->)|<(?!/script{ENDS}))*+(?:</script)?+)*+(?:-->)?+))*+"
)
TEXT_ELEMENTS = "style|title|textarea|xmp|iframe|noembed|noframes"  # with script: elements that hold text
_DULL = (  # names that nothing is done about, with attributes in which nothing looks like a tag
    r"(?:a(?![^>]*[hH][rR][eE][fF])|s(?:pan|trong|mall|u[bp]|ection)|t(?:[dhrt]|able|body|head|foot)"
    r"|d(?:iv|[dlt])|p(?:re)?|code|li|[ou]l|em|h[1-6r]|i|b|br|font|col|nav|button|label|option|kbd|var|cite|article|main|header|footer|aside|figure)"
    r"""[ \t\n\f\r][^<>"']*+(?:"[^<>"]*+"[^<>"']*+)*+>"""
)


# Nearly all anchors look like this: reference, what stands around it, and text if it is nothing but text.
_ANCHOR = (
    r"""a[ \n]((?:(?!href)[a-z]++="[^"&]*+"[ \n]++)*+)href="([^"&#]*+)(?:#[^"&]*+)?+"([^>"'&]*+"""
    r"""(?:"[^"&]*+"[^>"'&]*+)*+)>(?:([^<&]*+)</a>)?+"""
)


def _token(passed_over: str) -> re.Pattern[str]:
    return re.compile(
        rf"<(?!/[A-Za-z0-9]++>)(?:(?=[A-Za-z])(?:{_ANCHOR}|{passed_over}(?:"
        rf"(?=[sStTxXiInN])(?i:script{ENDS}({_ATTRIBUTES})>{_SCRIPT}"
        rf"|({TEXT_ELEMENTS}){ENDS}({_ATTRIBUTES})>((?:[^<]++|<(?!/\6{ENDS}))*+))"
        rf"|({_NAME})(?=[ \t\n\f\r/])({_ATTRIBUTES})>"
        r"|(?=[sStTpP])((?i:svg|template|plaintext))>"
        rf"|{_ATTRIBUTES}\Z))"  # a tag that never ends is none
        rf"|/[A-Za-z](?=[^<>=]*+=){_ATTRIBUTES}"  # an end tag with attributes
        rf"|{_COMMENT}|{_BOGUS})"
    )


TOKEN = _token(f"(?!{_DULL})")
EVERY_TOKEN = _token("")  # for pages where any element may refer to something
ANCHOR_WITH_TEXT, SCRIPT_TAG, FULL_TAG, BARE_TAG = 4, 5, 10, 11  # last groups of alternatives
EVERY_TAG = re.compile(
    rf"<(?:(/?{_NAME})({_ATTRIBUTES})>|/?[A-Za-z]{_ATTRIBUTES}\Z|{_COMMENT}|!\[CDATA\[|{_BOGUS})"
)

_ATTRIBUTE = re.compile(
    rf"([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)(?:{_BLANK}*+={_BLANK}*+"
    r"""(?:"([^"]*+)|'([^']*+)|([^ \t\n\f\r>"'][^ \t\n\f\r>]*+))?)?["']?"""
)
_PLAIN = re.compile(r"""(?:[ \t\n\f\r]++[a-z-]++="[^"&]*+")*+[ \t\n\f\r]*+/?""")
_PAIR = re.compile('([a-z-]+)="([^"]*)"')  # of the attributes above
_ENTITY = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9A-Fa-f]+;?|[A-Za-z][A-Za-z0-9]*;?)")

_REMEMBERED = 400  # characters: longer attributes hardly come twice


def parse_attributes(raw: str) -> Mapping[str, str | None]:
    """Read the attributes of a tag, entities decoded; of two of a name the first counts."""
    return _known_attributes(raw) if len(raw) <= _REMEMBERED else _read_attributes(raw)


def _read_attributes(raw: str) -> Mapping[str, str | None]:
    if _PLAIN.fullmatch(raw):
        return dict(reversed(_PAIR.findall(raw)))
    attributes: dict[str, str | None] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(raw):
        value = double or single or bare
        attributes.setdefault(name.lower(), _ENTITY.sub(_character, value) if "&" in value else value)
    return attributes


_known_attributes = lru_cache(maxsize=4096)(_read_attributes)


def _character(entity: re.Match[str]) -> str:
    """Decode a character reference in an attribute: without ";" it must not run into a name or a value."""
    text = entity[0]
    if text[1] == "#":
        return unescape(text)
    name = text[1:]
    if name.endswith(";"):
        return html5.get(name, text)
    follows = entity.string[entity.end() : entity.end() + 1]
    return text if follows == "=" else html5.get(name, text)
