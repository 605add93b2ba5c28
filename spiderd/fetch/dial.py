"""Making connections: name, guard, TCP, proxy, TLS, each step with its own failure.

The address that the guard has passed is the address that is connected to; a name is not looked up a second
time in between. Where there are several addresses they are tried in turn, each with its share of the time.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from dataclasses import dataclass, field

import certifi
import trio

from spiderd.fetch.connection import GONE, Channel, Connection, PlainChannel, TlsChannel, reason
from spiderd.fetch.failure import FetchError
from spiderd.fetch.guard import Guard, literal
from spiderd.fetch.origin import Origin
from spiderd.fetch.proxy import Proxy, tunnel
from spiderd.fetch.resolver import NameFailure, Resolver
from spiderd.fetch.watch import Watch
from spiderd.phases import Phases
from spiderd.states import Failure, Step

_FAILURES = {errno.ECONNREFUSED: Failure.CONNECT_REFUSED, errno.ETIMEDOUT: Failure.CONNECT_TIMEOUT}
MAX_ADDRESSES = 6  # tried for one request


def verified_tls() -> ssl.SSLContext:
    """How certificates are verified: with the system's authorities, or certifi's where it has none."""
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"] and not ssl.get_default_verify_paths().capath:
        context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context


async def _connect(sock: socket.socket, address: str, port: int) -> None:
    code = sock.connect_ex((address, port))
    if code == errno.EINPROGRESS:
        await trio.lowlevel.wait_writable(sock)
        code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        raise OSError(code, os.strerror(code))


async def open_socket(address: str, port: int) -> socket.socket:
    """Connect to an IP address (never a name: that would be looked up here, unguarded); raises OSError."""
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await _connect(sock, address, port)
    except BaseException:
        sock.close()
        raise
    return sock


@dataclass(slots=True)
class Dialer:
    """Makes the connections of one client."""

    resolver: Resolver
    guard: Guard
    proxy: Proxy | None = None
    phases: Phases = field(default_factory=Phases)
    tls: ssl.SSLContext | None = None  # made when it is first needed: that reads 140 certificates

    def key(self, origin: Origin) -> object:
        """What a connection for an origin may be reused for."""
        return self.proxy if self.proxy and not origin.secure else origin

    async def dial(self, origin: Origin, watch: Watch) -> Connection:
        """Connect to an origin, through the proxy if there is one; raises FetchError."""
        place = self.proxy.origin if self.proxy else origin
        if self.proxy and (address := literal(origin.host)):  # names are the proxy's to look up and to judge
            self._check(origin.host, address, watch)
        sock, address = await self._connect(place, watch, guarded=self.proxy is None)
        channel: Channel = PlainChannel(sock)
        try:
            if self.proxy and origin.secure:
                await tunnel(channel, self.proxy, origin, watch)
            if origin.secure:
                channel = await self._secure(sock, origin, watch)
        except BaseException:
            sock.close()
            raise
        # Behind a proxy nobody knows where a host is: its own address would make all hosts one (per_ip).
        watch.address = address if self.proxy is None else ""
        return Connection(channel, self.key(origin), watch.address)

    def _check(self, host: str, address: str, watch: Watch) -> None:
        refusal = self.guard.refuses(host, address)
        if refusal:
            watch.address = address
            raise watch.fail(Failure.ADDRESS_FORBIDDEN, refusal)

    async def _connect(self, place: Origin, watch: Watch, *, guarded: bool) -> tuple[socket.socket, str]:
        """A connected socket and its address; tries IPv6 where no IPv4 address serves."""
        if address := literal(place.host):
            return await self._try_each([address], place, watch, guarded=guarded)
        failure = None
        for family in ("A", "AAAA"):
            watch.on_step(Step.RESOLVING)
            watch.phase(Failure.DNS_TEMPORARY, watch.limits.connect)
            began = trio.current_time()
            try:
                addresses = await self.resolver.addresses(place.host, family)
            except NameFailure as error:
                raise failure or watch.fail(error.failure, error.detail) from None
            finally:
                self.phases.dns.observe(trio.current_time() - began)
            if not addresses:
                continue
            try:
                return await self._try_each(addresses[:MAX_ADDRESSES], place, watch, guarded=guarded)
            except FetchError as error:
                failure = error
        raise failure or watch.fail(Failure.DNS_NO_SUCH_NAME, f"{place.host} has no address")

    async def _try_each(
        self, addresses: list[str], place: Origin, watch: Watch, *, guarded: bool
    ) -> tuple[socket.socket, str]:
        watch.on_step(Step.CONNECTING)
        watch.phase(Failure.CONNECT_TIMEOUT, watch.limits.connect)
        failure = None
        for number, address in enumerate(addresses):
            try:
                if guarded:
                    self._check(place.host, address, watch)
                watch.address = address if guarded else ""
                return await self._try(address, place.port, watch, len(addresses) - number), address
            except FetchError as error:
                if failure is None or failure.failure is Failure.ADDRESS_FORBIDDEN:
                    failure = error
        assert failure is not None  # noqa: S101 - there is at least one address
        raise failure

    async def _try(self, address: str, port: int, watch: Watch, left: int) -> socket.socket:
        """Connect to one of `left` addresses that share the time that there is."""
        began = trio.current_time()
        try:
            if left == 1:
                return await open_socket(address, port)
            with trio.move_on_after(watch.remaining() / left):
                return await open_socket(address, port)
        except OSError as error:
            failure = _FAILURES.get(error.errno or 0, Failure.CONNECT_FAILED)
            raise watch.fail(failure, f"cannot connect to {address} port {port}: {reason(error)}") from None
        finally:
            self.phases.connect.observe(trio.current_time() - began)
        raise watch.fail(Failure.CONNECT_TIMEOUT, f"{address} does not answer")

    async def _secure(self, sock: socket.socket, origin: Origin, watch: Watch) -> TlsChannel:
        if self.tls is None:
            self.tls = await trio.to_thread.run_sync(verified_tls)
        stream = trio.SSLStream(
            trio.SocketStream(trio.socket.from_stdlib_socket(sock)),
            self.tls,
            server_hostname=origin.host.rstrip("."),
            https_compatible=True,
        )
        began = trio.current_time()
        try:
            await stream.do_handshake()
        except (*GONE, ssl.CertificateError, ValueError) as error:
            raise watch.fail(Failure.TLS_FAILED, f"TLS failed: {reason(error)}") from None
        finally:
            self.phases.tls.observe(trio.current_time() - began)
        return TlsChannel(stream)
