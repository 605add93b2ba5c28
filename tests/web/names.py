"""A name server for tests: answers on UDP from a table, and can be told to fail.

async with serve_names({"a.test": ["127.0.0.7"], "gone.test": "NXDOMAIN"}) as names: names.zone, names.asked
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import trio

from spiderd.fetch.resolver import Zone

Table = Mapping[str, list[str] | str]  # addresses, or "NXDOMAIN", "SERVFAIL", "SILENT", "GARBAGE"


@dataclass
class Names:
    """A running name server."""

    table: Table
    ttl: int
    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)  # name, "A" or "AAAA"

    @property
    def zone(self) -> Zone:
        """What a resolver needs to ask this server."""
        return Zone(servers=["127.0.0.1"], port=self.port)

    def answer(self, query: bytes) -> bytes | None:
        """The answer to a question; None for silence."""
        question = dns.message.from_wire(query)
        name = question.question[0].name
        kind = dns.rdatatype.to_text(question.question[0].rdtype)
        text = name.to_text(omit_final_dot=True)
        self.asked.append((text, kind))
        found = self.table.get(text, "NXDOMAIN")
        if found == "SILENT":
            return None
        if found == "GARBAGE":
            return query[:2] + b"\xff" * 5
        reply = dns.message.make_response(question)
        if isinstance(found, str):
            reply.set_rcode(dns.rcode.from_text(found))
            return reply.to_wire()
        addresses = [address for address in found if (":" in address) == (kind == "AAAA")]
        if addresses:
            reply.answer.append(dns.rrset.from_text(name, self.ttl, "IN", kind, *addresses))
        return reply.to_wire()


@asynccontextmanager
async def serve_names(table: Table, ttl: int = 60) -> AsyncIterator[Names]:
    """Answer questions for the length of the block."""
    names = Names(table, ttl)
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as udp:
        await udp.bind(("127.0.0.1", 0))
        names.port = udp.getsockname()[1]

        async def run() -> None:
            while True:
                query, peer = await udp.recvfrom(4096)
                if (reply := names.answer(query)) is not None:
                    await udp.sendto(reply, peer)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            try:
                yield names
            finally:
                nursery.cancel_scope.cancel()
