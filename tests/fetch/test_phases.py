"""What the client measures: each phase where there is one, and none of connecting on a kept connection."""

from __future__ import annotations

import pytest

from tests.fetch.fetching import fetching
from tests.web.tls import tls_for


def counted(client):
    return {name: histogram.count for name, histogram in client.phases.by_name().items()}


@pytest.mark.trio
async def test_a_connection_is_measured_once_and_every_exchange():
    tls = tls_for()
    async with fetching({"/": b"page"}, tls=tls.server, trust=tls.client) as site:
        for _ in range(3):
            await site.get()
        assert counted(site.client) == {"dns": 0, "connect": 1, "tls": 1, "first_byte": 3, "body": 3}
        assert 0 < site.client.phases.tls.total < 10


@pytest.mark.trio
async def test_connecting_in_vain_is_measured_too():
    async with fetching({"/": b"page"}) as site:
        url = site.site.url()
    async with fetching({"/": b"page"}) as other:
        other.client._guard.extend([url])
        with pytest.raises(Exception, match="cannot connect"):
            await other.client.get(url)
        assert counted(other.client)["connect"] == 1
        assert counted(other.client)["first_byte"] == 0
