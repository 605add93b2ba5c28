"""The search page in a real browser: search, page, open, hostile titles, keys, live status."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from playwright.sync_api import Browser, Page, expect

from tests.crawl.harness import daemon_process
from tests.crawl.pages import page as html_page
from tests.showing.browser import browser
from tests.showing.served import HOSTILE, free_port, threaded
from tests.web.server import Request, threaded_site

PATIENCE = 20_000  # milliseconds, for machines that are busy


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def shown(crawled: Path) -> Iterator[str]:
    with threaded(crawled) as url:
        yield url


@pytest.fixture
def page(chromium: Browser, shown: str) -> Iterator[Page]:
    """A tab in which nothing may go wrong unseen: no error of a script, no breach of the policy."""
    context = chromium.new_context(base_url=shown)
    context.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    tab = context.new_page()
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    tab.on("dialog", lambda dialog: (troubles.append("a dialog"), dialog.dismiss()))
    yield tab
    context.close()
    assert troubles == []


def test_search_next_page_and_back(page: Page) -> None:
    page.goto("/")
    page.locator("input[name=q]").fill("zeppelin site:ship.test")
    page.keyboard.press("Enter")
    expect(page.locator(".results li")).to_have_count(10)
    expect(page.locator("mark").first).to_have_text("zeppelin", ignore_case=True)
    first = page.locator("a.open").all_inner_texts()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("page 2")).to_be_visible()
    assert not set(first) & set(page.locator("a.open").all_inner_texts())
    assert [box.input_value() for box in page.locator("input[name=q]").all()] == [
        "zeppelin site:ship.test"
    ] * 2
    page.get_by_role("link", name="Previous").click()
    expect(page.get_by_text("page 1")).to_be_visible()
    assert page.locator("a.open").all_inner_texts() == first


def test_open_the_cached_text(page: Page) -> None:
    page.goto("/search?q=number7")
    page.get_by_role("link", name="cached text").click()
    expect(page.get_by_role("heading", name="Ship 7")).to_be_visible()
    expect(page.locator("article")).to_contain_text("The zeppelin number7 flies.")


def test_filters(page: Page) -> None:
    page.goto("/search?q=zeppelin")
    page.locator("#lang-above").select_option("German")
    page.locator("#q-above").press("Enter")
    expect(page.locator("a.open")).to_have_text(["Luftschiff"])
    page.goto("/search?q=zeppelin+somewhere")
    page.get_by_role("link", name="only other.test").click()
    expect(page.locator("#site-below")).to_have_value("other.test")
    expect(page.locator("a.open")).to_have_text(["Far"])


def test_hostile_titles_stay_text(page: Page) -> None:
    page.goto("/search?q=balloon")
    shown = HOSTILE.replace("\u202e", "").replace("&amp;", "&")
    expect(page.locator("a.open, h2").first).to_contain_text(
        "<script>document.title='owned'</script><img src=x"
    )
    assert page.title() == "balloon - spiderd"
    assert page.locator("main img, main script").count() == 0
    page.get_by_role("link", name="cached text").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(shown[:40])
    assert "owned" not in page.evaluate("document.title.slice(0, 5)")
    page.goto("/search?q=" + "%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    assert page.locator("main img").count() == 0


def test_the_policy_stops_what_the_templates_would_let_through(chromium: Browser, shown: str) -> None:
    context = chromium.new_context(base_url=shown)
    tab = context.new_page()
    tab.goto("/")
    ran = tab.evaluate(
        """() => { const script = document.createElement('script'); script.textContent = 'window.ran = 1';
        document.body.append(script); return window.ran === 1; }"""
    )
    framed = tab.evaluate(
        """() => new Promise((done) => { const image = new Image(); image.onerror = () => done('blocked');
        image.onload = () => done('loaded'); image.src = 'http://127.0.0.1:9/x.png'; })"""
    )
    context.close()
    assert (ran, framed) == (False, "blocked")


def test_it_can_be_used_by_keys_alone(page: Page) -> None:
    page.goto("/search?q=zeppelin")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("li.here")).to_have_count(1)
    assert page.locator(".results li").nth(1).get_attribute("class") == "here"
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.className") == "open"
    page.keyboard.press("n")
    expect(page.get_by_text("page 2")).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_text("page 1")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("number3")
    page.keyboard.press("Enter")
    expect(page.locator("a.open")).to_have_text(["Ship 3"])
    page.keyboard.press("j")
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="Ship 3")).to_be_visible()


def test_suggestions_come_while_typing(page: Page) -> None:
    page.goto("/")
    page.locator("input[name=q]").press_sequentially("luftsch")
    expect(page.locator("#suggested option")).to_have_attribute("value", "Luftschiff")


def test_without_a_script_everything_is_there(chromium: Browser, shown: str) -> None:
    context = chromium.new_context(base_url=shown, java_script_enabled=False)
    tab = context.new_page()
    tab.goto("/")
    tab.locator("input[name=q]").fill("zeppelin")
    tab.get_by_role("button", name="Search").click()
    expect(tab.locator(".results li")).to_have_count(10)
    tab.get_by_role("link", name="Next").click()
    expect(tab.get_by_text("page 2")).to_be_visible()
    tab.goto("/status")
    expect(tab.locator("#state")).to_have_text("stopped")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(chromium: Browser, shown: str, scheme: str) -> None:
    context = chromium.new_context(base_url=shown, color_scheme=scheme)  # type: ignore[arg-type]  # one of these
    tab = context.new_page()
    tab.goto("/search?q=zeppelin")
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    context.close()
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}[scheme]


def test_a_password_is_asked_for_by_the_browser_itself(chromium: Browser, crawled: Path) -> None:
    password = "correct horse battery"
    with threaded(crawled, password=password) as url:
        stranger = chromium.new_page(base_url=url)
        answer = stranger.goto("/search?q=number7")
        assert answer is not None
        assert answer.status == 401
        assert "zeppelin" not in stranger.content()
        stranger.close()
        context = chromium.new_context(
            base_url=url, http_credentials={"username": "anybody", "password": password}
        )
        tab = context.new_page()
        tab.goto("/search?q=number7")
        expect(tab.locator("a.open")).to_have_text(["Ship 7"])
        tab.goto("/status")
        expect(tab.locator("#live")).to_contain_text("live")  # the script and its stream are let in, too
        context.close()


def test_the_status_follows_the_crawl(chromium: Browser, tmp_path: Path) -> None:
    """A daemon with `web.enabled`: its page shows what it does, and that it is done, by itself."""
    gate = threading.Event()

    async def slow(_: object, request: Request) -> str:
        await trio.to_thread.run_sync(gate.wait, abandon_on_cancel=True)
        return html_page("/", text="slow")

    routes = {
        "/robots.txt": (404, {}, b""),
        "/": html_page("/slow", "/b", text="root"),
        "/slow": slow,
        "/b": "b",
    }
    port = free_port()
    settings = [f"web.port={port}", "web.enabled=true", "search.enabled=false"]
    settings += ['politeness.delay="0s"', "politeness.per_host=2"]
    options = [part for setting in settings for part in ("--set", setting)]
    with threaded_site(routes) as site:
        arguments = (site.url("/"), "--processes", "0", "--threads", "2", *options)
        with daemon_process(tmp_path / "data", *arguments) as process:
            context = chromium.new_context(base_url=f"http://127.0.0.1:{port}")
            context.set_default_timeout(PATIENCE)
            tab = context.new_page()
            for _ in range(400):
                try:
                    tab.goto("/status")
                    break
                except Exception:  # noqa: BLE001 - nobody listens yet
                    assert process.poll() is None, process.communicate()[1].decode()
                    tab.wait_for_timeout(50)
            loads = tab.evaluate("performance.timeOrigin")
            expect(tab.locator("#state")).to_have_text("running", timeout=PATIENCE)
            expect(tab.locator("#workers")).to_contain_text("/slow", timeout=PATIENCE)
            expect(tab.locator("#facts")).to_contain_text("pages2", timeout=PATIENCE)
            gate.set()
            expect(tab.locator("#state")).to_have_text("complete", timeout=PATIENCE)
            expect(tab.locator("#facts")).to_contain_text("pages3", timeout=PATIENCE)
            expect(tab.locator("#live")).to_contain_text("live")
            assert tab.evaluate("performance.timeOrigin") == loads
            context.close()
