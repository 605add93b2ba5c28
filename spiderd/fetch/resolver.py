"""Names to addresses, on trio, without a thread and without asking twice.

The system's resolver blocks a thread a look-up and hides how long an answer holds. Here dnspython asks the
configured name servers; answers are kept for their TTL within bounds, negative ones too; tasks that want the
same name at the same time share one question. IPv4 is asked for first and IPv6 only where there is no IPv4
address, or none that works: half the questions, and no delay where IPv6 does not get out. `/etc/hosts` and
`localhost` (RFC 6761) come first. The system's resolver is asked where no name server is configured, and for
names that DNS does not know alone: those without a dot (search domains) and those of a local network.
"""

from __future__ import annotations

import math
import socket
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import dns.asyncbackend
import dns.asyncresolver
import dns.exception
import dns.resolver
import trio

from spiderd.states import Failure

MAX_KEPT = 10_000  # names
MIN_TTL, MAX_TTL = 10.0, 3600.0  # seconds; shorter would ask for each page, longer would miss a move
NO_NAME_TTL = 300.0  # for a name that does not exist (RFC 2308 leaves it to us)
TROUBLE_TTL = 5.0  # for a name server that did not answer
TRY = 2.5  # seconds for one question to one server
LIFETIME = 8.0  # seconds for a name; less than fetch.connect_timeout, so that the trouble is remembered
ZONE_AGE = (
    60.0  # seconds after which the system's configuration is read again: networks change under a daemon
)
HOSTS = Path("/etc/hosts")
BACKEND = dns.asyncbackend.get_backend("trio")

Family = str  # "A" or "AAAA"

_NO_ADDRESS = {socket.EAI_NONAME} | {
    code for name in ("EAI_NODATA", "EAI_ADDRFAMILY") if (code := getattr(socket, name, None)) is not None
}


class NameFailure(Exception):
    """A name has no address that is known now."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


@dataclass(slots=True)
class Answer:
    """What is known of a name and a family, until `expires` (by the resolver's clock)."""

    addresses: list[str]
    expires: float
    failure: NameFailure | None = None
    no_such_name: bool = False  # the name service is sure of it


@dataclass(slots=True)
class Zone:
    """What the system says about names: static ones, and whom to ask about the others."""

    hosts: dict[str, list[str]] = field(default_factory=dict)
    servers: Sequence[str] = ()
    port: int = 53


def parse_hosts(text: str) -> dict[str, list[str]]:
    """The names of a hosts file with their addresses."""
    hosts: dict[str, list[str]] = {}
    for line in text.splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        for name in names:
            hosts.setdefault(name.lower().rstrip("."), []).append(address)
    return hosts


def system_zone() -> Zone:
    """Read the system's configuration (blocks; call it in a thread)."""
    try:
        hosts = parse_hosts(HOSTS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        hosts = {}
    try:
        servers = [str(server) for server in dns.resolver.Resolver().nameservers]
    except dns.exception.DNSException:  # no resolv.conf, or nothing in it
        servers = []
    return Zone(hosts, servers)


class Resolver:
    """Resolves host names for one client."""

    def __init__(self, zone: Zone | None = None, clock: Callable[[], float] = trio.current_time) -> None:
        self._zone = zone or Zone()
        self._zone_expires = math.inf if zone else -math.inf
        self._clock = clock
        self._known: OrderedDict[tuple[str, Family], Answer] = OrderedDict()
        self._asking: dict[tuple[str, Family], trio.Event] = {}
        self._reading = trio.Lock()

    async def addresses(self, host: str, family: Family) -> list[str]:
        """The addresses of a name in one family, perhaps none; raises NameFailure."""
        name = host.rstrip(".")
        zone = self._zone if self._clock() < self._zone_expires else await self._read_zone()
        static = _static(zone, name)
        if static is not None:
            return [address for address in static if (":" in address) == (family == "AAAA")]
        key = (name, family)
        while True:
            known = self._known.get(key)
            if known is not None and known.expires > self._clock():
                self._known.move_to_end(key)
                break
            asking = self._asking.get(key)
            if asking is None:
                known = await self._lead(zone, key)
                break
            await asking.wait()  # whoever asks may be cancelled: then one of those who wait asks next
        if known.failure is not None:
            raise NameFailure(known.failure.failure, known.failure.detail)
        return known.addresses

    async def _read_zone(self) -> Zone:
        async with self._reading:
            if self._clock() >= self._zone_expires:
                self._zone = await trio.to_thread.run_sync(system_zone)
                self._zone_expires = self._clock() + ZONE_AGE
            return self._zone

    async def _lead(self, zone: Zone, key: tuple[str, Family]) -> Answer:
        done = self._asking[key] = trio.Event()
        try:
            ask = ask_servers if zone.servers and not _is_local(key[0]) else ask_system
            answer = await ask(zone, *key, self._clock)
        finally:
            del self._asking[key]
            done.set()
        self._known[key] = answer
        if answer.no_such_name:  # in any family (RFC 8020)
            self._known[key[0], "AAAA" if key[1] == "A" else "A"] = answer
        while len(self._known) > MAX_KEPT:
            self._known.popitem(last=False)
        return answer


def _static(zone: Zone, name: str) -> list[str] | None:
    if name in zone.hosts:
        return zone.hosts[name]
    if name == "localhost" or name.endswith(".localhost"):
        return ["127.0.0.1", "::1"]
    return None


def _is_local(name: str) -> bool:
    return bool(name) and ("." not in name or name.endswith(".local"))


async def ask_servers(zone: Zone, name: str, family: Family, clock: Callable[[], float]) -> Answer:
    """Ask the name servers."""
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = list(zone.servers)
    resolver.port = zone.port
    resolver.timeout = TRY
    resolver.lifetime = 2 * LIFETIME  # dnspython measures it by the wall clock; ours ends first
    try:
        with trio.fail_after(LIFETIME):
            found = await resolver.resolve(
                name + ".", family, search=False, raise_on_no_answer=False, backend=BACKEND
            )
    except dns.resolver.NXDOMAIN:
        answer = _failed(Failure.DNS_NO_SUCH_NAME, f"there is no name {name}", clock() + NO_NAME_TTL)
        answer.no_such_name = True
        return answer
    except (dns.exception.Timeout, trio.TooSlowError):
        detail = f"the name service did not answer about {name}"
        return _failed(Failure.DNS_TEMPORARY, detail, clock() + TROUBLE_TTL)
    except (dns.resolver.NoNameservers, dns.resolver.YXDOMAIN, OSError, EOFError):
        return _failed(Failure.DNS_TEMPORARY, f"the name service failed for {name}", clock() + TROUBLE_TTL)
    except dns.exception.DNSException as error:  # a name that DNS cannot carry, or an answer that is none
        return _failed(Failure.DNS_NO_SUCH_NAME, f"{name}: {error}", clock() + NO_NAME_TTL)
    addresses = [record.address for record in found.rrset or ()]
    ttl = found.rrset.ttl if found.rrset is not None else NO_NAME_TTL
    return Answer(addresses, clock() + min(MAX_TTL, max(MIN_TTL, ttl)))


async def ask_system(_zone: Zone, name: str, family: Family, clock: Callable[[], float]) -> Answer:
    """Ask the system's resolver, in a thread of trio's."""
    kind = socket.AF_INET6 if family == "AAAA" else socket.AF_INET
    try:
        found = await trio.socket.getaddrinfo(name, None, kind, socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in _NO_ADDRESS:  # which may mean: none in this family
            return Answer([], clock() + MIN_TTL)
        detail = f"the name service failed for {name}"
        return _failed(Failure.DNS_TEMPORARY, detail, clock() + TROUBLE_TTL)
    except (UnicodeError, OSError) as error:
        return _failed(Failure.DNS_NO_SUCH_NAME, f"{name}: {error}", clock() + NO_NAME_TTL)
    return Answer([str(info[4][0]) for info in found], clock() + MIN_TTL)


def _failed(failure: Failure, detail: str, expires: float) -> Answer:
    return Answer([], expires, NameFailure(failure, detail))
