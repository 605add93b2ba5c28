"""The query of a link, written in the encoding of the page that it stands on (URL Standard, query state).

A server that answers in Shift_JIS expects its own links back in Shift_JIS: a browser sends them so, and only
the query, never the path. Characters which the encoding does not have become `&#NNNN;`, escaped.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

# Names of the Encoding Standard whose Python codec has another name, or is another one.
_CODECS = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "gb18030": "gb18030",
    "gbk": "gbk",
    "ibm866": "cp866",
    "iso-8859-8-i": "iso8859_8",
    "macintosh": "mac_roman",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
}

_PLAIN = frozenset(range(0x21, 0x7F)) - frozenset(b"\"#<>'")  # all but the special-query percent-encode set
_ESCAPED = [chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in range(256)]
_NOT_HTTP = re.compile(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:", re.IGNORECASE)
_MISSING = "spiderd.query"


def _escape_missing(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(char)}%3B" for char in missing), error.end


codecs.register_error(_MISSING, _escape_missing)


@lru_cache(maxsize=64)  # there are 40 encodings
def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(_CODECS.get(encoding, encoding)).name
    except LookupError:
        return "utf-8"


def encode_query(href: str, encoding: str) -> str:
    """Return the reference with the non-ASCII characters of its query escaped in `encoding`.

    Args:
        href: A reference without its fragment, line ends and outer blanks.
        encoding: A name of the Encoding Standard; an unknown one counts as UTF-8.
    """
    path, mark, query = href.partition("?")
    if query.isascii() or _NOT_HTTP.match(href):
        return href
    encoded = query.encode(_codec(encoding), _MISSING)
    return path + mark + "".join([_ESCAPED[byte] for byte in encoded])
