"""What clients ask for: query values and bodies, each checked against a declared type.

Unknown names are refused, so that a slip of the pen is told instead of ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request

from spiderd.api.crawl import Level, ListQuery
from spiderd.api.replies import ApiError

MAX_LIMIT = 500  # rows of one answer
MAX_WAIT = 30.0  # seconds of a long poll
MAX_URL = 64 * 1024

_MAX_INT = 2**53 - 1  # what JSON numbers carry everywhere

T = TypeVar("T")


class Query(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all queries."""


class ListParameters(Query, frozen=True):
    """?limit=&offset=&sort=&desc=&filter= ; a limit above MAX_LIMIT is taken for MAX_LIMIT."""

    limit: Annotated[int, Meta(ge=0, le=_MAX_INT)] = 100
    offset: Annotated[int, Meta(ge=0, le=_MAX_INT)] = 0
    sort: str = ""
    desc: bool = False
    filter: str = ""


class EventParameters(Query, frozen=True):
    """?since=&wait=&level= ; a wait above MAX_WAIT is taken for MAX_WAIT."""

    since: Annotated[int, Meta(ge=0, le=_MAX_INT)] = 0
    wait: Annotated[float, Meta(ge=0)] = 0.0
    level: Level = "debug"


class StreamParameters(Query, frozen=True):
    """?since=&level= ; without `since` the header Last-Event-ID counts."""

    since: Annotated[int, Meta(ge=0, le=_MAX_INT)] | None = None
    level: Level = "debug"


class WhyParameters(Query, frozen=True):
    """?url= : any text that may be meant for a URL."""

    url: Annotated[str, Meta(min_length=1, max_length=MAX_URL)]


class NoParameters(Query, frozen=True):
    """Nothing may be asked."""


def query_of(request: Request, kind: type[T]) -> T:
    """Read the query values of a request.

    Raises:
        ApiError: 422, naming the value that is wrong.
    """
    return _convert(dict(request.query_params), kind, strict=False)


def list_query(request: Request, row: type[Struct]) -> ListQuery:
    """Read which rows of a list are wanted; `sort` must be a field of the row.

    Raises:
        ApiError: 422, naming the value that is wrong.
    """
    return checked(query_of(request, ListParameters), row)


def checked(asked: ListParameters, row: type[Struct]) -> ListQuery:
    """The rows that are asked for; `sort` must be a field of the row.

    Raises:
        ApiError: 422, it is none.
    """
    if asked.sort and asked.sort not in row.__struct_fields__:
        fields = ", ".join(row.__struct_fields__)
        raise ApiError(422, "bad_value", f"sort: no such field (there are {fields})")
    return ListQuery(
        limit=min(asked.limit, MAX_LIMIT),
        offset=asked.offset,
        sort=asked.sort,
        desc=asked.desc,
        filter=asked.filter,
    )


async def body_of(request: Request, kind: type[T], default: T | None = None) -> T:
    """Read the JSON body of a request; without one it is the default, if there is one.

    Raises:
        ApiError: 400 where it is no JSON, 422 where a field is wrong, naming it.
    """
    body = await request.body()
    if not body and default is not None:
        return default
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "bad_json", f"the body is not JSON: {error}") from None
    return _convert(value, kind, strict=True)


def _convert(value: Any, kind: type[T], *, strict: bool) -> T:
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise ApiError(422, "bad_value", _explain(str(error))) from None


def _explain(text: str) -> str:
    """Put the name of the value first: "limit: Expected `int`, got `str`"."""
    what, found, path = text.partition(" - at `$")
    return f"{path.rstrip('`').lstrip('.')}: {what}" if found and path != "`" else what
