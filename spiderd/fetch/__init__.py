"""Fetching: a HTTP client that trusts no peer. The only package that imports httpx."""

from __future__ import annotations

from spiderd.fetch.client import Client, Exchange, user_agent
from spiderd.fetch.failure import FetchError
from spiderd.fetch.headers import Headers

__all__ = ["Client", "Exchange", "FetchError", "Headers", "user_agent"]
