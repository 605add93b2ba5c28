from __future__ import annotations

import socket

import pytest

from spiderd import __version__
from spiderd.client import Client, NotRunning
from spiderd.errors import CannotCreate, SpiderdError, StorageError, Unavailable, UsageError
from spiderd.protocol import API_VERSION
from spiderd.states import CrawlState
from tests.api.sample import SampleCrawl
from tests.cli.serving import HANG, daemon, http_answer, impostor

GREETING = http_answer(
    b'{"api":%d,"version":"%s","pid":1,"crawl":"c","started":1.0,"data_dir":"/d","rights":"write"}'
    % (API_VERSION, __version__.encode())
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s"


def refusal(path, call=Client.status, **options):
    with pytest.raises(Unavailable) as caught, Client(path, **options) as client:
        call(client)
    assert caught.value.exit_code == 69
    return caught.value


def test_all_calls_get_the_daemons_answers(path):
    with daemon(path) as crawl, Client(path) as client:
        assert client.hello().crawl == "amber-fox"
        assert client.hello().rights == "write"
        assert client.status().counters.known == 100
        assert client.workers({"limit": 10}).total == 2
        assert [row.directory for row in client.directories({"offset": 8}).rows] == [9, 10]
        assert client.hosts().rows
        assert client.errors({"filter": "example"}).rows
        assert client.why("http://example.test/é").url
        assert client.pause().state is CrawlState.PAUSED
        assert client.resume().state is CrawlState.RUNNING
        assert client.add(["http://new.test/é", "http://example.test/"]).new == 1
        assert client.retry().urls >= 0
        crawl.log.add("info", "state", "hello")
        assert [event.message for event in client.events(since=0).rows] == ["hello"]
        assert client.stop().state is CrawlState.STOPPING


def test_a_query_is_sent_as_it_is_asked(path):
    with daemon(path) as crawl, Client(path) as client:
        client.errors({"limit": 7, "offset": 3, "sort": "at", "desc": "true", "filter": "a&b=é "})
    (asked,) = crawl.asked
    assert (asked.limit, asked.offset, asked.sort, asked.desc, asked.filter) == (7, 3, "at", True, "a&b=é ")


def test_an_argument_that_is_no_utf8_arrives_as_the_bytes_it_was(path):
    with (
        impostor(path, [GREETING, http_answer(b"{}")]) as heard,
        pytest.raises(Unavailable),
        Client(path) as client,
    ):
        client.why("http://h/\udcff")
    assert heard[1].startswith(b"GET /v1/why?url=http%3A%2F%2Fh%2F%FF ")


def test_what_the_daemon_refuses_is_raised_as_what_it_is(path):
    class Broken(SampleCrawl):
        async def pause(self):
            raise StorageError("the disk is gone")

        async def resume(self):
            raise ZeroDivisionError

    with daemon(path, Broken()), Client(path) as client:
        with pytest.raises(UsageError, match="sort: no such field"):
            client.hosts({"sort": "x"})
        with pytest.raises(StorageError, match="the disk is gone"):
            client.pause()
        with pytest.raises(SpiderdError, match="its log has the details") as caught:
            client.resume()
        assert caught.value.exit_code == 1
        assert client.status().state is CrawlState.RUNNING  # the connection is still good


def test_no_socket_is_certainly_no_daemon(path):
    error = refusal(path)
    assert isinstance(error, NotRunning)
    assert str(error) == f"no daemon is running: there is no socket at {path}"


def test_a_socket_that_a_daemon_left_behind_is_certainly_no_daemon(path):
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    error = refusal(path)
    assert isinstance(error, NotRunning)
    assert "nobody listens" in str(error)


def test_a_file_in_the_sockets_place_is_named_and_left_alone(path):
    path.write_text("mine")
    error = refusal(path)
    assert isinstance(error, NotRunning)
    assert "is not a socket" in str(error)
    assert path.read_text() == "mine"


def test_a_directory_that_is_a_file_is_no_daemon(path):
    path.write_text("")
    assert isinstance(refusal(path / "s"), NotRunning)


def test_c39_a_path_too_long_is_said_before_anything_is_tried(tmp_path):
    with pytest.raises(CannotCreate, match=r"has 2.. bytes"):
        Client(tmp_path / ("x" * 200))


def test_a_daemon_that_does_not_answer_is_unknown_not_absent(path):
    with impostor(path, [HANG]):
        error = refusal(path, timeout=0.05)
    assert not isinstance(error, NotRunning)
    assert "does not answer within 0.05 s" in str(error)


def test_a_daemon_that_accepts_nobody_is_unknown_not_absent(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(str(path))
        error = refusal(path, timeout=0.05)
        for one in waiting:
            one.close()
    assert not isinstance(error, NotRunning)


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([b"SSH-2.0-OpenSSH\r\n"], "does not speak HTTP"),
        ([http_answer(b"<h1>no</h1>", "404 Not Found")], "is no spiderd: it answers with HTTP status 404"),
        ([http_answer(b"[1]")], "is not understood"),
        ([http_answer(b"\xff")], "is not understood"),
        ([http_answer(b'{"error":{"code":"unavailable","message":"starting"}}', "503 x")], "starting"),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"], "does not speak HTTP"),
        ([], "hung up without an answer"),
        (
            [GREETING, http_answer(b'{"error":{"code":"not_found","message":"no such path"}}', "404 x")],
            f"the daemon, spiderd {__version__}, cannot do that: no such path",
        ),
        ([GREETING, http_answer(b'{"state":"dancing"}')], "is the daemon another release?"),
    ],
)
def test_what_is_no_daemon_of_ours_is_told_so(path, pieces, said):
    with impostor(path, pieces):
        assert said in str(refusal(path))


def test_another_version_of_the_api_is_refused_with_both_versions(path):
    with impostor(path, [http_answer(b'{"api":2,"version":"9.9","news":true}')]):
        said = str(refusal(path))
    assert "is spiderd 9.9 and speaks version 2 of the API" in said
    assert f"this program speaks {API_VERSION}: use the same release" in said


def test_a_kept_connection_that_was_closed_is_replaced_for_a_question(path):
    events = http_answer(b'{"rows":[],"last":7,"gap":false}')
    with impostor(path, [GREETING, events], [GREETING, events]) as heard, Client(path) as client:
        assert client.events(since=1).last == 7
        assert client.events(since=7).last == 7  # on the second connection
    assert len(heard) == 4


def test_a_command_is_never_sent_twice(path):
    with impostor(path, [GREETING], [GREETING]) as heard:
        said = str(refusal(path, Client.stop))
    assert "hung up" in said
    assert heard == [b"GET /v1/ HTTP/1.1"]
