"""What a person is asked before anything is sent."""

import pytest
from msgspec.structs import replace

from appellate.judging.choice import choose
from appellate.judging.control import JudgeControl
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.pairwise.spec import PairwiseRubricTrait
from cells import SIGN, bench, matrix, proposal, rubric, trace

PROFILE = '[judges.{}]\nbase_url = "http://localhost:1/v1"\nmodel = "m"\n'


class Refusing:
    """A person who reads the question and says no."""

    asked = ""

    def say(self, text: str) -> None:
        self.said = text

    async def confirm(self, question: str) -> bool:
        self.asked = question
        return False


class Idle:
    """Nothing runs, and nothing is begun."""

    is_on = False

    def begin(self, *_: object, **__: object) -> None:
        raise AssertionError("nobody agreed to it")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    profiles = PROFILE.format("unknown") + PROFILE.format("small") + "context = 4096\n"
    (tmp_path / "config.toml").write_text(profiles)
    traces = [
        trace(f"t{n}", response="BCL2 is a gene. " * n) for n in (1, 2000, 2, 3000)
    ]
    with bench(tmp_path, *traces, of=rubric(matrix())) as at:
        yield at


async def question(desk, judge):
    choice = choose({"judge": [judge]}, desk.workspace.meta, sending=False)
    person = Refusing()
    await JudgeControl(desk, choice, person, Idle()).begin(1)
    return person.asked


async def test_a_person_is_told_how_many_requests_are_too_long_before_any_is_sent(desk):
    assert (
        await question(desk, "small")
        == "Ask m at localhost:1 about 4 cells (2 too long)?"
    )


async def test_of_a_model_whose_context_nobody_knows_nothing_is_said(desk):
    assert await question(desk, "unknown") == "Ask m at localhost:1 about 4 cells?"


async def test_of_a_signed_cell_it_is_said_with_which_key_the_new_answer_is_seen(desk):
    desk.receive(1, proposal())
    desk.do(1, SIGN)
    choice = choose({"judge": ["unknown"]}, desk.workspace.meta, sending=False)
    person = Refusing()
    await JudgeControl(desk, choice, person, Idle()).judge_one(1)
    assert person.asked.endswith("as round 2 · {cell.proposals:V} compares them.")


COMPARED = [
    trace("compared", other={"response": "Ice sinks."}),
    trace("compared too", other={"response": "Ice burns."}),
]


async def test_requests_are_counted_where_a_cell_takes_two_of_each_model(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    (tmp_path / "config.toml").write_text(
        PROFILE.format("unknown")
        + PROFILE.format("small")
        + "context = 90000\n"
        + PROFILE.format("second").replace('"m"', '"n"'),
    )
    of = rubric(matrix(), pairwise_traits=[PairwiseRubricTrait(name="Better")])
    with bench(tmp_path, *COMPARED, of=of) as at:
        for judges, asked in (
            (["unknown"], "Ask m at localhost:1 about 4 cells (6 requests)?"),
            (["small"], "Ask m at localhost:1 about 4 cells (6 requests)?"),
            (
                ["unknown", "second"],
                "Ask m, n at localhost:1 about 4 cells (12 requests)?",
            ),
        ):
            choice = choose({"judge": judges}, at.workspace.meta, sending=False)
            person = Refusing()
            control = JudgeControl(at, choice, person, Idle())
            await control.begin(1)
            assert person.asked == asked
        compared = at.workspace.cells.of_trace(1)["Better"]
        await control.judge_one(compared)
        assert person.asked == "Ask m, n at localhost:1 about this cell (4 requests)?"


class Leaving:
    """A person who agrees to nothing, and reads what is said."""

    def __init__(self):
        self.asked = []
        self.said = []

    def say(self, text):
        self.said.append(text)

    async def confirm(self, question):
        self.asked.append(question)
        return False


async def test_no_round_is_offered_of_cells_that_the_judge_is_not_asked_about(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    warns = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn?")
    with bench(tmp_path, trace("a"), of=rubric(llm_traits=[warns])) as at:
        choice = choose({"judge": ["lexical"]}, at.workspace.meta)
        person = Leaving()
        control = JudgeControl(at, choice, person, Idle())
        await control.judge_again(1, "trait:Warns")
        assert person.asked == []
        assert person.said == [
            "Nothing is judged again: no cell of the queue (trait:Warns) is for lexical to judge.",
        ]
        assert at.round.no == 1


async def test_whoever_lets_no_code_run_is_not_asked_about_no_cells(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    counts = CallableRubricTrait(name="Words", kind="score", callable="counts:words")
    with bench(tmp_path, trace("a"), of=rubric(callable_traits=[counts])) as at:
        choice = replace(
            choose({"judge": ["lexical"]}, at.workspace.meta),
            code=(str(tmp_path),),
        )
        person = Leaving()
        control = JudgeControl(at, choice, person, Idle())
        await control.judge_again(1, "trait:Words")
        (question,) = person.asked
        assert question.startswith("Run counts:words on 1 cell?")
        assert person.said == ["Nothing was run. {cell.judge:J} asks about one cell."]
