"""C33: which lines are for us."""

from __future__ import annotations

import pytest

from spiderd.robots import parse, product_token

HOST = "http://a.test"


def denied(body: str, *paths: str, agent: str = "spiderd") -> list[str]:
    robots = parse(body.encode(), agent)
    return [path for path in paths if not robots.allowed(HOST + path).allowed]


def test_c33_groups_for_us_are_merged_and_replace_the_rest():
    body = (
        "User-agent: SpiderD\nDisallow: /a\n\nUser-agent: other\nDisallow: /o\n\n"
        "User-agent: *\nDisallow: /c\n\nUser-agent: spiderd\nDisallow: /b\n"
    )
    assert denied(body, "/a", "/b", "/c", "/o") == ["/a", "/b"]
    assert denied(body, "/a", "/b", "/c", "/o", agent="third") == ["/c"]


def test_c33_several_groups_for_everyone_are_merged():
    body = "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /x\nUser-agent: *\nDisallow: /b"
    assert denied(body, "/a", "/b", "/x") == ["/a", "/b"]


@pytest.mark.parametrize(
    "between",
    ["\n", "\n\n\n", "\n# note\n", "\nSitemap: http://a.test/s.xml\n", "\nCrawl-delay: 5\n", "\nHost: a\n"],
)
def test_c33_what_stands_between_name_and_rules_is_harmless(between):
    body = f"User-agent: spiderd\n{between}Disallow: /a\n{between}Disallow: /b"
    assert denied(body, "/a", "/b", "/c") == ["/a", "/b"]


@pytest.mark.parametrize(
    "name",
    [
        "spiderd",
        "SpiderD",
        "SPIDERD",
        "spiderd/2.0 extra",
        "spiderd/2.0",
        "spiderd *",
        "spiderd (bot)",
        "spiderd*",
    ],
)
@pytest.mark.parametrize(
    "field", ["User-agent:", "user-AGENT:", "USER-AGENT :", "User-agent:\t", "UserAgent:"]
)
def test_c33_our_name(field, name):
    assert denied(f"{field} {name}\nDisallow: /a\nUser-agent: *\nDisallow: /c", "/a", "/c") == ["/a"]


@pytest.mark.parametrize(
    "name",
    ["spider", "spiderdd", "spiderd-news", "spiderd_2", "myspiderd", "my-spiderd", "other spiderd", "s", ""],
)
def test_c33_other_names(name):
    assert denied(f"User-agent: {name}\nDisallow: /a\n\nUser-agent: *\nDisallow: /c", "/a", "/c") == ["/c"]


def test_c33_names_share_the_rules_below_them():
    body = "User-agent: a\nUser-agent: spiderd\nUser-agent: b\nDisallow: /x\nUser-agent: c\nDisallow: /y"
    assert denied(body, "/x", "/y") == ["/x"]


@pytest.mark.parametrize(
    "record", ["Crawl-delay: 3", "Sitemap: /s", "Request-rate: 1/5", "junk", "Host: x", "# c"]
)
def test_c33_other_records_never_end_a_group(record):
    """RFC 9309 2.2.4, as its authors' parser has it: only allow and disallow close the list of names."""
    assert denied(f"User-agent: spiderd\n{record}\nUser-agent: other\nDisallow: /x", "/x") == ["/x"]


def test_c33_an_empty_rule_ends_the_names():
    assert denied("User-agent: spiderd\nDisallow:\nUser-agent: *\nDisallow: /x", "/x") == []


def test_c33_a_group_without_rules_still_replaces_the_one_for_everyone():
    assert denied("User-agent: *\nDisallow: /\n\nUser-agent: spiderd\n", "/x") == []


def test_c33_rules_before_any_name_are_nobodys():
    assert denied("Disallow: /x\nUser-agent: *\nDisallow: /y", "/x", "/y") == ["/y"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0.5", 0.5),
        ("301", 301.0),
        (" 7 ", 7.0),
        (".5", 0.5),
        ("10.", 10.0),
        ("0", 0.0),
        ("abc", 0.0),
        ("-1", 0.0),
        ("+1", 0.0),
        ("", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("1e400", 0.0),
        ("1e3", 0.0),
        ("0x10", 0.0),
        ("1_0", 0.0),
        ("10s", 0.0),
        ("1,5", 0.0),
        ("\u0661", 0.0),
        pytest.param("9" * 5000, 0.0, id="5000 digits"),
    ],
)
def test_c33_crawl_delay_between_rules(value, seconds):
    body = f"User-agent: spiderd\nDisallow: /a\nCrawl-delay: {value}\nDisallow: /b\n"
    assert parse(body.encode()).crawl_delay == seconds
    assert denied(body, "/a", "/b") == ["/a", "/b"]


def test_c33_a_crawl_delay_is_for_the_names_above_it():
    body = "User-agent: *\nCrawl-delay: 9\nDisallow: /c\n\nUser-agent: spiderd\nDisallow: /a\n"
    assert parse(body.encode()).crawl_delay == 0
    assert parse(body.encode(), "other").crawl_delay == 9
    later = "User-agent: slow\nCrawl-delay: 10\nUser-agent: *\nDisallow: /c"
    assert parse(later.encode()).crawl_delay == 0
    assert parse(later.encode(), "slow").crawl_delay == 10


def test_c33_the_longest_of_several_crawl_delays():
    ours = b"User-agent: spiderd\nCrawl-delay: 4\nCrawl-delay: 2\nCrawl-delay: x\n"
    assert parse(ours + b"Disallow: /a\nUser-agent: *\nCrawl-delay: 9").crawl_delay == 4
    # Without a rule of its own our group is not over where `*` is named: the delay below is ours, too.
    assert parse(ours + b"\nUser-agent: *\nCrawl-delay: 9").crawl_delay == 9


def test_c33_sitemaps_wherever_they_stand():
    body = (
        b"Sitemap: http://a.test/1.xml\nUser-agent: other\nSitemap:http://b.test/2.xml # second\n"
        b"Disallow: /\n"
        b"sitemap : /3.xml\nSitemap:\nSITEMAP: http://a.test/caf\xc3\xa9.xml"
    )
    assert parse(body).sitemaps == [
        "http://a.test/1.xml",
        "http://b.test/2.xml",
        "/3.xml",
        "http://a.test/caf\u00e9.xml",
    ]


def test_sitemaps_are_bounded():
    assert len(parse(b"Sitemap: /s\n" * 30_000).sitemaps) == 10_000


@pytest.mark.parametrize(
    "line", ["Disallow /a", "disalow: /a", "Dissallow: /a", "DISALLOW:/a", "Disallow : /a", "Disallow\t/a"]
)
def test_typing_errors_that_the_reference_parser_forgives(line):
    assert denied(f"User-agent *\n{line}", "/a", "/b") == ["/a"]


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("spiderd/0.1 (+https://a.test/bot)", "spiderd"),
        ("MyBot", "MyBot"),
        ("My-Bot_2/1.0", "My-Bot_2"),
        ("", "spiderd"),
        ("(none)", "spiderd"),
    ],
)
def test_product_token(user_agent, token):
    assert product_token(user_agent) == token


def test_many_names_times_many_rules_is_not_their_product():
    body = b"User-agent: *\n" * 15_000 + b"Disallow: /x\n" * 15_000
    assert not parse(body).allowed(HOST + "/x").allowed
