from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Scope
from spiderd.errors import ConfigError
from spiderd.fetch.guard import Guard, embedded, is_public, literal, parse_address

PUBLIC = [
    "1.1.1.1",
    "93.184.216.34",
    "223.255.255.254",
    "100.128.0.1",
    "172.32.0.1",
    "2606:4700::1111",
    "2a00::1",
]
PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "0.0.0.0",
    "0.1.2.3",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "198.18.0.1",
    "203.0.113.9",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "5f00::1",
    "fec0::1",
]
CONNECTABLE = [
    a
    for a in PRIVATE
    if a not in {"0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "ff02::1"}
]


def allowed(guard: Guard, address: str, host: str = "any.test") -> bool:
    return guard.refuses(host, address) == ""


@pytest.mark.parametrize("mode", ["never", "seeds", "always"])
def test_public_addresses_are_always_allowed(mode):
    guard = Guard(Scope(private_addresses=mode))
    assert [address for address in PUBLIC if not allowed(guard, address)] == []
    assert allowed(guard, "::ffff:1.1.1.1")
    assert allowed(guard, "64:ff9b::1.1.1.1")


@pytest.mark.parametrize("mode", ["never", "seeds"])
def test_no_private_address_is_allowed_to_a_public_crawl(mode):
    guard = Guard(Scope(private_addresses=mode), ["https://example.test/"])
    assert [address for address in PRIVATE if allowed(guard, address)] == []


def test_always_allows_what_can_be_connected_to():
    guard = Guard(Scope(private_addresses="always"))
    assert [address for address in PRIVATE if allowed(guard, address)] == CONNECTABLE


def test_never_refuses_even_the_seeds():
    guard = Guard(Scope(private_addresses="never"), ["http://127.0.0.1/"])
    assert not allowed(guard, "127.0.0.1", "127.0.0.1")


def test_a_loopback_seed_opens_loopback_and_nothing_else():
    for seed in ("http://127.0.0.7:8080/x", "http://localhost/", "http://u:p@127.0.0.1/"):
        guard = Guard(Scope(), [seed])
        assert allowed(guard, "127.0.0.9")
        assert allowed(guard, "::ffff:127.0.0.9")
        for address in ("::1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "192.168.0.1"):
            assert not allowed(guard, address)


def test_a_private_seed_opens_its_own_host_only():
    guard = Guard(Scope(), ["http://10.0.0.5/", "http://intranet.test./", "http://[fd00::5]:81/"])
    assert allowed(guard, "10.0.0.5", "10.0.0.5")
    assert allowed(guard, "fd00::5", "fd00::5")
    assert not allowed(guard, "10.0.0.6", "10.0.0.6")
    assert not allowed(guard, "127.0.0.1", "127.0.0.1")
    assert allowed(guard, "192.168.7.7", "Intranet.test")
    assert not allowed(guard, "192.168.7.7", "other.test")


def test_a_name_never_leads_to_metadata_but_an_address_may():
    guard = Guard(Scope(), ["http://intranet.test/", "http://169.254.1.1/"])
    assert not allowed(guard, "169.254.169.254", "intranet.test")
    assert not allowed(guard, "fe80::1", "intranet.test")
    assert allowed(guard, "169.254.1.1", "169.254.1.1")


def test_blocks():
    guard = Guard(Scope(ip_allow=["93.184.0.0/16", "2a00::/16"], ip_deny=["93.184.216.0/24"]))
    assert allowed(guard, "93.184.1.1")
    assert allowed(guard, "2a00::5")
    assert not allowed(guard, "93.184.216.34")
    assert not allowed(guard, "1.1.1.1")
    assert not allowed(guard, "2606:4700::1111")
    assert "ip_deny" in guard.refuses("x", "93.184.216.34")
    assert "ip_allow" in guard.refuses("x", "1.1.1.1")


def test_a_denied_block_holds_for_embedded_addresses_and_seeds():
    guard = Guard(Scope(ip_deny=["127.0.0.8/32"], private_addresses="always"), ["http://127.0.0.8/"])
    assert not allowed(guard, "127.0.0.8")
    assert not allowed(guard, "::ffff:127.0.0.8")
    assert allowed(guard, "127.0.0.7")


def test_an_allowed_block_alone_opens_no_private_address():
    assert not allowed(Guard(Scope(ip_allow=["10.0.0.0/8"])), "10.0.0.1")


def test_a_block_that_is_none_is_a_mistake_in_the_configuration():
    with pytest.raises(ConfigError, match="ip_deny"):
        Guard(Scope(ip_deny=["10.0.0.0/99"]))


def test_what_is_no_address_is_refused():
    assert not allowed(Guard(Scope(private_addresses="always")), "localhost")


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_every_disguise_of_an_address_is_seen_through(address):
    number = int(address)
    disguises = [
        IPv6Address((0xFFFF << 32) | number),
        IPv6Address((0x64FF9B << 96) | number),
        IPv6Address((0x2002 << 112) | (number << 80)),
    ]
    assert {embedded(disguise) for disguise in disguises} == {address}


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_what_python_calls_private_is_never_public(address):
    if address.is_private or address.is_multicast or address.is_reserved or address.is_loopback:
        assert not is_public(address)


def test_literals():
    assert literal("127.0.0.1") == "127.0.0.1"
    assert literal("0:0:0:0:0:0:0:1") == "::1"
    assert literal("fe80::1%eth0") == "fe80::1"
    assert literal("1.2.3.4%x") == ""
    assert literal("example.test") == ""
    assert literal("127.1") == ""
    assert parse_address("::ffff:1.2.3.4") == IPv4Address("1.2.3.4")
