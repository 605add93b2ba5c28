"""The description of the API for programs (OpenAPI 3.1), made from the very types that it is served with."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from spiderd.api.operations import OPERATIONS, Operation
from spiderd.protocol import API_VERSION, ErrorReply

JSON = "application/json"
_REF = "#/components/schemas/{name}"
_ABOUT = (
    "The local API of a crawler daemon: HTTP/1.1 with JSON on a unix socket. Times are unix seconds, "
    "durations seconds, sizes bytes. Adding a field is compatible; an incompatible change raises the version."
)
_STREAMS = {"/v1/events/stream": "text/event-stream", "/metrics": "text/plain", "/v1/openapi.json": JSON}


@cache
def description() -> bytes:
    """The whole description as JSON."""
    return msgspec.json.encode(described(OPERATIONS))


def described(operations: Iterable[Operation]) -> dict[str, Any]:
    """Describe operations."""
    operations = list(operations)
    types: list[type[Struct]] = [ErrorReply]
    types += [kind for one in operations for kind in (one.answer, one.body) if kind is not None]
    _, components = msgspec.json.schema_components(dict.fromkeys(types), ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "spiderd", "version": str(API_VERSION), "description": _ABOUT},
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(one: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": f"{one.method} {one.path}",
        "summary": one.summary,
        "parameters": _parameters(one),
        "responses": {"200": _answer(one), "default": _content("What went wrong.", _ref(ErrorReply))},
    }
    if one.body is not None:
        content = {JSON: {"schema": _ref(one.body)}}
        found["requestBody"] = {"required": one.needs_body, "content": content}
    if one.writes:
        found["description"] = "For the daemon's own user and root only; others are told `read_only` (403)."
    return found


def _answer(one: Operation) -> dict[str, Any]:
    if one.answer is not None:
        return _content("", _ref(one.answer))
    return {"description": "", "content": {_STREAMS[one.path]: {}}}


def _parameters(one: Operation) -> list[dict[str, Any]]:
    (_,), components = msgspec.json.schema_components([one.query], ref_template=_REF)
    schema = components[one.query.__name__]
    required = schema.get("required", [])
    properties = dict(schema["properties"])
    if one.row is not None:
        properties["sort"] = {"enum": ["", *one.row.__struct_fields__], "default": ""}
    return [
        {"name": name, "in": "query", "required": name in required, "schema": inner}
        for name, inner in properties.items()
    ]


def _content(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, "content": {JSON: {"schema": schema}}}


def _ref(kind: type[Struct]) -> dict[str, str]:
    return {"$ref": _REF.format(name=kind.__name__)}
