"""Writes a configuration as TOML: what `spiderd config` prints.

Read back it gives an equal configuration, but for passwords, which are masked. Characters that a
terminal would not show as themselves are escaped.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from spiderd import units
from spiderd.config.declaration import Config
from spiderd.config.schema import Key, keys
from spiderd.config.secrets import masked

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def render(config: Config) -> str:
    """Write all keys in the order of the declaration, with their units."""
    lines: list[str] = []
    section = ""
    for key in keys().values():
        if key.section != section:
            section = key.section
            lines += ["", f"[{section}]"] if lines else [f"[{section}]"]
        lines.append(f"{key.name} = {written(key, key.of(config))}")
    return "\n".join(lines) + "\n"


def value_as_written(value: object, mask: Callable[[str], str] = str) -> str:
    """Write a plain value or a list of strings as TOML does.

    Args:
        value: of a key that has no unit.
        mask: applied to all strings, to hide what is secret in them.

    Raises:
        TypeError: no key has values of this type.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _quoted(mask(value))
        case list():
            return f"[{', '.join(value_as_written(item, mask) for item in value)}]"
        case _:
            raise TypeError(f"no TOML for {type(value).__name__}")


def written(key: Key, value: object) -> str:
    """Write the value of a key as TOML does, with its unit; secrets are masked."""
    if key.unit == "duration":
        return _quoted(units.format_duration(msgspec.convert(value, float)))
    if key.unit == "size":
        return _quoted(units.format_size(msgspec.convert(value, int)))
    return value_as_written(value, _MASKS[key.secret])


_MASKS: dict[str, Callable[[str], str]] = {
    "": str,
    "userinfo": masked,
    "whole": lambda text: "***" if text else "",
}


def _quoted(text: str) -> str:
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
