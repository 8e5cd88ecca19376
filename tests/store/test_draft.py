"""Which file a rubric is edited in, and what another one would change beside its traits."""

import errno
import os
from pathlib import Path

import pytest

from appellate.core.problem import Refused, Unusable
from appellate.store.audits.open_audit import create
from appellate.store.audits.revision import Revision
from appellate.store.database import NotKept
from appellate.store.files import draft as drafts
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.toml import emit
from appellate.traits.rubric import Question, Rubric
from cells import checklist, matrix, place, rubric, trace

RUBRIC = rubric(checklist())


@pytest.fixture
def file(tmp_path):
    """The file that the rubric stands in, with a comment in it."""
    path = tmp_path / "mine.toml"
    path.write_text("# mine\n" + "".join(emit(RUBRIC.to_file())), encoding="utf-8")
    return path


@pytest.fixture
def workspace(tmp_path):
    with create(place(tmp_path), RUBRIC, [trace("a")], "0").workspace as opened:
        yield opened


def test_the_rubrics_own_file_is_edited(workspace, file):
    drafts.remember_source(workspace, file)
    assert drafts.file_to_edit(workspace) == drafts.Draft(file, is_copy=False)


@pytest.mark.parametrize("happened", ["never known", "changed", "gone", "read-only"])
def test_a_file_that_is_not_as_it_was_is_left_alone_and_a_private_copy_is_edited(
    workspace,
    file,
    happened,
):
    if happened != "never known":
        drafts.remember_source(workspace, file)
    if happened == "changed":
        file.write_text("# theirs", encoding="utf-8")
    if happened == "gone":
        file.unlink()
    if happened == "read-only":
        file.chmod(0o444)
    draft = drafts.file_to_edit(workspace)
    assert draft.is_copy
    assert draft.path.parent == workspace.path.parent
    assert draft.path.stat().st_mode & 0o777 == 0o600
    assert load_rubric(draft.path) == RUBRIC


@pytest.mark.parametrize("is_copy", [False, True])
def test_what_a_person_wrote_and_gave_up_is_gone_on_with(workspace, file, is_copy):
    if not is_copy:
        drafts.remember_source(workspace, file)
    draft = drafts.file_to_edit(workspace)
    assert draft.is_copy == is_copy
    draft.path.write_text("half a thought", encoding="utf-8")
    drafts.note_edited(workspace, draft)
    assert drafts.file_to_edit(workspace) == draft
    assert draft.path.read_text(encoding="utf-8") == "half a thought"
    assert draft.read().problems


def test_a_copy_goes_that_has_nothing_new_in_it_or_was_taken(workspace):
    draft = drafts.file_to_edit(workspace)
    drafts.note_edited(workspace, draft)
    assert not draft.path.exists()
    draft = drafts.file_to_edit(workspace)
    draft.path.write_text("taken", encoding="utf-8")
    drafts.note_as_taken(workspace, draft)
    assert not draft.path.exists()


def test_a_file_that_was_taken_is_the_audits_and_is_not_read_again_as_input(
    workspace,
    file,
):
    drafts.remember_source(workspace, file)
    draft = drafts.file_to_edit(workspace)
    file.write_text("taken", encoding="utf-8")
    drafts.note_as_taken(workspace, draft)
    assert drafts.unchanged_rubric_file(workspace) == file
    assert str(file) in (workspace.meta("inputs") or "")


def test_a_copy_that_may_not_be_deleted_stays_to_be_edited(workspace, monkeypatch):
    draft = drafts.file_to_edit(workspace)

    def refuse(*_, **__):
        raise PermissionError(13, os.strerror(13))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        drafts.note_edited(workspace, draft)
    assert drafts.file_to_edit(workspace) == draft


def test_a_file_that_is_gone_after_it_was_taken_is_not_noted(workspace, file):
    drafts.remember_source(workspace, file)
    draft = drafts.file_to_edit(workspace)
    file.unlink()
    drafts.note_as_taken(workspace, draft)
    assert drafts.unchanged_rubric_file(workspace) is None


def test_where_no_copy_can_be_made_is_said(workspace, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("appellate.store.files.draft.os.open", refuse)
    with pytest.raises(Unusable, match="cannot be written: Permission denied"):
        drafts.file_to_edit(workspace)


def test_where_the_disk_is_full_no_half_of_a_copy_stays_to_be_gone_on_with(
    workspace,
    monkeypatch,
):
    def refuse(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(Unusable, match="cannot be written: No space left"):
        drafts.file_to_edit(workspace)
    assert not list(workspace.path.parent.glob("*rubric.toml*"))


# -- a new instruction ----------------------------------------------------------------------------

WORDS = "States where BCL2 is"


def added(workspace, *, words=WORDS, of="tp_instructions"):
    _, cell = workspace.cell(1)
    return drafts.add_instruction(workspace, cell.subject, of, words)


def test_a_new_instruction_leaves_the_file_otherwise_as_it_was_and_can_be_taken_back(
    workspace,
    file,
):
    before = file.read_bytes()
    drafts.remember_source(workspace, file)
    now = added(workspace)
    assert now.draft.path == file
    assert file.read_text("utf-8").startswith("# mine\n")
    (trait,) = load_rubric(file).metric_traits
    assert trait.tp_instructions == [*checklist().tp_instructions, WORDS]
    drafts.take_back(workspace, now)
    assert file.read_bytes() == before
    assert drafts.file_to_edit(workspace) == drafts.Draft(file, is_copy=False)


def test_a_new_instruction_of_a_questions_trait_goes_to_that_question(tmp_path):
    questions = [Question(id=name, metric_traits=[checklist()]) for name in "pq"]
    traces = [trace("a", question_id="q")]
    opened = create(place(tmp_path), Rubric(questions=questions), traces, "0")
    with opened.workspace as workspace:
        now = added(workspace).draft.read().value
    other, grown = (
        question.metric_traits[0].tp_instructions for question in now.questions
    )
    assert grown == [*other, WORDS]


OLDEST = """
[[traits]]
name = "A"
metrics = ["recall"]
tp_instructions = ["a"]

[[questions]]
id = 1
  [[questions.traits]]
  name = "B"
  metrics = ["recall"]
  tp_instructions = [["b", "c"]]
"""


@pytest.mark.parametrize(("cell", "trait"), [(1, "A"), (2, "B")])
def test_a_new_instruction_goes_to_a_trait_of_the_oldest_form(cell, trait, tmp_path):
    file = tmp_path / "old.toml"
    file.write_text(OLDEST, encoding="utf-8")
    opened = create(
        place(tmp_path),
        load_rubric(file),
        [trace("a", question_id="1")],
        "0",
    )
    with opened.workspace as workspace:
        drafts.remember_source(workspace, file)
        _, opened_cell = workspace.cell(cell)
        drafts.add_instruction(workspace, opened_cell.subject, "tp_instructions", WORDS)
    now = load_rubric(file)
    traits = [now.metric_traits[0], now.questions[0].metric_traits[0]]
    grown = {one.name: len(one.tp_instructions) for one in traits}
    assert grown == {"A": 1, "B": 1} | {trait: 2}


def test_a_new_instruction_goes_beside_others_that_are_tables(tmp_path):
    tables = [{"text": "a", "weight": 2}, {"text": "b", "aliases": ["c"]}]
    of = rubric(checklist(tp_instructions=tables))
    with create(place(tmp_path), of, [trace("a")], "0").workspace as workspace:
        (trait,) = added(workspace).draft.read().value.metric_traits
        assert trait.to_file()["tp_instructions"] == [*tables, WORDS]
        with pytest.raises(Refused, match="asks for that already"):
            added(workspace, words="c")


WITHOUT_LAST_LINE_END = """
[[metric_traits]]
name = "m"
metrics = ["recall"]

[[metric_traits.tp_instructions]]
text = "a"
aliases = ["b"]"""


def test_a_new_instruction_goes_below_a_last_line_that_does_not_end(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(WITHOUT_LAST_LINE_END, encoding="utf-8")
    of = load_rubric(file)
    with create(place(tmp_path), of, [trace("a")], "0").workspace as workspace:
        drafts.remember_source(workspace, file)
        assert added(workspace).draft == drafts.Draft(file, is_copy=False)
    (trait,) = load_rubric(file).metric_traits
    assert trait.to_file()["tp_instructions"] == [
        {"text": "a", "aliases": ["b"]},
        WORDS,
    ]


def test_a_new_instruction_that_cannot_be_noted_leaves_the_file_as_it_was(
    workspace,
    file,
    monkeypatch,
):
    before = file.read_bytes()
    drafts.remember_source(workspace, file)

    def full(*_):
        raise NotKept("the disk is full")

    monkeypatch.setattr(type(workspace), "set_meta", full)
    with pytest.raises(NotKept, match="full"):
        added(workspace)
    assert file.read_bytes() == before


def test_what_is_asked_already_is_refused(workspace):
    with pytest.raises(Refused, match="asks for that already"):
        added(workspace, words=checklist().tp_instructions[0])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("half a thought", "cannot be read"),
        ('name = "x"\n', "has no tp_instructions of"),
        ("questions = 3\n", "has no tp_instructions of"),
        ("metric_traits = 3\n", "has no tp_instructions of"),
        ('metric_traits = ["x"]\n', "has no tp_instructions of"),
        ('[metric_traits]\nname = "Coverage"\n', "has no tp_instructions of"),
        (
            '[[metric_traits]]\nname = "Coverage"\ntp_instructions = "x"\n',
            "has no tp_instructions of",
        ),
    ],
)
def test_a_file_that_nothing_can_be_added_to_is_said(workspace, text, wrong):
    draft = drafts.file_to_edit(workspace)
    draft.path.write_text(text, encoding="utf-8")
    with pytest.raises(Unusable, match=wrong):
        added(workspace)
    assert draft.path.read_text(encoding="utf-8") == text


def test_a_question_without_an_id_in_the_file_does_not_keep_from_adding(tmp_path):
    asked = Question(id="q", question="Q?", metric_traits=[checklist()])
    whole = Rubric(questions=[asked])
    traces = [trace("a", question_id="q")]
    with create(place(tmp_path), whole, traces, "0").workspace as workspace:
        draft = drafts.file_to_edit(workspace)
        text = '[[questions]]\nquestion = "New?"\n\n' + draft.path.read_text("utf-8")
        draft.path.write_text(text, encoding="utf-8")
        added(workspace)
        assert WORDS in draft.path.read_text("utf-8")


def test_a_file_that_cannot_be_read_takes_no_instruction(workspace):
    drafts.file_to_edit(workspace).path.unlink()
    workspace.path.with_suffix(".rubric.toml").mkdir()
    with pytest.raises(Unusable, match="this is a folder"):
        added(workspace)


def test_a_file_that_cannot_be_written_takes_no_instruction(workspace, monkeypatch):
    draft = drafts.file_to_edit(workspace)
    before = draft.path.read_bytes()

    def refuse(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(Unusable, match="cannot be written: No space left"):
        added(workspace)
    assert draft.path.read_bytes() == before


def test_only_lists_that_a_trait_has_grow():
    assert list(drafts.growing(checklist())) == ["tp_instructions"]
    assert list(drafts.growing(matrix())) == ["tp_instructions", "tn_instructions"]


# -- what differs ---------------------------------------------------------------------------------


def test_what_differs_beside_the_traits_is_told_by_its_key_path():
    old = Rubric(
        name="x",
        questions=[Question(id="q", reference="r", metric_traits=[checklist()])],
    )
    new = Rubric(
        name="y",
        questions=[Question(id="p"), Question(id="q", reference="s")],
    )
    assert drafts.differences_beside_traits(old, new) == [
        "name",
        "questions.q.reference",
        "questions.p",
    ]
    assert drafts.differences_beside_traits(old, old) == []


def test_what_differs_within_the_traits_is_told_by_their_names():
    changed = checklist().model_copy(
        update={"tp_instructions": ["x", *checklist().tp_instructions[1:]]},
    )
    old = Rubric(
        questions=[Question(id=name, metric_traits=[checklist()]) for name in "pq"],
    )
    new = Rubric(
        questions=[Question(id=name, metric_traits=[changed]) for name in "pq"],
        metric_traits=[],
    )
    change = drafts.Rewritten("tp_instructions[0]", checklist().tp_instructions[0], "x")
    assert drafts.rewritten(old, new) == {checklist().name: [change]}
    assert drafts.rewritten(old, old) == {}


def test_an_instruction_that_is_new_is_told_alone_and_a_word_that_left_as_none():
    said = checklist().tp_instructions
    old = Rubric(metric_traits=[checklist(description="Once")])
    new = Rubric(metric_traits=[checklist(tp_instructions=["First", *said[:-1]])])
    assert drafts.rewritten(old, new)[checklist().name] == [
        drafts.Rewritten("description", "Once", ""),
        drafts.Rewritten("tp_instructions[0]", "", "First"),
        drafts.Rewritten(f"tp_instructions[{len(said) - 1}]", said[-1], ""),
    ]


def test_a_revision_is_told_in_a_sentence():
    assert drafts.describe(Revision()) == "The rubric was revised: no trait changed."
    told = drafts.describe(Revision(("a",), ("b", "c"), ("d",), 7, 1))
    assert told == (
        "The rubric was revised: 1 trait changed (7 cells to judge again), 2 traits measured differently, "
        "1 trait new (1 cell)."
    )
