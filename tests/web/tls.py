"""Certificates for tests: an authority of their own, trusted by nobody else."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from functools import cache

import trustme


@dataclass(frozen=True)
class Tls:
    """Two ends of TLS that trust each other, and the authority for a SSL_CERT_FILE."""

    server: ssl.SSLContext
    client: ssl.SSLContext
    authority_pem: bytes


@cache
def tls_for(*names: str) -> Tls:
    """A server certificate for host names or addresses ("127.0.0.7" where none is given)."""
    authority = trustme.CA()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*(names or ("127.0.0.7",))).configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    return Tls(server, client, authority.cert_pem.bytes())
