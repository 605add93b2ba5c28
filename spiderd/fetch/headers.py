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

    __slots__ = ("_first", "raw")

    def __init__(self, raw: Pairs) -> None:
        self.raw = raw
        # One pass instead of one for each of the six fields that every exchange looks at.
        self._first = {name.lower(): value for name, value in reversed(raw)}

    def has(self, name: bytes) -> bool:
        """Whether a field is there; `name` in lower case."""
        return name in self._first

    def values(self, name: bytes) -> list[bytes]:
        """All values of a field, in order, one for each line of the header; `name` in lower case."""
        if name not in self._first:
            return []
        if len(self._first) == len(self.raw):
            return [self._first[name]]
        return [value for field, value in self.raw if field.lower() == name]

    def get(self, name: str, default: str = "") -> str:
        """The first value of a field; names do not depend on case."""
        value = self._first.get(name.lower().encode())
        return default if value is None else text(value)

    def all(self, name: str) -> list[str]:
        """All values of a field, in order, one for each line of the header."""
        return [text(value) for value in self.values(name.lower().encode())]

    def __contains__(self, name: str) -> bool:
        return name.lower().encode() in self._first

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((text(field).lower(), text(value)) for field, value in self.raw)

    def __len__(self) -> int:
        return len(self.raw)

    def __repr__(self) -> str:
        return f"Headers({self.raw!r})"
