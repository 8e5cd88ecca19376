"""Editing the rubric from the bench: the person's editor, what is wrong, what would change, and taking it."""

import sys
from pathlib import Path

import pytest
from review_stage import NARROW, bcl2, played, sitting

from appellate.app.edit_rubric import DraftScreen
from appellate.app.reading.external_editor import (
    NotEdited,
    _run_editor,
    command,
    editor,
    unchanged,
)
from appellate.core.facts import Proposed
from appellate.core.problem import Problem
from appellate.core.trace import Trace
from appellate.store.audits.open_audit import create, resume
from appellate.store.files import draft as drafts
from appellate.store.files.toml import emit
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Rubric
from appellate.ui.conversation import begin
from cells import EXPECTED, checklist, place, rubric, table
from partly import partly_quick_sizes
from terminal import APPELLATE, PATIENCE, Terminal, ctrl


async def drafted(at, old: str, new: str) -> None:
    """What follows once an editor has left a rubric in which some words are other ones."""

    def edited(_app: object, words: list[str]) -> None:
        path = Path(words[-1])
        path.write_text(
            path.read_text(encoding="utf-8").replace(old, new),
            encoding="utf-8",
        )

    # patterns are computed on opening
    await at.until(lambda: not at.screen.objects.judge_run.is_on)
    begin(at.screen.objects.rubric_edit(environ={"EDITOR": "vi"}, run=edited).edit())
    await at.until(
        lambda: (
            bool(at.said)
            or (
                isinstance(at.app.screen, DraftScreen)
                and at.app.screen.query("Lines, TextView")
            )
        ),
    )
    await at.pilot.pause()


# -- the editor ---------------------------------------------------------------------------------------


def test_visual_goes_before_editor_and_both_may_have_options(tmp_path):
    assert editor({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor({"VISUAL": " ", "EDITOR": "vi"}) == ["vi"]
    assert editor({"VISUAL": "", "EDITOR": "'/my editors/vi' -u NONE"}) == [
        "/my editors/vi",
        "-u",
        "NONE",
    ]


@pytest.mark.parametrize(
    ("environ", "said"),
    [({}, "No editor is set"), ({"EDITOR": "vi '"}, "cannot be read")],
)
def test_without_an_editor_it_is_said_what_to_set(environ, said):
    with pytest.raises(NotEdited, match=said):
        editor(environ)


@pytest.mark.parametrize(
    ("words", "place", "line"),
    [
        (["/usr/bin/vim"], "line 7, column 3", ["+7"]),
        (["nano"], "line 7", ["+7"]),
        (["code", "--wait"], "line 7", []),
        (["vim"], "metric_traits[0]", []),
        (["vim"], "", []),
    ],
)
def test_an_editor_that_can_begins_at_the_line_that_is_wrong(
    tmp_path,
    words,
    place,
    line,
):
    assert command(words, tmp_path, [Problem("x", place, "wrong")]) == [
        *words,
        *line,
        str(tmp_path),
    ]
    assert command(words, tmp_path) == [*words, str(tmp_path)]


def test_an_editor_that_may_not_have_waited_is_named_the_option():
    assert unchanged(["vi"]) == "Nothing was changed."
    assert "code --wait" in unchanged(["/usr/bin/code"])


def test_an_editor_that_is_not_there_is_said():
    assert (
        _run_editor(["no-such-editor"])
        == "The editor no-such-editor cannot be started: No such file or directory."
    )


# -- what keeps it from being edited ------------------------------------------------------------------


async def test_a_session_that_only_reads_edits_nothing(tmp_path):
    async with sitting(tmp_path, readonly=True) as at:
        assert (await at.says("I")).startswith("This session only reads")


async def test_a_screen_that_is_no_terminal_says_how_else(tmp_path, monkeypatch):
    monkeypatch.setenv("VISUAL", "vi")
    async with sitting(tmp_path) as at:
        assert "--revise RUBRIC" in await at.says("I")
        assert not list(tmp_path.glob("*.rubric.toml"))


# -- what is shown, and taken -------------------------------------------------------------------------


@pytest.mark.parametrize("size", partly_quick_sizes([NARROW, (140, 45)], 2))
async def test_what_is_wrong_is_listed_with_its_place_and_nothing_is_taken(
    tmp_path,
    size,
):
    async with sitting(tmp_path, size=size) as at:
        before = at.bench.workspace.rubric
        await drafted(at, "tp_instructions", "tp_instrctions")
        assert "Nothing was taken" in at.words(".box--title")
        assert "there is no key" in at.words("Lines")
        assert "questions[0].metric_traits[0]" in at.words(".draft--detail")
        await at.press("y")
        assert isinstance(at.app.screen, DraftScreen)
        await at.press("escape")
        assert at.bench.workspace.rubric == before
        assert "what you wrote stays in" in at.said
        assert at.named("pane")


async def test_what_changes_is_shown_before_it_is_taken(tmp_path):
    async with sitting(tmp_path) as at:
        await drafted(at, "chromosome 18", "the long arm of chromosome 18")
        assert "Changed: 2 cells to judge again" in at.words("#changes")
        assert "− States BCL2 is on chromosome 18" in at.words("#changes")
        assert "✚ States BCL2 is on the long arm of chromosome 18" in at.words(
            "#changes",
        )
        assert at.bench.workspace.totals()["state:proposed"] == 2
        await at.press("y")
        assert at.said.startswith(
            "The rubric was revised: 2 traits changed (2 cells to judge again).",
        )
        assert at.bench.workspace.totals().get("state:proposed", 0) == 0
        assert "long arm" in str(at.cell.subject.trait.tp_instructions)
        assert not list(tmp_path.glob("*.rubric.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("size", [NARROW, (100, 30), (140, 45)])
async def test_what_would_be_lost_is_said_before_and_after(tmp_path, size):
    long = "the long arm, or so the papers of the last years have it, of chromosome 18 in humans"
    async with sitting(tmp_path, size=size, at=2) as at:
        await at.press("l", "l", "1", "enter", "a", "a")
        assert at.bench.workspace.totals()["state:reviewed"] == 2
        await drafted(at, "chromosome 18", long)
        lost = (
            "1 correction no longer fits and is set aside, 2 cells lose their sign-off"
        )
        assert at.words(".draft--lost") == f"{lost}."
        assert f"✚ States BCL2 is on {long}" in at.words("#changes")
        await at.press("y")
        assert lost in " ".join(at.said.split())
        assert "2 cells to judge again" in " ".join(at.text.split())


async def test_what_a_changed_pattern_comes_to_is_shown_before_it_is_taken(tmp_path):
    trait = RegexRubricTrait(name="Gene", pattern="gene")
    traces = [
        Trace(id=str(number), response=text)
        for number, text in enumerate(("a gene", "genes", "none"))
    ]
    async with sitting(
        tmp_path,
        (Rubric(regex_traits=[trait]), traces, [[], [], []]),
    ) as at:
        await drafted(at, 'pattern = "gene"', 'pattern = "n[eo]n?"')
        told = "Gene: Of 3 responses, 2 matched before and 3 now (1 more, 0 no longer)."
        await at.until(lambda: at.words(".draft--preview") == told)
        await at.press("y")
        await at.until(lambda: "1 trait changed" in at.said)


async def test_the_keys_of_a_kind_that_the_rubric_lacked_are_there_once_it_is_taken(
    tmp_path,
):
    trait = RegexRubricTrait(name="Gene", pattern="gene")
    traces = [Trace(id="1", response="a gene")]
    async with sitting(tmp_path, (Rubric(regex_traits=[trait]), traces, [[]])) as at:
        scorer = '[[scorer_traits]]\nname = "Right"\nscorer = "match"'
        await drafted(at, 'pattern = "gene"', f'pattern = "gene"\n\n{scorer}')
        await at.press("y")
        await at.until(lambda: "The rubric was revised" in at.said)
        await at.press("full_stop")
        assert at.cell.subject.kind.name == "scorer"
        ids = {key.id for key in at.screen.objects.keys}
        assert {key.id for key in at.screen.pane.KEYS} <= ids


async def test_a_draft_that_says_the_same_changes_nothing_and_no_trait_may_vanish(
    tmp_path,
):
    async with sitting(tmp_path) as at:
        await drafted(at, "name", "name")
        assert at.said == "Nothing was changed."
        await at.press("j")
        await drafted(at, 'name = "Accuracy"', 'name = "Renamed"')
        assert "A trait may not leave" in at.words(".draft--detail")


# -- on a real terminal -------------------------------------------------------------------------------


@pytest.fixture
def audit(tmp_path):
    """An audit whose rubric came from a file with a comment."""
    where = place(tmp_path)
    of, traces, happened = bcl2()
    with create(where, of, traces, "0.1.0").workspace as workspace:
        played(workspace, tmp_path, happened).save()
        file = tmp_path / "mine.toml"
        file.write_text("# mine\n" + "".join(emit(of.to_file())), encoding="utf-8")
        drafts.remember_source(workspace, file)
    return where


@pytest.mark.slow
def test_the_rubrics_file_is_edited_mended_and_taken_and_the_screen_comes_back(
    tmp_path,
    audit,
):
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[-1]); text = path.read_text()\n"
        "print('THE EDITOR IS ON', flush=True)\n"
        "said = input()\n"
        "path.write_text('= broken' + chr(10) + text if said == 'break' else"
        " text.removeprefix('= broken' + chr(10)).replace('chromosome 18', 'arm 18q'))\n",
        encoding="utf-8",
    )
    env = {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    with Terminal([*APPELLATE, "review", audit.audit], env=env) as at:
        at.wait("trace 1")
        at.send("I")
        at.wait("THE EDITOR IS ON")
        at.send("break", "\n")
        at.wait("1 problem. Nothing was taken")
        assert "line 1" in at.text
        at.send("e")
        at.wait("THE EDITOR IS ON")
        at.send("mend", "\n")
        at.wait("2 cells to judge again")
        at.send("y")
        at.wait("The rubric was revised: 2 traits changed")
        at.send("q")
        assert at.status() == 0
        assert not at.left_on
    file = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert file.startswith("# mine\n")
    assert "arm 18q" in file
    assert "arm 18q" in audit.audit.read_text(encoding="utf-8")
    with resume(audit).workspace as workspace:
        assert drafts.unchanged_rubric_file(workspace) == tmp_path / "mine.toml"


@pytest.mark.slow
def test_ctrl_c_in_the_editor_is_the_editors_and_a_terminal_that_goes_away_leaves_nobody_behind(
    tmp_path,
    audit,
):
    script = (
        f"echo . >> {tmp_path}/runs; echo RUN $(wc -l < {tmp_path}/runs); exec sleep 60"
    )
    with Terminal(
        [*APPELLATE, "review", audit.audit],
        env={"VISUAL": f"sh -c '{script}'"},
    ) as at:
        at.wait("trace 1")
        at.send("2", "I")
        at.wait("RUN 1")
        at.send(ctrl("c"))
        at.wait("The editor ended with status -2, so nothing is taken")
        at.send("I")
        at.wait("RUN 2")
        at.hang_up()
        at.process.wait(PATIENCE)
    assert 'action = "move"' in audit.audit.read_text(encoding="utf-8")


# -- a new instruction --------------------------------------------------------------------------------


def _kept_in_a_file(at) -> Path:
    """The audit's rubric in a file with a comment."""
    workspace = at.bench.workspace
    file = workspace.path.with_name("mine.toml")
    file.write_text(
        "# mine\n" + "".join(emit(workspace.rubric.to_file())),
        encoding="utf-8",
    )
    drafts.remember_source(workspace, file)
    return file


async def asked(at, words: str) -> None:
    """A new instruction is typed for a trait with one list."""
    await at.until(lambda: not at.screen.objects.judge_run.is_on)
    await at.press("at")
    await at.type(words)
    await at.press("enter")


@pytest.mark.parametrize("size", partly_quick_sizes([NARROW, (140, 45)], 2))
async def test_a_new_instruction_is_drafted_and_what_becomes_of_the_work_is_said(
    tmp_path,
    size,
):
    async with sitting(tmp_path, size=size) as at:
        file = _kept_in_a_file(at)
        await at.press("a", "comma")
        trait = at.cell.subject.trait
        await asked(at, "Says who found it")
        assert isinstance(at.app.screen, DraftScreen)
        assert "✚ Says who found it" in at.words("#changes")
        assert "1 cell loses its sign-off" in at.words(".draft--lost")
        await at.press("y")
        assert "1 cell loses its sign-off" in " ".join(at.said.split())
        found = [known.trait for _, known in at.bench.workspace.rubric.every_place()]
        grown = next(one for one in found if "Says who found it" in str(one.to_file()))
        assert grown.name == trait.name
        text = file.read_text(encoding="utf-8")
        assert text.startswith("# mine\n")
        assert '"Says who found it"' in text
        assert drafts.unchanged_rubric_file(at.bench.workspace) == file


async def test_a_new_instruction_that_is_not_taken_leaves_rubric_and_file_and_is_offered_again(
    tmp_path,
):
    async with sitting(tmp_path) as at:
        file = _kept_in_a_file(at)
        before, text = at.bench.workspace.rubric, file.read_bytes()
        await asked(at, "Says who found it")
        await at.press("escape")
        assert at.bench.workspace.rubric == before
        assert file.read_bytes() == text
        assert drafts.unchanged_rubric_file(at.bench.workspace) == file
        assert at.said.startswith("The rubric is unchanged")
        await at.press("at", "enter")
        assert "✚ Says who found it" in at.words("#changes")


@pytest.mark.parametrize(
    ("visual", "said"),
    [(" ", "No editor is set."), ("vi '", "$VISUAL or $EDITOR cannot be read")],
)
async def test_without_an_editor_that_is_said_and_a_new_instruction_is_taken_back(
    tmp_path,
    monkeypatch,
    visual,
    said,
):
    monkeypatch.setenv("VISUAL", visual)
    monkeypatch.delenv("EDITOR", raising=False)
    async with sitting(tmp_path) as at:
        file = _kept_in_a_file(at)
        text = file.read_bytes()
        assert (await at.says("I")).startswith(said)
        await asked(at, "Says who found it")
        assert not at.said
        await at.press("e")
        await at.until(lambda: at.said.startswith(said))
        assert file.read_bytes() == text


async def test_a_new_instruction_goes_on_in_the_editor(tmp_path):
    def edited(_app: object, words: list[str]) -> None:
        path = Path(words[-1])
        path.write_text(
            path.read_text(encoding="utf-8").replace("who found", "when who found"),
        )

    async with sitting(tmp_path) as at:
        begin(at.screen.objects.rubric_edit(environ={"EDITOR": "vi"}, run=edited).add())
        await at.type("Says who found it")
        await at.press("enter", "e")
        assert "✚ Says when who found it" in at.words("#changes")
        await at.press("y")
        assert "Says when who found it" in str(at.bench.workspace.rubric.to_file())


async def test_a_trait_with_two_lists_is_asked_into_which(at):
    await at.press("at")
    assert "what it should not say" in at.text
    await at.press("down", "enter")
    await at.type("Says that it is on chromosome 2")
    await at.press("enter", "y")
    assert (
        at.cell.subject.trait.tn_instructions[-1] == "Says that it is on chromosome 2"
    )


async def test_what_is_asked_already_is_said_and_nothing_is_drafted(tmp_path):
    async with sitting(tmp_path) as at:
        await asked(at, at.cell.subject.trait.to_file()["tp_instructions"][0])
        assert "asks for that already" in at.said
        assert not list(tmp_path.glob("*.rubric.toml"))


async def test_a_trait_without_instructions_says_where_a_new_one_goes(tmp_path):
    trait = RegexRubricTrait(name="Gene", pattern="gene")
    traces = [Trace(id="1", response="a gene")]
    async with sitting(tmp_path, (Rubric(regex_traits=[trait]), traces, [[]])) as at:
        await at.press("at")
        assert at.said.startswith("A new instruction goes into a metric trait")
        assert at.bench.workspace.rubric == Rubric(regex_traits=[trait])


@pytest.mark.parametrize("opens", ["b", "s"])
async def test_a_list_or_pair_that_was_left_for_a_cell_ends_with_its_instructions(
    tmp_path,
    opens,
):
    answers = [f"BCL2 is on chromosome {number}." for number in (18, 2)]
    traces = [
        Trace(id=str(number), response=text, question_id="q", question="Where?")
        for number, text in enumerate(answers)
    ]
    judged = [[Proposed(table(fn=EXPECTED), {"name": "gpt"})] for _ in traces]
    async with sitting(tmp_path, (rubric(checklist()), traces, judged)) as at:
        at.screen.pane.go("fn", 3)
        await at.press(opens, "enter")
        await at.pilot.pause()
        assert at.no == 1
        await drafted(at, f',\n    "{EXPECTED[3]}"', "")
        await at.press("y", "left_parenthesis")
        await at.pilot.pause()
        assert at.said == "There is nothing to go back to."
