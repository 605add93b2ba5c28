"""The power fails: what was not synced is gone in part or whole, and the next start puts that right.

The disk after a power cut is a copy of the data directory, made at the moment after a commit, whose files
have lost what was written since the last sync: as it comes, all of it, a part, or nothing.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import trio

from spiderd.daemon import running
from spiderd.store.syncing import sync_files
from spiderd.store.transaction import Transaction
from spiderd.verify import verify
from tests.cases.crashing import Result, result_of, site
from tests.crawl.harness import configured, crawl
from tests.verify.crawled import state
from tests.web.server import Site, serve

pytestmark = pytest.mark.trio

PAGES = 120
CUTS = (4, 9, 14)  # after which commits


@dataclass
class Cuts:
    """Copies of a data directory as power cuts would have left it."""

    data: Path
    images: Path
    chance: random.Random
    synced: dict[Path, int] = field(default_factory=dict)  # size of each file at the last sync
    commits: int = 0
    made: list[Path] = field(default_factory=list)

    def sync(self, folder: Path) -> None:
        written = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
        sync_files(folder)
        self.synced = written

    def after_commit(self) -> None:
        self.commits += 1
        if self.commits not in CUTS:
            return
        image = self.images / str(self.commits)
        for part in ("store", "pages"):
            shutil.copytree(self.data / part, image / part)
        files = [path for path in (image / "pages").rglob("*") if path.is_file()]
        for path in [*sorted(files), image / "store" / "journal"]:
            self._lose(path, self.synced.get(self.data / path.relative_to(image), 0))
        self.made.append(image)

    def _lose(self, path: Path, kept: int) -> None:
        size = path.stat().st_size
        if size <= kept:
            return
        match self.chance.randrange(5):
            case 0:
                pass  # the kernel had written it
            case 1 if not kept:
                path.unlink()
            case 2:  # written in part
                with path.open("r+b") as file:
                    file.truncate(self.chance.randint(kept, size))
            case 3:  # its length was written, its blocks were not
                with path.open("r+b") as file:
                    file.truncate(self.chance.randint(kept, size))
                    file.truncate(size)
            case _:
                with path.open("r+b") as file:
                    file.truncate(kept)


@contextmanager
def armed(cuts: Cuts) -> Iterator[None]:
    """Let a crawl be cut."""
    commit = Transaction.commit

    def cut(transaction: Transaction) -> None:
        commit(transaction)
        cuts.after_commit()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Transaction, "commit", cut)
        patched.setattr(running, "sync_files", cuts.sync)
        patched.setattr(running, "COMMIT_INTERVAL", 0.005)
        patched.setattr(running, "BATCH_INTERVAL", 0.005)
        patched.setattr(running, "BESIDE_EVERY", 0.15)
        yield


def config_of(web: Site, form: str, durability: str):
    archive = {"format": form, "durability": durability, "max_count": 17}
    return configured(web.url("/"), archive=archive, crawl={"threads": 8})


def whole(result: Result) -> tuple[object, ...]:
    """What must be as in any other crawl; requests and answers are counted as often as there were."""
    derived = ("known", "waiting", "complete", "error", "pages", "duplicates", "redirects", "bytes", "hosts")
    return {name: result.counters[name] for name in derived}, result.kinds, result.links, result.bodies


@pytest.mark.parametrize("form", ["files", "warc"])
@pytest.mark.parametrize("durability", ["commit", "batch"])
@pytest.mark.parametrize("seed", [1, 2])
async def test_what_a_power_cut_takes_is_crawled_again(
    tmp_path: Path, form: str, durability: str, seed: int
) -> None:
    cuts = Cuts(tmp_path / "data", tmp_path / "cut", random.Random(seed))
    async with serve(site(PAGES)) as web:
        with armed(cuts):
            await crawl(config_of(web, form, durability), cuts.data)
        assert len(cuts.made) == len(CUTS)
        wanted = await result(cuts.data, web)
        reports = [await trio.to_thread.run_sync(verify, image) for image in cuts.made]
        if durability == "commit":  # whatever is committed is whole
            assert all(report.sound for report in reports), reports
            assert all(state(image).durable == state(image).next_change - 1 for image in cuts.made)
        else:
            assert any("files" in report.found for report in reports)
        for image in cuts.made:
            await crawl(config_of(web, form, durability), image)
            report = await trio.to_thread.run_sync(verify, image)
            assert report.sound, report
            assert whole(await result(image, web)) == whole(wanted)


async def result(data: Path, web: Site) -> Result:
    return await trio.to_thread.run_sync(partial(result_of, data, web.origin, holes=True))
