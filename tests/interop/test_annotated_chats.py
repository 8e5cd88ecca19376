"""Label Studio's chats and dialogues: whole conversations, and what is said of single messages left out by name."""

import json

import pytest

from appellate.interop import recognise
from appellate.interop.foreign import JudgeVerdict, PersonVerdict

GREETING = [
    {"role": "user", "content": "Hi", "createdAt": 1761626717856},
    {"role": "assistant", "content": "Hello!", "createdAt": 1761626719486},
]
ASKED = {"role": "user", "content": "Is it safe?", "createdAt": 1761626728808}
SAID = {
    "role": "assistant",
    "content": "It is.",
    "createdAt": 1761626730907,
    "tool_calls": None,
}


def message(value, own_id="m"):
    """A message that was added to a chat, as the SDK's fixtures have it."""
    return {
        "id": own_id,
        "type": "chatmessage",
        "value": {"chatmessage": value},
        "from_name": "chat",
        "to_name": "chat",
    }


def rating(stars, name="rating", own_id="r", **place):
    return {
        "id": own_id,
        "type": "rating",
        "value": {"rating": stars, **place},
        "from_name": name,
        "to_name": "chat",
    }


def annotation(by, *results, **more):
    return {"completed_by": by, "result": list(results), **more}


def read(tmp_path, *tasks):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), "utf-8")
    return recognise.read([path])


def spoken(trace):
    return [(m["role"], m["content"]) for m in trace.record["messages"]]


WHOLE = [
    ("user", "Hi"),
    ("assistant", "Hello!"),
    ("user", "Is it safe?"),
    ("assistant", "It is."),
]


def test_an_imported_chat_is_a_conversation_and_its_last_answer_the_response(tmp_path):
    task = {
        "id": 7,
        "data": {"scenario": "First aid", "chat": [*GREETING, ASKED, SAID]},
        "annotations": [annotation("anna", rating(4)), annotation("ben", rating(2))],
    }
    (trace,) = read(tmp_path, task).traces()
    assert spoken(trace) == WHOLE
    assert trace.record["response"] == "It is."
    assert trace.record["metadata"] == {"scenario": "First aid"}
    assert trace.people == [
        PersonVerdict("rating", 4, "anna"),
        PersonVerdict("rating", 2, "ben"),
    ]


def test_messages_that_were_added_in_the_annotation_come_by_their_times(tmp_path):
    task = {
        "id": 7,
        "data": {"scenario": "First aid", "chat": []},
        "annotations": [
            annotation("anna", rating(4), *map(message, [SAID, ASKED, *GREETING])),
        ],
    }
    (trace,) = read(tmp_path, task).traces()
    assert trace.record["id"] == "7"
    assert spoken(trace) == WHOLE
    assert trace.people == [PersonVerdict("rating", 4, "anna")]


def test_people_who_went_on_differently_labelled_different_conversations(tmp_path):
    other = {**SAID, "content": "Ask a doctor."}
    task = {
        "id": 7,
        "data": {"chat": GREETING},
        "annotations": [
            annotation("anna", message(ASKED), message(SAID), rating(4), id=31),
            annotation("ben", message(ASKED), message(other), rating(5), id=32),
            annotation("eva", rating(3), id=33),
            annotation("kim", message(ASKED), was_cancelled=True, id=34),
        ],
    }
    traces = list(read(tmp_path, task).traces())
    assert [trace.record["id"] for trace in traces] == ["7", "7-31", "7-32"]
    assert [trace.record["response"] for trace in traces] == [
        "Hello!",
        "It is.",
        "Ask a doctor.",
    ]
    assert [trace.people[0].by for trace in traces] == ["eva", "anna", "ben"]


def test_a_predicted_chat_is_the_one_that_its_annotations_repeat(tmp_path):
    said = [message(ASKED, "a"), message(SAID, "b")]
    again = [message(ASKED, "c"), message(SAID, "d")]
    task = {
        "id": 7,
        "data": {"chat": [{"text": "Review the conversation in detail."}]},
        "predictions": [{"model_version": "m1", "result": [*said, rating(5)]}],
        "annotations": [
            annotation("anna", *again, rating(2)),
            annotation("ben", rating(1)),
        ],
    }
    (trace,) = read(tmp_path, task).traces()
    assert spoken(trace) == WHOLE[2:]
    assert trace.judged == [JudgeVerdict("rating", 5, judge="m1")]
    assert [person.by for person in trace.people] == ["anna", "ben"]
    (trace,) = read(tmp_path, {**task, "annotations": None}).traces()
    assert (trace.record["response"], trace.people) == ("It is.", [])


@pytest.mark.parametrize("place", [{}, {"start": "0"}])
def test_what_is_said_of_one_message_is_named_as_left_out_and_never_of_the_whole(
    tmp_path,
    place,
):
    own_id = "other" if place else "b"
    task = {
        "id": 7,
        "data": {"chat": []},
        "annotations": [
            annotation(
                "anna",
                message(ASKED, "a"),
                message(SAID, "b"),
                rating(1, "response_rating", own_id, **place),
                rating(4),
            ),
        ],
    }
    file = read(tmp_path, task)
    (trace,) = file.traces()
    assert trace.people == [PersonVerdict("rating", 4, "anna")]
    assert "single messages, words or regions: response_rating" in "; ".join(file.lost)


def test_a_dialogue_of_people_is_its_response_as_a_whole(tmp_path):
    labelled = {
        "id": "p",
        "type": "paragraphlabels",
        "value": {
            "start": "1",
            "end": "1",
            "startOffset": 0,
            "endOffset": 5,
            "paragraphlabels": ["Question"],
        },
        "from_name": "importance",
        "to_name": "dialogue",
    }
    task = {
        "id": 7,
        "data": {
            "dialogue": [
                {"author": "Alice", "text": "Hi, Bob."},
                {"author": "Bob", "text": "Hello?"},
            ],
        },
        "annotations": [annotation("anna", labelled, rating(4))],
    }
    file = read(tmp_path, task)
    (trace,) = file.traces()
    assert trace.record["response"] == "Alice: Hi, Bob.\nBob: Hello?"
    assert "messages" not in trace.record
    assert trace.people == [PersonVerdict("rating", 4, "anna")]
    assert "importance" in "; ".join(file.lost)


def test_a_dialogue_whose_speakers_are_roles_is_a_conversation(tmp_path):
    dialogue = [
        {"author": "human", "text": "Hi"},
        {"author": "assistant", "text": "Hello!"},
    ]
    task = {
        "id": 7,
        "data": {"dialogue": dialogue},
        "annotations": [annotation("anna", rating(4))],
    }
    (trace,) = read(tmp_path, task).traces()
    assert trace.record["response"] == "Hello!"
    assert spoken(trace) == [("human", "Hi"), ("assistant", "Hello!")]


def test_a_prediction_and_an_annotation_of_one_number_have_ids_of_their_own(tmp_path):
    others = {**SAID, "content": "It is not."}
    task = {
        "id": 1,
        "data": {"topic": "safety"},
        "predictions": [
            {"id": 5, "result": [message(ASKED), message(SAID), rating(4)]},
        ],
        "annotations": [
            annotation(2, message(ASKED), message(others), rating(1), id=5),
        ],
    }
    traces = list(read(tmp_path, task).traces())
    assert [trace.record["id"] for trace in traces] == ["1-5", "1-annotation-1"]
    assert [trace.record["response"] for trace in traces] == ["It is.", "It is not."]


def test_a_column_without_a_name_is_no_chat(tmp_path):
    labelled = annotation(2, {**rating(4), "to_name": "text"})
    task = {
        "id": 1,
        "data": {"": "0", "text": "So it is."},
        "annotations": [labelled],
    }
    (trace,) = read(tmp_path, task).traces()
    assert trace.record["response"] == "So it is."
    assert [person.value for person in trace.people] == [4]
