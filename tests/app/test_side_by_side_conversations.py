"""Two runs beside each other: compared and marked by what the assistant says and calls alone."""

from comparisons import counts, listed, paired, words
from hypothesis import given
from hypothesis import strategies as st

from appellate.app.compare.side_by_side import HERE, THERE, own_differences
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation
from cells import checklist, rubric, table, trace

POLICY = "You must obtain explicit confirmation before you book anything at all. " * 20
SAID = "It lies on chromosome 18 of the genome, and is important in cancer."


def run(*said, question="Where is BCL2?", policy=POLICY):
    """Messages in which a user speaks before each thing that the assistant says."""
    messages = [{"role": "system", "content": policy}]
    for number, words_said in enumerate(said):
        messages.append({"role": "user", "content": f"{question} {number}"})
        messages.append({"role": "assistant", "content": words_said})
    return messages


def scene():
    one = ["One moment, please.", SAID]
    other = [
        "One moment, please.",
        SAID.replace("chromosome 18 of the genome", "chromosome 1"),
    ]
    third = ["No idea whatsoever today.", "Better ask a librarian next week."]
    traces = [
        trace(
            name,
            said[-1],
            model=name,
            question_id="q",
            question="Where?",
            messages=run(*said),
        )
        for name, said in (("a", one), ("b", other), ("c", third))
    ]
    found = table(tp=["It lies on chromosome"], fn=["x"])
    items = [{"bucket": "tp", "index": 0, "of": "tp", "instruction": 4}]
    proposed = Proposed({**found, "items": items}, {"name": "gpt"})
    return (
        rubric(checklist(reads="conversation")),
        traces,
        [[proposed], [proposed], [proposed]],
    )


def marked(of, side):
    shown = of.beside().texts[side]
    return [
        shown.text[s.start : s.end] for s in shown.spans if s.style_key == "differs"
    ]


def test_the_words_in_common_are_the_assistants(tmp_path):
    with paired(tmp_path, scene()) as of:
        told = counts(of)
        assert "of the assistant's words in common" in told
        assert 60 < int(told.split(" %")[0].split()[-1]) < 100
        of.next_partner()
        assert "texts too different to mark" in counts(of), (
            "though both read one policy"
        )


def test_words_that_differ_are_marked_in_the_assistants_steps(tmp_path):
    with paired(tmp_path, scene()) as of:
        assert marked(of, HERE) == ["18 of the genome"]
        assert marked(of, THERE) == ["1"]


def test_evidence_is_quoted_and_shown_in_the_conversation(tmp_path):
    with paired(tmp_path, scene()) as of:
        assert "It lies on chromosome" in words(of)
        for side in (HERE, THERE):
            shown = of.beside().texts[side]
            assert shown.text.startswith("[1] system\n")
            quoted = [
                shown.text[s.start : s.end] for s in shown.spans if s.style_key == "tp"
            ]
            assert "It lies on chromosome" in quoted


texts = st.text("ab \n[1]", max_size=12)
runs = st.lists(texts, max_size=4)


@given(runs, runs, texts)
def test_marks_lie_within_single_steps_of_the_assistant(one, other, asked):
    traces = [
        as_conversation(
            Trace(
                id="t",
                response="a b",
                messages=run(*said, question=asked, policy="a b"),
            ),
        )
        for said in (one, other)
    ]
    found = own_differences(*traces)
    for of, stretches in zip(traces, (found.first, found.second), strict=True):
        for stretch in stretches:
            step = of.transcript.step_of(stretch)
            assert step is not None
            assert step.is_assistants
    for here, there in found.places:
        assert of_assistant(traces[0], here)
        assert of_assistant(traces[1], there)


def of_assistant(of, place):
    return of.transcript.step_at(place).is_assistants


def test_by_instruction_a_row_has_the_step_and_words_of_it_alone(tmp_path):
    with listed(tmp_path, scene()) as of:
        told = words(of)
        assert told.count("[5] It lies on chromosome") == 2
        assert "[4]" not in told
        assert POLICY[:20] not in told


def test_by_instruction_words_of_a_row_without_evidence_are_those_of_the_response(
    tmp_path,
):
    with listed(tmp_path, scene(), number=1) as of:
        assert "[1] system" not in words(of)
        shown = of.beside().texts[0]
        assert shown.text.startswith("[1] system\n"), (
            "and the conversation is there to read"
        )
