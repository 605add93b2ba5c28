"""Readable text: what is seen, what it is, and that nothing in a page can do harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.text import MAX_TEXT, read_html, read_plain

PAGE = """<!doctype html><html lang="de"><head><title>A &amp; B</title>
<meta name="description" content="What it is about"><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a> <a href="/b">Products</a></nav>
<h1>The <em>first</em> heading</h1>
<p>Some text<br>on two lines, with <a href="x">a link</a> in it.</p>
<dl><dt>term</dt><dd>what it means</dd></dl>
<script>var hidden = 1</script><template>never</template><noscript>enable it</noscript>
<p hidden>unseen</p><div style="display: none">unseen <div>either</div></div><p>after</p>
<footer>Imprint</footer></body></html>"""


def test_a_page_is_taken_apart():
    page = read_html(PAGE)
    assert page.title == "A & B"
    assert page.language == "de"
    assert page.headings == "The first heading\nterm"
    assert page.body == (
        "The first heading\nSome text\non two lines, with a link in it.\nterm\nwhat it means\nafter"
    )
    assert page.rest == "Home Products\nImprint"


@pytest.mark.parametrize(
    "html",
    [
        "<p>seen</p><div hidden>no</div>",
        "<p>seen</p><div style='visibility:hidden'><p>no</div>",
        "<p>seen<script>no</script>",
        "<p>seen<!-- no <p>no -->",
        "<p>seen<style>no</style>",
        "<p>seen<svg><title>no</title><text>no</text></svg>",
        "<p>seen<textarea>no</textarea>",
        "<p>seen<iframe>no</iframe>",
        "<head><title>t</title></head><p>seen",
        "<p>seen<select><option>no</select>",
        "<p>seen<script>no",
    ],
)
def test_what_nobody_sees_is_left_out(html):
    assert read_html(html).body == "seen"


def test_inline_elements_cut_no_words_and_blocks_do():
    assert read_html("<p>one<b>word</b></p><p>two</p>").body == "oneword\ntwo"


def test_cells_of_a_row_are_one_line():
    assert read_html("<table><tr><td>a<td>b<tr><td>c</table>").body == "a b\nc"


def test_surroundings_weigh_little_but_are_kept():
    page = read_html(
        "<div class='sidebar-menu'>Menu of things</div><p>The text of the page itself, long enough.</p>"
        "<ul><li><a href=1>one other page</a><li><a href=2>another page</a></ul>"
    )
    assert page.body == "The text of the page itself, long enough."
    assert page.rest == "Menu of things\none other page\nanother page"


def test_a_sidebar_with_sentences_is_content():
    sentence = "A whole paragraph that explains something is content wherever it stands on the page, " * 2
    page = read_html(f"<p>{sentence}</p><div class=sidebar>{sentence}</div>")
    assert page.body.count("explains") == 4
    assert page.rest == ""


def test_a_page_of_links_is_what_it_lists():
    page = read_html("<ul>" + "".join(f"<li><a href={n}>entry {n}</a>" for n in range(9)) + "</ul>")
    assert page.body.splitlines()[3] == "entry 3"
    assert page.rest == ""


def test_a_page_without_text_has_its_description():
    page = read_html("<meta name=description content='All about &quot;owls&quot;'><div id=app></div>")
    assert page.body == 'All about "owls"'


def test_a_page_without_a_title_has_its_first_heading():
    assert read_html("<h2>Instead</h2><p>text</p>").title == "Instead"


def test_plain_text_keeps_its_lines():
    page = read_plain("First  line\n\n\tsecond line\n")
    assert (page.title, page.body) == ("First line", "First line\nsecond line")


HOSTILE = {
    "nested": "<div>" * 200_000 + "x",
    "formatting": "<b>" * 200_000 + "x",
    "attributes": "<a " + " ".join(f"a{n}=1" for n in range(100_000)) + ">",
    "class": '<div class="' + "nav a " * 150_000 + '">',
    "style": '<div style="' + "display " * 150_000 + '">',
    "tags that never end": "<a<" * 300_000,
    "quotes that never end": '<a b="' * 200_000,
    "comments that never end": "<!--" * 200_000,
    "scripts that never end": "<script>" * 100_000,
    "titles": "<title>" * 100_000,
    "entities": "&#" * 400_000,
    "blanks": "<a" + " " * 900_000,
    "equal signs": "<a" + "= " * 400_000,
    "hidden": "<div hidden>" * 80_000,
    "headings": "<h1>" * 200_000 + "x",
    "content": "<meta name=description content=" + "'" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_pages_that_mean_harm_are_read_in_one_pass(name):
    page = read_html(HOSTILE[name])  # with a square in it, this would take hours
    assert len(page.body) <= MAX_TEXT + 1000


@given(st.text())
def test_any_text_is_a_page(text):
    page = read_html(text)
    assert "\n\n" not in page.body


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<div class=nav>", "</div>", "<h1>", "x", "<a>", "</a>", "<td>"])
    )
)
def test_no_text_is_lost_and_none_is_doubled(pieces):
    page = read_html("".join(pieces))
    assert (page.body + page.rest).count("x") == pieces.count("x")
