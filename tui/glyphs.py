"""The symbols of the screen, in Unicode and in plain ASCII for terminals that have nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from spiderd.states import CrawlState


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of symbols; every one is one cell wide."""

    states: dict[str, str]
    bar_full: str
    bar_half: str
    bar_empty: str
    blocks: str  # from empty to full: what a column of the graph is built of
    axis: str
    ellipsis: str
    cursor: str
    up: str
    down: str
    dot: str
    border: str  # CSS border type of panels


UNICODE = Glyphs(
    states={
        CrawlState.STARTING: "◌",
        CrawlState.RUNNING: "●",
        CrawlState.IDLE: "○",
        CrawlState.PAUSING: "◐",
        CrawlState.PAUSED: "‖",
        CrawlState.COMPLETE: "✓",
        CrawlState.WAITING: "◷",
        CrawlState.STOPPING: "■",
        "connecting": "◌",
        "disconnected": "✗",
        "forbidden": "✗",
        "version": "△",
        "frozen": "❄",
    },
    bar_full="━",
    bar_half="╸",
    bar_empty="─",
    blocks=" ▁▂▃▄▅▆▇█",
    axis="┤",
    ellipsis="…",
    cursor="▸",
    up="▲",
    down="▼",
    dot="·",
    border="round",
)

ASCII = Glyphs(
    states={
        CrawlState.STARTING: "~",
        CrawlState.RUNNING: "*",
        CrawlState.IDLE: "o",
        CrawlState.PAUSING: "%",
        CrawlState.PAUSED: "=",
        CrawlState.COMPLETE: "+",
        CrawlState.WAITING: "w",
        CrawlState.STOPPING: "#",
        "connecting": "~",
        "disconnected": "x",
        "forbidden": "x",
        "version": "!",
        "frozen": "@",
    },
    bar_full="=",
    bar_half="-",
    bar_empty=".",
    blocks=" .:|#",
    axis="|",
    ellipsis="~",
    cursor=">",
    up="^",
    down="v",
    dot="-",
    border="ascii",
)


def glyphs_for(encoding: str) -> Glyphs:
    """Choose the set that a terminal with this encoding can show."""
    return UNICODE if encoding.lower().replace("-", "").startswith("utf") else ASCII
