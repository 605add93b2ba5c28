"""Draws the pictures of the dashboard for the README.

    python scripts/screenshots.py [--png] [FOLDER]

SVG files in docs/ (or FOLDER), made by the dashboard itself on the real API with a made-up crawl, so that
they show no one's sites and can be made again at any time. `--png` adds PNG files where rsvg-convert is
installed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the checkout first, installed or not

from tests.tui.piloting import attached, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage
from tui.app import SpiderApp
from tui.glyphs import UNICODE

ROOT = Path(__file__).parents[1]
PICTURES: dict[str, tuple[str, tuple[int, int], list[str]]] = {
    # name: theme, size, keys
    "overview": ("spider-dark", (120, 40), []),
    "overview-light": ("spider-light", (120, 40), []),
    "hosts": ("spider-dark", (120, 30), ["2"]),
    "site-tree": ("spider-dark", (120, 30), ["3", "v", "wait", "enter"]),
    "host": ("spider-dark", (120, 50), ["2", "wait", "enter"]),
    "search": ("spider-dark", (120, 34), ["slash", *"crawl", "wait", "down", "down"]),
    "log": ("spider-dark", (120, 30), ["5"]),
    "small": ("spider-dark", (80, 24), []),
}
SETTLED = 1.0  # seconds: two snapshots, and the pause after typing


os.environ |= {"TZ": "UTC", "COLORTERM": "truecolor"}  # the same pictures wherever they are made
time.tzset()


async def draw(theme: str, size: tuple[int, int], presses: list[str]) -> str:
    """Bring the dashboard to a picture and return it as SVG."""
    stage = Stage(threads=24, hosts=312, directories=64)
    with tempfile.TemporaryDirectory(prefix="spiderd-") as folder:
        socket = Path(folder) / "api.sock"
        with served(stage, socket) as server:
            server.call(stage.happen, 200)
            app = SpiderApp(str(socket), data_dir=folder, read_only=False, glyphs=UNICODE)
            async with app.run_test(size=size) as pilot:
                app.theme = theme
                await attached(pilot)
                await wait_for(pilot, lambda: len(app.model.events) == 200)
                for key in presses:
                    await (asyncio.sleep(SETTLED) if key == "wait" else pilot.press(key))
                await asyncio.sleep(SETTLED)
                await pilot.pause()
                svg = app.export_screenshot(title="spider-tui")
    # Some renderers fold spaces without this, and columns would lose their places.
    return svg.replace("<text ", '<text xml:space="preserve" ')


def main() -> None:
    """Draw all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs")
    parser.add_argument("--png", action="store_true", help="PNG files as well, by rsvg-convert")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        svg = options.folder / f"{name}.svg"
        svg.write_text(asyncio.run(draw(*picture)), encoding="utf-8")
        print(svg)
        if options.png:
            png = svg.with_suffix(".png")
            width = str(11 * picture[1][0])
            subprocess.run(["rsvg-convert", "-w", width, str(svg), "-o", str(png)], check=True)
            print(png)


if __name__ == "__main__":
    main()
