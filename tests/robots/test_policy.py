"""What an answer to GET /robots.txt means (RFC 9309 2.3.1)."""

from __future__ import annotations

import msgspec
import pytest

from spiderd.robots.policy import LIFETIME, RobotsRecord, robots_of, ruling_for
from spiderd.states import Failure

NOW = 1_800_000_000.0
RULES = b"User-agent: *\nDisallow: /x"


@pytest.mark.parametrize(
    ("status", "failure", "kind"),
    [
        (200, Failure.NONE, "rules"),
        (206, Failure.NONE, "rules"),
        (204, Failure.NO_CONTENT, "rules"),
        (200, Failure.TYPE_NOT_WANTED, "rules"),
        (400, Failure.HTTP_ERROR, "allow_all"),
        (401, Failure.HTTP_ERROR, "allow_all"),
        (403, Failure.HTTP_ERROR, "allow_all"),
        (404, Failure.HTTP_ERROR, "allow_all"),
        (410, Failure.HTTP_ERROR, "allow_all"),
        (451, Failure.HTTP_ERROR, "allow_all"),
        (404, Failure.TRUNCATED, "allow_all"),
        (302, Failure.TOO_MANY_REDIRECTS, "allow_all"),
        (301, Failure.BAD_REDIRECT, "allow_all"),
        (0, Failure.TOO_MANY_REDIRECTS, "allow_all"),
        (304, Failure.NONE, "allow_all"),
        (429, Failure.THROTTLED, "disallow_all"),
        (500, Failure.SERVER_ERROR, "disallow_all"),
        (502, Failure.SERVER_ERROR, "disallow_all"),
        (503, Failure.THROTTLED, "disallow_all"),
        (600, Failure.SERVER_ERROR, "disallow_all"),
        (999, Failure.SERVER_ERROR, "disallow_all"),
        (200, Failure.TRUNCATED, "disallow_all"),
        (200, Failure.BAD_ENCODING, "disallow_all"),
        (200, Failure.IDLE_TIMEOUT, "disallow_all"),
        (0, Failure.DNS_TEMPORARY, "disallow_all"),
        (0, Failure.CONNECT_REFUSED, "disallow_all"),
        (0, Failure.TLS_FAILED, "disallow_all"),
        (0, Failure.PROTOCOL_ERROR, "disallow_all"),
    ],
)
def test_kinds(status, failure, kind):
    record = ruling_for(status, failure, RULES, NOW)
    assert record.kind == kind
    assert robots_of(record).allowed("http://a.test/x").allowed is (kind == "allow_all")
    assert robots_of(record).allowed("http://a.test/y").allowed is (kind != "disallow_all")
    assert record.body == (RULES if kind == "rules" else b"")
    assert (record.expires == NOW + LIFETIME) is (kind != "disallow_all")


def test_an_unanswered_robots_is_asked_for_again_at_growing_intervals():
    record, now, pauses = None, NOW, []
    for _ in range(9):
        record = ruling_for(503, Failure.THROTTLED, b"", now, record)
        pauses.append(record.expires - now)
        now = record.expires
    assert pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert record is not None
    assert record.tries == 9
    healed = ruling_for(200, Failure.NONE, RULES, now, record)
    assert (healed.kind, healed.tries, healed.expires) == ("rules", 0, now + LIFETIME)
    assert ruling_for(0, Failure.CONNECT_REFUSED, b"", now, healed).expires == now + 10


def test_thousands_of_tries_do_not_overflow():
    record = RobotsRecord("disallow_all", tries=100_000)
    assert ruling_for(500, Failure.SERVER_ERROR, b"", NOW, record).expires == NOW + 3600


def test_the_reason_is_for_people():
    refused = ruling_for(0, Failure.CONNECT_REFUSED, b"", NOW)
    assert (
        robots_of(refused).allowed("http://a.test/p").line
        == "robots.txt could not be fetched (connect_refused)"
    )
    assert robots_of(ruling_for(500, Failure.SERVER_ERROR, b"", NOW)).allowed("http://a.test/p").line == (
        "robots.txt answered 500"
    )
    assert robots_of(refused).allowed("http://a.test/robots.txt").allowed


def test_a_record_survives_the_store():
    record = ruling_for(200, Failure.NONE, RULES, NOW)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(record), type=RobotsRecord) == record


def test_the_body_kept_is_bounded():
    assert len(ruling_for(200, Failure.NONE, b"#" * 5_000_000, NOW).body) < 600 * 1024
