"""What steers the crawl, and the answers to it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from spiderd.protocol.base import Reply, StateReply


class AddRequest(Struct, kw_only=True):
    """POST /v1/add."""

    urls: list[str]


class AddResult(Reply):
    """What became of one URL."""

    url: str
    result: Literal["new", "known", "refused"]
    reason: str = ""


class Added(Reply):
    """Answer to POST /v1/add."""

    new: int
    known: int
    refused: int
    results: list[AddResult]


class RetryRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/retry; without a body those are put back whose failure may pass."""

    all: bool = False  # those whose failure will not pass, too
    urls: list[str] = field(default_factory=list)  # these and no others, whatever their failure


class Retried(StateReply):
    """Answer to POST /v1/retry."""

    urls: int = 0  # put back from the error queue
    missing: list[str] = field(default_factory=list)  # of those asked for, the ones that are not in it


class ReleaseRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/release."""

    what: Annotated[
        str, Meta(min_length=1)
    ]  # a shape as GET /v1/traps names it, a host, or a URL of the host


class Released(StateReply):
    """Answer to POST /v1/release."""

    kind: Literal["shape", "host"]
    name: str
    urls: int  # that may be fetched again
    held: str = ""  # what has held the host back; "" = nothing did


class Change(Reply):
    """One key of the configuration with two values, written as in the file; secrets are masked."""

    key: str
    value: str
    filed: str  # what command line, environment, file and defaults say; of a change: the value before


class Reconfigured(StateReply):
    """Answer to POST /v1/reload and POST /v1/settings."""

    changed: list[Change] = field(default_factory=list)  # holds from now on
    restart: list[Change] = field(default_factory=list)  # will hold after a restart
    hidden: list[Change] = field(default_factory=list)  # overridden by a setting that was made live
    notes: list[str] = field(default_factory=list)  # sentences for people


class SettingRow(Reply):
    """One key of the configuration; values are written as in the file, secrets are masked."""

    key: str
    value: str  # that the crawl goes by
    filed: str  # what command line, environment, file and defaults say
    live: bool  # may be changed while the crawl runs
    override: bool = False  # was made live, and holds until unset


class Settings(Reply):
    """GET /v1/settings : the configuration in effect."""

    source: str  # path of the file; "" = none was read
    rows: list[SettingRow]


SettingValue = bool | int | float | str | list[str]


class SettingRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/settings : make a setting live, or (null) unset it."""

    key: str
    value: SettingValue | None = None  # as in the file: durations are "2s"


class RevisitRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/revisit."""

    what: Annotated[str, Meta(min_length=1)]  # a URL that was fetched, or a regular expression on URLs


class RevisitReply(StateReply):
    """Answer to POST /v1/revisit."""

    kind: Literal["url", "pattern"]
    pages: int  # that are visited again as soon as their hosts may be asked
