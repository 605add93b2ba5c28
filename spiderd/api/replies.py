"""Answers: JSON of the protocol's messages, and errors that all have one form."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from starlette.responses import Response

from spiderd.errors import AlreadyRunning, ConfigError, SpiderdError, StorageError, Unavailable, UsageError
from spiderd.protocol import ErrorBody, ErrorReply, Reply

JSON = "application/json"

_CODES = {400: "bad_request", 403: "read_only", 404: "not_found", 405: "method_not_allowed", 500: "internal"}
_CAUSES: tuple[tuple[type[SpiderdError], int, str], ...] = (
    (UsageError, 422, "bad_value"),
    (ConfigError, 422, "bad_config"),
    (StorageError, 503, "storage_error"),
    (Unavailable, 503, "unavailable"),
    (AlreadyRunning, 409, "already_running"),
    (SpiderdError, 500, "failed"),
)
_encoder = msgspec.json.Encoder()


class ApiError(Exception):
    """An answer that is not 2xx: status, stable code, sentence."""

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers


def encode(message: Reply) -> bytes:
    """Encode a message as JSON; text that is no Unicode (half a surrogate pair) has U+FFFD in its place."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return _encoder.encode(_mend(msgspec.to_builtins(message)))


def encode_error(code: str, message: str) -> bytes:
    """Encode the body of an answer that is not 2xx."""
    return encode(ErrorReply(error=ErrorBody(code=code, message=message)))


def json_reply(message: Reply) -> Response:
    """Answer 200 with a message."""
    return Response(encode(message), media_type=JSON)


def error_reply(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """Answer with an error in the one form that all have."""
    return Response(encode_error(code, message), status, headers, JSON)


def reply_to(error: Exception) -> Response:
    """Turn an exception into the answer that tells of it; the details of our own bugs stay in the log."""
    if isinstance(error, ApiError):
        return error_reply(error.status, error.code, error.message, error.headers)
    for kind, status, code in _CAUSES:
        if isinstance(error, kind):
            return error_reply(status, code, str(error))
    return error_reply(500, "internal", "the daemon failed to answer; its log has the details")


def status_reply(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """Answer with an HTTP status that the routing has found fitting."""
    return error_reply(status, _CODES.get(status, "bad_request"), message, headers)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mend(item) for item in value]
    return value
