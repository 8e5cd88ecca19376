"""A judge's excerpts of two responses: each is of one answer, looked up there alone, and kept with it."""

import json

import pytest
from pairwise_cells import BETTER, OTHER, RESPONSE, STRAIGHT, SWAPPED, pair

from appellate.core.kind import Briefing, Example
from appellate.core.trace import OtherResponse
from appellate.traits.pairwise import KIND
from appellate.traits.verdict.kind import Edit
from dialogues import Talk


def said(verdict, *excerpts):
    rows = [{"answer": answer, "text": text} for answer, text in excerpts]
    return json.dumps(
        {"answer": {"rationale": "x", "excerpts": rows, "verdict": verdict}},
    )


def again(*texts):
    rows = [{"number": number, "text": text} for number, text in enumerate(texts, 1)]
    return json.dumps({"excerpts": rows})


def talk(*replies, briefing=None):
    return Talk(
        BETTER,
        *replies,
        kind=KIND,
        trace=STRAIGHT,
        briefing=briefing or Briefing(),
    )


def table(*excerpts, **more):
    """A judge's table with excerpts, each given as the answer that it is from and its words."""
    items = [
        {"index": index, "answer": answer} for index, (answer, _) in enumerate(excerpts)
    ]
    return {
        "value": 0,
        "evidence": [text for _, text in excerpts],
        "items": items,
        **more,
    }


def labels(trace, given):
    read = BETTER.as_read(trace)
    return KIND.labels(BETTER, read, KIND.locate(BETTER, read, given))


def faults(given, trait=BETTER):
    return [str(fault) for fault in KIND.faults(trait, STRAIGHT, given)]


# -- asking ----------------------------------------------------------------------------------------


def test_an_excerpt_is_of_the_response_that_stood_where_the_judge_says():
    held = talk(
        said("first", ("first", "ask a doctor"), ("second", "never take it")),
        said("second", ("second", "with warfarin."), ("first", "never take it")),
    )
    assert held.table["evidence"] == ["ask a doctor", "never take it", "with warfarin."]
    assert [item["answer"] for item in held.table["items"]] == [
        "response",
        "other",
        "response",
    ]


def test_a_reply_without_excerpts_is_a_reply():
    held = talk(json.dumps({"answer": {"verdict": "tie"}}), said("tie"))
    assert "evidence" not in held.table
    assert held.faults == [held.faults[0]]


def test_excerpts_of_neither_answer_blank_ones_and_words_of_the_request_are_left_out():
    own = 'is better by that criterion, "second" if the second one is'
    first = said("first", ("third", "with food"), ("first", " "), ("first", own))
    assert "evidence" not in talk(first, said("second")).table


def test_words_of_the_other_answer_are_asked_about_and_never_taken_for_this_one():
    held = talk(
        said("first", ("first", "never take it")),
        again("ask a doctor"),
        said("second"),
    )
    assert "never take it" in held.prompts[1].user
    assert held.table["evidence"] == ["ask a doctor"]
    kept = talk(
        said("first", ("first", "at all.")),
        again("take it with warfarin at all"),
    )
    kept.send(said("second"))
    assert kept.table["evidence"] == ["at all."]
    assert labels(STRAIGHT, kept.table).evidence[0].span is None


def test_an_example_shows_its_excerpts_in_the_order_of_each_request():
    example = Example(BETTER.as_read(STRAIGHT), table(("response", "ask a doctor")))
    first, second = talk(said("first"), briefing=Briefing(examples=(example,))).prompts
    assert '{"answer": "first", "text": "ask a doctor"}' in first.user
    assert '{"answer": "second", "text": "ask a doctor"}' in second.user


# -- labels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("trace", [STRAIGHT, SWAPPED])
def test_an_excerpt_is_looked_up_in_its_answer_alone_on_whichever_side_that_is(trace):
    read = BETTER.as_read(trace)
    for answer in ("response", "other"):
        (excerpt,) = labels(trace, table((answer, "take ibuprofen WITH food"))).evidence
        side = read.side_of(answer)
        assert side.start <= excerpt.span[0] < excerpt.span[1] <= side.end
        assert excerpt.text == "Take ibuprofen with food"
    (lost,) = labels(trace, table(("response", "never take it"))).evidence
    assert (lost.text, lost.span) == ("never take it", None)


def test_offsets_that_are_of_the_other_side_are_looked_up_anew():
    given = KIND.locate(BETTER, STRAIGHT, table(("response", "ask a doctor")))
    turned = next(
        seed
        for seed in range(1, 99)
        if BETTER.model_copy(update={"seed": seed}).as_read(STRAIGHT).is_swapped
    )
    moved = BETTER.model_copy(update={"seed": turned})
    (excerpt,) = KIND.labels(moved, STRAIGHT, given).evidence
    assert moved.as_read(STRAIGHT).text[slice(*excerpt.span)] == "ask a doctor"
    assert list(excerpt.span) != [given["items"][0]["start"], given["items"][0]["end"]]


def test_an_excerpt_with_an_ellipsis_has_a_place_for_each_part():
    evidence = labels(STRAIGHT, table(("other", "Take ibuprofen … at all"))).evidence
    assert [excerpt.text for excerpt in evidence] == ["Take ibuprofen", "at all"]


def test_two_equal_excerpts_of_one_answer_have_different_places_if_there_are_two():
    trace = pair(5, response="Yes. Yes.", other=OtherResponse(response="No."))
    spans = [
        e.span
        for e in labels(
            trace,
            table(("response", "Yes."), ("response", "Yes.")),
        ).evidence
    ]
    assert len(set(spans)) == 2


def test_labels_are_written_and_read_again_with_their_excerpts():
    before = labels(STRAIGHT, table(("other", "never"), ("response", "nowhere")))
    written = KIND.write(before)
    again = {**written["audited"], "items": written["items"]}
    assert faults(again) == []
    assert KIND.labels(BETTER, STRAIGHT, again) == before


def test_labels_without_evidence_are_written_as_before():
    assert KIND.write(labels(STRAIGHT, {"value": 0})) == {
        "audited": {"value": 0, "class": "response"},
    }
    assert "evidence" not in KIND.locate(BETTER, STRAIGHT, {"value": 0})


def test_excerpts_speak_for_the_judges_verdict_and_for_no_other():
    read = BETTER.as_read(STRAIGHT)
    before = labels(STRAIGHT, table(("response", "ask a doctor"), ("other", "nowhere")))
    asked = KIND.question(BETTER)
    assert KIND.grounds(BETTER, before, asked).loose == ("nowhere",)
    assert [check.sentence for check in KIND.checks(BETTER, before)] == [
        "“nowhere” is not in answer B.",
    ]
    changed = KIND.apply(BETTER, read, before, Edit("overrule", 1)).labels
    assert KIND.evidence(BETTER, changed) == []
    assert KIND.checks(BETTER, changed) == []
    assert "evidence" not in KIND.write(changed)["audited"]
    back = KIND.apply(BETTER, read, changed, Edit("restore")).labels
    assert back == before


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"value": 0, "evidence": ["x"]}, "is from neither answer"),
        ({"value": 0, "evidence": "x"}, "must be a list of texts"),
        (
            {"value": 0, "evidence": [], "items": [{"index": 0, "answer": "other"}]},
            "0 items",
        ),
        (table(("A", "x")), 'must be "response" or "other", not the text "A"'),
        (table(("response", "x"), items=[{"index": 0}]), "not missing"),
        (
            table(
                ("response", "x"),
                items=[
                    {"index": 0, "answer": "response"},
                    {"index": 0, "answer": "other"},
                ],
            ),
            "another row says",
        ),
        (
            table(
                ("other", "x"),
                items=[{"index": 0, "answer": "other", "start": 0, "end": 999}],
            ),
            "mark no part",
        ),
    ],
)
def test_excerpts_that_name_no_answer_or_no_place_are_refused(given, wrong):
    for trait in (BETTER, None):
        assert wrong in " ".join(faults(given, trait))


# -- exports ---------------------------------------------------------------------------------------


def test_a_place_is_told_in_the_words_of_its_own_answer():
    trace = pair(
        3,
        response="One.\n[Answer A] is\n [Answer B] it.",
        other=OtherResponse(response=OTHER),
    )
    read = BETTER.as_read(trace)
    side = read.side_of("response")
    start = side.start + side.text.index("it.")
    place = read.place_in_answer(start, start + 3)
    assert trace.response[place["answer_start"] : place["answer_end"]] == "it."
    assert place["answer"] == "response"
    assert read.place_in_answer(0, 4) == {}
    assert trace.place_in_answer(0, 2) == {}
    other = read.side_of("other")
    assert read.place_in_answer(other.start, other.end) == {
        "answer": "other",
        "answer_start": 0,
        "answer_end": len(OTHER),
    }
    assert RESPONSE not in read.text
