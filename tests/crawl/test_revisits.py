"""Pages are visited again: when they change, when they do not, when they go and when they come back."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spiderd.states import OutcomeKind
from spiderd.verify import verify
from tests.crawl.harness import archived, crawl, pages_of
from tests.crawl.pages import page, site_of
from tests.crawl.visiting import DAY, HOUR, Hands, newest, revisiting, visited
from tests.web.server import Request, Site, serve

pytestmark = pytest.mark.trio

WORDS = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(120))


def conditional(body: str, etag: str = "", modified: str = "") -> Any:
    """A page that answers 304 where it is told the validators that it gave."""

    def answer(request: Request) -> Any:
        headers = {"ETag": etag} if etag else {}
        headers |= {"Last-Modified": modified} if modified else {}
        known = (etag and request.header("if-none-match") == etag) or (
            not etag and modified and request.header("if-modified-since") == modified
        )
        return (304, headers, b"") if known else (200, headers, body)

    return answer


def clean(data_dir: Path) -> None:
    report = verify(data_dir)
    assert report.sound, report.found


async def test_a_page_that_changes_is_stored_anew_and_one_that_does_not_is_left(tmp_path: Path) -> None:
    hands = Hands()
    async with serve(site_of({"/": page("/a", text="root"), "/a": "first"})) as site:
        async with visited(revisiting(site.url("/")), tmp_path, hands) as daemon:
            state = await daemon.rest()
            assert state["state"] == "waiting"
            assert state["message"].startswith("until ")
            assert state["revisits"]["on"]
            site.routes["/a"] = "second"
            state = await daemon.pass_time(DAY)
            assert state["counters"]["revisits"] == 2
            assert state["counters"]["changes"] == 1
            assert (state["counters"]["pages"], state["counters"]["complete"]) == (2, 2)
            assert (site.count("/"), site.count("/a")) == (2, 2)
        assert newest(tmp_path) == {
            site.url("/"): page("/a", text="root").encode(),
            site.url("/a"): b"second",
        }
        rows = pages_of(tmp_path)
        assert rows[site.url("/a")].change > rows[site.url("/")].change
        clean(tmp_path)


async def test_a_304_costs_no_body_and_keeps_the_page_where_it_is(tmp_path: Path) -> None:
    hands = Hands()
    modified = "Mon, 02 Nov 2026 10:00:00 GMT"
    routes = {
        "/": page("/tag", "/date", "/both"),
        "/tag": conditional("by its tag", etag='"v1"'),
        "/date": conditional("by its date", modified=modified),
        "/both": conditional("by both", etag='W/"v1"', modified=modified),
    }
    async with serve(site_of(routes)) as site:
        async with visited(revisiting(site.url("/")), tmp_path, hands) as daemon:
            before = (await daemon.rest())["counters"]
            after = (await daemon.pass_time(DAY))["counters"]
            assert after["statuses"]["304"] == 3
            assert (after["revisits"], after["changes"], after["pages"]) == (4, 0, before["pages"])
            asked = [request for request in site.requests if request.path == "/both"][1]
            assert (asked.header("if-none-match"), asked.header("if-modified-since")) == ('W/"v1"', modified)
        assert len(archived(tmp_path)) == 4
        assert {row.kind for row in pages_of(tmp_path).values()} == {OutcomeKind.STORED}
        clean(tmp_path)


async def test_what_ticks_is_no_change_and_an_edit_is_kept_without_counting(tmp_path: Path) -> None:
    hands = Hands()
    served: dict[str, str] = {
        "/ticks": f"<p>{WORDS}</p><p>Monday, 30 November 2026, 10:04 pm: visitor 4711, 3 minutes ago</p>",
        "/edited": f"<p>{WORDS} end</p>",
        "/list": f"<p>{WORDS}</p>",
    }
    routes = {path: lambda request: served[request.path] for path in served}
    async with serve(site_of({"/": page(*served), **routes, "/new": "news"})) as site:
        async with visited(revisiting(site.url("/")), tmp_path, hands) as daemon:
            await daemon.rest()
            served["/ticks"] = (
                f"<p>{WORDS}</p><p>Tuesday, 1 December 2026, 9:11 am: visitor 5123, an hour ago</p>".replace(
                    "an hour", "1 hour"
                )
            )
            served["/edited"] = f"<p>{WORDS} fin</p>"
            served["/list"] = f"<p>{WORDS}</p><a href=/new>x</a>".replace(">x<", "><")
            counters = (await daemon.pass_time(DAY))["counters"]
            assert counters["changes"] == 1  # the list
            assert site.count("/new") == 1  # and what it leads to is fetched
        rows = pages_of(tmp_path)
        assert rows[site.url("/ticks")].change < rows[site.url("/list")].change
        assert newest(tmp_path)[site.url("/edited")] == served["/edited"].encode()
        assert newest(tmp_path)[site.url("/list")] == served["/list"].encode()
        assert newest(tmp_path)[site.url("/ticks")] != served["/ticks"].encode()
        clean(tmp_path)


async def test_a_page_that_is_gone_leaves_after_some_visits_and_may_come_back(tmp_path: Path) -> None:
    hands = Hands()
    async with serve(site_of({"/": page("/a"), "/a": "here"})) as site:
        async with visited(revisiting(site.url("/"), revisit={"gone_after": 2}), tmp_path, hands) as daemon:
            await daemon.rest()
            site.routes["/a"] = (410, {}, b"")
            counters = (await daemon.pass_time(DAY))["counters"]
            assert (counters["pages"], counters["error"], counters["gone"]) == (2, 0, 0)
            counters = (await daemon.pass_time(DAY))["counters"]
            assert (counters["pages"], counters["error"], counters["gone"]) == (1, 1, 1)
            assert counters["known"] == counters["complete"] + counters["error"] == 2
            assert (await daemon.why(site.url("/a")))["status"] == 410
            site.routes["/a"] = "back"
            counters = (await daemon.pass_time(DAY + HOUR))["counters"]
            assert (counters["pages"], counters["error"], counters["failures"]) == (2, 0, {})
        assert newest(tmp_path)[site.url("/a")] == b"back"
        clean(tmp_path)


async def test_an_error_that_passes_leaves_the_page_and_is_tried_again_soon(tmp_path: Path) -> None:
    hands = Hands()
    async with serve(site_of({"/": "here"})) as site:
        async with visited(revisiting(site.url("/")), tmp_path, hands) as daemon:
            await daemon.rest()
            site.routes["/"] = (500, {}, b"")
            hands.offset += DAY
            daemon.daemon._coordinator.poke()
            counters = (await daemon.until(lambda now: "500" in now["counters"]["statuses"]))["counters"]
            assert (counters["pages"], counters["error"], counters["revisits"]) == (1, 0, 0)
            site.routes["/"] = "anew"
            counters = (await daemon.pass_time(60.0))["counters"]
            assert (counters["pages"], counters["revisits"], counters["changes"]) == (1, 1, 1)
        clean(tmp_path)


async def test_a_page_becomes_a_redirect_and_a_duplicate_its_own(tmp_path: Path) -> None:
    hands = Hands()
    routes = {"/": page("/one", "/two", "/three"), "/one": "same", "/two": "same", "/three": "moves"}
    async with serve(site_of(routes)) as site:
        config = revisiting(site.url("/"), crawl={"threads": 1})
        async with visited(config, tmp_path, hands) as daemon:
            counters = (await daemon.rest())["counters"]
            assert (counters["pages"], counters["duplicates"]) == (3, 1)
            site.routes["/one"] = "other"  # whose body the second one shares
            site.routes["/three"] = (301, {"Location": "/four"}, b"")
            site.routes["/four"] = "moved"
            counters = (await daemon.pass_time(DAY))["counters"]
            counters = (await daemon.pass_time(DAY))["counters"]
            assert (counters["pages"], counters["duplicates"], counters["redirects"]) == (4, 0, 1)
        rows = pages_of(tmp_path)
        assert rows[site.url("/two")].kind is OutcomeKind.STORED
        assert newest(tmp_path)[site.url("/two")] == b"same"
        assert newest(tmp_path)[site.url("/four")] == b"moved"
        clean(tmp_path)


async def test_pages_that_change_are_visited_more_often(tmp_path: Path) -> None:
    hands = Hands()
    count = [0]

    def busy(_: Request) -> str:
        count[0] += 1
        return " ".join(f"word{letter}{chr(97 + count[0] % 26)}" for letter in "abcdefghijklmnopqrstuvwxyz")

    async with serve(site_of({"/": page("/busy", "/still"), "/busy": busy, "/still": "still"})) as site:
        config = revisiting(site.url("/"), revisit={"average": 2 * DAY, "max": 20 * DAY})
        async with visited(config, tmp_path, hands) as daemon:
            await daemon.rest()
            for _ in range(50):
                await daemon.pass_time(12 * HOUR)
            why = await daemon.why(site.url("/still"))
            assert why["changes"] == 0
            assert why["visits"] > 2
            assert "It is visited again in" in why["summary"]
            rates = (await daemon.get("status"))["revisits"]["rates"]
            assert sum(rates.values()) == 3
        assert site.count("/busy") > 1.5 * site.count("/still")
        clean(tmp_path)


# daemon life


async def test_a_crawl_that_ends_when_it_is_complete_waits_for_no_visit(tmp_path: Path) -> None:
    async with serve(site_of({"/": "here"})) as site:
        report = await crawl(revisiting(site.url("/")), tmp_path)
        assert report.completions[0].state == "complete"
        hands = Hands()
        hands.offset = 10 * DAY
        report = await crawl(revisiting(site.url("/")), tmp_path, clock=hands)
        assert site.count("/") <= 2


async def test_a_page_is_visited_before_its_time_where_somebody_asks(tmp_path: Path) -> None:
    hands = Hands()
    async with serve(site_of({"/": page("/a", "/b"), "/a": "a", "/b": "b"})) as site:
        config = revisiting(site.url("/"), revisit={"enabled": False})
        async with visited(config, tmp_path, hands) as daemon:
            assert (await daemon.rest())["state"] == "complete"
            site.routes["/a"] = "changed"
            answer = await daemon.post("revisit", what=site.url("/a"))
            assert (answer["kind"], answer["pages"]) == ("url", 1)
            await daemon.until(lambda now: now["counters"]["revisits"] == 1)
            assert (await daemon.rest())["state"] == "complete"
            assert site.count("/a") == 2
            answer = await daemon.post("revisit", what="/[AB]$")
            assert (answer["kind"], answer["pages"]) == ("pattern", 2)
            await daemon.until(lambda now: now["counters"]["revisits"] == 3)
            assert (await daemon.post("revisit", what="nothing"))["pages"] == 0
            assert "no regular expression" in (await daemon.refused("revisit", what="("))[1]
            await daemon.pass_time(30 * DAY)
            assert (site.count("/"), site.count("/b")) == (1, 2)  # off: nothing by itself
        assert newest(tmp_path)[site.url("/a")] == b"changed"
        clean(tmp_path)


async def test_visits_are_switched_on_for_what_was_crawled_without_and_off_again(tmp_path: Path) -> None:
    hands = Hands()
    pages = {f"/{n}": str(n) for n in range(30)}
    async with serve(site_of({"/": page(*pages), **pages})) as site:
        config = revisiting(site.url("/"), revisit={"enabled": False})
        async with visited(config, tmp_path, hands) as daemon:
            assert (await daemon.rest())["state"] == "complete"
            await daemon.set("revisit.enabled", True)
            await daemon.until(lambda now: now["state"] == "waiting" and now["revisits"]["scheduled"] == 31)
            counters = (await daemon.pass_time(DAY))["counters"]
            assert counters["revisits"] == 31
            await daemon.set("revisit.enabled", False)
            asked = len(site.requests)
            await daemon.pass_time(5 * DAY)
            assert len(site.requests) == asked
        clean(tmp_path)


# fairness


def page_requests(site: Site) -> list[Request]:
    return [request for request in site.requests if request.path != "/robots.txt"]


async def test_visits_keep_the_distance_that_first_visits_keep(tmp_path: Path) -> None:
    hands = Hands()
    pages = {f"/{n}": str(n) for n in range(6)}
    async with (
        serve(site_of({"/": page(*pages), **pages})) as site,
        visited(revisiting(site.url("/")), tmp_path, hands) as daemon,
    ):
        await daemon.rest()
        await daemon.set("politeness.delay", "150ms")
        await daemon.set("politeness.per_host", 1)
        asked = len(site.requests)
        await daemon.pass_time(DAY)
        gaps = [b.time - a.time for a, b in pairwise(site.requests[asked:])]
        assert len(gaps) >= 6
        assert min(gaps) > 0.14, gaps


async def test_new_pages_come_first_and_old_ones_get_their_share(tmp_path: Path) -> None:
    hands = Hands()
    old = {f"/old{n}": f"old {n}" for n in range(40)}
    new = {f"/new{n}": f"new {n}" for n in range(40)}
    async with serve(site_of({"/": page(*old), "/more": page(*new), **old, **new})) as site:
        config = revisiting(site.url("/"), crawl={"threads": 1}, revisit={"share": 0.25})
        async with visited(config, tmp_path, hands) as daemon:
            await daemon.rest()
            asked = len(page_requests(site))
            await daemon.post("pause")
            hands.offset += DAY
            await daemon.post("add", urls=[site.url("/more")])
            await daemon.until(lambda now: now["revisits"]["due"] == 41)
            await daemon.post("resume")
            await daemon.until(lambda now: now["counters"]["revisits"] == 41)
            await daemon.rest()
            order = [
                "new" in request.path or "more" in request.path for request in page_requests(site)[asked:]
            ]
            last = len(order) - order[::-1].index(True)
            between = order[4:last]
            assert 0.15 < between.count(False) / len(between) < 0.35, order
            assert order[last:].count(False) > 20
        clean(tmp_path)


# sitemaps


def sitemap(*entries: tuple[str, str, str]) -> Any:
    rows = "".join(
        f"<url><loc>{url}</loc><lastmod>{lastmod}</lastmod><changefreq>{often}</changefreq></url>"
        for url, lastmod, often in entries
    )
    return (200, {"Content-Type": "application/xml"}, f"<urlset>{rows}</urlset>")


async def test_sitemaps_give_hints_and_are_read_again(tmp_path: Path) -> None:
    hands = Hands()
    async with serve({"/": "root", "/quick": "q", "/slow": "s", "/new": "n"}) as site:
        site.routes["/robots.txt"] = (200, {}, f"Sitemap: {site.url('/map.xml')}\n")
        old = (site.url("/slow"), "2019-02-03", "Yearly")
        site.routes["/map.xml"] = sitemap((site.url("/quick"), "", "hourly"), old)
        config = revisiting(site.url("/"), revisit={"average": 10 * DAY, "max": 60 * DAY})
        async with visited(config, tmp_path, hands) as daemon:
            await daemon.rest()
            every = {
                path: (await daemon.why(site.url(path)))["changes_every"] for path in ("/quick", "/", "/slow")
            }
            assert every["/quick"] < every["/"] < every["/slow"]
            due = {path: (await daemon.why(site.url(path)))["next_visit"] for path in ("/quick", "/slow")}
            assert due["/quick"] < due["/slow"]
            asked = site.count("/slow")
            await daemon.pass_time(DAY)
            then = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(hands()))
            site.routes["/map.xml"] = sitemap((old[0], then, ""), (site.url("/new"), then, ""))
            answer = await daemon.post("revisit", what=site.url("/map.xml"))
            assert answer["pages"] == 1
            await daemon.until(lambda _: site.count("/new") and site.count("/slow") > asked)
        clean(tmp_path)


async def test_a_crawl_that_rests_says_so_once_a_round(tmp_path: Path) -> None:
    hands = Hands()
    async with (
        serve(site_of({"/": page("/a"), "/a": "a"})) as site,
        visited(revisiting(site.url("/")), tmp_path, hands) as daemon,
    ):
        await daemon.rest()
        for _ in range(3):
            await daemon.pass_time(DAY)
            await daemon.pass_time(10.0)  # intervals are worked out anew, and nothing is due
        told = [
            row["message"] for row in (await daemon.get("events", since=0))["rows"] if row["name"] == "state"
        ]
        assert [text.split()[3].rstrip(":") for text in told] == ["running", "waiting"] * 4
        assert all("until" in text for text in told[1::2])
