from __future__ import annotations

import socket

import pytest
import trio

from spiderd.fetch import resolver as module
from spiderd.fetch.resolver import NameFailure, Resolver, Zone, ask_system, parse_hosts, system_zone
from spiderd.states import Failure
from tests.web.names import serve_names


async def failure_of(resolver: Resolver, name: str, family: str = "A") -> Failure:
    with pytest.raises(NameFailure) as caught:
        await resolver.addresses(name, family)
    return caught.value.failure


@pytest.mark.trio
async def test_both_families_are_answered_and_kept():
    async with serve_names({"a.test": ["127.0.0.7", "127.0.0.8", "::1"]}) as names:
        resolver = Resolver(names.zone)
        for _ in range(3):
            assert sorted(await resolver.addresses("a.test", "A")) == ["127.0.0.7", "127.0.0.8"]
            assert await resolver.addresses("a.test.", "AAAA") == ["::1"]
    assert names.asked == [("a.test", "A"), ("a.test", "AAAA")]


@pytest.mark.trio
@pytest.mark.parametrize(("ttl", "kept"), [(0, module.MIN_TTL), (60, 60), (10**6, module.MAX_TTL)])
async def test_an_answer_is_kept_for_its_time_within_bounds(ttl, kept):
    now = 1000.0
    async with serve_names({"a.test": ["127.0.0.7"]}, ttl=ttl) as names:
        resolver = Resolver(names.zone, clock=lambda: now)
        await resolver.addresses("a.test", "A")
        now += kept - 1
        await resolver.addresses("a.test", "A")
        assert len(names.asked) == 1
        now += 2
        await resolver.addresses("a.test", "A")
        assert len(names.asked) == 2


@pytest.mark.trio
async def test_a_name_that_does_not_exist_is_asked_for_once():
    async with serve_names({}) as names:
        resolver = Resolver(names.zone)
        for family in ("A", "AAAA", "A"):
            assert await failure_of(resolver, "no.test", family) is Failure.DNS_NO_SUCH_NAME
    assert len(names.asked) == 1


@pytest.mark.trio
async def test_a_name_without_addresses_of_a_family_is_no_failure():
    async with serve_names({"six.test": ["::1"]}) as names:
        assert await Resolver(names.zone).addresses("six.test", "A") == []


@pytest.mark.trio
@pytest.mark.parametrize("trouble", ["SERVFAIL", "REFUSED", "SILENT", "GARBAGE"])
async def test_trouble_passes_and_is_not_kept_for_long(trouble, autojump_clock):
    table: dict[str, list[str] | str] = {"a.test": trouble}
    async with serve_names(table) as names:
        resolver = Resolver(names.zone)
        started = trio.current_time()
        assert await failure_of(resolver, "a.test") is Failure.DNS_TEMPORARY
        assert trio.current_time() - started <= module.LIFETIME + 1
        asked = len(names.asked)
        assert await failure_of(resolver, "a.test") is Failure.DNS_TEMPORARY
        assert len(names.asked) == asked
        table["a.test"] = ["127.0.0.7"]
        await trio.sleep(module.TROUBLE_TTL + 1)
        assert await resolver.addresses("a.test", "A") == ["127.0.0.7"]


@pytest.mark.trio
async def test_tasks_that_want_the_same_name_share_one_question():
    async with serve_names({"a.test": ["127.0.0.7"]}) as names:
        resolver = Resolver(names.zone)
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(resolver.addresses, "a.test", "A")
    assert len(names.asked) == 1


@pytest.mark.trio
async def test_when_who_asks_is_cancelled_another_asks():
    table: dict[str, list[str] | str] = {"a.test": "SILENT"}
    answers: list[list[str]] = []
    async with serve_names(table) as names, trio.open_nursery() as nursery:
        resolver = Resolver(names.zone)

        async def follow() -> None:
            answers.append(await resolver.addresses("a.test", "A"))

        scope = trio.CancelScope()

        async def lead() -> None:
            with scope:
                await resolver.addresses("a.test", "A")

        nursery.start_soon(lead)
        while not names.asked:
            await trio.lowlevel.checkpoint()
        nursery.start_soon(follow)
        nursery.start_soon(follow)
        await trio.testing.wait_all_tasks_blocked()
        table["a.test"] = ["127.0.0.7"]
        scope.cancel()
    assert answers == [["127.0.0.7"]] * 2


@pytest.mark.trio
async def test_the_number_of_names_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "MAX_KEPT", 2)
    async with serve_names({f"{n}.test": ["127.0.0.7"] for n in range(3)}) as names:
        resolver = Resolver(names.zone)
        for name in ("0.test", "1.test", "0.test", "2.test", "0.test", "1.test"):
            await resolver.addresses(name, "A")
    assert [name for name, _ in names.asked] == ["0.test", "1.test", "2.test", "1.test"]


@pytest.mark.trio
@pytest.mark.parametrize("name", ["a" * 64 + ".test", "a..test", ("a" * 50 + ".") * 6 + "test", ".", ""])
async def test_a_name_that_dns_cannot_carry_does_not_exist(name):
    async with serve_names({}) as names:
        assert await failure_of(Resolver(names.zone), name) is Failure.DNS_NO_SUCH_NAME


@pytest.mark.trio
async def test_static_names_and_localhost_are_not_asked_for():
    resolver = Resolver(Zone(hosts={"box": ["10.0.0.1", "fd00::1"]}, servers=["127.0.0.1"], port=9))
    assert await resolver.addresses("box", "A") == ["10.0.0.1"]
    assert await resolver.addresses("box", "AAAA") == ["fd00::1"]
    assert await resolver.addresses("localhost", "A") == ["127.0.0.1"]
    assert await resolver.addresses("x.localhost.", "AAAA") == ["::1"]


def test_a_hosts_file():
    text = "127.0.0.1 localhost Box # one\n\n# none\n::1 localhost\n10.0.0.1\n"
    assert parse_hosts(text) == {"localhost": ["127.0.0.1", "::1"], "box": ["127.0.0.1"]}


@pytest.mark.trio
async def test_the_system_is_asked_where_no_server_is_known():
    answer = await ask_system(Zone(), "localhost", "A", lambda: 0.0)
    assert answer.addresses == ["127.0.0.1"]
    assert (await ask_system(Zone(), "127.0.0.7", "AAAA", lambda: 0.0)).addresses == []
    bad = await ask_system(Zone(), "a" * 70 + ".test", "A", lambda: 0.0)
    assert bad.failure is not None
    assert bad.failure.failure is Failure.DNS_NO_SUCH_NAME


class System(trio.abc.HostnameResolver):
    """What the system's resolver would say."""

    def __init__(self, **answers: str | int) -> None:
        self.answers = answers

    async def getaddrinfo(self, host, port, family=0, type=0, proto=0, flags=0):  # noqa: A002 - its name in the interface
        answer = self.answers[host.decode().replace(".", "_")]
        if isinstance(answer, int):
            raise socket.gaierror(answer, "")
        return [(family, type, 6, "", (answer, 0))]

    async def getnameinfo(self, sockaddr, flags):
        raise NotImplementedError


@pytest.mark.trio
async def test_names_that_dns_does_not_know_alone_are_the_systems_to_find():
    system = System(wiki="10.0.0.9", box_local="10.0.0.8", no=socket.EAI_NONAME, wait=socket.EAI_AGAIN)
    trio.socket.set_custom_hostname_resolver(system)
    async with serve_names({}) as names:
        resolver = Resolver(names.zone)
        assert await resolver.addresses("wiki", "A") == ["10.0.0.9"]
        assert await resolver.addresses("box.local", "A") == ["10.0.0.8"]
        assert await resolver.addresses("no", "A") == []
        assert await failure_of(resolver, "wait") is Failure.DNS_TEMPORARY
    assert names.asked == []


@pytest.mark.trio
async def test_the_systems_configuration_is_read_again(monkeypatch):
    zones = [Zone({"box.test": ["10.0.0.1"]}), Zone({"box.test": ["10.0.0.2"]})]
    now = 0.0
    monkeypatch.setattr(module, "system_zone", lambda: zones.pop(0))
    resolver = Resolver(clock=lambda: now)
    assert await resolver.addresses("box.test", "A") == ["10.0.0.1"]
    now = module.ZONE_AGE - 1
    assert await resolver.addresses("box.test", "A") == ["10.0.0.1"]
    now = module.ZONE_AGE + 1
    assert await resolver.addresses("box.test", "A") == ["10.0.0.2"]


def test_the_system_has_a_zone():
    assert isinstance(system_zone().hosts, dict)
