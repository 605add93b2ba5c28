"""The page of reports in a real browser: it shows its plots, asks nobody for anything, and runs nothing."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from spiderd.audit.building import audit
from spiderd.audit.html import render
from spiderd.audit.kinds import KINDS
from tests.showing.browser import browser
from tests.showing.served import FAR, HOSTILE, crawl


def test_it_needs_nothing_and_believes_nobody(tmp_path: Path) -> None:
    crawl(tmp_path / "data")
    with audit(tmp_path / "data", tmp_path / "findings") as findings:
        page = "".join(render(findings, list(KINDS.values()), title=HOSTILE))
    file = tmp_path / "report.html"
    file.write_text(page, encoding="utf-8")
    asked: list[str] = []
    troubles: list[str] = []
    with browser() as chromium:
        tab = chromium.new_page(color_scheme="dark")
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda said: troubles.append(said.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(file.as_uri())
        expect(tab.locator("svg.plot")).to_have_count(sum(kind.plot is not None for kind in KINDS.values()))
        bar = tab.locator("svg.plot rect").first.bounding_box()
        assert bar is not None
        assert bar["width"] > 100
        assert tab.locator("rect").first.evaluate("bar => getComputedStyle(bar).fill") == "rgb(47, 111, 208)"
        expect(tab.locator("#dead-ends + p")).to_have_text("pages that link to no page")
        expect(tab.get_by_role("link", name=FAR).first).to_have_attribute("href", FAR)
        assert "document.title='owned'" in tab.locator("h1").inner_text()
        assert tab.title().startswith("Reports on <script>")
        assert tab.locator("script, img").count() == 0
    assert asked == [file.as_uri()]
    assert troubles == []
