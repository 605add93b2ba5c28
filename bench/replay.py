"""Replays an exported crawl with pywb and holds every page against what the store says of it.

    python -m bench.replay DATA_DIR [--port N] [--keep]

Needs `pip install pywb`, whose commands `wb-manager` and `wayback` are run. The crawl in DATA_DIR is exported
as WARC, added to a new collection (pywb makes its CDXJ index), and each page that was stored, is a duplicate
or leads elsewhere is asked for by URL and time, raw (`id_`). Exit status 1 unless all bodies have their
pages' digests and each redirect leads where it led.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

WAIT = 30.0  # seconds for pywb to answer


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Lets a redirect be an answer."""

    def redirect_request(self, *args, **kwargs) -> None:  # noqa: ARG002  # urllib's signature
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


def export(data: Path, kind: str, file: Path) -> None:
    """Export with the command that users have."""
    command = [sys.executable, "-m", "spiderd", "export", kind, "--data-dir", str(data), "-o", str(file)]
    subprocess.run(command, check=True)


def main() -> None:
    """Replay and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--port", type=int, default=8099)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export(options.data, "warc", folder / "crawl.warc.gz")
        export(options.data, "jsonl", folder / "pages.jsonl")
        for command in (["init", "crawl"], ["add", "crawl", "crawl.warc.gz"]):
            subprocess.run(["wb-manager", *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        server = ["wayback", "-b", "127.0.0.1", "-p", str(options.port)]
        with subprocess.Popen(
            server, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                wait_for(options.port, process)
                rows = map(json.loads, (folder / "pages.jsonl").read_text().splitlines())
                pages = [row for row in rows if row["outcome"] in ("stored", "duplicate", "redirect")]
                wrong = [page["url"] for page in pages if not is_right(page, options.port)]
            finally:
                process.terminate()
    print(f"{len(pages) - len(wrong)} of {len(pages)} pages were replayed as they were crawled")
    for url in wrong[:20]:
        print(f"  not {url}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
