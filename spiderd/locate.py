"""Finds the socket of a running daemon: the one rule for command line and dashboard.

Flag, environment, configuration, default, as `spiderd.paths` sets down. The configuration is read only where
it may name the socket, so that a client of a known socket works while somebody edits the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from spiderd import paths


def locate_socket(
    *,
    socket: Path | None = None,
    data_dir: Path | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """Return the path at which the daemon is to be found; whether it is there is another question.

    Raises:
        ConfigError: the configuration would have to be read and is wrong.
        CannotCreate: the path is longer than the system allows.
        UsageError: the current directory is gone.
    """
    named = str(socket or environ.get("SPIDERD_SOCKET", ""))
    if not named:
        from spiderd.config.loading import load  # noqa: PLC0415 - costs time that a named socket need not pay

        named = load(config, environ=environ).config.api.socket
    return paths.find_socket(paths.data_dir(data_dir, environ), named=named, environ=environ)
