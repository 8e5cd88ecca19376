"""Sentences that keep their keys, and tables that come with labels."""

import json

import pytest

from appellate.core.kind import Instruction
from appellate.core.problem import Refused
from appellate.store.audits.audit import load_audit
from appellate.store.files.trace_file import load_traces
from appellate.traits.grounding import KIND
from appellate.traits.grounding.labels import Edit, breaches
from appellate.traits.grounding.sentences import from_rows, sentence_rows, sentences_of
from appellate.traits.rubric import Rubric
from cells import bench
from traits.grounding.grounding_traits import RESPONSE, TRACE, TRAIT, support, table

BROUGHT = {
    "documents_sentences": [
        [
            ["0a", "Take it with food. Do not take it with warfarin."],
            ["0b", "It is made in Basel."],
        ],
        [
            ["1a", "Keep it dry."],
            ["1b", "STORE  it below 25 °C."],
            ["1c", "It is nowhere."],
        ],
    ],
    "response_sentences": [
        ["a", "Take it with food. Store it below 25 °C."],
        ["b", " Everybody likes it. "],
    ],
}


def labels(trace=TRACE, **more):
    return KIND.labels(TRAIT, trace, table(**more))


# -- sentences --------------------------------------------------------------------------------------


def test_documents_and_response_are_cut_into_keyed_sentences_with_their_places():
    found = sentences_of(TRACE)
    assert [[one.key for one in listed] for listed in found.documents] == [
        ["0a", "0b", "0c"],
        ["1a", "1b", "1c"],
    ]
    assert [one.text for one in found.response] == [
        "Take it with food.",
        "Store it below 25 °C.",
        "Everybody likes it.",
    ]
    assert all(RESPONSE[slice(*one.span)] == one.text for one in found.response)
    assert found.find("1b").text == "Store it below 25 °C."
    assert [found.document_of(key) for key in ("0c", "1a", "a")] == [0, 1, None]


def test_lists_of_a_trace_that_are_none_are_left_aside():
    broken = {**BROUGHT, "documents_sentences": [[["0a", "x"]]]}
    assert sentences_of(TRACE.model_copy(update={"metadata": broken})) == sentences_of(
        TRACE,
    )


def test_a_table_keeps_its_sentences_whatever_the_splitter_would_do_now():
    kept = KIND.locate(TRAIT, TRACE, table(**BROUGHT))
    assert kept["documents_sentences"][1] == [
        ["1a", 0, 12],
        ["1b", 14, 35],
        ["1c", "It is nowhere."],
    ]
    assert kept["response_sentences"] == [["a", 0, 40], ["b", 41, 60]]
    assert [one.key for one in KIND.labels(TRAIT, TRACE, kept).support] == ["a", "b"]
    assert KIND.locate(TRAIT, TRACE, kept) == kept


def test_a_sentence_said_twice_stands_in_both_places():
    trace = TRACE.model_copy(
        update={"response": "Yes. Maybe. Yes.", "documents": ["x"]},
    )
    given = {
        "documents_sentences": [[]],
        "response_sentences": [["a", "Yes."], ["b", "Yes."]],
    }
    rows = sentence_rows(trace, given)
    assert rows["response_sentences"] == [["a", 0, 4], ["b", 12, 16]]
    assert from_rows(trace, rows).to_file() == rows


def test_odd_texts_are_cut_all_the_same():
    odd = TRACE.model_copy(
        update={"response": "\ud800 x.\r\n\r\n- y\n", "documents": ["", "\n\n"]},
    )
    assert [one.text for one in sentences_of(odd).response] == ["\ud800 x.", "- y"]
    assert sentences_of(odd).documents == ((), ())
    assert sentences_of(TRACE.model_copy(update={"documents": None})).documents == ()


# -- labels -----------------------------------------------------------------------------------------


def test_every_sentence_of_the_response_has_an_entry_in_its_place():
    said = [support("c", ["1c", "0a"]), support("A.", ["general"], full=False)]
    found = labels(sentence_support_information=said)
    assert [(one.key, one.verdict, one.keys) for one in found.support] == [
        ("a", "partial", ("general",)),
        ("b", "unlabelled", ()),
        ("c", "full", ("0a", "1c")),
    ]
    assert [one.key for one in found.unsupported()] == ["a", "b"]


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (support("a", ["0a"]), "full"),
        (support("a", ["0a"], full=False), "partial"),
        (support("a", [], full=False), "none"),
        (support("a", ["0a"], full=False, partly_supported=False), "none"),
        (support("a", [], full=False, partly_supported=True), "partial"),
        (support("a", ["0a"], full=None), "unlabelled"),
        (support("a", ["0a"], full=None, partly_supported=True), "partial"),
    ],
)
def test_support_is_full_partial_none_or_not_said(row, verdict):
    assert labels(sentence_support_information=[row]).of("a").verdict == verdict


def test_the_list_of_what_is_not_supported_speaks_where_a_row_says_nothing():
    found = labels(
        sentence_support_information=[],
        unsupported_response_sentence_keys=["b."],
    )
    assert [one.verdict for one in found.support] == [
        "unlabelled",
        "none",
        "unlabelled",
    ]


def test_every_violation_is_told_with_the_sentences_it_is_about():
    found = labels(
        all_relevant_sentence_keys=["0a", "8q"],
        all_utilized_sentence_keys="0a, 1b; 1c",
        overall_supported=True,
        sentence_support_information=[
            support("a"),
            support("b", ["0a", "9z"], full=False, partly_supported=False),
            support("b", ["0a"]),
            support("x", ["0a"]),
        ],
    )
    assert [tuple(one) for one in breaches(found)] == [
        (("a",), "a is said to be fully supported, by no sentence."),
        (("b",), "b is said to have no support, and to be linked to 0a."),
        (("c",), "c is not labelled: it has no verdict yet."),
        (("1b", "1c"), "1b, 1c are utilized, but not relevant."),
        (("b", "c"), "Overall the judge says that all is supported, but b, c are not."),
        ((), "The judge named “8q” as relevant: no sentence has that key."),
        ((), "The judge named “9z” as support of b: no sentence has that key."),
        ((), "b is labelled more than once: the first label counts."),
        (
            (),
            "The judge named “x” as a sentence of the response: no sentence has that key.",
        ),
    ]
    assert [check.name for check in KIND.checks(TRAIT, found)] == ["breach"] * 9


def test_a_verdict_on_the_whole_against_its_own_sentences_is_told_both_ways():
    said = [support(key, ["0a"]) for key in "abc"]
    (told,) = breaches(
        labels(sentence_support_information=said, overall_supported=False),
    )
    assert (
        told.sentence
        == "Overall the judge says that not all is supported, but every sentence is."
    )


def test_what_is_audited_reads_as_a_row_of_ragbench():
    written = KIND.write(
        labels(sentence_support_information=[support("a", ["0a"], explanation="So.")]),
    )
    assert written["audited"]["sentence_support_information"][:2] == [
        {
            "response_sentence_key": "a",
            "explanation": "So.",
            "supporting_sentence_keys": ["0a"],
            "fully_supported": True,
        },
        {"response_sentence_key": "b", "supporting_sentence_keys": []},
    ]
    assert written["audited"]["unsupported_response_sentence_keys"] == ["b", "c"]
    assert "documents_sentences" not in written["audited"]


@pytest.mark.parametrize(
    ("wrong", "place", "told"),
    [
        (
            {"all_utilized_sentence_keys": {}},
            "all_utilized_sentence_keys",
            "must be a list of texts",
        ),
        (
            {"overall_supported": 1},
            "overall_supported",
            "must be true or false, not the number 1",
        ),
        (
            {"sentence_support_information": [1]},
            "sentence_support_information.0",
            "must be a table",
        ),
        (
            {"sentence_support_information": [support("a", partly_supported=True)]},
            "sentence_support_information.0.partly_supported",
            "a sentence is fully or partly supported, not both",
        ),
        (
            {
                "documents_sentences": [[["0a", "x"], ["0a", "y"]], []],
                "response_sentences": [],
            },
            "documents_sentences.0.1.0",
            'another sentence has the key "0a" already',
        ),
        (
            {"documents_sentences": [[["x", "y"]], []], "response_sentences": []},
            "documents_sentences.0.0.0",
            '"x" is no key of a sentence',
        ),
        (
            {"documents_sentences": [[["0a"]], []], "response_sentences": []},
            "documents_sentences.0.0",
            "must be [key, words] or [key, start, end], not a list",
        ),
        (
            {"documents_sentences": [[]], "response_sentences": []},
            "documents_sentences",
            "has 1 list of sentences, and the trace 2 documents",
        ),
        (
            {"documents_sentences": [[], []], "response_sentences": [["a", 5, 500]]},
            "response_sentences.0",
            "5 to 500 mark no part of a text of 60 characters",
        ),
        (
            {"documents_sentences": [[], 1], "response_sentences": []},
            "documents_sentences.1",
            "must be",
        ),
        (
            {"documents_sentences": [[], []]},
            "response_sentences",
            "must be a list of sentences",
        ),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_place(wrong, place, told):
    (fault,) = KIND.faults(TRAIT, TRACE, table(**wrong))
    assert ".".join(map(str, fault.path)) == place
    assert fault.wrong.startswith(told)


def test_what_is_wrong_with_both_lists_of_sentences_is_told_at_once():
    wrong = table(documents_sentences=["x"], response_sentences=5)
    told = {fault.path: fault.wrong for fault in KIND.faults(TRAIT, TRACE, wrong)}
    assert told == {
        ("documents_sentences", 0): (
            'must be the list of a document\'s sentences, not the text "x"'
        ),
        ("response_sentences",): "must be a list of sentences, not the number 5",
    }


def test_a_row_of_a_later_version_is_read_all_the_same():
    (fault,) = KIND.faults(
        TRAIT,
        TRACE,
        table(sentence_support_information=[support("a", odd=1)]),
    )
    assert fault.newer


# -- labels that came with traces -------------------------------------------------------------------


def test_a_row_of_ragbench_comes_in_with_its_nulls_and_is_kept_in_the_audit(tmp_path):
    said = [support("a", ["0a"]), support("b", full=None)]
    row = table(sentence_support_information=said, overall_supported=None, **BROUGHT)
    file = tmp_path / "t.jsonl"
    trace = {**TRACE.model_dump(exclude_defaults=True), "judgments": {TRAIT.name: row}}
    file.write_text(json.dumps(trace), "utf-8")
    (loaded,) = load_traces(file)
    assert not list(KIND.faults(TRAIT, loaded, loaded.judgments[TRAIT.name]))
    with bench(tmp_path, loaded, of=Rubric(grounding_traits=[TRAIT])) as at:
        at.save()
        assert load_audit(at.audit).text() == at.audit.read_text("utf-8")


# -- what a sentence is called, and corrections that have no place ---------------------------------


def test_a_sentence_is_called_by_its_key_and_one_of_a_document_with_what_is_asked_of_it():
    found = labels()
    named = {KIND.called(TRAIT, found, asked) for asked in KIND.answers(TRAIT, found)}
    assert ("a", "Take it with food.", False) in named
    assert ("0b relevant", "Do not take it with warfarin.", False) in named
    missing = labels(sentence_support_information=[support("a", ["0a"])])
    open_ones = [one.name for one in _called(missing) if one.is_open]
    assert open_ones == ["b", "c"]
    asked = Instruction("response", 1, "words")
    assert KIND.called(TRAIT, KIND.blank, asked) == ("", "words", False)
    assert KIND.evidence(TRAIT, KIND.blank) == []


def _called(found):
    return [KIND.called(TRAIT, found, asked) for asked in KIND.answers(TRAIT, found)]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (Edit("support", sentence="z", support="none"), "z"),
        (
            Edit("support", sentence="a", support="none", seen="Other words."),
            "a is another sentence",
        ),
        (
            Edit("link", sentence="a", key="0b", linked="Other words."),
            "0b is another sentence here; look again",
        ),
    ],
)
def test_a_correction_of_another_sentence_is_refused(edit, told):
    with pytest.raises(Refused, match=told):
        KIND.apply(TRAIT, TRACE, labels(), edit)


def test_a_cell_without_sentences_takes_them_from_its_first_correction_alone():
    with pytest.raises(
        Refused,
        match="Its sentences came with a correction that is undone",
    ):
        KIND.apply(
            TRAIT,
            TRACE,
            KIND.blank,
            Edit("support", sentence="a", support="none"),
        )
