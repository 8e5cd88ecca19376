"""The file of recorded replies: in an order of its own, and refused where it is none."""

from pathlib import Path

import pytest

from appellate.core.problem import Unusable
from appellate.gold.replies import ReplyFile, read_replies, recording


def test_what_is_written_is_read_again_in_the_same_bytes(tmp_path):
    replies = ReplyFile()
    replies.put({"b": b'{"x": "\\ud800"}', "a": b"[1]", "none": b"no json"})
    replies.learn("chat http://h m", {"rung": "text"})
    replies.fail("m", "0123", "It refused.")
    replies.fail("m", "4567", "It broke.")
    replies.fail("m", "4567", "It refused, too.")
    replies.forget_failure("m", "4567")
    replies.drop(["c"])
    replies.write(tmp_path / "r.jsonl")
    again = read_replies(tmp_path / "r.jsonl")
    assert (again.get("a"), again.get("none"), len(again)) == (b"[1]", None, 2)
    assert again.abilities("chat http://h m") == {"rung": "text"}
    assert again.abilities("other") == {}
    assert (again.failure("m", "0123"), again.failure("m", "4567")) == (
        "It refused.",
        "It refused, too.",
    )
    assert list(again.lines()) == (tmp_path / "r.jsonl").read_text().splitlines(
        keepends=True,
    )
    again.drop(["a"])
    again.forget_failure("m", "4567")
    assert (again.get("a"), again.failure("m", "4567")) == (None, "")


def test_what_a_killed_check_appended_is_there_for_the_next_one_in_its_order(tmp_path):
    part = tmp_path / ".r.jsonl.part"
    with recording(tmp_path / "r.jsonl", print) as replies:
        replies.put({"a": b"[1]", "b": b"[2]", "none": b"no json"})
        replies.put({"a": b"[3]"})
        replies.drop(["b"])
        replies.learn("chat http://h m", {"rung": "text"})
        replies.fail("m", "0123", "It refused.")
        appended = part.read_bytes()
    (tmp_path / "r.jsonl").unlink()
    cut = b'{"request": "c", "reply": [4'
    last = b'\n{"request": "d", "reply": [5]}\n[1]\n'
    part.write_bytes(appended + cut + last)
    counts = []
    with recording(tmp_path / "r.jsonl", counts.append) as replies:
        keys = ("a", "b", "c", "d", "none")
        assert [replies.get(key) for key in keys] == [b"[3]", None, None, b"[5]", None]
    assert counts == [2]
    again = read_replies(tmp_path / "r.jsonl")
    assert again.abilities("chat http://h m") == {"rung": "text"}
    assert again.failure("m", "0123") == "It refused."
    assert not part.exists()


def test_failures_without_any_reply_are_recorded(tmp_path):
    counts = []
    with recording(tmp_path / "r.jsonl", counts.append) as replies:
        replies.fail("m", "0123", "It refused.")
    assert counts == [0]
    assert read_replies(tmp_path / "r.jsonl").failure("m", "0123") == "It refused."


def test_a_failure_that_a_later_check_forgets_leaves_the_file(tmp_path):
    with recording(tmp_path / "r.jsonl", print) as replies:
        replies.fail("m", "0123", "It refused.")
        replies.put({"nested": b"[" * 100_000})
    with recording(tmp_path / "r.jsonl", print) as replies:
        replies.forget_failure("m", "0123")
    assert read_replies(tmp_path / "r.jsonl").failure("m", "0123") == ""


def test_a_full_disk_while_recording_costs_no_reply(tmp_path):
    with recording(tmp_path / "r.jsonl", print) as replies:
        with Path("/dev/full").open("ab", buffering=0) as replies.part:
            replies.put({"a": b"[1]"})
        assert replies.get("a") == b"[1]"
    assert read_replies(tmp_path / "r.jsonl").get("a") == b"[1]"


def test_a_reply_that_comes_once_all_are_written_is_in_the_object_alone(tmp_path):
    with recording(tmp_path / "r.jsonl", print) as replies:
        replies.put({"a": b"[1]"})
    replies.put({"b": b"[2]"})
    assert replies.get("b") == b"[2]"
    assert read_replies(tmp_path / "r.jsonl").get("b") is None


def test_no_replies_are_recorded_into_a_link_to_itself(tmp_path):
    loop = tmp_path / "r.jsonl"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links"), recording(loop, print):
        pass
    assert loop.is_symlink()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no line of recorded replies"),
        ("nonsense", "line 1: is no line of recorded replies"),
        ("[1]", "line 1: must be an object"),
        ('{"request": "a", "reply": 1}', "is not in the format"),
        (
            '{"format": "appellate-replies/1"}\n{"x": 1}',
            "line 2: is neither a reply nor a server",
        ),
        ('{"format": "appellate-replies/1"}\n' + "[" * 5000, "line 2: is no line"),
    ],
)
def test_another_file_is_refused_with_its_line(tmp_path, text, why):
    (tmp_path / "r.jsonl").write_text(text)
    with pytest.raises(Unusable) as refused:
        read_replies(tmp_path / "r.jsonl")
    assert why in str(refused.value)
