"""What goes back into another tool's file, whatever the tool."""

import json

import pytest

from appellate.interop.ruled import copied

ROW = {"id": 1, "output": "left \u202e right \x9b2J, naïve"}


@pytest.mark.parametrize("rows", [1, 2], ids=["json", "json lines"])
def test_a_copy_keeps_every_text_and_nothing_in_it_acts_on_a_terminal(tmp_path, rows):
    source = tmp_path / "results.json"
    source.write_text((json.dumps(ROW) + "\n") * rows)
    text = "".join(copied(source, [], "the tool", lambda document, _: (document, 1)))
    lines = text.splitlines() if rows > 1 else [text]
    assert [json.loads(line) for line in lines] == [ROW] * rows
    assert "naïve" in text
    assert not {"\u202e", "\x9b"} & set(text)
