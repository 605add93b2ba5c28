"""Errors that reach the user, and the exit code of each.

    SpiderdError            one sentence: what happened, to which file or URL, what to do
    +-- UsageError      2   the command line cannot be understood
    +-- Unavailable    69   (client) no daemon answers, or it speaks another version
    +-- CannotCreate   73   the data directory or the socket cannot be made
    +-- StorageError   74   the disk or the store failed
    |   +-- DiskFull   74   no room; the daemon pauses instead of dying where it can
    +-- AlreadyRunning 75   another daemon holds the data directory
    +-- ConfigError    78   the configuration is wrong: file, line, key

Exit codes are those of sysexits.h where one fits, so that a systemd unit can tell what to restart.
"""

from __future__ import annotations


class SpiderdError(Exception):
    """An error with a sentence for the user and an exit code for the shell."""

    exit_code = 1


class UsageError(SpiderdError):
    """The command line cannot be understood."""

    exit_code = 2


class Unavailable(SpiderdError):
    """No daemon answers on the socket, or it speaks another version."""

    exit_code = 69


class CannotCreate(SpiderdError):
    """A directory, file or socket that is needed cannot be made."""

    exit_code = 73


class StorageError(SpiderdError):
    """The disk or the store failed."""

    exit_code = 74


class DiskFull(StorageError):
    """There is no room left where the data directory lies."""


class AlreadyRunning(SpiderdError):
    """Another daemon holds the data directory."""

    exit_code = 75


class ConfigError(SpiderdError):
    """The configuration is wrong; the message names file, line and key."""

    exit_code = 78
