"""What an answer means: pure decisions on status and headers, before and after the body."""

from __future__ import annotations

from collections.abc import Sequence

from spiderd.states import Failure

REDIRECTS = frozenset({301, 302, 303, 307, 308})  # RFC 9110 15.4; 300 and 304 name no other URL to go to
THROTTLED = frozenset({429, 503})  # events of the host


def failure_of(status: int) -> Failure:
    """Why an answer with this status is no page; NONE for a page or a redirect."""
    if 200 <= status < 300:
        return Failure.NO_CONTENT if status in (204, 205) else Failure.NONE
    if status in REDIRECTS:
        return Failure.NONE
    if status in THROTTLED:
        return Failure.THROTTLED
    return Failure.SERVER_ERROR if status >= 500 else Failure.HTTP_ERROR  # RFC 9110 15: invalid codes as 5xx


ASSETS = (
    *("image/*", "font/*", "text/css", "text/javascript"),
    *("application/javascript", "application/x-javascript", "application/font-woff"),
)
"""What `fetch.assets` wants beside `fetch.types`; sound and film have no end and must be asked for."""


class WantedTypes:
    """Which media types are kept (`fetch.types`); `text/*` takes a whole family."""

    def __init__(self, types: Sequence[str], *, assets: bool = False) -> None:
        self._types = frozenset(t.lower() for t in (*types, *(ASSETS if assets else ())))
        self._families = tuple(t[:-1] for t in self._types if t.endswith("/*"))
        self._all = "*/*" in self._types

    def __contains__(self, content_type: str) -> bool:
        essence = essence_of(content_type)
        return (
            not essence  # undeclared: most such answers are pages
            or self._all
            or essence in self._types
            or (bool(self._families) and essence.startswith(self._families))
        )


def single_type(content_type: str) -> str:
    """The first of several media types in one header: some servers say what they mean twice."""
    return content_type.partition(",")[0] if "," in content_type and '"' not in content_type else content_type


def essence_of(content_type: str) -> str:
    """Media type without parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()
