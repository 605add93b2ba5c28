"""Finds the line on which a key of a TOML text stands, which tomllib does not tell.

A scanner of the grammar's outline: it knows keys, strings, arrays, inline tables and comments, and skips the
rest. It is given only texts that tomllib has accepted, so it need not notice mistakes; and only when there is
something to complain about. One pass, linear time.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

Path = tuple[str | int, ...]
"""Keys, and indexes of array items: ("scope", "exclude", 2)."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN_VALUE = re.compile(r"[^,\]}\n#]*")


def lines_of(text: str) -> dict[Path, int]:
    """Return the line (from 1) of every table, key and array item."""
    return _Scanner(text).scan()


def nearest_line(lines: dict[Path, int], path: Path) -> int:
    """Return the line of a key, or of the nearest table or array that holds it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.places: dict[Path, int] = {}
        self._line_ends = [match.start() for match in re.finditer("\n", text)]

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        self._skip()
        while self.at < len(self.text):
            if self._take("["):
                array = self._take("[")
                start = self.at
                table = self._key()
                self._note(table, start)
                self._take("]")
                if array:
                    self._take("]")
            else:
                self._pair(table)
            self._skip()
        return self.places

    def _pair(self, table: Path) -> None:
        start = self.at
        path = table + self._key()
        self._note(path, start)
        self._take("=")
        self._value(path)

    def _key(self) -> Path:
        parts: list[str | int] = []
        while True:
            self._skip()
            if quoted := _STRING.match(self.text, self.at):
                parts.append(tomllib.loads(f"key = {quoted[0]}")["key"])
                self.at = quoted.end()
            elif bare := _BARE_KEY.match(self.text, self.at):
                parts.append(bare[0])
                self.at = bare.end()
            else:
                self.at += 1
            if not self._take("."):
                return tuple(parts)

    def _value(self, path: Path) -> None:
        self._skip()
        if string := _STRING.match(self.text, self.at):
            self.at = string.end()
        elif self._take("["):
            self._array(path)
        elif self._take("{"):
            while not self._ends("}"):
                self._pair(path)
                self._take(",")
        else:
            plain = _PLAIN_VALUE.match(self.text, self.at)
            self.at = plain.end() if plain else self.at + 1

    def _array(self, path: Path) -> None:
        index = 0
        while not self._ends("]"):
            item = (*path, index)
            self._note(item, self.at)
            self._value(item)
            self._take(",")
            index += 1

    def _note(self, path: Path, at: int) -> None:
        self.places.setdefault(path, bisect_left(self._line_ends, at) + 1)

    def _skip(self) -> None:
        if blank := _BLANK.match(self.text, self.at):
            self.at = blank.end()

    def _ends(self, bracket: str) -> bool:
        return self._take(bracket) or self.at >= len(self.text)

    def _take(self, character: str) -> bool:
        """Step over blanks and one character, if it is the next."""
        self._skip()
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        return False
