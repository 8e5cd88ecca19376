"""A judge and a person who cannot tell: what is asked, said, shown and counted, and that nothing else changes."""

import json
import random
import tomllib
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_traits import CANNOT, EVERY, MAY_BE_CLEAR, MAY_WARN, TONE, TRACE, UNSURE, WARNS
from pydantic import ValidationError

from appellate.cli import main
from appellate.core.agreement import answer_pairs
from appellate.core.breakdown import BreakdownSums
from appellate.core.cell import Cell
from appellate.core.deciding import Correct, Draw, Rule, SignOff, why_unruled
from appellate.core.facts import Proposed
from appellate.core.kind import CANNOT_TELL, Briefing, Example, Subject
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judging.choice import JudgeChoice
from appellate.judging.run import run
from appellate.query.language import parse
from appellate.store.breakdowns import breakdown
from appellate.store.queue import look_up, vocabulary
from appellate.talk.dialogue import Reply
from appellate.traits.digest import digest
from appellate.traits.llm import KIND
from appellate.traits.llm.asking import TEMPLATE, as_reply, dialogue, opening, read
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.pane import KEYS, LLMPane
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench, from_file_alone
from conforming import conforming
from linear.linear_stage import bench_of, told
from loopback import Loopback, completion
from traits.verdict import pane_stage

WHY = "It does not say for whom."
UNTOLD = {"value": CANNOT_TELL, "evidence": [], "rationale": WHY}


def said(verdict, rationale=WHY):
    return json.dumps(
        {"answer": {"rationale": rationale, "excerpts": [], "verdict": verdict}},
    )


def judged_cell(trait, value, trace=TRACE, **record):
    table = KIND.locate(
        trait,
        trace,
        {"value": value, "evidence": [], "rationale": WHY},
    )
    return pane_stage.cell_of(
        KIND,
        trait,
        trace,
        Proposed(table, {"name": "gpt", **record}),
    )


def signed(cell, value=None):
    """The cell signed off, with another verdict where one is given."""
    if value is not None:
        cell = pane_stage.after(cell, Correct(Edit("set", value=value)))
    return pane_stage.after(cell, SignOff(cell.subject.trait.sha256(), 9.0))


# -- what is asked ----------------------------------------------------------------------------------


@pytest.mark.parametrize("trait", EVERY)
def test_a_trait_without_it_is_asked_as_it_always_was(trait):
    prompt = opening(trait, TRACE)
    assert CANNOT_TELL not in prompt.user + prompt.system + json.dumps(prompt.schema)
    reworded = opening(trait, TRACE, Briefing({"cannot_tell": "Say so."}))
    assert (reworded.system, reworded.user) == (prompt.system, prompt.user)
    assert "cannot_tell" not in trait.to_file()
    asking = dialogue(trait, TRACE, Briefing())
    next(asking)
    again = asking.send(Reply(said(CANNOT_TELL)))
    assert again.why == "incomplete"
    assert "the verdict is cannot tell, not " in again.user


@pytest.mark.parametrize("trait", UNSURE)
def test_a_trait_with_it_is_asked_whether_it_can_be_told_at_all(trait):
    prompt = opening(trait, TRACE)
    assert '"cannot tell", and the reason says what is missing' in prompt.user
    assert ' or "cannot tell"' in prompt.user
    assert prompt.template == digest(TEMPLATE.shipped())
    given = [conforming(prompt.schema, random.Random(seed)) for seed in range(60)]
    verdicts = {one["answer"]["verdict"] for one in given}
    assert verdicts <= {*map(trait.describe, trait.choices), *trait.values}
    assert CANNOT_TELL in verdicts


@pytest.mark.parametrize("trait", UNSURE)
@pytest.mark.parametrize(
    "words",
    [CANNOT_TELL, "Cannot tell.", "cannot_tell", "Can't  tell"],
)
def test_a_reply_that_it_cannot_be_told_is_read_with_its_reason(trait, words):
    assert read(trait, said(words)) == UNTOLD


def test_a_judge_who_cannot_tell_and_does_not_say_why_is_asked_again():
    asking = dialogue(MAY_WARN, TRACE, Briefing())
    next(asking)
    again = asking.send(Reply(said(CANNOT_TELL, rationale=" ")))
    assert 'the verdict is "cannot tell" and "rationale" does not say why' in again.user


@given(st.data())
def test_what_cannot_be_told_is_shown_to_a_model_as_the_reply_that_it_would_be(data):
    trait = data.draw(st.sampled_from(UNSURE))
    value = data.draw(st.sampled_from(list(trait.choices)))
    table = read(trait, as_reply(trait, Labels(value, rationale="So.")))
    assert table["value"] == value
    assert type(table["value"]) is type(value)


def test_an_example_that_cannot_be_told_is_no_yes_of_the_few_that_are_shown():
    other = Trace(id="o", response="Take it.")
    example = Example(other, {"value": CANNOT_TELL, "evidence": []})
    user = opening(MAY_WARN, TRACE, Briefing(examples=(example,))).user
    assert "What is shown here does not decide it." in user
    assert "That is true of the response." not in user


def test_no_class_has_the_name_of_that_verdict_and_without_it_one_may():
    classes = {"Cannot tell": "It says nothing", "good": "It is good"}
    with pytest.raises(ValidationError, match="no class may have that name too"):
        LLMRubricTrait(name="x", kind="literal", classes=classes, cannot_tell=True)
    plain = LLMRubricTrait(
        name="x",
        kind="literal",
        classes={"cannot tell": "a", "good": "b"},
    )
    assert KIND.untold(plain) == frozenset()
    assert [pair for _, pair in answer_pairs(signed(judged_cell(plain, 0)))] == [
        ("cannot tell", "cannot tell"),
    ]


# -- what is counted --------------------------------------------------------------------------------


@pytest.mark.parametrize("trait", UNSURE)
def test_it_is_no_number_no_zero_by_zero_and_counted(trait):
    measure = KIND.measures(trait)[0]
    sums = BreakdownSums(KIND)
    for place, value in enumerate((trait.choices[0], CANNOT_TELL, trait.choices[1])):
        trace = Trace(id=f"t{place}", response="Take it.")
        sums.add(signed(judged_cell(trait, value, trace)))
    side = sums.breakdown().whole.sides[measure.name]["signed"]
    both = [float(value) for value in trait.choices[:2]]
    assert (side.macro, side.micro) == (sum(both) / 2, sum(both) / 2)
    assert (side.n, side.undefined, side.unscored, side.cannot_tell) == (2, 0, 0, 1)
    assert sums.breakdown().whole.counts["signed"]["cannot_tell"] == 1


def test_who_cannot_tell_agrees_with_nobody_and_contradicts_nobody():
    pairs = [
        (True, CANNOT_TELL),
        (CANNOT_TELL, True),
        (CANNOT_TELL, None),
        (True, False),
    ]
    found = []
    for place, (judge, person) in enumerate(pairs):
        trace = Trace(id=f"t{place}", response="Take it.")
        found += [
            pair
            for _, pair in answer_pairs(
                signed(judged_cell(MAY_WARN, judge, trace), person),
            )
        ]
    assert found == [("yes", "no")]


@pytest.mark.parametrize(
    ("trait", "votes", "expected"),
    [
        (MAY_WARN, (True, CANNOT_TELL, CANNOT_TELL), CANNOT_TELL),
        (MAY_WARN, (CANNOT_TELL, True), CANNOT_TELL),
        (MAY_WARN, (True, CANNOT_TELL), True),
        (MAY_BE_CLEAR, (2, CANNOT_TELL, 5), 2),
        (MAY_BE_CLEAR, (CANNOT_TELL, 4, CANNOT_TELL), CANNOT_TELL),
        (MAY_BE_CLEAR, (CANNOT_TELL, 4), CANNOT_TELL),
        (MAY_BE_CLEAR, (4, CANNOT_TELL), 4),
    ],
)
def test_a_panel_cannot_tell_where_most_of_it_cannot(trait, votes, expected):
    tables = [{"value": value, "evidence": []} for value in votes]
    assert KIND.majority(trait, TRACE, tables)["value"] == expected


# -- in a workspace, its audit and queries ----------------------------------------------------------


RUBRIC = Rubric(llm_traits=[MAY_WARN, MAY_BE_CLEAR])
TRACES = [Trace(id=f"t{place}", response="Take it with food.") for place in range(3)]


def judge(at):
    for number, value in enumerate((True, 4, CANNOT_TELL, CANNOT_TELL, False, 2), 1):
        at.receive(number, Proposed({**UNTOLD, "value": value}, {"name": "gpt"}))


def test_it_is_kept_in_the_audit_without_a_number_found_by_queries_and_read_back(
    tmp_path,
):
    with bench(tmp_path, *TRACES, of=RUBRIC) as at:
        judge(at)
        at.do(1, Correct(Edit("set", value=CANNOT_TELL), "No dose is named."))
        for number in (1, 3, 4, 5):
            at.sign_off(number, 9.0)
        known = vocabulary(at.workspace.path)
        found = {}
        for line in (
            "cannot_tell>0",
            'verdict:"cannot tell"',
            'judged:yes answer:"cannot tell"',
        ):
            found[line] = list(look_up(at.workspace.path, parse(line, known)).numbers)
        assert found == {
            "cannot_tell>0": [1, 3, 4],
            'verdict:"cannot tell"': [1, 3, 4],
            'judged:yes answer:"cannot tell"': [1],
        }
        at.save()
        whole = at.audit.read_text("utf-8")
        whole_trait = breakdown(at.workspace.path, ("llm", MAY_WARN.name)).whole
        numbers = whole_trait.sides["yes"]
        counted = [
            numbers[side].cannot_tell for side in ("signed", "judge", "standing")
        ]
        assert counted == [2, 1, 2]
        assert (numbers["signed"].n, numbers["signed"].macro) == (1, 0.0)
        assert dict(whole_trait.agreement.counts) == {("no", "no"): 1}
        with from_file_alone(at) as again:
            assert again.cell(1)[1].labels.value == CANNOT_TELL
    row = tomllib.loads(whole)["traces"][0]["judgments"][0]
    assert row["audited"] == {"value": CANNOT_TELL, "evidence": []}
    assert (row["metrics"], row["judge_metrics"]) == ({}, {"yes": 1.0})
    assert "undefined" not in row
    assert row["corrections"][0]["reason"] == "No dose is named."


async def test_a_judge_over_the_network_may_say_it_and_metrics_count_it(
    tmp_path,
    capsys,
):
    trait = LLMRubricTrait(
        name="Warns",
        kind="boolean",
        description="Does it warn?",
        cannot_tell=True,
    )
    traces = [
        Trace(id="a", response="Take care."),
        Trace(id="b", response="It was said above."),
    ]

    def script(asked):
        return completion(said(CANNOT_TELL if "said above" in asked.user else "yes"))

    with bench(tmp_path, *traces, of=Rubric(llm_traits=[trait])) as at:
        async with Loopback(script) as server:
            judge = OpenAIJudge(Endpoint("m", server.url), environ={})
            await run(at, JudgeChoice("m", judge))
        at.save()
    assert main(["metrics", str(at.audit), "--json"]) == 0
    side = json.loads(capsys.readouterr().out)["traits"][0]["metrics"]["yes"][
        "judge_all"
    ]
    assert (side["macro"], side["n"], side["undefined"], side["cannot_tell"]) == (
        1.0,
        1,
        0,
        1,
    )
    assert WHY in at.audit.read_text("utf-8")
    assert main(["check", str(at.audit)]) == 0


# -- on the screen and line by line -----------------------------------------------------------------


shown = partial(pane_stage.Shown, LLMPane)


async def test_x_says_it_where_the_trait_allows_it_and_the_judges_reason_is_shown():
    async with shown(judged_cell(MAY_WARN, True)) as pane:
        assert pane.pane.hints(KEYS)[0].key == "1 2 x"
        assert pane.rows[3].startswith("x cannot tell")
        await pane.press("x")
        assert pane.labels.value == CANNOT_TELL
        assert pane.told("verdict").split()[:2] == ["cannot", "tell"]
        assert why_unruled(pane.review.cell) == ""
    async with shown(judged_cell(MAY_WARN, CANNOT_TELL)) as pane:
        assert pane.told("reason") == f"judge: {WHY}"
    async with shown(judged_cell(WARNS, True)) as pane:
        assert "verdict.cannot_tell" not in [key.id for key in pane.pane.keys_here]
        await pane.press("x")
        assert pane.labels.value is True


async def test_a_persons_reason_is_shown_where_nobody_else_gave_a_verdict():
    cell = Cell(Subject(KIND, MAY_WARN, TRACE))
    cell = pane_stage.after(
        cell,
        Correct(Edit("set", value=CANNOT_TELL), "No dose is named."),
    )
    async with shown(cell) as pane:
        assert pane.told("reason") == "because: No dose is named."


def test_x_says_it_line_by_line_and_blind_verdicts_lock_it(tmp_path):
    said_by_judge = [
        [Proposed({**UNTOLD, "value": value}, {"name": "gpt"})] for value in (True, 4)
    ]
    with bench_of(tmp_path, (RUBRIC, [TRACE], said_by_judge)) as desk:
        printed = told(desk, "x", "q")
        assert desk.workspace.cell(1)[1].labels.value == CANNOT_TELL
        assert "Verdict: cannot tell (the judge says yes)" in printed


def test_line_mode_tells_how_to_give_a_score_beside_that_it_cannot_be_told(tmp_path):
    percent = MAY_BE_CLEAR.model_copy(update={"min_score": 0, "max_score": 100})
    with bench_of(tmp_path, (Rubric(llm_traits=[percent]), [TRACE], [[]])) as desk:
        printed = told(desk, "?", "q")
    assert "type the verdict" in printed
    assert printed.index("type the verdict") < printed.index("cannot tell")


def test_a_blind_verdict_may_be_that_it_cannot_be_told():
    cell = pane_stage.after(judged_cell(MAY_WARN, True), Draw(blind=True))
    cell = pane_stage.after(cell, Correct(Edit("set", value=CANNOT_TELL)))
    cell = pane_stage.after(cell, Rule(MAY_WARN.sha256(), 9.0))
    assert dict(cell.verdict_answers).popitem()[1] == CANNOT_TELL
    assert list(answer_pairs(cell)) == []


def test_a_correction_to_it_outlives_a_trait_that_still_allows_it_and_no_other():
    edit = Edit("set", value=CANNOT_TELL)
    anchor = KIND.anchor(MAY_WARN, Labels(True), edit)
    assert KIND.carried(MAY_WARN, Labels(False), edit, anchor) == edit
    assert not KIND.fits(
        MAY_WARN.model_copy(update={"cannot_tell": False}),
        Labels(),
        edit,
        anchor,
    )


def test_a_trait_that_allows_it_from_now_on_is_judged_again():
    assert not KIND.proposes_the_same(TONE, TONE.model_copy(update=CANNOT))
