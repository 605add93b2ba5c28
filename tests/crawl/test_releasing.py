"""What a running crawl is made to go on with, or to leave alone: traps, hosts, failed and visited URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawl.controlled import controlled
from tests.crawl.harness import archived, configured
from tests.crawl.pages import page, site_of
from tests.web.server import Request, serve

pytestmark = pytest.mark.trio


# traps and hosts


def calendar(request: Request) -> str:
    month = int(request.query.partition("=")[2] or 0)
    return page(f"/cal?month={month + 1}", f"/cal?month={month + 2}", text="no events in this month")


async def test_a_trap_is_listed_and_goes_on_for_another_window_when_it_is_released(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/cal?month=0"), "/cal": calendar})) as site:
        config = configured(site.url("/"), traps={"shape_window": 5})
        async with controlled(config, tmp_path) as daemon:
            parked = (await daemon.complete())["counters"]["parked"]
            asked = len(site.requests)
            (row,) = (await daemon.get("traps"))["rows"]
            assert row["shape"].endswith("/cal?month")
            assert (row["waiting"], row["pages"]) == (parked, asked - 2)
            assert row["example"].startswith(site.url("/cal?month="))
            url = site.url(f"/cal?month={asked - 2}")
            why = await daemon.why(url)
            assert (why["queue"], why["shape"]) == ("waiting", row["shape"])
            assert "taken for a trap" in why["summary"]
            assert (await daemon.get("traps", filter="elsewhere"))["total"] == 0
            answer = await daemon.post("release", what=row["shape"])
            assert (answer["kind"], answer["urls"], answer["state"]) == ("shape", parked, "running")
            await daemon.complete()
            assert asked + 5 <= len(site.requests) <= 4 * asked
        async with controlled(config, tmp_path) as daemon:  # the count is kept
            (again,) = (await daemon.get("traps"))["rows"]
            assert again["waiting"] == (await daemon.get("status"))["counters"]["parked"] > 0


async def test_a_host_that_asked_for_hours_is_shown_with_its_reason_and_released(tmp_path: Path) -> None:
    answers = iter([(503, {"Retry-After": "7200"}, b"")])
    async with serve(site_of({"/": lambda _: next(answers, page("/a")), "/a": "a"})) as site:
        host = site.url("/").split("/")[2]
        config = configured(site.url("/"), politeness={"max_delay": 0.05})  # it still comes back carefully
        async with controlled(config, tmp_path) as daemon:
            await daemon.complete("parked")
            (row,) = (await daemon.get("hosts"))["rows"]
            assert (row["state"], row["reason"]) == ("parked", "503, Retry-After in 2h 00m")
            assert row["next_allowed"] > (await daemon.get("status"))["now"] + 7000
            why = await daemon.why(site.url("/"))
            assert (why["host_state"], why["host_reason"]) == (row["state"], row["reason"])
            assert why["next_allowed"] == row["next_allowed"]
            assert "is parked (503, Retry-After in 2h 00m) and is asked again in" in why["summary"]
            assert (await daemon.refused("release", what="nobody.test"))[0] == "bad_value"
            answer = await daemon.post("release", what=site.url("/whatever"))
            assert (answer["kind"], answer["name"], answer["urls"]) == ("host", host, 1)
            assert answer["held"] == "parked: 503, Retry-After in 2h 00m"
            await daemon.complete()
            assert (await daemon.post("release", what=host))["held"] == ""
    assert set(archived(tmp_path)) == {site.url("/"), site.url("/a")}


async def test_a_released_host_is_asked_for_its_robots_txt_again(tmp_path: Path) -> None:
    broken = [True]
    routes = {"/": "root", "/robots.txt": lambda _: (500, {}, b"") if broken else (404, {}, b"")}
    async with serve(routes) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.host("unreachable")
        (row,) = (await daemon.get("hosts", filter="127."))["rows"]
        assert "robots.txt answered 500" in row["reason"]
        why = await daemon.why(site.url("/"))
        assert not why["allowed"]
        assert why["robots"].startswith("robots.txt answered 500")
        broken.clear()
        await daemon.post("release", what=site.url("/"))
        await daemon.complete()
        assert site.count("/robots.txt") == 2


async def test_hosts_are_sorted_and_cut_with_or_without_work(tmp_path: Path) -> None:
    seeds = [f"http://127.0.0.7:{port}/" for port in range(1, 31)]  # nobody listens there
    config = configured(*seeds, crawl={"retries": 0}, politeness={"robots": False})
    async with controlled(config, tmp_path) as daemon:
        await daemon.complete()
        for _ in range(2):
            every = await daemon.get("hosts", limit=500)
            assert (every["total"], len(every["rows"])) == (30, 30)
            part = await daemon.get("hosts", sort="host", desc=True, limit=3, offset=2, filter="127.0.0.7:1")
            names = sorted((row["host"] for row in every["rows"] if ":1" in row["host"]), reverse=True)
            assert [row["host"] for row in part["rows"]] == names[2:5]
            assert part["total"] == len(names)
            by_state = await daemon.get("hosts", sort="state", limit=500)
            assert [row["state"] for row in by_state["rows"]] == sorted(row["state"] for row in every["rows"])


# failed and visited URLs


async def test_retry_puts_back_what_is_asked_for(tmp_path: Path) -> None:
    fails: dict[str, int] = {"/a": 404, "/b": 404, "/c": 500}
    routes = {path: lambda r: (fails.get(r.path, 200), {}, r.path.encode()) for path in fails}
    async with (
        serve(site_of({"/": page(*fails), **routes})) as site,
        controlled(configured(site.url("/"), crawl={"retries": 0}), tmp_path) as daemon,
    ):
        assert (await daemon.complete())["counters"]["error"] == 3
        why = await daemon.why(site.url("/a"))
        assert why["queue"] == "error"
        assert why["summary"].startswith("It has failed for good after 1 try (http_error: HTTP status 404)")
        assert why["referrer"] == site.url("/")
        fails.clear()
        assert (await daemon.post("retry"))["urls"] == 1  # the one that may pass
        assert (await daemon.complete())["counters"]["error"] == 2
        asked = [site.url("/b"), site.url("/never"), "no url"]
        answer = await daemon.post("retry", urls=asked)
        assert (answer["urls"], set(answer["missing"])) == (1, set(asked[1:]))
        assert (await daemon.complete())["counters"]["error"] == 1
        assert (await daemon.post("retry", all=True))["urls"] == 1
        counters = (await daemon.complete())["counters"]
        assert (counters["error"], counters["failures"], counters["pages"]) == (0, {}, 4)


async def test_retry_asks_hosts_again_that_were_unreachable(tmp_path: Path) -> None:
    async with serve(site_of({"/": "root"})) as site:
        port = site.port
    config = configured(f"http://127.0.0.7:{port}/", crawl={"retries": 0}, politeness={"robots": False})
    async with controlled(config, tmp_path) as daemon:
        await daemon.complete()
        urls = [f"http://127.0.0.7:{port}/{number}" for number in range(3)]
        await daemon.post("add", urls=urls)
        assert (await daemon.complete())["counters"]["error"] == 4
        assert (await daemon.get("hosts"))["rows"][0]["state"] == "unreachable"
        async with serve(site_of({"*": "here"}), port=port) as site:
            assert (await daemon.post("retry"))["urls"] == 4
            counters = (await daemon.complete())["counters"]
            assert (counters["error"], counters["complete"]) == (0, 4)
            assert len(site.requests) == 4


async def test_visited_urls_are_never_fetched(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/a", "/b"), "/a": "a", "/b": "b"})) as site:
        config = configured()
        async with controlled(config, tmp_path) as daemon:
            urls = [site.url("/a#x"), site.url("/a"), "ftp://x/", site.url("/other")]
            answer = await daemon.post("visited", urls=urls)
            assert (answer["new"], answer["known"], answer["refused"]) == (2, 1, 1)
            assert [row["url"] for row in answer["results"]] == ["ftp://x/"]
            assert (await daemon.get("status"))["counters"]["known"] == 0
            await daemon.post("add", urls=[site.url("/")])
            await daemon.complete()
            why = await daemon.why(site.url("/a"))
            assert (why["queue"], why["seen"], why["allowed"]) == ("", True, True)
            assert "marked as visited" in why["summary"]
    assert set(archived(tmp_path)) == {site.url("/"), site.url("/b")}
