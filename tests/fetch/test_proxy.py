from __future__ import annotations

import pytest
import trio

from spiderd.config import Config
from spiderd.config.declaration import Fetch, Scope
from spiderd.fetch import Client, FetchError
from spiderd.fetch.proxy import parse_proxy
from spiderd.states import Failure
from tests.web.faults import hang, raw
from tests.web.server import Request, Site, serve
from tests.web.tls import tls_for


def through(proxy: Site, account: str = "", **options) -> Client:
    url = f"http://{account}{proxy.host}:{proxy.port}"
    return Client(Config(fetch=Fetch(proxy=url), scope=Scope(private_addresses="never")), **options)


async def relay(stream: trio.SocketStream, request: Request) -> None:
    """What a proxy does for CONNECT."""
    host, _, port = request.target.rpartition(":")
    other = await trio.open_tcp_stream("127.0.0.7" if host == "site.test" else host, int(port))
    await stream.send_all(b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")

    async def copy(source: trio.SocketStream, sink: trio.SocketStream) -> None:
        async for data in source:
            await sink.send_all(data)
        await sink.send_eof()

    async with other, trio.open_nursery() as nursery:
        nursery.start_soon(copy, stream, other)
        nursery.start_soon(copy, other, stream)


@pytest.mark.trio
async def test_http_goes_by_absolute_targets_over_connections_that_all_hosts_share():
    async with serve({"*": b"from the proxy"}) as proxy, through(proxy, "me:s%40crt@") as client:
        for url in ("http://site.test/a?b", "http://other.test:81/"):
            assert (await client.get(url)).body == b"from the proxy"
    assert proxy.targets == ["http://site.test/a?b", "http://other.test:81/"]
    assert [request.header("host") for request in proxy.requests] == ["site.test", "other.test:81"]
    assert proxy.requests[0].header("proxy-authorization") == "Basic bWU6c0BjcnQ="
    assert proxy.connections == 1


@pytest.mark.trio
async def test_https_goes_through_a_tunnel_that_is_kept():
    tls = tls_for("site.test")
    async with (
        serve({"/": b"secret"}, tls=tls.server) as site,
        serve({"*": relay}, host="127.0.0.8") as proxy,
        through(proxy, "me:x@", tls=tls.client) as client,
    ):
        for _ in range(2):
            assert (await client.get(f"https://site.test:{site.port}/")).body == b"secret"
        assert proxy.requests[0].method == "CONNECT"
        assert proxy.requests[0].header("proxy-authorization") == "Basic bWU6eA=="
        assert site.requests[0].header("proxy-authorization") == ""
        assert (proxy.connections, site.connections) == (1, 1)


@pytest.mark.trio
@pytest.mark.parametrize(
    "route", [(407, {}, b""), (502, {}, b"no"), raw(), raw(b"SSH-2.0-OpenSSH_9.2\r\n"), raw(b"HTTP/1.1 200")]
)
async def test_a_proxy_that_does_not_connect(route):
    async with serve({"*": route}) as proxy, through(proxy, tls=tls_for().client) as client:
        with pytest.raises(FetchError) as caught:
            await client.get("https://site.test/")
        assert caught.value.failure is Failure.CONNECT_FAILED
        assert "proxy" in caught.value.detail


@pytest.mark.trio
async def test_a_proxy_that_hangs(autojump_clock):
    async with serve({"*": hang()}) as proxy, through(proxy, tls=tls_for().client) as client:
        with pytest.raises(FetchError) as caught:
            await client.get("https://site.test/")
        assert caught.value.failure is Failure.CONNECT_TIMEOUT


@pytest.mark.trio
@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://127.0.0.7/", "https://[::1]/"])
async def test_no_private_address_is_asked_of_the_proxy(url):
    async with serve({"*": b"secret"}) as proxy, through(proxy) as client:
        with pytest.raises(FetchError) as caught:
            await client.get(url)
        assert caught.value.failure is Failure.ADDRESS_FORBIDDEN
        assert proxy.connections == 0


def test_proxies():
    assert parse_proxy("") is None
    bare = parse_proxy("proxy.test:3128")
    assert bare is not None
    assert (bare.origin.host, bare.origin.port, bare.authorization) == ("proxy.test", 3128, b"")
