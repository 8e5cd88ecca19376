"""Ways to edit an audit file by hand: `check`, `gate` and the report tell of each that the file can show, and the
digest that was kept elsewhere of the others.
"""

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from appellate.cli import main
from appellate.numbers.samples import sample_in
from appellate.store.audits.audit import load_audit
from appellate.store.files.toml import emit
from edited_audit import EDITS, PLANNED, UNPLANNED, make_audit
from partly import partly_quick

SEED = "where seed 4 draws"
HISTORIES = "by the history of its cells, and not by the draw"
GONE = "gone from the history"
NO_DRAW = "of a draw that is not in the file"
FRAME = "its traces are not those that it was drawn from: their fingerprint is another"
JUDGED = "what the judge had said at the draw"
TEXTS = "Something of the traces was changed in the file since the draw"
RUBRIC = "the rubric is not the one at the draw"
LATE = "was made after the first verdict"
LOOK = "which its verdicts do not give"
DERIVED = "is not what the judge and history in this file give: it was changed by hand"
HASH = "is not the hash of the rubric below it"
TWICE = "two facts have this number"
TOLD = {
    "eight traces out of the draw": HISTORIES,
    "eight traces out of the draw and of the histories": SEED,
    "the draw cut to a prefix, with the histories of the rest": GONE,
    "another seed": "where seed 5 draws",
    "the order of the draw": SEED,
    "the last row of the draw": HISTORIES,
    "a frame of 5,000": "its strata are not of as many traces as they tell",
    "traces that were not drawn deleted": "there is no trace",
    "traces that were drawn deleted": "there is no trace",
    "a blind draw called sighted": "and the history of its cells tells otherwise",
    "a sighted draw called blind in one history": "a correction in it cannot be applied",
    "a verdict": DERIVED,
    "a verdict with its correction and its figures": LOOK,
    "a ruling taken back, and its marks with it": DERIVED,
    "a sign-off taken back in its mark alone": DERIVED,
    "what the judge says of a trace that was not drawn": DERIVED,
    "what the judge says of a trace that was not drawn, with its figures": JUDGED,
    "what the judge says of a trace that was drawn, with its figures": JUDGED,
    "the judge's reason for what it says of a trace that was not drawn": DERIVED,
    "the judge's name throughout": JUDGED,
    "the judge's model throughout": JUDGED,
    "the prompt's fingerprint throughout": JUDGED,
    "the reviewer in one history": DERIVED,
    "the time in one history": DERIVED,
    "rulings dated before the draw": "5 verdicts are dated before the draw",
    "when the draw was made": NO_DRAW,
    "who made the draw": NO_DRAW,
    "the seconds of a ruling": DERIVED,
    "words of the rubric": HASH,
    "words of the rubric, with its fingerprint": RUBRIC,
    "the name of the rubric": HASH,
    "the name of the rubric, with its fingerprint": RUBRIC,
    "a question of the rubric, with its fingerprint": "the question was changed after ada ruled",
    "a reference of the rubric, with its fingerprint": "the reference was changed after ada ruled",
    "the fingerprint of the trait in a ruling": "what was read was changed after ada ruled on it",
    "figures of a cell": DERIVED,
    "a trace twice": TWICE,
    "a trace again under a new name": TWICE,
    "clusters": FRAME,
    "another epoch of a trace that was not drawn": FRAME,
    "the response of a trace that was ruled on": "the response was changed after ada ruled on it",
    "the response of a trace that was ruled on, without its fingerprints": TEXTS,
    "the response of a trace that was not drawn": TEXTS,
    "the response of a trace that was not drawn, without its fingerprint": TEXTS,
    "the question of a trace that was ruled on": "the question was changed after ada ruled on it",
    "the question of a trace that was not drawn": TEXTS,
    "the reference of a trace that was ruled on": "the reference was changed after ada ruled on it",
    "the reference of a trace that was not drawn": TEXTS,
    "the model of a trace that was ruled on": TEXTS,
    "the model of a trace that was not drawn": TEXTS,
    "metadata of a trace": TEXTS,
    "cells of traces that were drawn deleted": GONE,
    "cells of traces that were not drawn deleted": GONE,
    "the design cut out": NO_DRAW,
    "the design cut out, and all facts numbered anew": NO_DRAW,
    "the design cut out, and a second sample drawn": "where seed 9 draws",
    "the withdrawn sample cut out of the design": "of a sample that was withdrawn",
    "the withdrawn sample cut out of the design and of the histories": GONE,
    "the plan deleted, and its looks": GONE,
    "a plan with the number of another fact": TWICE,
    "a plan after the verdicts": LATE,
    "a plan among the verdicts, and all facts numbered anew": LATE,
    "another level in the plan": "has the level 0.5, and every plan has 0.05",
    "another decision in a look": "its decision is not what its plan, its bar and its interval come",
    "other figures in a look": LOOK,
    "other figures and another decision in a look that was not planned": LOOK,
    "a look that was not planned, over fewer units": LOOK,
    "looks deleted from among other facts": GONE,
    "a comment deleted": GONE,
    "an undone correction deleted, and its undo": GONE,
    "a number far beyond the last": GONE,
    "two verdicts swapped": DERIVED,
    "two rulings swapped, with all that people did there": LOOK,
    "a mark of the draw twice in one history": TWICE,
    "the reviewer of one sign-off in its mark alone": DERIVED,
    "a lookalike letter in the trait of the rubric": HASH,
    "a lookalike letter in the trait of one cell": "the rubric has no trait",
    "the level of a plan in its tenth digit": "has the level 0.0500000001, and every plan has 0.05",
    "a history in the other order": DERIVED,
    "the models of two drawn traces": TEXTS,
}
"""What is told of each edit that the file can show."""
HARMLESS = {
    "the reviewer in the head",
    "when the file was saved",
    "the order of the traces",
    "a trace again under a new name, with numbers of its own",
    "the last look deleted",
    "the facts of the design in the other order",
}
"""Edits that change no number and no decision of the sample."""
BY_DIGEST = {
    "the draw cut to a prefix, and all facts numbered anew",
    "the reviewer throughout",
    "all times, moved alike",
    "the withdrawn sample cut out, and all facts numbered anew",
    "the plan deleted, and all facts numbered anew",
    "another bar in the plan",
    "one look for two in the plan",
    "eleven looks in the plan",
    "looks in the plan beyond the frame",
}
"""Edits after which the file agrees with itself, and not with its digest."""
BY_NOTHING = {
    "the outcome of a probe, which rests on replies that no file keeps",
    "the outcome of a second pass, which rests on another audit",
    "twelve verdicts with their corrections and figures, and no looks",
    "the words of a comment",
    "the seconds of a ruling, wherever they are",
    "a ruling a second later, wherever it is",
    "the reviewer of one correction",
}
"""Edits of what came after the draw, after which the file agrees with itself."""


class Answers(NamedTuple):
    """What three commands say of a file."""

    check: str
    gate: str
    report: str


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """The text of an audit whose looks were taken."""
    file = make_audit(tmp_path_factory.mktemp("whole"))
    main(["gate", str(file), PLANNED, UNPLANNED])
    return file.read_text("utf-8")


@pytest.fixture
def answers(tmp_path, capsys):
    def ask(text: str) -> Answers:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        file = folder / "x.audit.toml"
        file.write_text(text, "utf-8")
        said: list[str] = []
        for command, *bars in (["check"], ["report"], ["gate", PLANNED, UNPLANNED]):
            main([command, str(file), *bars])
            said.append(" ".join("".join(capsys.readouterr()).split()))
        check, report, gate = said
        return Answers(check, gate, report)

    return ask


def edited(text: str, does: str) -> str:
    document = tomllib.loads(text)
    EDITS[does](document)
    return "".join(emit(document))


def test_every_edit_is_told_or_on_a_list():
    assert len(EDITS) > 60
    assert {*EDITS} == {*TOLD} | HARMLESS | BY_DIGEST | BY_NOTHING


def test_nothing_is_told_of_a_file_that_nobody_edited(audit, answers):
    said = answers("".join(emit(tomllib.loads(audit))))
    for text in said:
        for phrase in TOLD.values():
            assert phrase not in text
    assert "reached." in said.gate


@pytest.mark.parametrize("does", partly_quick(TOLD, 12))
def test_check_gate_and_report_tell_of_an_edit(does, audit, answers):
    for text in answers(edited(audit, does)):
        assert TOLD[does] in text


@pytest.mark.parametrize("does", partly_quick(sorted(HARMLESS), 6))
def test_the_numbers_of_the_sample_are_the_same_after_a_harmless_edit(
    does,
    audit,
    answers,
):
    assert answers(edited(audit, does)).gate == answers(audit).gate


# -- the digest ------------------------------------------------------------------------------------


class Ended(NamedTuple):
    """How a command ended that was given a digest, and what it said."""

    code: int
    said: str


@pytest.fixture
def ask_digest(tmp_path, capsys):
    """What a command says of a file and a digest."""
    file = tmp_path / "x.audit.toml"

    def ask(text: str, command: str, *options: str) -> Ended:
        for path in tmp_path.iterdir():
            path.unlink()
        file.write_text(text, "utf-8")
        code = main([command, str(file), *options])
        return Ended(code, " ".join("".join(capsys.readouterr()).split()))

    return ask


@pytest.fixture(scope="module")
def digest(audit):
    """The digest that was printed before the file was edited."""
    return digest_of(audit)


def digest_of(text: str) -> str:
    document = tomllib.loads(text)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.audit.toml"
        file.write_text("".join(emit(document)), "utf-8")
        sample = sample_in(load_audit(file))
    return sample.digests[-1].letters


@pytest.mark.parametrize("does", partly_quick(sorted(BY_DIGEST), 6))
def test_check_gate_and_report_say_that_the_digest_does_not_hold(
    does,
    audit,
    digest,
    ask_digest,
):
    text = edited(audit, does)
    given = ("--drawn-as", digest)
    check = ask_digest(text, "check", *given)
    gate = ask_digest(text, "gate", PLANNED, *given)
    report = ask_digest(text, "report", *given)
    for ended in (check, gate, report):
        assert f"The digest {digest} does not hold" in ended.said
    assert (check.code, gate.code, report.code) == (1, 3, 0)
    assert "No bar is decided." in gate.said


@pytest.mark.parametrize("does", partly_quick(sorted(HARMLESS | BY_NOTHING), 6))
def test_the_digest_holds_after_what_it_does_not_cover(does, audit, digest, ask_digest):
    check = ask_digest(edited(audit, does), "check", "--drawn-as", digest)
    assert f"The digest {digest} holds" in check.said
