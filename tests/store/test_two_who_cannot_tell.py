"""Two reviewers, or one twice, who cannot tell: in no agreement, counted, and somebody may rule so."""

import json

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.core.kind import CANNOT_TELL
from appellate.core.trace import Trace
from appellate.numbers.two_reviewers import by_trait, stand_ins
from appellate.session.adjudicating import Adjudicating
from appellate.session.workbench import Workbench
from appellate.store.audits.adjudication import begin
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.audits.second_pass import SelfAgreement
from appellate.store.audits.two_audits import beside
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench, ticking

SAFE = LLMRubricTrait(
    name="Safe",
    kind="boolean",
    description="Is it safe?",
    cannot_tell=True,
)
JUDGE = (True, True, CANNOT_TELL, True)
ADA = (True, CANNOT_TELL, True, True)
BO = (True, True, True, False)


def audited(folder, reviewer, verdicts):
    own = folder / reviewer
    own.mkdir()
    traces = [
        Trace(id=f"t{place}", response="Take it.") for place in range(len(verdicts))
    ]
    with bench(own, *traces, of=Rubric(llm_traits=[SAFE]), reviewer=reviewer) as at:
        for number, (judge, person) in enumerate(zip(JUDGE, verdicts, strict=True), 1):
            table = {"value": judge, "evidence": [], "rationale": "So."}
            at.receive(number, Proposed(table, {"name": "gpt"}))
            if person != judge:
                at.do(number, Correct(Edit("set", value=person)))
            at.sign_off(number, 9.0)
        at.save()
        return at.audit.rename(own / f"{reviewer}.audit.toml")


def compared(folder):
    paths = audited(folder, "ada", ADA), audited(folder, "bo", BO)
    return paths, beside(*[(path, load_audit(path)) for path in paths])


def test_a_cell_that_one_cannot_tell_is_in_no_agreement_and_counted(tmp_path, capsys):
    paths, two = compared(tmp_path)
    [trait] = by_trait(two.pairs)
    assert dict(trait.agreement.counts) == {("yes", "yes"): 2, ("yes", "no"): 1}
    assert (trait.cells, trait.untold) == (4, 1)
    [test] = stand_ins(two)
    assert test.items == 2
    assert main(["compare", *map(str, paths), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["traits"][0]["cannot_tell"] == 1
    assert main(["compare", *map(str, paths)]) == 0
    assert (
        "In 1 cell one of them cannot tell: that is in no agreement."
        in capsys.readouterr().out
    )


def test_it_is_contested_and_may_be_what_is_ruled(tmp_path):
    _, two = compared(tmp_path)
    place = AuditFiles.of(tmp_path / "c.audit.toml")
    with begin(place, two, 7, "2026-11-22T12:00:00Z", "cy").workspace as workspace:
        at = Workbench(workspace, place.audit, "cy", ticking())
        deciding = Adjudicating(at)
        assert list(deciding.cell_nos) == [2, 4]
        cell = deciding.cell(2)
        words = [side.word(cell.questions[0]) for side in cell.sides]
        assert sorted(words) == [CANNOT_TELL, "yes"]
        cell.pick(words.index(CANNOT_TELL), cell.questions[0])
        deciding.rule(cell, "It names no dose.", 9.0)
        assert at.open_unhidden(2)[1].labels.value == CANNOT_TELL
        at.save()
    [row] = [one for one in load_audit(place.audit).cells if one.trace.id == "t1"]
    assert row.cell.labels.value == CANNOT_TELL


def test_one_who_cannot_tell_the_second_time_changed_an_answer_and_agrees_in_none(
    tmp_path,
):
    _, two = compared(tmp_path)
    again = SelfAgreement(
        SAFE.name,
        next(iter(two.pairs)).first.subject.kind,
        False,
        "",
    )
    for pair in two.pairs:
        again.add(pair.second, pair.first)
    assert again.agreement.n == 3
    assert [one.answers for one in again.changed] == [
        ("yes", CANNOT_TELL),
        ("no", "yes"),
    ]
