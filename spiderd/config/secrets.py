"""Keeps passwords in URLs out of everything that is shown."""

from __future__ import annotations

import re

_USERINFO = re.compile(r"(//)[^/?#\s\\]*@")  # greedy: WHATWG takes the last @ of the authority
_PERHAPS = re.compile(r"(//)\S*@")


def masked(text: str, *, malformed: bool = False) -> str:
    """Replace the userinfo of every URL in `text`: "http://ann:pw@host/" -> "http://***@host/".

    Args:
        text: anything.
        malformed: `text` is no proper URL: what stands before any @ may be a password with a slash in it.
    """
    return (_PERHAPS if malformed else _USERINFO).sub(r"\1***@", text)
