"""Which words of a response are offered as evidence for an instruction, and in what order."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appellate.core.cell import Cell
from appellate.core.deciding import Receive
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.traits.metric import KIND
from appellate.traits.metric.likely_evidence import (
    MOST,
    likely_evidence,
    likely_sentences,
    with_denial,
)
from cells import CANCER, EXPECTED, RESPONSE, Story, matrix, table, trace
from conversations import proposed, rubric, subject

SOUGHT = "States that BCL2 is on chromosome 18"


def offered(response, instruction=SOUGHT, reason=""):
    found = likely_sentences(response, instruction, reason)
    return [response[start:end] for start, end in found]


def judged(*rounds) -> Cell:
    """A cell that was judged so, round by round: the table of each, and of its members if any."""
    story = Story(matrix())
    for number, (said, *members) in enumerate(rounds, 1):
        judge = {"name": "a", "round": number, "members": [*map(placed, members)]}
        story.does(Receive(Proposed(placed(said), judge)))
    return story.cell


def placed(said):
    return KIND.locate(matrix(), trace(), said)


# -- sentences ----------------------------------------------------------------------------------------


def test_the_sentence_that_holds_the_rarest_of_the_words_comes_first():
    response = (
        "BCL2 keeps cells alive. It lies on a chromosome.\n- **BCL2** is on *chromosome 18*.\n"
        "Nothing else. BCL2 helps. BCL2 is a gene."
    )
    assert offered(response)[:2] == [
        "BCL2** is on *chromosome 18*.",
        "It lies on a chromosome.",
    ]
    assert len(offered(response)) == 5


@pytest.mark.parametrize("marks", ["* **", "1. **", "- ", "+ *", "> 2) "])
def test_a_sentence_is_offered_from_behind_marks_of_a_list_and_emphasis(marks):
    response = (
        f"Nothing else.\n{marks}BCL2 lies on chromosome 18, it is known.\nNo more."
    )
    assert offered(response)[0] == "BCL2 lies on chromosome 18, it is known."


@pytest.mark.parametrize(
    "heading",
    ["## BCL2 on chromosome 18", "**BCL2 on chromosome 18:**"],
)
def test_a_heading_is_offered_only_where_there_is_no_sentence(heading):
    assert len(offered(heading)) == 1
    said = "The gene is found on a chromosome."
    assert offered(f"{heading}\n\n{said}\n\nNothing else is known.") == [said]


@pytest.mark.parametrize(
    ("instruction", "sentence"),
    [
        ("Mentions therapies", "One therapy is known."),
        ("Names uses of it", "They use it."),
        ("Checks the kidneys", "The kidney was checked."),
        ("Says that it inhibits apoptosis", "Inhibition of apoptosis follows."),
        ("Names norepinephrine (noradrenaline)", "Start noradrenaline."),
        ("Gives 30 mL", "Give 30 mL."),
    ],
)
def test_a_word_is_found_in_its_other_forms(instruction, sentence):
    response = f"Nothing of that is 300 years old. {sentence} There is more to say."
    assert offered(response, instruction)[0] == sentence


@pytest.mark.parametrize(
    "text",
    [
        "It took 180 days.",
        "It took 18.5 days.",
        "It took 2.18 days.",
        "He has a chromosomeless cart18.",
    ],
)
def test_a_number_is_not_found_within_another(text):
    assert offered(text, "Says 18") == []


def test_a_sentence_that_denies_comes_behind_one_that_says_so():
    said, denied = "It may cause weight gain.", "It does not cause weight gain."
    assert offered(f"{denied} {said}", "Claims that it causes weight gain") == [
        said,
        denied,
    ]
    assert (
        offered(f"{said} {denied}", "Says that it does not cause weight gain")[0]
        == denied
    )


def test_the_words_of_the_judges_reason_tell_between_likely_sentences_alone():
    response = "The gene is large. The gene is a switch. Nothing lies on its arm."
    assert offered(response, "Names the gene", "no arm, only a switch") == [
        "The gene is a switch.",
        "The gene is large.",
    ]


def test_nothing_is_offered_of_a_response_that_shares_no_word():
    assert offered("States that it is on the way.") == []
    assert offered("") == []
    assert offered("BCL2.", "") == []
    assert offered("It is a gene.", "BCL2", "a gene") == []


def test_a_sentence_that_shares_next_to_nothing_is_not_offered_alone_but_behind_a_likelier_one():
    common = "Take care of the gene. The gene is a gene. " * 9
    asked = "Explains that venetoclax inhibits mitochondrial apoptosis through the gene"
    assert offered(common, asked) == []
    found = offered(f"{common}Venetoclax inhibits it.", asked)
    assert found[0] == "Venetoclax inhibits it."
    assert len(found) == MOST


def test_the_likeliest_sentence_of_a_very_long_response_is_found_among_many():
    filler = "Cells of some kind live longer on a chromosome than others do. " * 20_000
    middle = len(filler) // 2 // 63 * 63
    found = offered(filler[:middle] + "BCL-2 lies on chromosome 18. " + filler[middle:])
    assert found[0] == "BCL-2 lies on chromosome 18."
    assert len(found) == MOST


@given(
    st.text('ab2 18.)\n*-_#"cd\ud800', max_size=200),
    st.text("ab2 18cd", max_size=30),
    st.text('ab2 "'),
)
@example("1. ", "1", "")
@example(" 2. **\n- a", "2", "")
@example("1) \n_1_", "1", "")
def test_what_is_offered_are_sentences_apart_without_white_space_around_them(
    response,
    instruction,
    reason,
):
    found = sorted(likely_sentences(response, instruction, reason))
    assert all(
        response[start:end] == response[start:end].strip() != "" for start, end in found
    )
    assert all(before[1] <= after[0] for before, after in pairwise(found))


# -- what judges said ---------------------------------------------------------------------------------


def found(cell, number, instead_of=None):
    """What is offered for a TP instruction of the cell."""
    spans = likely_evidence(cell, ("tp", number), EXPECTED[number - 1], instead_of)
    return [RESPONSE[start:end] for start, end in spans]


def missing(number, **more):
    """A table in which one TP instruction is missing."""
    said = table(fn=[EXPECTED[number - 1]])
    said["items"] = [
        {"bucket": "fn", "index": 0, "of": "tp", "instruction": number, **more},
    ]
    return said


def saying(number, excerpt):
    """A table in which one TP instruction is found in an excerpt."""
    said = table(tp=[excerpt])
    said["items"] = [{"bucket": "tp", "index": 0, "of": "tp", "instruction": number}]
    return said


def test_what_another_member_of_the_panel_quotes_comes_before_any_sentence():
    cell = judged((missing(2), missing(2), saying(2, CANCER)))
    assert found(cell, 2)[0] == CANCER


def test_what_an_earlier_round_quotes_comes_before_any_sentence():
    cell = judged((saying(4, CANCER),), (missing(4),))
    assert found(cell, 4)[0] == CANCER


def test_an_excerpt_that_is_not_in_the_response_is_not_offered():
    cell = judged((saying(3, "cures cancer"),))
    assert all("cures" not in one for one in found(cell, 3))


def test_what_the_judges_reason_quotes_comes_before_the_sentences_but_for_what_is_very_short():
    reason = 'It only says “Helps cells survive”, and "gene"; it never says "chromosome 18 or 19".'
    cell = judged((missing(4, rationale=reason),))
    assert found(cell, 4)[0] == "helps cells survive"
    assert "gene" not in found(cell, 4)


def test_the_excerpt_that_is_to_be_replaced_is_not_offered_but_the_sentence_around_it_is():
    cell = judged((saying(3, CANCER),))
    start = RESPONSE.index(CANCER)
    assert (
        found(cell, 3, (start, start + len(CANCER)))[0] == RESPONSE.split(". ")[0] + "."
    )


def test_what_denies_is_offered_before_what_says_so_where_a_denial_is_asked_for():
    response = "BCL2 promotes apoptosis, some say. BCL2 does not promote apoptosis."
    said, denied = likely_sentences(response, "BCL2 promotes apoptosis")
    found = likely_sentences(response, "BCL2 promotes apoptosis", denying=True)
    assert found == [denied, said]


def test_an_excerpt_that_was_cut_off_its_denial_is_offered_with_it():
    response = "It is old. It does not promote cell death; it prevents it. It is new."
    cut = response.index("promote"), response.index(";")
    said = Trace(id="1", response=response)
    assert response[slice(*with_denial(said, cut))] == "It does not promote cell death"
    behind = Trace(id="1", response="Promoting death it does not. It is new.")
    assert with_denial(behind, (0, 15)) == (0, 28)
    whole = response.index("does not"), cut[1]
    assert with_denial(said, whole) == whole
    assert with_denial(said, (0, 9)) == (0, 9)


@pytest.mark.parametrize(
    "reads",
    [("response", "conversation"), ("conversation", "response")],
)
def test_words_of_a_round_that_read_another_text_are_looked_up_in_the_one_of_now(reads):
    before = Story(of=subject("metric", reads[0]))
    before.does(Receive(proposed(before.cell.subject)))
    (trait,) = rubric(reads[1]).metric_traits
    now = before.revised(trait).cell
    for number, words in ((1, "calls book_flight"), (2, "It is booked.")):
        found = [
            now.subject.text[slice(*span)]
            for span in likely_evidence(now, ("tp", number), "x")
        ]
        assert found == ([words] if number == 2 else [])
