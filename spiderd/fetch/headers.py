"""Header fields as they came, decoded only when somebody asks."""

from __future__ import annotations

from collections.abc import Iterator

Pairs = list[tuple[bytes, bytes]]


def text(value: bytes) -> str:
    """Decode a field value: UTF-8 where it is that (as in many a Location), else Latin-1 (RFC 9110 5.5)."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Headers:
    """The header fields of an answer, in order, names as they were written."""

    __slots__ = ("raw",)

    def __init__(self, raw: Pairs) -> None:
        self.raw = raw

    def get(self, name: str, default: str = "") -> str:
        """The first value of a field; names do not depend on case."""
        key = name.lower().encode()
        for field, value in self.raw:
            if len(field) == len(key) and field.lower() == key:
                return text(value)
        return default

    def all(self, name: str) -> list[str]:
        """All values of a field, in order, one for each line of the header."""
        key = name.lower().encode()
        return [text(value) for field, value in self.raw if field.lower() == key]

    def __contains__(self, name: str) -> bool:
        return bool(self.all(name))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((text(field).lower(), text(value)) for field, value in self.raw)

    def __repr__(self) -> str:
        return f"Headers({self.raw!r})"
