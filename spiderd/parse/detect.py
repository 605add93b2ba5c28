"""A guess at the encoding of pages that declare none."""

from __future__ import annotations


def detect(body: bytes) -> str:
    """Return the name of the most likely encoding of bytes that are no UTF-8."""
    return "windows-1252" if body else "utf-8"
