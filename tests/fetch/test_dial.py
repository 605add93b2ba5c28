from __future__ import annotations

import resource
import socket
import ssl

import pytest
import trio

from spiderd.config import Config
from spiderd.config.declaration import Scope
from spiderd.fetch import Client, FetchError
from spiderd.fetch.dial import verified_tls
from spiderd.fetch.resolver import Resolver, Zone
from spiderd.states import Failure, Step
from tests.fetch.fetching import fetching
from tests.web.faults import OK, raw
from tests.web.names import serve_names
from tests.web.server import serve
from tests.web.tls import tls_for


async def failure_of(client: Client, url: str) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await client.get(url)
    return caught.value


def closed_port(host: str = "127.0.0.7") -> int:
    with socket.socket() as sock:
        sock.bind((host, 0))
        return int(sock.getsockname()[1])


@pytest.mark.trio
async def test_refused():
    url = f"http://127.0.0.7:{closed_port()}/"
    async with Client(Config(), seeds=[url]) as client:
        error = await failure_of(client, url)
    assert error.failure is Failure.CONNECT_REFUSED
    assert error.address == "127.0.0.7"


@pytest.mark.trio
async def test_no_file_descriptor_left():
    async with fetching({"/": b"x"}) as site:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        try:
            error = await site.failure()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert error.failure is Failure.CONNECT_FAILED
        assert "too many open files" in error.detail
        assert (await site.get()).status == 200


@pytest.mark.trio
async def test_a_name_is_looked_up_guarded_and_connected_to():
    async with (
        serve_names({"site.test": ["127.0.0.7"], "none.test": "NXDOMAIN", "bad.test": "SERVFAIL"}) as names,
        serve({"/": b"page"}) as site,
        Client(Config(), seeds=[site.url()], resolver=Resolver(names.zone)) as client,
    ):
        steps: list[Step] = []
        answer = await client.get(f"http://site.test:{site.port}/", on_step=steps.append)
        assert (answer.body, answer.address) == (b"page", "127.0.0.7")
        assert site.requests[0].header("host") == f"site.test:{site.port}"
        assert steps == [Step.RESOLVING, Step.CONNECTING, Step.WAITING, Step.RECEIVING]
        steps.clear()
        await client.get(f"http://site.test:{site.port}/", on_step=steps.append)
        assert steps == [Step.WAITING, Step.RECEIVING]
        assert (await failure_of(client, "http://none.test/")).failure is Failure.DNS_NO_SUCH_NAME
        assert (await failure_of(client, "http://bad.test/")).failure is Failure.DNS_TEMPORARY


@pytest.mark.trio
async def test_a_name_server_that_is_silent(autojump_clock):
    async with (
        serve_names({"a.test": "SILENT"}) as names,
        Client(Config(), resolver=Resolver(names.zone)) as client,
    ):
        assert (await failure_of(client, "http://a.test/")).failure is Failure.DNS_TEMPORARY
        assert trio.current_time() < 20


@pytest.mark.trio
@pytest.mark.parametrize("address", ["127.0.0.7", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.7"])
async def test_a_public_crawl_is_not_led_inside_by_a_name(address):
    async with (
        serve_names({"evil.test": [address]}) as names,
        serve({"/": b"secret"}) as site,
        Client(Config(), seeds=["http://public.test/"], resolver=Resolver(names.zone)) as client,
    ):
        error = await failure_of(client, f"http://evil.test:{site.port}/")
        assert error.failure is Failure.ADDRESS_FORBIDDEN
        assert site.connections == 0


@pytest.mark.trio
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.7",
        "[::1]",
        "[::ffff:127.0.0.7]",
        "[::ffff:7f00:7]",
        "0.0.0.0",
        "169.254.169.254",
        "[fe80::1%25lo]",
    ],
)
async def test_a_public_crawl_is_not_led_inside_by_an_address(host):
    async with serve({"/": b"secret"}) as site, Client(Config(), seeds=["http://public.test/"]) as client:
        url = f"http://{host}:{site.port}/"
        assert (await failure_of(client, url)).failure in {Failure.ADDRESS_FORBIDDEN, Failure.PROTOCOL_ERROR}
        assert site.connections == 0


@pytest.mark.trio
@pytest.mark.parametrize("host", ["127.1", "0x7f.1", "2130706433", "017700000001"])
async def test_old_ways_to_write_an_address_go_through_the_guard_too(host):
    """The URL parser makes addresses of these; where one comes through, it is a name like any other."""
    async with serve({"/": b"secret"}, host="127.0.0.1") as site, serve_names({}) as names:
        for zone in (Zone(), names.zone):
            async with Client(Config(), seeds=["http://public.test/"], resolver=Resolver(zone)) as client:
                await failure_of(client, f"http://{host}:{site.port}/")
        assert site.connections == 0


@pytest.mark.trio
async def test_addresses_are_tried_in_turn():
    async with (
        serve_names({"site.test": ["127.0.0.7", "127.0.0.9", "10.255.255.1"]}) as names,
        serve({"/": b"page"}) as site,
        Client(Config(), seeds=[site.url()], resolver=Resolver(names.zone)) as client,
    ):
        assert (await client.get(f"http://site.test:{site.port}/")).address == "127.0.0.7"
        error = await failure_of(client, f"http://site.test:{closed_port()}/")
        assert error.failure is Failure.CONNECT_REFUSED


@pytest.mark.trio
async def test_ipv6_is_tried_where_ipv4_does_not_serve():
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        async with (
            serve({"/": b"six"}, host="::1") as site,
            serve_names({"a.test": ["127.0.0.1", "::1"]}) as names,
        ):
            config = Config(scope=Scope(private_addresses="always"))
            async with Client(config, resolver=Resolver(names.zone)) as client:
                answer = await client.get(f"http://a.test:{site.port}/")
                assert (answer.body, answer.address) == (b"six", "::1")
                assert (await client.get(f"http://[::1]:{site.port}/")).body == b"six"
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")


@pytest.mark.trio
async def test_tls_is_verified_and_kept():
    tls = tls_for()
    async with fetching({"/": b"secret"}, tls=tls.server, trust=tls.client) as site:
        for _ in range(3):
            assert (await site.get()).body == b"secret"
        assert site.site.connections == 1


@pytest.mark.trio
async def test_a_certificate_that_nobody_vouches_for():
    async with fetching({"/": b"secret"}, tls=tls_for().server) as site:
        error = await site.failure()
        assert error.failure is Failure.TLS_FAILED
        assert "certificate" in error.detail


@pytest.mark.trio
async def test_a_certificate_of_another_name():
    tls = tls_for("other.test")
    async with fetching({"/": b"secret"}, tls=tls.server, trust=tls.client) as site:
        assert (await site.failure()).failure is Failure.TLS_FAILED


@pytest.mark.trio
async def test_a_certificate_of_a_name_with_a_root_dot():
    tls = tls_for("site.test")
    async with (
        serve_names({"site.test": ["127.0.0.7"]}) as names,
        serve({"/": b"x"}, tls=tls.server) as site,
        Client(Config(), seeds=[site.url()], resolver=Resolver(names.zone), tls=tls.client) as client,
    ):
        assert (await client.get(f"https://site.test.:{site.port}/")).status == 200


@pytest.mark.trio
@pytest.mark.parametrize("bytes_sent", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
async def test_a_server_that_does_not_speak_tls(bytes_sent):
    async def plain(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(bytes_sent)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.7")
    url = f"https://127.0.0.7:{listeners[0].socket.getsockname()[1]}/"
    async with trio.open_nursery() as nursery, Client(Config(), seeds=[url], tls=tls_for().client) as client:
        nursery.start_soon(trio.serve_listeners, plain, listeners)
        assert (await failure_of(client, url)).failure is Failure.TLS_FAILED
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_tls_bodies_that_end_with_the_connection_or_too_early():
    tls = tls_for()
    routes = {"/end": raw(OK + b"\r\nall of it"), "/short": raw(OK + b"Content-Length: 99\r\n\r\nhalf")}
    async with fetching(routes, tls=tls.server, trust=tls.client) as site:
        assert (await site.get("/end")).body == b"all of it"
        assert (await site.failure("/short")).failure is Failure.TRUNCATED


def test_the_default_context_verifies():
    context = verified_tls()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
