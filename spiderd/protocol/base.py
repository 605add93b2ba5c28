"""What all messages of the API have in common."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spiderd.states import CrawlState, Reason

API_VERSION = 1


class Reply(Struct, kw_only=True):
    """Base of all answers."""


class Hello(Reply):
    """GET /v1/ : who is there."""

    api: int
    version: str
    pid: int
    crawl: str  # random name of the crawl, made with the store
    started: float
    data_dir: str
    rights: Literal["read", "write"]


class Page(Reply):
    """Where a list was cut."""

    total: int
    offset: int
    limit: int


class StateReply(Reply):
    """Answer to POST /v1/pause, /v1/resume, /v1/stop."""

    state: CrawlState
    reason: Reason


class ErrorBody(Reply):
    """`code` is stable, `message` is for people."""

    code: str
    message: str


class ErrorReply(Reply):
    """Body of every answer that is not 2xx."""

    error: ErrorBody
