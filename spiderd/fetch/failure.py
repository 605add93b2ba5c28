"""The one exception of this package: why a request did not end in an answer that can be used."""

from __future__ import annotations

import httpx

from spiderd.fetch.headers import Headers
from spiderd.states import Failure


class FetchError(httpx.TransportError):
    """A request failed, by the server's fault, the network's or our own rules; `failure` says which.

    It is a httpx.TransportError so that the transport behaves under a stock `httpx.AsyncClient` too.
    """

    def __init__(
        self,
        failure: Failure,
        detail: str,
        *,
        status: int = 0,
        headers: Headers | None = None,
        address: str = "",
    ) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail  # one sentence for people
        self.status = status  # 0 where no answer came
        self.headers = Headers([]) if headers is None else headers
        self.address = address  # "" where no connection was made

    def __repr__(self) -> str:
        return f"FetchError({self.failure.value}: {self.detail})"
