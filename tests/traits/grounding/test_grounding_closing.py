"""The report says in words what grounding comes to: the scores, what has no support, what to do."""

import json

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct, Draw, Receive
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.numbers.data import json_parts
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.numbers.sections import CLOSINGS
from appellate.store.audits.audit import load_audit
from appellate.traits.grounding import KIND
from appellate.traits.grounding.labels import Edit
from appellate.traits.rubric import Rubric
from cells import bench
from traits.grounding.grounding_traits import RAGBENCH, TRACE, TRAIT, support, table

ALL = [support("a", ["0a"]), support("b", ["1b"]), support("c", ["0c"])]


def closing(trait=TRAIT, **more):
    return KIND.closing(
        trait,
        KIND.labels(trait, TRACE, KIND.locate(trait, TRACE, table(**more))),
    )


def test_the_scores_say_what_they_are_made_of_by_either_definition():
    assert closing().meanings == (
        "relevance 0.20: 4 of 6 document sentences bear on the question (20 would be a full score)",
        "utilization 0.50: the response draws on 2; 4 are relevant",
        "completeness 0.50: 2 of 4 relevant ones are in the response",
        "adherence 0.00: 1 of 3 sentences of the response lacks full support",
    )
    relevance, utilization, *_ = closing(RAGBENCH).meanings
    assert relevance == "relevance 0.67: 4 of 6 document sentences bear on the question"
    assert (
        utilization
        == "utilization 0.33: the response draws on 2 of 6 document sentences"
    )


def test_a_sentence_that_no_document_supports_is_named_with_its_words_and_what_to_do():
    found = closing()
    assert found.gaps == (("c, no document supports it", "Everybody likes it."),)
    assert found.advice == (
        (
            "Take c out of the answer, or find a document that says so: these words come from nowhere"
            " that was retrieved."
        ),
        "See whether 0b and 1a should be in the answer: relevant, and not used.",
    )


@pytest.mark.parametrize(
    ("more", "gaps", "advice"),
    [
        (
            {
                "all_relevant_sentence_keys": ["0a", "1b", "0c"],
                "all_utilized_sentence_keys": ["0a", "1b", "0c"],
                "sentence_support_information": ALL,
            },
            [],
            ["There is nothing to do"],
        ),
        (
            {
                "sentence_support_information": [
                    support("a", ["0a"], full=False, partially_supported=True),
                    ALL[1],
                ],
            },
            ["a, in part only", "c, not labelled"],
            ["Cut a down", "Label c", "See whether 0b and 1a should"],
        ),
        (
            {"all_relevant_sentence_keys": [], "sentence_support_information": ALL},
            [],
            ["Look at the retrieval first"],
        ),
        (
            {"all_relevant_sentence_keys": ["0a"], "sentence_support_information": ALL},
            [],
            ["See whether 1b answers the question: used, and not relevant."],
        ),
    ],
)
def test_what_falls_short_and_what_to_do_follow_from_the_labels(more, gaps, advice):
    found = closing(**more)
    assert [gap for gap, _ in found.gaps] == gaps
    assert len(found.advice) == len(advice)
    for told, begin in zip(found.advice, advice, strict=True):
        assert told.startswith(begin)


def test_a_cell_without_sentences_says_nothing():
    assert KIND.closing(TRAIT, KIND.blank) is None


def test_many_keys_are_counted_after_the_first():
    text = " ".join(f"Fact {number} stands here." for number in range(30))
    trace = Trace(id="t", response="Nothing.", documents=[text])
    keys = [f"0{chr(97 + number)}" for number in range(20)]
    labels = KIND.labels(
        TRAIT,
        trace,
        {
            "all_relevant_sentence_keys": keys,
            "sentence_support_information": [support("a", ["0a"])],
        },
    )
    assert KIND.closing(TRAIT, labels).advice == (
        (
            "See whether 0a, 0b, 0c, 0d, 0e, 0f, 0g, 0h and 12 more should be in the answer: relevant,"
            " and not used."
        ),
    )


# -- in the report ---------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """Three cells: one by the judge alone, one mended and signed off, one whose judge is hidden."""
    traces = [TRACE.model_copy(update={"id": f"t{number}"}) for number in (1, 2, 3)]
    with bench(tmp_path, *traces, of=Rubric(grounding_traits=[TRAIT])) as at:
        for number in (1, 2, 3):
            at.do(
                number,
                Receive(Proposed(KIND.locate(TRAIT, TRACE, table()), {"name": "gpt"})),
            )
        at.do(
            1,
            Correct(Edit("link", key="general", sentence="c", on=True), "small talk"),
        )
        at.sign_off(1)
        at.do(3, Draw(blind=True))
        at.save()
        return at.audit


def test_every_form_has_the_words_of_the_cells_in_sight_and_says_whose_labels_they_are_of(
    file,
):
    found = report(load_audit(file))
    assert [(one.place.trace, one.labels) for one in found.closings] == [
        ("t2", "the judge's"),
        ("t1", "signed off"),
    ]
    for form in (markdown, html):
        text = form(found)
        assert "In words" in text
        assert "In 1 of 2 cells something lacks full support: 1 sentence." in text
        assert "“Everybody likes it.”" in text
        assert "t3 · Grounded" not in text
    told = json.loads("".join(json_parts(found)))["in_words"]
    assert [one["trace"] for one in told] == ["t2", "t1"]
    assert told[0]["gaps"] == [
        {"gap": "c, no document supports it", "words": "Everybody likes it."},
    ]
    assert told[1]["gaps"] == []


def test_the_command_prints_them_and_a_rubric_without_such_traits_has_none(
    file,
    capsys,
    tmp_path,
):
    assert main(["report", str(file), "-o", "-"]) == 0
    assert "Take c out of the answer" in capsys.readouterr().out
    with bench(tmp_path / "other") as at:
        at.save()
    found = report(load_audit(at.audit))
    assert "In words" not in markdown(found)
    assert "in_words" not in json.loads("".join(json_parts(found)))


def test_of_many_cells_the_first_are_told_and_json_has_all(tmp_path):
    traces = [
        TRACE.model_copy(update={"id": f"t{number}"}) for number in range(CLOSINGS + 2)
    ]
    with bench(tmp_path, *traces, of=Rubric(grounding_traits=[TRAIT])) as at:
        for number in range(1, CLOSINGS + 3):
            at.do(
                number,
                Receive(Proposed(KIND.locate(TRAIT, TRACE, table()), {"name": "gpt"})),
            )
        at.save()
    found = report(load_audit(at.audit))
    text = markdown(found)
    assert text.count("Take c out of the answer") == CLOSINGS
    assert "2 further cells: the report with" in text
    assert len(json.loads("".join(json_parts(found)))["in_words"]) == CLOSINGS + 2
