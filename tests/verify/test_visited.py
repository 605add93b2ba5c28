"""Damage to what later visits have left is found, and repaired as far as it can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from spiderd.archive.directory import directory_path, resource_name
from spiderd.config.declaration import Urls
from spiderd.store.records import PageRecord, decode, encode
from spiderd.store.transaction import Transaction
from spiderd.store.visits import VisitRecord, VisitsState
from spiderd.verify import repair, verify
from tests.crawl.pages import page, site_of
from tests.crawl.visiting import DAY, Hands, revisiting, visited
from tests.verify.crawled import copy_of, first, opened
from tests.web.server import serve


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """Pages that were visited again: some have changed, one has the old content of another."""
    data = tmp_path_factory.mktemp("visited") / "data"

    async def run() -> None:
        hands = Hands()
        pages = {f"/{n}": f"text {n}" for n in range(5)}
        routes = site_of({"/": page(*pages, "/twin"), **pages, "/twin": "text 1"})
        async with serve(routes) as site:
            config = revisiting(site.url("/"), crawl={"threads": 1})
            async with visited(config, data, hands) as daemon:
                await daemon.rest()
                for path in ("/1", "/2"):
                    site.routes[path] = f"{path} anew"
                await daemon.post("revisit", what=r"/[12]$")
                await daemon.until(lambda now: now["counters"]["changes"] == 2)
                hands.offset += DAY / 4
                await daemon.post("pause")
                await daemon.until(lambda now: now["revisits"]["due"] > 0)

    trio.run(run)
    return data


def without_visits(rows: Transaction) -> None:
    rows.delete("visits", first(rows, "visits")[0])


def moved_due(rows: Transaction) -> None:
    key, row = first(rows, "visits")
    visit = decode(VisitRecord, row)
    visit.due += 5.0
    rows.put("visits", key, encode(visit))


def due_twice(rows: Transaction) -> None:
    rows.put("due", bytes(8) + first(rows, "visits")[0], b"")


def wrong_levels(rows: Transaction) -> None:
    rows.put("meta", b"visits", encode(VisitsState(on=True, levels={3: 99})))


def other_url(rows: Transaction) -> None:
    key, row = first(rows, "visits")
    visit = decode(VisitRecord, row)
    visit.hash = b"\1" * 8
    rows.put("visits", key, encode(visit))


def lost_version(rows: Transaction) -> None:
    rows.delete("versions", first(rows, "versions")[0])


def wrong_version(rows: Transaction) -> None:
    key, row = first(rows, "versions")
    version = decode(PageRecord, row)
    version.digest = b"\2" * 16
    rows.put("versions", key, encode(version))


DAMAGE: list[tuple[Callable[[Transaction], None], set[str]]] = [
    (without_visits, {"visits"}),
    (moved_due, {"visits"}),
    (due_twice, {"visits"}),
    (wrong_levels, {"visits"}),
    (other_url, {"visits"}),
]


def test_what_was_visited_again_is_sound(original: Path, tmp_path: Path) -> None:
    data = copy_of(original, tmp_path / "data")
    with opened(data) as rows:
        assert rows.entries("versions") == 2
        assert rows.entries("again") > 0
        assert rows.entries("visits") == 7
    report = verify(data)
    assert report.sound, report.problems


@pytest.mark.parametrize(("damage", "relations"), DAMAGE, ids=lambda value: getattr(value, "__name__", ""))
def test_damage_to_visits_is_found_and_repaired(
    original: Path, tmp_path: Path, damage: Callable[[Transaction], None], relations: set[str]
) -> None:
    data = copy_of(original, tmp_path / "data")
    with opened(data) as rows:
        damage(rows)
    assert set(verify(data).found) == relations
    report = repair(data, Urls())
    assert report.sound, report.problems
    assert verify(data).sound


@pytest.mark.parametrize("damage", [lost_version, wrong_version])
def test_damage_to_versions_is_found_and_repaired(
    original: Path, tmp_path: Path, damage: Callable[[Transaction], None]
) -> None:
    data = copy_of(original, tmp_path / "data")
    with opened(data) as rows:
        damage(rows)
    assert not verify(data).sound
    report = repair(data, Urls())
    assert report.sound, report.problems


def test_a_version_whose_body_is_gone_is_forgotten(original: Path, tmp_path: Path) -> None:
    data = copy_of(original, tmp_path / "data")
    with opened(data) as rows:
        version = decode(PageRecord, first(rows, "versions")[1])
    (directory_path(data / "pages", version.directory) / resource_name(version.number)).unlink()
    assert {"files", "versions"} <= set(verify(data).found)
    report = repair(data, Urls())
    assert report.sound, report.problems
    with opened(data) as rows:
        assert rows.entries("versions") == 1
