"""A site and a client for it, and the ways to ask, for the tests of this folder."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from spiderd.config import Config
from spiderd.config.declaration import Fetch, Politeness, Scope
from spiderd.fetch import Client, Exchange, FetchError
from spiderd.fetch.resolver import Resolver
from tests.web.server import Site, serve


class Fetching(NamedTuple):
    """A running site and a client that may reach it."""

    site: Site
    client: Client

    async def get(self, target: str = "/", **options: Any) -> Exchange:
        """Ask for a target."""
        return await self.client.get(self.site.url(target), **options)

    async def failure(self, target: str = "/", **options: Any) -> FetchError:
        """Ask for a target in vain."""
        with pytest.raises(FetchError) as caught:
            await self.get(target, **options)
        return caught.value


@asynccontextmanager
async def fetching(
    routes: Any,
    *,
    host: str = "127.0.0.7",
    tls: ssl.SSLContext | None = None,
    trust: ssl.SSLContext | None = None,
    scope: Scope | None = None,
    resolver: Resolver | None = None,
    **fetch: Any,
) -> AsyncIterator[Fetching]:
    """Serve routes, and make a client whose seed is the site; other keywords are keys of [fetch]."""
    config = Config(fetch=Fetch(**fetch), scope=scope or Scope(), politeness=Politeness(per_host=8))
    async with (
        serve(routes, host, tls=tls) as site,
        Client(config, seeds=[site.url()], tls=trust, resolver=resolver) as client,
    ):
        yield Fetching(site, client)


def open_files() -> int:
    """How many file descriptors this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())
