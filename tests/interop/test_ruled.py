"""What goes back into another tool's file, whatever the tool."""

import json

import pytest

from appellate.interop.ruled import Merged, copied

ROW = {"id": 1, "output": "left \u202e right \x9b2J, naïve"}


@pytest.mark.parametrize("rows", [1, 2], ids=["json", "json lines"])
def test_a_copy_keeps_every_text_and_nothing_in_it_acts_on_a_terminal(tmp_path, rows):
    source = tmp_path / "results.json"
    source.write_text((json.dumps(ROW, ensure_ascii=False) + "\n") * rows, "utf-8")
    text = copied(source, [], "the tool", lambda document, _: Merged(document, 1)).text
    lines = text.splitlines() if rows > 1 else [text]
    assert [json.loads(line) for line in lines] == [ROW] * rows
    assert "naïve" in text
    assert not {"\u202e", "\x9b"} & set(text)


@pytest.mark.parametrize(
    "text",
    [
        '\ufeff{"id": 1,\r\n\t"score":1.50e1, "n": NaN, "text": "na\\u00efve"}',
        '{"id":1}\n\n{"id": 2, "text": "one \u2028 line"}',
    ],
    ids=["json with a byte order mark", "json lines"],
)
def test_what_nobody_changed_goes_back_byte_for_byte(tmp_path, text):
    source = tmp_path / "results.json"
    source.write_bytes(text.encode())
    copy = copied(source, [], "the tool", lambda document, _: Merged(document, 1)).text
    assert copy == text.replace("\u2028", "\\u2028")
