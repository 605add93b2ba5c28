"""Every setting that can change while the crawl runs: threads, order, scope, politeness, limits, the file."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from spiderd.config.loading import Loaded, overlaid
from spiderd.errors import ConfigError
from tests.crawl.controlled import controlled
from tests.crawl.harness import archived, configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.server import Answer, Request, serve

pytestmark = pytest.mark.trio


class Slow:
    """A site of many pages that answer when they are let go."""

    def __init__(self, count: int) -> None:
        self.gate = trio.Event()
        self.pages = [f"/{number}" for number in range(count)]

    def routes(self) -> dict[str, Callable[..., object] | Answer]:
        return site_of({"/": page(*self.pages), "*": self.answer})

    def pulse(self) -> None:
        """Let those go that wait now."""
        self.gate.set()
        self.gate = trio.Event()

    async def answer(self, stream: object, request: Request) -> str:
        await self.gate.wait()
        return f"page {request.path}"


@pytest.mark.parametrize("processes", [0, 2])
async def test_workers_are_hired_and_rest_while_the_crawl_runs(tmp_path: Path, processes: int) -> None:
    slow = Slow(60)
    async with serve(slow.routes()) as site:
        config = configured(
            site.url("/"),
            crawl={"threads": 1, "processes": processes},
            politeness={"per_host": 16, "per_ip": 16},
        )

        def fewer(now: dict[str, Any], count: int) -> bool:
            return len(now["workers"]) == site.concurrency == count

        async with controlled(config, tmp_path) as daemon:
            await daemon.until(lambda _: site.concurrency == 1 and len(site.requests) > 2)
            answer = await daemon.set("crawl.threads", 6)
            assert [change["value"] for change in answer["changed"]] == ["6"]
            now = await daemon.until(lambda _: site.concurrency == 6)
            assert (now["threads"], len(now["workers"])) == (6, 6)
            assert now["overrides"] == [{"key": "crawl.threads", "value": "6", "filed": "1"}]
            await daemon.set("crawl.threads", 2)
            await daemon.until(lambda now: fewer(now, 2) or slow.pulse())
            site.max_concurrency = 0
            await daemon.set("crawl.threads", 4)  # two of those that rest are called back
            await daemon.until(lambda _: site.concurrency == 4)
            slow.gate.set()
            now = await daemon.complete()
            assert site.max_concurrency == 4
            assert (now["counters"]["pages"], now["counters"]["error"]) == (61, 0)
    assert len(archived(tmp_path)) == 61


async def test_a_worker_that_rests_keeps_its_directory_and_what_it_holds(tmp_path: Path) -> None:
    slow = Slow(30)
    async with serve(slow.routes()) as site:
        config = configured(
            site.url("/"), archive={"max_count": 3}, politeness={"per_host": 16, "per_ip": 16}
        )
        async with controlled(config, tmp_path) as daemon:
            for threads in (1, 5, 2, 8, 1, 3):
                await daemon.set("crawl.threads", threads)
                await daemon.until(lambda _, most=threads: slow.pulse() or site.concurrency <= most)
            slow.gate.set()
            assert (await daemon.complete())["counters"]["pages"] == 31
    assert len(archived(tmp_path)) == 31


ORDERS = ["depth", "best", "mixed", "breadth"]


@pytest.mark.parametrize("processes", [0, 1])
async def test_the_order_changes_with_urls_in_flight_and_none_is_lost(tmp_path: Path, processes: int) -> None:
    def tree(request: Request) -> str:
        name = request.path.strip("/")
        return page(*(f"/{name}{digit}" for digit in "012"), text=name) if len(name) < 4 else name

    async with serve(lambda r: (404, {}, b"") if r.path == "/robots.txt" else tree(r)) as site:
        config = configured(site.url("/"), crawl={"threads": 4, "processes": processes})
        async with controlled(config, tmp_path) as daemon:
            for number, order in enumerate(ORDERS):
                await daemon.until(lambda _, least=10 * number: len(site.requests) > least)
                await daemon.set("crawl.order", order)
                assert (await daemon.get("status"))["order"] == order
            counters = (await daemon.complete())["counters"]
        assert (counters["pages"], counters["complete"], counters["waiting"]) == (121, 121, 0)
        assert len(site.requests) == len(set(site.targets)) == 122


async def test_depth_first_goes_deep_as_soon_as_it_is_set_and_after_a_restart(tmp_path: Path) -> None:
    gate = trio.Event()

    async def answer(stream: object, request: Request) -> Answer:
        if len(request.path) == 2:
            await gate.wait()
        return page(*(f"{request.path.rstrip('/')}{digit}" for digit in ("/0", "/1", "/2")))

    async with serve(site_of({"*": answer})) as site:
        one = {"per_host": 1}  # then a fetcher holds no URL that it does not fetch yet
        config = configured(site.url("/"), crawl={"threads": 1, "max_depth": 3}, politeness=one)
        async with controlled(config, tmp_path) as daemon:
            await daemon.until(lambda _: "/0" in site.targets)
            await daemon.set("crawl.order", "depth")
            gate.set()
            await daemon.until(lambda _: len(site.requests) >= 6)
            await daemon.post("pause")
        first = site.targets[:6]
        assert first[:3] == ["/robots.txt", "/", "/0"]
        assert [path.count("/") for path in first[3:5]] == [2, 3]
        async with controlled(config, tmp_path) as daemon:
            assert (await daemon.get("status"))["order"] == "depth"
            await daemon.post("resume")
            assert (await daemon.complete())["counters"]["complete"] == 40
        assert len(site.requests) == len(set(site.targets)) == 41


async def test_what_is_excluded_live_is_set_aside_and_comes_back(tmp_path: Path) -> None:
    slow = Slow(0)
    slow.pages = [f"/keep/{n}" for n in range(6)] + [f"/drop/{n}" for n in range(6)]
    async with serve(slow.routes()) as site:
        config = configured(site.url("/"), crawl={"threads": 1})
        async with controlled(config, tmp_path) as daemon:
            await daemon.until(lambda _: site.concurrency == 1 and len(site.requests) > 2)
            answer = await daemon.set("scope.exclude", ["/drop/"])
            assert len(answer["notes"]) == 1
            slow.gate.set()
            now = await daemon.complete()
            assert (now["counters"]["pages"], now["counters"]["parked"]) == (7, 6)
            assert not [target for target in site.targets if "drop" in target]
            assert (await daemon.get("traps"))["outside"] == 6
            why = await daemon.why(site.url("/drop/1"))
            assert (why["queue"], why["allowed"]) == ("waiting", False)
            assert why["scope"] == 'matches the pattern "/drop/" of scope.exclude'
            assert why["summary"] == f"It is not fetched as long as it {why['scope']}."
        async with controlled(config, tmp_path) as daemon:  # it holds across a restart
            now = await daemon.complete()
            assert (now["counters"]["pages"], now["counters"]["parked"]) == (7, 6)
            answer = await daemon.post("settings", key="scope.exclude")
            assert answer["changed"] == [{"key": "scope.exclude", "value": "[]", "filed": '["/drop/"]'}]
            now = await daemon.until(lambda now: now["counters"]["pages"] == 13)
            assert now["overrides"] == []
            assert (await daemon.complete())["counters"]["parked"] == 0


async def test_a_seed_that_a_live_setting_excludes_does_not_keep_the_daemon_from_starting(
    tmp_path: Path,
) -> None:
    async with serve(site_of({"/": page("/a"), "/a": "a"})) as site:
        async with controlled(configured(), tmp_path) as daemon:
            await daemon.set("scope.exclude", ["/$"])
        config = configured(site.url("/"), site.url("/a"))
        async with controlled(config, tmp_path) as daemon:
            assert (await daemon.complete())["counters"]["pages"] == 1
            warnings = (await daemon.get("events", level="warning"))["rows"]
            sentence = f"the seed {site.url('/')} is left out: a scope that was set live refuses it"
            assert [row["message"] for row in warnings] == [sentence]
            await daemon.post("settings", key="scope.exclude")
            await daemon.post("reload")
            await daemon.until(lambda now: now["counters"]["pages"] == 2)


async def test_a_scope_that_the_file_narrows_holds_for_what_waits_after_a_restart(tmp_path: Path) -> None:
    slow = Slow(0)
    slow.pages = ["/keep/1", "/drop/1", "/drop/2"]
    async with serve(slow.routes()) as site:
        config = configured(site.url("/"), crawl={"threads": 1})
        async with controlled(config, tmp_path) as daemon:
            await daemon.until(lambda _: len(site.requests) > 2)
            await daemon.post("pause")
            slow.gate.set()
        config = configured(site.url("/"), scope={"exclude": ["/drop/"]})
        async with controlled(config, tmp_path) as daemon:
            await daemon.post("resume")
            now = await daemon.complete()
            assert (now["counters"]["pages"], now["counters"]["parked"]) == (2, 2)
        assert (await crawl(configured(site.url("/")), tmp_path)).last.counters.pages == 4


async def test_a_seed_that_widens_the_scope_brings_back_what_is_outside(tmp_path: Path) -> None:
    async with serve(site_of({"/": "there", "/a": "a"}), host="127.0.0.8") as other:
        slow = Slow(0)
        slow.pages = ["/x", other.url("/a")]
        async with serve(slow.routes()) as site:
            config = configured(site.url("/"), crawl={"threads": 1}, scope={"follow": "any"})
            async with controlled(config, tmp_path) as daemon:
                await daemon.post("pause")
                await daemon.post("resume")
                await daemon.until(lambda _: site.count("/x"))
                await daemon.set("scope.follow", "host")
                slow.gate.set()
                now = await daemon.complete()
                if now["counters"]["parked"]:  # unless it was handed out before
                    await daemon.post("add", urls=[other.url("/")])
                    now = await daemon.until(lambda now: now["counters"]["pages"] == 4)
                    assert now["counters"]["parked"] == 0


async def test_politeness_follows_its_settings_at_once(tmp_path: Path) -> None:
    slow = Slow(5)
    slow.gate.set()
    async with serve(slow.routes()) as site:
        config = configured(site.url("/"), politeness={"delay": 3600.0, "max_delay": 3600.0, "robots": False})
        async with controlled(config, tmp_path) as daemon:
            await daemon.until(lambda now: now["counters"]["pages"] == 1)
            (row,) = (await daemon.get("hosts"))["rows"]
            assert (row["state"], row["delay"]) == ("delayed", 3600.0)
            await daemon.set("politeness.delay", "0s")
            assert (await daemon.complete())["counters"]["pages"] == 6


async def test_switching_robots_off_frees_hosts_whose_robots_txt_cannot_be_had(tmp_path: Path) -> None:
    async with (
        serve({"/robots.txt": (500, {}, b""), "/": "root"}) as site,
        controlled(configured(site.url("/")), tmp_path) as daemon,
    ):
        await daemon.host("unreachable")
        await daemon.set("politeness.robots", value=False)
        assert (await daemon.complete())["counters"]["pages"] == 1


async def test_a_limit_of_pages_that_is_raised_lets_the_crawl_go_on(tmp_path: Path) -> None:
    slow = Slow(9)
    slow.gate.set()
    async with (
        serve(slow.routes()) as site,
        controlled(configured(site.url("/"), crawl={"max_pages": 3}), tmp_path) as daemon,
    ):
        await daemon.complete("page limit")
        why = await daemon.why(site.url("/8"))
        assert why["summary"] == "It waits: the crawl has its 3 pages (crawl.max_pages)."
        await daemon.set("crawl.max_pages", 5)
        assert (await daemon.complete("page limit"))["counters"]["pages"] == 5
        await daemon.set("crawl.max_pages", 0)
        assert (await daemon.complete())["counters"]["pages"] == 10


async def test_limits_of_fetching_and_the_user_agent_change_for_the_next_request(tmp_path: Path) -> None:
    routes = site_of({"/": "root", "/long": "x" * 5000, "/png": (200, {"Content-Type": "image/png"}, b"p")})
    async with serve(routes) as site:
        async with controlled(configured(site.url("/")), tmp_path) as daemon:
            await daemon.complete()
            await daemon.set("fetch.max_body", "1KiB")
            await daemon.set("fetch.types", ["text/html", "image/png"])
            await daemon.set("politeness.user_agent", "other/2.0")
            await daemon.post("add", urls=[site.url("/long"), site.url("/png")])
            await daemon.complete()
        assert {len(body) for body in archived(tmp_path).values()} == {1, 4, 1024}
        assert [r.header("user-agent") for r in site.requests if r.path == "/png"] == ["other/2.0"]


async def test_a_setting_that_is_wrong_changes_nothing(tmp_path: Path) -> None:
    async with controlled(configured(), tmp_path) as daemon:
        for key, value, sentence in (
            ("crawl.threads", 0, "crawl.threads = 0: must be a whole number from 1 to 1024"),
            ("crawl.thread", 1, "crawl.thread: unknown key; did you mean crawl.threads?"),
            ("crawl.processes", 4, "cannot be changed while the crawl runs"),
        ):
            code, message = await daemon.refused("settings", key=key, value=value)
            assert code == "bad_value"
            assert sentence in message
        assert (await daemon.get("status"))["overrides"] == []


# reload


class File:
    """A configuration file that tests edit."""

    def __init__(self, *seeds: str) -> None:
        self.config = configured(*seeds)
        self.broken = ""

    def edit(self, **settings: object) -> None:
        self.config = overlaid(
            self.config, {key.replace("__", "."): value for key, value in settings.items()}
        )

    def __call__(self) -> Loaded:
        if self.broken:
            raise ConfigError(self.broken)
        return Loaded(self.config, Path("/etc/spiderd/config.toml"))


async def test_reload_applies_lists_and_refuses(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/a"), "/a": "a", "/later": "later"})) as site:
        file = File(site.url("/"))
        async with controlled(file.config, tmp_path, reread=file) as daemon:
            await daemon.complete()
            await daemon.set("crawl.retries", 1)
            file.edit(crawl__threads=2, crawl__retries=9, archive__format="warc")
            file.edit(crawl__seeds=[site.url("/"), site.url("/later")])
            answer = await daemon.post("reload")
            assert {change["key"] for change in answer["changed"]} == {"crawl.threads", "crawl.seeds"}
            assert [change["key"] for change in answer["restart"]] == ["archive.format"]
            assert [(one["key"], one["value"], one["filed"]) for one in answer["hidden"]] == [
                ("crawl.retries", "1", "9")
            ]
            now = await daemon.until(lambda now: now["counters"]["pages"] == 3)
            assert now["threads"] == 2
            rows = {row["key"]: row for row in (await daemon.get("settings"))["rows"]}
            assert (rows["archive.format"]["value"], rows["archive.format"]["filed"]) == ('"files"', '"warc"')
            assert (rows["crawl.retries"]["value"], rows["crawl.retries"]["override"]) == ("1", True)
            file.broken = "/etc/spiderd/config.toml:3: crawl.thread: unknown key; did you mean crawl.threads?"
            assert await daemon.refused("reload") == ("bad_config", file.broken)
            assert (await daemon.get("status"))["threads"] == 2
            file.broken = ""
            file.edit(crawl__seeds=["http://a.test/x.pdf"], scope__exclude=["pdf$"], crawl__threads=7)
            code, message = await daemon.refused("reload")
            assert (code, "http://a.test/x.pdf cannot be used" in message) == ("bad_config", True)
            assert (await daemon.get("status"))["threads"] == 2


async def test_a_hangup_reloads_and_a_broken_file_is_in_the_log(tmp_path: Path) -> None:
    file = File()
    async with controlled(file.config, tmp_path, reread=file) as daemon:
        await daemon.until(lambda now: now["state"] == "idle")
        file.edit(crawl__threads=2)
        os.kill(os.getpid(), signal.SIGHUP)
        await daemon.until(lambda now: now["threads"] == 2)
        file.broken = "/etc/spiderd/config.toml:1: not TOML"
        os.kill(os.getpid(), signal.SIGHUP)
        rows = (await daemon.get("events", level="error", wait=20))["rows"]
        assert rows[0]["message"] == f"the configuration was refused: {file.broken}"
        assert (await daemon.get("status"))["threads"] == 2


async def test_settings_hold_across_restarts_and_those_that_no_longer_fit_are_dropped(tmp_path: Path) -> None:
    async with controlled(configured(), tmp_path) as daemon:
        await daemon.set("politeness.delay", "30s")
        await daemon.set("crawl.threads", 3)
    config = configured(politeness={"delay": 0.0, "max_delay": 10.0})
    async with controlled(config, tmp_path) as daemon:
        now = await daemon.until(lambda now: now["state"] == "idle")
        assert now["overrides"] == [{"key": "crawl.threads", "value": "3", "filed": "4"}]
        assert now["threads"] == 3
        events = [row["message"] for row in (await daemon.get("events"))["rows"] if row["name"] == "settings"]
        assert events[0] == "crawl.threads = 3 holds, which was set live (the file has 4)"
        assert "does not fit any more and is dropped: politeness.delay" in events[1]
    async with controlled(configured(), tmp_path) as daemon:
        assert len((await daemon.get("status"))["overrides"]) == 1
