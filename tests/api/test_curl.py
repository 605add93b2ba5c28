"""curl as a client: what a person types works as the documentation says."""

from __future__ import annotations

import json
import shutil

import pytest
import trio

from tests.api.serving import served

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


async def curl(path, *arguments: str) -> str:
    command = ["curl", "--silent", "--show-error", "--max-time", "10", "--unix-socket", str(path), *arguments]
    return (await trio.run_process(command, capture_stdout=True)).stdout.decode()


@pytest.mark.trio
async def test_curl_reads_changes_and_is_told_what_is_wrong(sock_path):
    async with served(sock_path) as crawl:
        assert json.loads(await curl(sock_path, "http://spiderd/v1/status"))["state"] == "running"
        assert json.loads(await curl(sock_path, "-X", "POST", "http://spiderd/v1/pause"))["state"] == "paused"
        seeds = '{"urls": ["http://example.test/curl"]}'
        assert json.loads(await curl(sock_path, "-d", seeds, "http://spiderd/v1/add"))["new"] == 1
        assert json.loads(await curl(sock_path, "http://spiderd/v1/nope"))["error"]["code"] == "not_found"
        large = sock_path.parent / "large"
        large.write_bytes(bytes(3_000_000))
        answer = await curl(sock_path, "--data-binary", f"@{large}", "http://spiderd/v1/add")
        assert json.loads(answer)["error"]["code"] == "body_too_big"
    assert "http://example.test/curl" in crawl.urls
