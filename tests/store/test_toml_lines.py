"""The lines that the parts of a TOML file stand on."""

from datetime import time

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from appellate.store.files.text_file import toml_table
from appellate.store.files.toml_lines import line_of, lines_of

FILE = """\
# first
name = "x"
a.b = 1

[[traits]]
list = [
  "x",  # not closed yet ]
  \'\'\'y
[no.header]
\'\'\',
]

[[traits]]
list = 1
[prompts."a b"]
system = "x"
[[questions]]
  [[questions.traits]]
  [[questions.traits]]
  name = "m"
[[questions]]
  [questions.deep]
  k = {x = 1}
"""
NAMES = st.sampled_from(["a", "b", "c d", "é"])
VALUES = (
    st.integers()
    | st.text("xyz\n[]='\"#", max_size=12)
    | st.lists(st.integers(), max_size=3)
)
TABLES = st.recursive(
    st.dictionaries(NAMES, VALUES, max_size=4),
    lambda inner: st.dictionaries(
        NAMES,
        VALUES | inner | st.lists(inner, max_size=3),
        max_size=4,
    ),
    max_leaves=12,
)


def test_each_header_and_key_is_on_the_line_where_it_begins():
    lines = lines_of(FILE)
    assert lines["name",] == 2
    assert lines["a", "b"] == 3
    assert lines["traits", 0] == 5
    assert lines["traits", 0, "list"] == 6
    assert lines["traits", 1, "list"] == 14
    assert lines["prompts", "a b"] == 15
    assert lines["questions", 0, "traits", 1, "name"] == 20
    assert lines["questions", 1, "deep", "k"] == 23


def test_a_file_as_toml_1_1_allows_it_is_read_and_placed_by_every_python():
    text = 'k = {\n  escaped = "\\e",\n  at = 07:32,\n}\nlast = 1\n'
    assert toml_table(text, "x.toml") == {
        "k": {"escaped": "\x1b", "at": time(7, 32)},
        "last": 1,
    }
    assert lines_of(text)["last",] == 5


def test_a_part_without_a_line_of_its_own_is_placed_at_the_nearest_around_it():
    lines = lines_of(FILE)
    assert line_of(("traits", 0, "list", 1), lines) == 6
    assert line_of(("traits", 1, "missing"), lines) == 13
    assert line_of(("nothing",), lines) is None
    assert line_of((), lines) is None


@given(TABLES)
def test_every_key_of_any_file_stands_on_its_line(table):
    text = tomli_w.dumps(table)
    for path, line_no in lines_of(text).items():
        line = text.split("\n")[line_no - 1]
        name = next(step for step in reversed(path) if isinstance(step, str))
        assert name in line
    assert {path[0] for path in lines_of(text)} <= table.keys()


def test_a_statement_that_never_ends_is_given_up():
    assert lines_of("a = 1\nb = [\n" + "1,\n" * 5_000) == {("a",): 1}
