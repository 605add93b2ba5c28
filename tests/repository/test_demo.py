"""The demonstration site is whole, and holds what it is to show."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urljoin, urlsplit

import pytest

from spiderd.demo.server import COPIES, MOVED, SITE, serving

DEAD = "/spiders/moon-spider.html"


class Browser:
    def __init__(self, url: str) -> None:
        self.url = url
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=5)

    def get(self, path: str) -> tuple[HTTPResponse, bytes]:
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        return answer, answer.read()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def browser() -> Iterator[Browser]:
    with serving(0) as url:
        browser = Browser(url)
        yield browser
        browser.close()


def links_of(path: str, body: bytes) -> set[str]:
    hrefs = re.findall(rb'(?:href|src)="([^"]+)"', body)
    links = {urljoin(f"http://site{path}", href.decode()).partition("#")[0] for href in hrefs}
    return {urlsplit(link).path for link in links if link.startswith("http://site/")}


def reachable(browser: Browser) -> dict[str, int]:
    """Every path that the front page leads to, with the status it has."""
    statuses: dict[str, int] = {}
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        if path not in statuses:
            answer, body = browser.get(path)
            statuses[path] = answer.status
            if answer.getheader("Content-Type") == "text/html" and answer.status == 200:
                waiting += links_of(path, body)
    return statuses


def test_every_page_is_reached_and_one_link_is_dead(browser):
    statuses = reachable(browser)
    files = {
        f"/{path.relative_to(SITE)}".replace("index.html", "") for path in SITE.rglob("*") if path.is_file()
    }
    assert {path for path, status in statuses.items() if status == 200} == files | set(COPIES)
    assert {path for path, status in statuses.items() if status == 301} == set(MOVED)
    assert {path for path, status in statuses.items() if status not in (200, 301)} == {DEAD}
    assert 20 <= sum(path.endswith(("/", ".html")) for path in files) <= 40


def test_an_old_address_has_moved_to_a_page(browser):
    for old, new in MOVED.items():
        answer, body = browser.get(old)
        assert (answer.status, answer.getheader("Location"), body) == (301, new, b"")
        assert browser.get(new)[0].status == 200


def test_a_text_has_two_addresses(browser):
    for copy, original in COPIES.items():
        assert browser.get(copy)[1] == browser.get(original)[1]


@pytest.mark.parametrize(
    ("path", "label", "codec", "words"),
    [
        ("/zh/xizhu.html", "gb2312", "gb18030", "蠨蛸在户"),
        ("/fr/", "windows-1252", "cp1252", "cœur tubulaire, des œufs"),
        ("/ru/", "utf-8", "utf-8", "Маленькая книга"),
        ("/zh/", "utf-8", "utf-8", "全世界已经命名的蜘蛛"),
    ],
)
def test_pages_are_in_the_encodings_that_they_declare(browser, path, label, codec, words):
    answer, body = browser.get(path)
    assert answer.getheader("Content-Type") == "text/html"  # the page itself must say
    assert f'<meta charset="{label}">'.encode() in body
    assert words in body.decode(codec)
    if codec != "utf-8":
        with pytest.raises(UnicodeDecodeError):
            body.decode("utf-8")


def test_robots_txt_closes_the_cellar(browser):
    answer, body = browser.get("/robots.txt")
    assert answer.getheader("Content-Type") == "text/plain"
    assert b"User-agent: *\nDisallow: /cellar/\n" in body
    assert b"delay" not in body.lower()


@pytest.mark.parametrize("path", ["/images/", "/../server.py", "/%2e%2e/server.py", "/nothing"])
def test_nothing_else_is_shown(browser, path):
    assert browser.get(path)[0].status == 404


def test_the_usual_port_may_be_taken():
    with serving() as first, serving() as second:
        assert first != second


def test_a_port_that_was_asked_for_is_not_replaced():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = demo("--port", port)
    assert done.returncode == 73
    assert done.stderr == f"Cannot serve the demonstration site on port {port}: Address already in use.\n"


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "spiderd.demo", *arguments], capture_output=True, text=True, check=False
    )


GET = "import sys, urllib.request as r; sys.exit(r.urlopen(sys.argv[1]).status - 193)"


def test_a_command_is_given_the_site_and_gives_its_exit_code():
    assert demo("--port", "0", sys.executable, "-c", GET).returncode == 7
    assert demo("--port", "0", "sh", "-c", "kill -9 $$").returncode == 137
    assert demo("--port", "0", "no-such-command").returncode == 127


def test_sigterm_is_passed_on_to_the_command():
    script = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done"
    child = subprocess.Popen(
        [sys.executable, "-m", "spiderd.demo", "--port", "0", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdout
    with child.stdout:
        assert child.stdout.readline() == b"ready\n"
        child.terminate()
        assert child.wait(10) == 5


def test_alone_it_serves_until_it_is_told_to_stop():
    child = subprocess.Popen([sys.executable, "-m", "spiderd.demo", "--port", "0"], stderr=subprocess.PIPE)
    assert child.stderr
    with child.stderr:
        url = child.stderr.readline().split()[-1].decode()
        browser = Browser(url)
        assert browser.get("/")[0].status == 200
        browser.close()
        child.send_signal(signal.SIGINT)
        assert child.wait(10) == 0
