"""The callable cell on the screen: its words, the verdict by hand, and the question before a function runs."""

import re

import pytest
from msgspec.structs import replace

from app.review_stage import WIDE, sitting
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.judges.offline import Lexical
from appellate.judging.choice import JudgeChoice
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.rubric import Rubric
from golden import shown
from linear.linear_stage import bench_of, told

CLASSES = {"stiff": "as in a contract", "warm": "as among friends"}
POLITE = CallableRubricTrait(name="Polite", kind="boolean", callable="manners:polite")
WORDS = CallableRubricTrait(
    name="Words",
    kind="score",
    callable="manners:words",
    min_score=0,
    max_score=50,
)
TONE = CallableRubricTrait(
    name="Tone",
    kind="literal",
    callable="manners:tone",
    classes=CLASSES,
)
STARS = CallableRubricTrait(
    name="Stars",
    kind="score",
    callable="manners:stars",
    min_score=1,
    max_score=5,
)
TRAITS = [POLITE, WORDS, TONE, STARS]
TABLES = [{"value": True}, {"value": 4.5}, {"value": 0, "class": "stiff"}, {"value": 4}]
RESPONSE = "Dear guest, your room \x1b[31m is ready."
MODULE = "def polite(text): return False\ndef words(text): return 7\ndef tone(text): return 'warm'\n"


def scene(*happened):
    """A trace under every trait; what happened to its cells, if it was not that they were computed."""
    events = [[Proposed(table, {"name": "callable"})] for table in TABLES]
    for number, given in enumerate(happened):
        events[number] = given
    return (
        Rubric(callable_traits=TRAITS),
        [Trace(id="1", question="?", response=RESPONSE)],
        events,
    )


@pytest.mark.slow
async def test_a_verdict_by_hand_stands_beside_the_function_s_and_r_says_why(tmp_path):
    async with sitting(tmp_path, scene(), size=WIDE) as at:
        assert at.words("#verdict") == "YES as the function says"
        assert at.words("#reason") == "function manners:polite"
        await at.press("2")
        assert at.app.screen is at.screen
        await at.press("r")
        await at.type("it only sounds so")
        await at.press("enter")
        assert at.state == "corrected"
        assert at.words("#verdict") == "NO the function says yes"
        assert "because: it only sounds so" in at.words("#reason")
        await at.press("space")
        assert at.words("#verdict") == "YES as the function says"
        await at.press("full_stop")
        assert at.words("#verdict") == "4.5 from 0 to 50 as the function"
        for typed in ("1many", "99"):
            await at.press(*typed, "enter", "escape")
            assert at.cell.labels.value == 4.5, "Enter takes no score that is none"
        for typed, value in (("12,5", 12.5), ("7", 7)):
            await at.press(*typed, "enter")
            assert at.cell.labels.value == value
        await at.press("i", *"12", "enter")
        assert at.cell.labels.value == 12
        await at.press("escape", "full_stop")
        assert "1 stiff: as in a" in at.text
        assert "\x1b" not in at.text
        await at.press("2", "escape")
        assert at.cell.labels.value == 1
        for digit in ("0", "3"):
            await at.press(digit)
            assert at.said == "There are 2 classes here: 1 to 2."
        await at.press("up", "space")
        assert (at.place, at.cell.labels.value) == (("verdict", 0), 0)
        await at.press("full_stop", "5", "escape")
        assert at.cell.labels.value == 5
        await at.press("i")
        assert "Score from 1 to 5" in shown(at.app)


async def test_a_score_between_the_digits_is_typed_and_has_a_row(tmp_path):
    halved = [Proposed({"value": 3.5}, {"name": "callable"})]
    async with sitting(tmp_path, scene(halved, halved, halved, halved), at=4) as at:
        assert at.words("#verdict") == "3.5 from 1 to 5 as the function"
        assert re.search(r"  3 +│\n.* 3\.5 .*function ● verdict │\n.*  4 +│", at.text)
        await at.press("i", *"2.5", "enter", "escape")
        assert at.cell.labels.value == 2.5
        rows = re.findall(
            r"([1-5](?:\.5)?) .*│$",
            at.text.partition("is better")[2],
            re.MULTILINE,
        )
        assert rows == ["1", "2", "2.5", "3", "3.5", "4", "5"]


async def test_without_a_permission_nothing_runs_and_j_says_how_it_would(tmp_path):
    async with sitting(tmp_path, scene([], [], [], []), choice=offline()) as at:
        await at.until(
            lambda: (
                "4 cells wait for code that was not run (manners:polite," in at.said
            ),
        )
        await at.press("J")
        assert at.said.startswith(
            "manners:polite was not run: start again with --allow-code",
        )
        assert at.state == "pending"


async def test_before_functions_run_the_screen_names_them_and_the_number_of_cells(
    tmp_path,
):
    (tmp_path / "manners.py").write_text(MODULE)
    choice = replace(offline(), code=(str(tmp_path),))
    async with sitting(tmp_path, scene([], [], [], []), choice=choice, at=4) as at:
        question = (
            "Run manners:polite, manners:words, manners:tone, manners:stars on 4 cells?"
        )
        await at.until(lambda: question in " ".join(at.text.split()))
        assert {row.state for row in at.bench.workspace.cells.rows(0, 4)} == {"pending"}
        await at.press("y")
        await at.until(lambda: "1 cell failed" in at.said)
        states = [row.state for row in at.bench.workspace.cells.rows(0, 4)]
        assert states == ["proposed", "proposed", "proposed", "failed"]
        assert "The module manners has no function stars." in at.words("#reason")
        await at.press("J")
        assert "Run manners:stars on 1 cell?" in " ".join(at.text.split())
        await at.press("n")
        assert at.said.startswith("Nothing was run.")


def offline():
    return JudgeChoice("lexical", Lexical(), concurrency=1)


def test_line_by_line_a_score_that_is_not_computed_yet_is_asked_for_and_typed(tmp_path):
    with bench_of(tmp_path, scene([], [], [], [])) as bench:
        printed = told(bench, ".", ".", ".", "space", "i", "2.5", "space", "q")
        assert "none yet; 1 to 5 gives it" in printed
        assert bench.workspace.cell(4)[1].labels.value == 2.5


def test_line_by_line_a_verdict_is_given_and_read(tmp_path):
    with bench_of(tmp_path, scene()) as bench:
        printed = told(bench, "2", "r", "2", ".", "12", ".", "2", "q")
        assert "Function: manners:polite" in printed
        assert "Verdict: yes (as the function says)" in printed
        values = [bench.workspace.cell(number)[1].labels.value for number in (1, 2, 3)]
        assert values == [False, 12, 1]
        assert "stiff: as in a contract" in printed
        assert "\x1b" not in printed
