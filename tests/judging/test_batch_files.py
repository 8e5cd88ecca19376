"""Files of requests: within the limits, whole or not there at all, in nobody's place."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.problem import Unusable
from appellate.judging.batches import Shards


def written(
    out: Path, lines: list[bytes], most_lines: int = 3, most_bytes: int = 10
) -> list[tuple[str, bytes]]:
    with Shards(out, most_lines, most_bytes) as shards:
        for line in lines:
            shards.add(line)
        made = shards.named()
    assert [shard.lines for shard in made] == [
        shard.file.read_bytes().count(b"\n") for shard in made
    ]
    return [(shard.file.name, shard.file.read_bytes()) for shard in made]


def test_one_file_has_the_name_that_was_asked_for(tmp_path):
    assert written(tmp_path / "x.jsonl", [b"a\n", b"b\n"]) == [("x.jsonl", b"a\nb\n")]


def test_several_files_are_numbered(tmp_path):
    assert written(tmp_path / "x.jsonl", [b"a\n"] * 4) == [
        ("x-0001.jsonl", b"a\n" * 3),
        ("x-0002.jsonl", b"a\n"),
    ]


def test_a_file_ends_before_it_has_too_many_bytes(tmp_path):
    made = written(tmp_path / "x.jsonl", [b"aaaa\n", b"bbbb\n", b"c\n"])
    assert made == [("x-0001.jsonl", b"aaaa\nbbbb\n"), ("x-0002.jsonl", b"c\n")]


def test_without_requests_there_is_no_file(tmp_path):
    assert written(tmp_path / "x.jsonl", []) == []
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=30)
@given(
    lines=st.lists(
        st.binary(max_size=9).map(lambda text: text.replace(b"\n", b"") + b"\n"), max_size=20
    )
)
def test_every_line_comes_once_in_order_and_within_the_limits(lines, tmp_path_factory):
    made = written(tmp_path_factory.mktemp("shards") / "x.jsonl", lines)
    assert b"".join(body for _, body in made) == b"".join(lines)
    assert all(body.count(b"\n") <= 3 and len(body) <= 10 for _, body in made)


def test_where_something_fails_no_file_stays(tmp_path):
    def failing() -> None:
        with Shards(tmp_path / "x.jsonl", 1) as shards:
            shards.add(b"a\n")
            shards.add(b"b\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["x.jsonl", "x-0001.jsonl"])
def test_no_file_takes_the_place_of_another(tmp_path, taken):
    (tmp_path / taken).write_text("mine")
    with pytest.raises(Unusable, match=f"{taken}: there is a file of this name"):
        Shards(tmp_path / "x.jsonl")
    with pytest.raises(Unusable, match="no folder"):
        Shards(tmp_path / "nowhere" / "x.jsonl")
