"""Rules that grow with the seeds are those that would have been made of all of them at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Config, Crawl, Scope
from spiderd.urls import ScopeRules

hosts = st.sampled_from(["a.test", "www.a.test", "b.test", "c.co.uk", "127.0.0.1:8080"])
paths = st.sampled_from(["/", "/x", "/x/", "/x/y.html", "/z?q=1", "/x/deep/er"])
urls = st.builds("http://{}{}".format, hosts, paths)
follows = st.sampled_from(["page", "prefix", "host", "site", "any"])


@given(
    follows, st.lists(urls, max_size=4), st.lists(urls, max_size=4), st.lists(urls, min_size=1, max_size=20)
)
def test_more_seeds_widen_the_rules_as_if_they_had_been_there_from_the_start(follow, first, more, links):
    before = Config(scope=Scope(follow=follow))
    after = Config(scope=Scope(follow=follow, exclude=["q="]), crawl=Crawl(max_depth=2))
    grown = ScopeRules(before, first)
    told = [grown.decide(link, 1) for link in links]
    rules = grown.extended(more, after)
    whole = ScopeRules(after, [*first, *more])
    for link in links:
        assert [rules.decide(link, depth) for depth in (0, 1, 3)] == [
            whole.decide(link, depth) for depth in (0, 1, 3)
        ]
    assert told == [grown.decide(link, 1) for link in links], "the old rules have not changed"
