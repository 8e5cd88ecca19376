"""Label Studio and Argilla: several annotators of one answer, and a model's suggestion."""

import json

import pytest

from appellate.interop import recognise
from appellate.interop.foreign import JudgeVerdict, PersonVerdict
from appellate.interop.taking_in import sharing_people

NOON = "2025-03-01T12:00:00Z"


def result(name, sort, value):
    return {"from_name": name, "to_name": "text", "type": sort, "value": value}


def annotation(by, *results, **more):
    return {"completed_by": by, "created_at": NOON, "result": list(results), **more}


SAFE = result("safety", "choices", {"choices": ["safe"]})
UNSAFE = result("safety", "choices", {"choices": ["unsafe"]})
LABEL_STUDIO = {
    "id": 7,
    "data": {"question": "How?", "answer": "Like so.", "source": "forum"},
    "predictions": [{"model_version": "m1", "result": [SAFE]}],
    "annotations": [
        annotation(
            {"id": 1, "email": "anna@x.org"},
            SAFE,
            result("why", "textarea", {"text": ["a"]}),
        ),
        annotation(2, UNSAFE, result("quality", "rating", {"rating": 4})),
        annotation(3, SAFE, was_cancelled=True),
    ],
}
ARGILLA_2 = {
    "id": "7",
    "fields": {"question": "How?", "answer": "Like so."},
    "metadata": {"source": "forum"},
    "suggestions": {"safety": {"value": "safe", "agent": "m1"}},
    "responses": {
        "safety": [
            {"value": "safe", "user_id": "anna@x.org"},
            {"value": "unsafe", "user_id": "annotator 2"},
            {"value": "safe", "user_id": "eva", "status": "draft"},
        ],
        "safety_reason": [{"value": "a", "user_id": "anna@x.org"}],
        "quality": [{"value": 4, "user_id": "annotator 2"}],
    },
}
ARGILLA_1 = {
    **ARGILLA_2,
    "suggestions": [{"question_name": "safety", "value": "safe", "agent": "m1"}],
    "responses": [
        {
            "user_id": "anna@x.org",
            "status": "submitted",
            "values": {"safety": {"value": "safe"}, "safety_reason": {"value": "a"}},
        },
        {
            "user_id": "annotator 2",
            "status": "submitted",
            "values": {"safety": {"value": "unsafe"}, "quality": {"value": 4}},
        },
        {
            "user_id": "eva",
            "status": "discarded",
            "values": {"safety": {"value": "safe"}},
        },
    ],
}


@pytest.mark.parametrize(
    ("row", "at"),
    [(LABEL_STUDIO, NOON), (ARGILLA_2, ""), (ARGILLA_1, "")],
    ids=["ls", "a2", "a1"],
)
def test_each_annotator_comes_in_by_name_beside_the_suggestion(tmp_path, row, at):
    path = tmp_path / "export.json"
    path.write_text(json.dumps([row]), "utf-8")
    file = recognise.read([path])
    (trace,) = file.traces()
    assert trace.record == {
        "id": "7",
        "question": "How?",
        "response": "Like so.",
        "metadata": {"source": "forum"},
    }
    assert trace.judged == [JudgeVerdict("safety", "safe", judge="m1")]
    assert trace.people == [
        PersonVerdict("safety", "safe", "anna@x.org", "a", at=at),
        PersonVerdict("safety", "unsafe", "annotator 2", at=at),
        PersonVerdict("quality", 4, "annotator 2", at=at),
    ]
    assert sharing_people(file) == ["anna@x.org", "annotator 2"]


@pytest.mark.parametrize(
    ("data", "response"),
    [
        ({"text": "It is.", "title": "T"}, "It is."),
        ({"review": "It is.", "stars": 4}, "It is."),
        ({"left": "x", "right": "y"}, None),
    ],
)
def test_the_one_text_of_a_task_is_its_response_and_of_two_none_is_guessed(
    tmp_path,
    data,
    response,
):
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{**LABEL_STUDIO, "data": data}]), "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert trace.record.get("response") == response


def test_a_task_without_predictions_and_with_regions_is_read(tmp_path):
    region = result("box", "rectanglelabels", {"x": 1})
    several = result("safety", "choices", {"choices": ["a", "b"]})
    task = {
        "id": 1,
        "data": {"text": "x"},
        "annotations": [annotation(None, region, several)],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{**task, "predictions": [12]}]), "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert (trace.judged, trace.people) == ([], [])


def traces_of(folder, *rows):
    path = folder / "export.json"
    path.write_text(json.dumps(rows), "utf-8")
    return list(recognise.read([path]).traces())


@pytest.mark.parametrize("missing", [{}, {"id": None}])
def test_a_task_without_an_id_has_its_number(tmp_path, missing):
    unnamed = {key: value for key, value in LABEL_STUDIO.items() if key != "id"}
    (trace,) = traces_of(tmp_path, unnamed | missing)
    assert trace.record["id"] == "1"


def test_a_field_of_a_task_that_is_null_is_no_text(tmp_path):
    data = {"question": None, "answer": "Like so."}
    (trace,) = traces_of(tmp_path, {**LABEL_STUDIO, "data": data})
    assert "question" not in trace.record


def task(data, to_name):
    labelled = {**SAFE, "to_name": to_name}
    return {"id": 1, "data": data, "annotations": [annotation("anna", labelled)]}


def test_the_response_is_the_text_that_annotations_are_about(tmp_path):
    data = {"title": "Fires", "body": "It burns.", "_row_id": "r1"}
    for to_name in ("body", "$body"):
        (trace,) = traces_of(tmp_path, task(data, to_name))
        assert trace.record["response"] == "It burns."
        assert trace.record["metadata"] == {"title": "Fires", "_row_id": "r1"}


@pytest.mark.parametrize(
    "address",
    ["https://x.org/a.jpg", "/data/upload/1/a.wav", "s3://b/a.png", "data:image/png;x"],
)
def test_the_address_of_an_image_or_a_sound_is_no_response(tmp_path, address):
    (trace,) = traces_of(tmp_path, task({"image": address}, "image"))
    assert "response" not in trace.record
    (trace,) = traces_of(
        tmp_path,
        task({"image": address, "caption": "A cat."}, "image"),
    )
    assert trace.record["response"] == "A cat."


def test_the_reason_of_the_tenth_question_is_not_that_of_the_first(tmp_path):
    results = [
        result("q1", "rating", {"rating": 1}),
        result("q10", "rating", {"rating": 2}),
        result("q10_reason", "textarea", {"text": ["too long"]}),
    ]
    path = tmp_path / "tasks.json"
    path.write_text(
        json.dumps([{**LABEL_STUDIO, "annotations": [annotation(2, *results)]}]),
    )
    (trace,) = recognise.read([path]).traces()
    assert [(person.trait, person.reason) for person in trace.people] == [
        ("q1", ""),
        ("q10", "too long"),
    ]


@pytest.mark.parametrize("broken", [["x"], "x", 7, None])
def test_an_annotation_that_is_no_table_is_left_out_and_counted(tmp_path, broken):
    annotations = [broken, *LABEL_STUDIO["annotations"]]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{**LABEL_STUDIO, "annotations": annotations}]), "utf-8")
    file = recognise.read([path])
    (trace,) = file.traces()
    assert [verdict.by for verdict in trace.people][:1] == ["anna@x.org"]
    assert file.notes() == ["left out: 1 annotation or response that cannot be read"]


@pytest.mark.parametrize("results", ["x", 7, {"from_name": "safety"}])
def test_an_annotation_whose_result_is_no_list_is_left_out_and_counted(
    tmp_path,
    results,
):
    annotations = [{"result": results}, {"result": results}, {"result": ["x", SAFE]}]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{**LABEL_STUDIO, "annotations": annotations}]), "utf-8")
    file = recognise.read([path])
    (trace,) = file.traces()
    assert [verdict.value for verdict in trace.people] == ["safe"]
    assert file.notes() == ["left out: 2 annotations or responses that cannot be read"]


@pytest.mark.parametrize("broken", [["x"], "x", 7, None])
@pytest.mark.parametrize("version", [1, 2])
def test_a_response_of_argilla_that_is_no_table_is_left_out_and_counted(
    tmp_path,
    version,
    broken,
):
    record = ARGILLA_1 if version == 1 else ARGILLA_2
    responses = [broken, *record["responses"]] if version == 1 else {}
    if version == 2:
        for name, answers in record["responses"].items():
            responses[name] = [*answers, broken] if name == "safety" else answers
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{**record, "responses": responses}]), "utf-8")
    file = recognise.read([path])
    (trace,) = file.traces()
    assert [verdict.by for verdict in trace.people][:1] == ["anna@x.org"]
    assert file.notes() == ["left out: 1 annotation or response that cannot be read"]
