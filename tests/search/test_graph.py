"""The link graph of a small crawl: links, redirects, duplicates; what links say; ranks beside the index."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from spiderd.messages import Outcome
from spiderd.search import anchors, linkage
from spiderd.search.graph import Directory, read_graph
from spiderd.search.places import Places
from spiderd.states import OutcomeKind
from spiderd.store.reader import StoreReader
from tests.search.crawled import AT, Crawled, hash_of

HUB = (
    "<p><a href=/a>the first</a> <a href=/b rel=nofollow>the second</a> <a href=/old>old</a> <a href=/x>x</a>"
    "<a href=/hub>myself</a> <a href=/copy>copy</a> <link rel=alternate hreflang=de href=/c>"
)


@pytest.fixture
def crawl(tmp_path):
    with Crawled(tmp_path) as crawled:
        hub = crawled.store("http://t.test/hub", HUB)
        a = crawled.store("http://t.test/a", "<p><a href=/c>to c</a><a href=/hub>back</a>")
        b = crawled.store("http://t.test/b", "<p>b")
        c = crawled.store("http://t.test/c", "<p>c <a href=/a>the first</a>")
        old = crawled.redirect("http://t.test/old", "http://t.test/b")
        digest = hashlib.sha256(b"<p>b").digest()
        copy = crawled.put("http://t.test/copy", Outcome(0, 0, OutcomeKind.DUPLICATE, 200, digest=digest))
    return tmp_path, {"hub": hub, "a": a, "b": b, "c": c, "old": old, "copy": copy}


def test_links_lead_from_page_to_page(crawl):
    path, n = crawl
    with StoreReader(path / "store") as reader:
        graph = read_graph(reader, Directory(reader), hash_of)
    links = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    assert links == {
        (n["hub"], n["a"]),
        (n["hub"], n["old"]),
        (n["hub"], n["copy"]),
        (n["a"], n["c"]),
        (n["a"], n["hub"]),
        (n["c"], n["a"]),
        (n["old"], n["b"]),
        (n["copy"], n["b"]),
    }
    assert graph.inlinks()[n["b"]] == 2
    assert graph.inlinks()[0] == 0


def test_link_texts_are_gathered_by_page(crawl):
    path, n = crawl
    with StoreReader(path / "store") as reader:
        directory = Directory(reader)
        gathered = anchors.gather(reader, directory, np.ones(directory.highest + 1))
    assert gathered[n["a"]] == {"the first": 2}
    assert gathered[n["c"]] == {"to c": 1}
    assert n["b"] not in gathered
    assert gathered[n["hub"]] == {"back": 1}


def test_of_many_pages_the_highest_ranked_have_their_texts(crawl, monkeypatch):
    path, n = crawl
    monkeypatch.setattr(anchors, "MOST_PAGES", 1)
    with StoreReader(path / "store") as reader:
        directory = Directory(reader)
        ranks = np.zeros(directory.highest + 1)
        ranks[n["c"]] = 1.0
        assert set(anchors.gather(reader, directory, ranks)) == {n["c"]}


def test_ranks_are_kept_beside_the_index_and_begin_the_next_ones(crawl):
    path, n = crawl
    places = Places(path)
    told: list[str] = []
    with StoreReader(path / "store") as reader:
        assert linkage.update(places, reader, hash_of, lambda what, *_: told.append(what)) == 8
        first = linkage.Linkage(places.current("links", linkage.VERSION))
        linkage.update(places, reader, hash_of, lambda *_: None)
    second = linkage.Linkage(places.current("links", linkage.VERSION))
    assert first.folder != second.folder
    assert not first.folder.exists()
    assert first.ranks.sum() == pytest.approx(1)
    assert second.ranks == pytest.approx(first.ranks, abs=1e-3)
    assert second.inlinks(n["a"]) == 2
    assert second.inlinks(99) == -1
    priors = second.priors([n["b"], n["a"], 99, 0])
    assert priors[1] > 0
    assert priors[2] == priors[3] == 0
    assert list(dict.fromkeys(told)) == ["reading links", "ranking", "reading link texts"]


def test_a_crawl_that_was_never_ranked_has_no_say():
    none = linkage.Linkage(None)
    assert none.priors([1, 2]).tolist() == [0, 0]
    assert none.inlinks(1) == -1
    assert none.texts is None


def test_a_store_without_pages_can_be_ranked(tmp_path):
    with Crawled(tmp_path):
        pass
    with StoreReader(tmp_path / "store") as reader:
        assert linkage.update(Places(tmp_path), reader, hash_of, lambda *_: None) == 0
    assert AT
