"""The declaration seen as a table of keys: their types, units and nearest names.

Everything here is derived from `spiderd.config.declaration`; there is no second list of keys.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from spiderd import units
from spiderd.config.declaration import Config


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the configuration."""

    section: str
    name: str
    type: Any  # as annotated, for msgspec
    unit: str  # "duration", "size" or ""
    secret: str  # "userinfo": holds URLs whose userinfo is not to be shown; "whole": is itself; or ""

    @property
    def full(self) -> str:
        """Name as users write it: "crawl.threads"."""
        return f"{self.section}.{self.name}"

    @property
    def is_hidden(self) -> bool:
        """Whether its value is never to be shown."""
        return self.secret == "whole"  # noqa: S105 - the word for what is hidden, not what is

    def of(self, config: Config) -> Any:
        """Return the value that a configuration has for it."""
        return getattr(getattr(config, self.section), self.name)

    def convert(self, value: object) -> Any:
        """Turn a value as it is written into one as it is used.

        Raises:
            ValueError: it is not what the key wants; the message says what it does want.
        """
        if self.unit:
            value = _with_unit(value, self.unit)
        try:
            return msgspec.convert(value, self.type)
        except msgspec.ValidationError as error:
            raise ValueError(f"must be {wanted(inspect.type_info(self.type))}") from error


@cache
def keys() -> dict[str, Key]:
    """List all keys by their full names, in the order of the declaration."""
    found = (
        Key(
            section=section,
            name=field.encode_name,
            type=field.type,
            unit=_extra(field.type, "unit"),
            secret=_extra(field.type, "secret"),
        )
        for section, struct in sections().items()
        for field in msgspec.structs.fields(struct)
    )
    return {key.full: key for key in found}


@cache
def sections() -> dict[str, Any]:
    """List all sections with their structs, in the order of the declaration."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(Config)}


def nearest(unknown: str) -> str:
    """Name the key or section that was probably meant by an unknown one; "" where none comes near.

    The same name in another section comes first, then a similar name in the same section, then any.
    """
    section, _, name = unknown.rpartition(".")
    known = keys()
    for key in known.values():
        if key.name == name:
            return key.full
    inside = [key.full for key in known.values() if key.section == section]
    for candidates in (inside, [*sections(), *known]):
        if close := difflib.get_close_matches(unknown, candidates, n=1, cutoff=0.7):
            return close[0]
    by_name = {key.name: key.full for key in known.values()}
    close = difflib.get_close_matches(name, by_name, n=1, cutoff=0.7)
    return by_name[close[0]] if close else ""


def wanted(info: inspect.Type) -> str:
    """Say in words which values a type takes."""
    match info:
        case inspect.Metadata(type=inner):
            return wanted(inner)
        case inspect.IntType(ge=low, le=high):
            return "a whole number" + _bounds(low, high)
        case inspect.FloatType(ge=low, le=high):
            return "a number" + _bounds(low, high)
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "a string"
        case inspect.ListType(item_type=item):
            return f"a list, each item {wanted(item)}"
        case inspect.LiteralType(values=values):
            quoted = [f'"{value}"' for value in values]
            return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)
        case inspect.UnionType(types=types):
            return " or ".join(map(wanted, types))
        case _:
            return f"a value of another type ({type(info).__name__})"


def _bounds(low: float | None, high: float | None) -> str:
    if high is not None:
        return f" from {low or 0} to {high}"
    return "" if low is None else f", at least {low}"


def _extra(annotated: Any, name: str) -> str:
    """Read what the declaration says of a type, or of the items of a list, beside the type itself."""
    info = inspect.type_info(annotated)
    if isinstance(info, inspect.ListType):
        info = info.item_type
    extra = info.extra if isinstance(info, inspect.Metadata) else None
    return str((extra or {}).get(name, ""))


def _with_unit(value: object, unit: str) -> float | int:
    example = "30s" if unit == "duration" else "10MiB"
    if isinstance(value, str):
        return units.parse_duration(value) if unit == "duration" else units.parse_size(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if value == 0:
            return 0
        raise ValueError(f'needs a unit: a {unit} is written "{example}"')
    raise ValueError(f'must be a {unit} such as "{example}"')
