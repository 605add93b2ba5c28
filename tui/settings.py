"""What somebody types as the new value of a setting, as the API takes it."""

from __future__ import annotations

import tomllib

Value = bool | int | float | str | list[str]


def value_of(text: str) -> Value:
    """Read a value as it stands in the file; quotes around text may be left out, a list may be lines of text.

    `24`, `true`, `"2s"`, `2s`, `["a", "b"]` and `breadth` are all understood. Whether it fits the setting is
    the daemon's decision.

    Raises:
        ValueError: it is a list or quoted text that does not end, or holds what no setting takes.
    """
    text = text.strip()
    try:
        read = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError as problem:
        if text[:1] in {"[", '"', "'"}:
            raise ValueError(f"this cannot be read: {problem}") from None
        return text
    value = read["value"]
    if len(read) > 1 or not isinstance(value, bool | int | float | str | list):
        return text
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        raise ValueError("a list holds text, each in quotes")
    return value
