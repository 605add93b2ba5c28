"""Replays a crawl with pywb and holds every page against what the store says of it.

    python -m bench.replay DATA_DIR [--port N] [--sample N]

Needs `pip install pywb`, whose commands `wb-manager` and `wayback` are run. The crawl in DATA_DIR is exported
as WARC and as WACZ; each export, and the archive itself where it is kept as WARC, becomes a collection (of
the WACZ with our index, of the others with one that pywb makes), and each page that was stored,
is a duplicate or leads elsewhere is asked for by URL and time, raw (`id_`). Exit status 1 unless all bodies
have their pages' digests and each redirect leads where it led.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

WAIT = 30.0  # seconds for pywb to answer


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Lets a redirect be an answer."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def asked(url: str) -> tuple[int, str, bytes]:
    """Status, Location and body of an answer."""
    try:
        with OPENER.open(url, timeout=30) as answer:
            return answer.status, answer.headers.get("Location", ""), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("Location", ""), error.read()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until pywb answers."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            asked(f"http://127.0.0.1:{port}/")
        except urllib.error.URLError:
            time.sleep(0.2)
        else:
            return
    sys.exit("pywb does not answer")


def is_right(page: dict, port: int) -> bool:
    """Whether pywb gives back what was crawled."""
    stamp = "".join(character for character in page["fetched_at"][:19] if character.isdigit())
    status, location, body = asked(f"http://127.0.0.1:{port}/crawl/{stamp}id_/{page['url']}")
    if page["outcome"] == "redirect":
        return status == page["status"] and location.endswith(page["location"])
    digest = hashlib.blake2b(body, digest_size=16).hexdigest()
    return status == page["status"] and digest == page["digest"]


def export(data: Path, kind: str, file: Path) -> Path:
    """Export with the command that users have."""
    command = [sys.executable, "-m", "spiderd", "export", kind, "--data-dir", str(data), "-o", str(file)]
    subprocess.run(command, check=True)
    return file


def sources(data: Path, folder: Path) -> Iterator[tuple[str, list[str | Path]]]:
    """Name what is replayed, and the arguments of `wb-manager add` that bring it in."""
    yield "export warc", [export(data, "warc", folder / "crawl.warc.gz")]
    yield "export wacz", ["--unpack-wacz", export(data, "wacz", folder / "crawl.wacz")]
    live = sorted(data.glob("pages/*/records.warc.gz"))
    if live:
        links = [folder / f"{file.parent.name}.warc.gz" for file in live]
        for link, file in zip(links, live, strict=True):
            link.symlink_to(file.resolve())
        yield "the archive itself", list(links)


def replay(name: str, archives: list[str | Path], pages: list[dict], folder: Path, port: int) -> int:
    """Replay pages from archives; how many were not as they were crawled."""
    place = folder / name.replace(" ", "-")
    place.mkdir()
    for command in (["init", "crawl"], ["add", "crawl", *map(str, archives)]):
        subprocess.run(["wb-manager", *command], cwd=place, check=True, stdout=subprocess.DEVNULL)
    server = ["wayback", "-b", "127.0.0.1", "-p", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(server, cwd=place, stdout=quiet, stderr=quiet) as process:
        try:
            wait_for(port, process)
            wrong = [page["url"] for page in pages if not is_right(page, port)]
        finally:
            process.terminate()
    print(f"{name}: {len(pages) - len(wrong)} of {len(pages)} pages were replayed as they were crawled")
    for url in wrong[:20]:
        print(f"  not {url}")
    return len(wrong)


def main() -> None:
    """Replay and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--sample", type=int, default=0, help="so many pages, drawn by chance; 0 = all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = export(options.data, "jsonl", folder / "pages.jsonl").read_text().splitlines()
        pages = [
            row for row in map(json.loads, rows) if row["outcome"] in ("stored", "duplicate", "redirect")
        ]
        if options.sample:
            pages = random.Random(1).sample(pages, min(options.sample, len(pages)))
        wrong = 0
        for number, (kind, archives) in enumerate(sources(options.data, folder)):
            wrong += replay(kind, archives, pages, folder, options.port + number)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
