"""Loads the configuration: flag, then environment, then file, then default.

A mistake is never passed over: unknown keys and bad values are refused, all of them at once, one a line, each
with file, line, key and, where one comes near, the key that was probably meant. What the command line gets
wrong is a `UsageError`; what file or environment get wrong is a `ConfigError`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from spiderd import paths
from spiderd.config import checks, schema, toml_lines
from spiderd.config.declaration import Config
from spiderd.config.rendering import value_as_written
from spiderd.config.secrets import masked
from spiderd.errors import ConfigError, UsageError

SIZE_MAX = 1024 * 1024  # bytes of a configuration file; what is larger is something else
FAULTS_MAX = 20  # of one source; whoever has more has given us another program's file
_SHOWN = 60  # characters of a bad value that a message repeats
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration, and the file that it was read from (None: there is none)."""

    config: Config
    source: Path | None


def load(
    path: Path | None = None,
    flags: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
) -> Loaded:
    """Load the configuration.

    Args:
        path: the file that `--config` names; None looks at `SPIDERD_CONFIG`, then in the usual places.
        flags: what the command line sets: full key ("crawl.threads") to a value as it is written in a file.
        environ: the environment.

    Raises:
        ConfigError: file or environment are wrong.
        UsageError: the command line is wrong.
    """
    source = _source(path, environ)
    file = _file_layer(source) if source else _Layer()
    environment = _Layer(name="SPIDERD_SOCKET")
    if socket := environ.get("SPIDERD_SOCKET"):
        environment.add("api.socket", str(paths.absolute(socket)))
    command = _Layer(name="command line")
    for key, value in (flags or {}).items():
        command.add(key, value)
    layers = (command, environment, file)
    _refuse(layers)
    config = _merged(layers)
    for pair, message in checks.contradictions(config):
        guilty, key = next((layer, key) for layer in layers for key in pair if key in layer.values)
        guilty.fault(key, message)
    _refuse(layers)
    return Loaded(config, source)


def overlaid(config: Config, settings: Mapping[str, object]) -> Config:
    """Put single settings over a configuration, checked as a file is.

    Args:
        config: what is not set stays as it is there.
        settings: full key ("crawl.threads") to a value as it is written in a file.

    Raises:
        UsageError: a key is unknown, a value is wrong, or they do not go together.
    """
    layer = _Layer()
    for key, value in settings.items():
        layer.add(key, value)
    _refuse((layer,))
    config = with_values(config, layer.values)
    for (key, _), message in checks.contradictions(config):
        layer.fault(key, message)
    _refuse((layer,))
    return config


def with_values(config: Config, values: Mapping[str, Any]) -> Config:
    """Return the configuration with other values, which have their types already, for some full keys."""
    sections: dict[str, dict[str, Any]] = {}
    for full, value in values.items():
        section, _, name = full.partition(".")
        sections.setdefault(section, {})[name] = value
    replaced = {
        section: msgspec.structs.replace(getattr(config, section), **changes)
        for section, changes in sections.items()
    }
    return msgspec.structs.replace(config, **replaced)


@dataclass(slots=True)
class _Layer:
    """What one source sets, and what is wrong with it."""

    name: str = ""
    text: str = ""  # of a file; "" for other sources
    values: dict[str, Any] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)  # line, message
    _lines: dict[toml_lines.Path, int] = field(default_factory=dict)

    def add_tables(self, tables: Mapping[str, object]) -> None:
        for section, table in tables.items():
            if section not in schema.sections():
                self._unknown(section, "section" if isinstance(table, dict) else "key")
            elif not isinstance(table, dict):
                self.fault(section, f"{section} is a section: write [{section}] on a line of its own")
            else:
                for name, value in table.items():
                    self.add(f"{section}.{name}", value)

    def add(self, name: str, value: object) -> None:
        key = schema.keys().get(name)
        if key is None:
            self._unknown(name, "key")
            return
        try:
            converted = key.convert(value)
        except ValueError as error:
            shown = "..." if key.is_hidden else _shown(value)
            self.fault(name, f"{name} = {shown}: {error}")
            return
        self.values[name] = converted
        for index, message in checks.faults(name, converted):
            guilty = converted if index is None else converted[index]
            shown = "the value" if key.is_hidden else _shown(guilty)
            self.fault(name, f"{name}: {shown} {message}", index)

    def fault(self, key: str, message: str, item: int | None = None) -> None:
        if len(self.faults) > FAULTS_MAX:
            return
        if len(self.faults) == FAULTS_MAX:
            message = "and more of the kind"
        if not self.text:
            self.faults.append((0, f"{self.name}: {message}" if self.name else message))
            return
        self._lines = self._lines or toml_lines.lines_of(self.text)
        path: toml_lines.Path = tuple(key.split("."))
        line = toml_lines.nearest_line(self._lines, path if item is None else (*path, item))
        self.faults.append((line, f"{self.name}:{line}: {message}"))

    def _unknown(self, name: str, kind: str) -> None:
        near = schema.nearest(name) if len(self.faults) < FAULTS_MAX else ""
        self.fault(name, f"{name}: unknown {kind}" + (f"; did you mean {near}?" if near else ""))


def _refuse(layers: tuple[_Layer, ...]) -> None:
    _command, *others = layers
    said = [message for layer in reversed(layers) for _, message in sorted(layer.faults)]
    if said:
        raise (ConfigError if any(layer.faults for layer in others) else UsageError)("\n".join(said))


def _merged(layers: tuple[_Layer, ...]) -> Config:
    tables: dict[str, dict[str, object]] = {}
    for layer in reversed(layers):
        for full, value in layer.values.items():
            section, _, name = full.partition(".")
            tables.setdefault(section, {})[name] = value
    return msgspec.convert(tables, Config)


def _source(path: Path | None, environ: Mapping[str, str]) -> Path | None:
    if path is None and (named := environ.get("SPIDERD_CONFIG")):
        path = Path(named)
    return paths.absolute(path) if path is not None else paths.config_file(environ)


def _file_layer(file: Path) -> _Layer:
    text = _read(file)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        raise ConfigError(f"{file}:{line}: not TOML: {_PLACE.sub('', str(error))}") from error
    except RecursionError as error:
        raise ConfigError(f"{file}: not a configuration: nested too deeply") from error
    layer = _Layer(name=str(file), text=text)
    layer.add_tables(tables)
    return layer


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(SIZE_MAX + 1)
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {file}: {error.strerror}") from error
    if len(data) > SIZE_MAX:
        raise ConfigError(f"{file}: not a configuration: larger than 1 MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}:{line}: not UTF-8, which TOML has to be") from error


def _shown(value: object) -> str:
    try:
        text = value_as_written(value, partial(masked, malformed=True))
    except TypeError:  # a table or a date where none is wanted
        return "..."
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
