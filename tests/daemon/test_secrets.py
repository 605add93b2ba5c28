"""Secrets that a crawl meets, and no trace of them in log, events, lists, metrics or status lines."""

from __future__ import annotations

import base64

import pytest

from spiderd.config.loading import Loaded
from spiderd.daemon.service import sentence
from tests.crawl.controlled import controlled
from tests.crawl.harness import configured
from tests.web.server import serve

PASSWORD, TOKEN, OTHER = "correct-horse-battery", "session-4b1d2f9c", "elsewhere-pass-77"
BASIC = base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
LISTS = ("status", "workers", "hosts", "errors", "events", "traps", "settings", "directories")


def site_with_secrets(request):
    if request.path == "/robots.txt":
        return (404, {}, b"")
    if request.path == "/":
        body = "".join(f"<a href=/{name}>x</a>" for name in ("a", "moved", "broken"))
        body += f"<a href='//x:{OTHER}@{request.header('host')}/u'>u</a>"
        return (200, [("Content-Type", "text/html"), ("Set-Cookie", f"session={TOKEN}; Path=/")], body)
    if request.path == "/moved":
        return (302, {"Location": f"http://bob:{OTHER}@[broken/"}, b"")
    if request.path == "/broken":
        return (404, [("Set-Cookie", f"session={TOKEN}")], TOKEN.encode())
    return (500, {"Set-Cookie": f"other={TOKEN}"}, b"no")


@pytest.mark.trio
async def test_no_secret_is_told_to_anybody(tmp_path, capfd):
    async with serve(site_with_secrets, "127.0.0.9") as site:
        seed = site.url("/").replace("://", f"://ann:{PASSWORD}@")
        config = configured(
            seed,
            log={"level": "debug"},
            crawl={"retries": 0},
        )
        async with controlled(config, tmp_path, reread=lambda: Loaded(config, None)) as crawl:
            await crawl.complete()
            await crawl.post("reload")
            told = [str(await crawl.get(name)) for name in LISTS]
            told.append((await crawl._http.get("/metrics")).text)
            told += [str(await crawl.why(site.url(target))) for target in ("/", "/moved", "/broken", "/u")]
            told.append(str(await crawl.post("add", urls=[seed, f"ftp://a:{PASSWORD}@b/"])))
        told.append(sentence(crawl.report.last))
    sent = {request.header("authorization") for request in site.requests} - {""}
    cookies = {request.header("cookie") for request in site.requests} - {""}
    assert sent == {f"Basic {BASIC}"}, "else the test would prove nothing"
    assert cookies == {f"session={TOKEN}"}
    log = "".join(capfd.readouterr())
    assert "failed" in log
    for secret in (PASSWORD, BASIC, TOKEN, OTHER):
        assert secret not in log
        assert [text for text in told if secret in text] == []
