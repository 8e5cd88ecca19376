"""What files of a batch engine hold for probes: replies, and why other lines are none."""

from pydantic import SecretStr

from appellate.judging.batches import read_answers
from batch_stage import lines
from loopback import completion


def answer(key, **said):
    return {"custom_id": key, "response": {"status_code": 200, "body": {}} | said}


def test_replies_are_told_apart_from_lines_that_answer_nothing(tmp_path):
    expired = {"code": "batch_expired", "message": "Too late."}
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_bytes(
        lines(
            [
                answer("a", body=completion("so").body),
                answer("b", status_code=400, body={"error": {"message": "No such model."}}),
                answer("c", body={"object": "something else"}),
                {"custom_id": "d", "response": None, "error": expired},
            ]
        )
        + b"\n{}\n"
    )
    second.write_bytes(lines([answer("a", body=completion("or so").body)]) + b'{"custom')
    found = read_answers([first, second], None)
    assert list(found.replies) == ["a"]
    assert b'"or so"' in found.replies["a"]
    assert found.troubles == {
        "No such model.": 1,
        "the answer is no completion": 1,
        "not asked before the batch ended": 1,
        "a line has no custom_id": 1,
        "a line is not JSON": 1,
    }


def test_a_key_that_an_answer_quotes_is_not_among_the_replies(tmp_path):
    key, path = "key-0123456789abcdef", tmp_path / "a.jsonl"
    refused = answer("b", status_code=401, body={"error": {"message": f"No such key: {key}"}})
    path.write_bytes(lines([answer("a", body=completion(f"It is {key}.").body), refused]))
    found = read_answers([path], SecretStr(key))
    assert b"It is [key]." in found.replies["a"]
    assert list(found.troubles) == ["No such key: [key]"]
