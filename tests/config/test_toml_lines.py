from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.toml_lines import lines_of, nearest_line

TEXT = '''\
top = 1 # [not.a.table]
[ "quoted section" ]
a.b . "c d" = 'x = 1'
multi = """
fake = 1
[fake]
\\""" still ""here""""
raw = \'\'\'
also = "fake"\'\'\'
[scope] # comment
exclude = [
  "one", # ] comment
  "two",

  [ { deep = "three" } ],
]
inline = { x = 1, y = { z = "}" } }
date = 1979-05-27 07:32:00
[[list]]
k = 1
[[list]]
k = 2
'''


def test_lines_of_all_shapes():
    tomllib.loads(TEXT)
    lines = lines_of(TEXT)
    expected = {
        ("top",): 1,
        ("quoted section",): 2,
        ("quoted section", "a", "b", "c d"): 3,
        ("quoted section", "multi"): 4,
        ("quoted section", "raw"): 8,
        ("scope",): 10,
        ("scope", "exclude"): 11,
        ("scope", "exclude", 0): 12,
        ("scope", "exclude", 1): 13,
        ("scope", "exclude", 2): 15,
        ("scope", "exclude", 2, 0): 15,
        ("scope", "exclude", 2, 0, "deep"): 15,
        ("scope", "inline"): 17,
        ("scope", "inline", "x"): 17,
        ("scope", "inline", "y"): 17,
        ("scope", "inline", "y", "z"): 17,
        ("scope", "date"): 18,
        ("list",): 19,
        ("list", "k"): 20,
    }
    assert lines == expected


def test_what_has_no_line_of_its_own_has_that_of_its_table():
    assert nearest_line(lines_of(TEXT), ("scope", "exclude", 9)) == 11
    assert nearest_line(lines_of(TEXT), ("none", "at", "all")) == 1


KEYS = st.text("abc_-1", min_size=1, max_size=3)
STRINGS = st.text("ab#[]{},=' .", max_size=8)
VALUES = st.recursive(
    st.booleans().map(lambda b: str(b).lower())
    | st.integers().map(str)
    | STRINGS.map(lambda s: f'"{s}"')
    | STRINGS.map(lambda s: f'"""\n{s}\n"""')
    | STRINGS.map(lambda s: f"'{s.replace(chr(39), '')}'"),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[" + ",\n# ] =\n".join(items) + "]"),
    max_leaves=6,
)


@given(st.lists(st.tuples(KEYS, KEYS, VALUES), max_size=6, unique_by=lambda row: row[:1]))
def test_every_key_is_found_on_the_line_it_was_written_on(rows):
    text, expected = "", {}
    for section, key, value in rows:
        text += f"[{section}]\n\n"
        expected[section, key] = text.count("\n") + 1
        text += f"{key} = {value} # done\n"
    tomllib.loads(text)
    lines = lines_of(text)
    assert {path: lines[path] for path in expected} == expected


@given(st.text("ab=[]{}'\"\n#,. ", max_size=40))
def test_the_scanner_ends_on_any_text_that_is_toml(text):
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert {path[:1] for path in lines_of(text)} == {(key,) for key in table}
