"""The screen at six sizes and in three themes, held against pictures made of text.

`python -m pytest tests/tui/test_pictures.py` with UPDATE_PICTURES=1 draws them anew; look at the difference
before it is committed. Text and not SVG, because only the text is ours: every release of Textual changes the
other. What a theme does is held by rules instead: the same words, legible everywhere.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.color import ColorType
from rich.segment import Segment
from textual.color import Color

from tests.tui.piloting import attached, dashboard, on_asyncio, screen, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage
from tui.glyphs import ASCII

PICTURES = Path(__file__).parent / "pictures"
SIZES = [(200, 60), (120, 40), (100, 30), (80, 24), (60, 20), (40, 10)]
THEMES = ["spider-dark", "spider-light", "ansi-dark"]
LEAST_CONTRAST = 4.5  # WCAG 2.1, 1.4.3, for text that must be read
LEAST_FAINT = 1.6  # for lines, bars and what is only there to be overlooked


def held(name, text):
    path = PICTURES / f"{name}.txt"
    if os.environ.get("UPDATE_PICTURES"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")


def segments(pilot):
    for strip in pilot.app.screen._compositor.render_strips(pilot.app.size):
        yield from strip


@pytest.fixture
def stage(sock_path):
    stage = Stage(threads=16)
    with served(stage, sock_path) as server:
        server.call(stage.happen, 60)
        yield stage


async def settled(pilot):
    app = await attached(pilot)
    await wait_for(pilot, lambda: len(app.model.events) == 60 and app.dashboard.header.words)
    return app


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@on_asyncio
async def test_overview(sock_path, stage, size):
    async with dashboard(sock_path, size=size) as pilot:
        app = await settled(pilot)
        pictures = {}
        for theme in THEMES:
            app.theme = theme
            await wait_for(pilot, lambda: "news.example.com" in screen(pilot))
            pictures[theme] = screen(pilot)
            await legible(pilot)
    assert pictures["spider-light"] == pictures["spider-dark"]
    assert pictures["ansi-dark"] == pictures["spider-dark"]
    held(f"overview-{size[0]}x{size[1]}", pictures["spider-dark"])


@pytest.mark.parametrize("tab", ["2 hosts", "3 directories", "5 log", "6 errors", "7 settings"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
@on_asyncio
async def test_tabs(sock_path, stage, size, tab):
    digit, name = tab.split()
    async with dashboard(sock_path, size=size) as pilot:
        app = await settled(pilot)
        await pilot.press(digit)
        await wait_for(pilot, lambda: app.dashboard.view.main.table.total and app.dashboard.view.main._remark)
        await legible(pilot)
        held(f"{name}-{size[0]}x{size[1]}", screen(pilot))


@pytest.mark.parametrize(
    "size", [(200, 60), (120, 40), (80, 24), (40, 10)], ids=lambda size: f"{size[0]}x{size[1]}"
)
@on_asyncio
async def test_site_tree(sock_path, stage, size):
    async with dashboard(sock_path, size=size) as pilot:
        app = await settled(pilot)
        await pilot.press("3", "v")
        tree = app.dashboard.view.tree_listing
        await wait_for(pilot, lambda: tree.table.total == 40)
        await pilot.press("enter")
        await wait_for(pilot, lambda: tree.table.total == 11)
        await wait_for(pilot, lambda: size[0] < 80 or "Enter Open" in screen(pilot))
        await legible(pilot)
        held(f"tree-{size[0]}x{size[1]}", screen(pilot))


@pytest.mark.parametrize("size", [(100, 50), (60, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
@on_asyncio
async def test_a_host_in_full(sock_path, stage, size):
    async with dashboard(sock_path, size=size) as pilot:
        app = await settled(pilot)
        await pilot.press("2")
        await wait_for(pilot, lambda: app.dashboard.view.main.table.total)
        await pilot.press("enter")
        await wait_for(pilot, lambda: app.screen is not app.dashboard and app.screen.sections)
        await wait_for(pilot, lambda: app.screen.query(".box").first().region.height > 10)
        held(f"host-{size[0]}x{size[1]}", screen(pilot))


@pytest.mark.parametrize("key", ["question_mark help", "i figures", "a add", "X stop", "enter details"])
@pytest.mark.parametrize("size", [(100, 50), (60, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
@on_asyncio
async def test_boxes(sock_path, stage, size, key):
    key, name = key.split()
    async with dashboard(sock_path, size=size) as pilot:
        app = await settled(pilot)
        await pilot.press(key)
        await wait_for(pilot, lambda: app.screen is not app.dashboard)
        if name == "details":
            await wait_for(pilot, lambda: "00ff00ff" in "".join(text for _, text in app.screen.facts))
        await wait_for(pilot, lambda: app.screen.query(".box").first().region.height > 8)
        held(f"{name}-{size[0]}x{size[1]}", screen(pilot))


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
@on_asyncio
async def test_plain_ascii(sock_path, stage, size):
    async with dashboard(sock_path, size=size, glyphs=ASCII) as pilot:
        await settled(pilot)
        await wait_for(pilot, lambda: "news.example.com" in screen(pilot))
        held(f"ascii-{size[0]}x{size[1]}", screen(pilot))
        assert screen(pilot).isascii()
        await pilot.press("question_mark")
        await wait_for(pilot, lambda: "Everywhere" in screen(pilot))
        assert screen(pilot).isascii()


@on_asyncio
async def test_without_colour(sock_path, stage, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    async with dashboard(sock_path) as pilot:
        await settled(pilot)
        assert "● RUNNING" in screen(pilot)
        drawn = [filtered for segment in segments(pilot) for filtered in through_filters(pilot.app, segment)]
        colours = {colour for s in drawn if s.style for colour in (s.style.color, s.style.bgcolor) if colour}
        assert colours
        assert all(len(set(colour.get_truecolor())) == 1 for colour in colours)


def through_filters(app, segment):
    segments = [segment]
    for each in app._filters:
        if each.enabled:
            segments = each.apply(segments, Color(0, 0, 0))
    return segments


async def legible(pilot):
    """Everything can be told from what lies behind it; the terminal's own colours are its own business."""
    ansi = pilot.app.theme.startswith("ansi")
    for segment in segments(pilot):
        style = segment.style
        if style is None or not segment.text.strip():
            continue
        if ansi:
            assert no_mixed_colours(style), segment
        elif style.color is not None and style.bgcolor is not None:
            assert contrast(style) >= (LEAST_CONTRAST if is_text(segment) else LEAST_FAINT), (
                segment,
                contrast(style),
            )


def no_mixed_colours(style):
    standard = {ColorType.DEFAULT, ColorType.STANDARD}
    return all(colour is None or colour.type in standard for colour in (style.color, style.bgcolor))


def is_text(segment: Segment) -> bool:
    return any(character.isalnum() for character in segment.text)


def contrast(style):
    front, back = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    return ratio(front, back)


def ratio(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    """WCAG 2.1, relative luminance."""
    channels = [value / 255 for value in colour.rgb]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
