"""Cells that a panel judged, and what a person does to them: pure, without a workspace."""

from appellate.core.cell import Cell, evolve, fold
from appellate.core.deciding import Correct, Draw, Rule, decide
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.store.audits.audit import Audit, AuditedCell
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric

AT = "2026-11-22T12:00:00Z"
SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")


def proposed(kind, trait, trace, tables, names="abc"):
    members = []
    for name, said in zip(names, tables, strict=False):
        given = kind.locate(trait, trace, said) if said else {"error": "no answer"}
        members.append({"name": name, **given})
    first = next(filter(None, tables))
    return Proposed(
        kind.locate(trait, trace, first),
        {"name": "panel", "members": members},
    )


def voted(place, *votes, names="abc", **more):
    """A trace of which the members say yes or no, None where one failed."""
    trace = Trace(id=f"t{place}", response="Take it.", **more)
    tables = [None if vote is None else {"value": vote} for vote in votes]
    what = proposed(KIND, SAFE, trace, tables, names)
    return fold(Subject(KIND, SAFE, trace), [Fact(1, AT, "panel", what)])


def does(cell: Cell, *asked, by="ada") -> Cell:
    for command in asked:
        what = decide(cell, command)
        cell = evolve(cell, Fact(cell.facts[-1].n + 1, AT, by, what))
    return cell


def ruled(cell: Cell, value, by="ada") -> Cell:
    """Drawn blind, and ruled on."""
    return does(
        cell,
        Draw(True),
        Correct(Edit("set", value=value)),
        Rule("abc", 9.0),
        by=by,
    )


def votes(count=24, **more):
    """So many cells; the second member errs in every fourth, the third with it and in every sixth."""
    return [
        voted(no, True, bool(no % 4), bool(no % 4 and no % 6), **more)
        for no in range(count)
    ]


def panel_audit(cells) -> Audit:
    """An audit of such cells."""
    kept = [AuditedCell(cell.subject.trace, cell) for cell in cells]
    rubric = Rubric(name="Safety", llm_traits=[SAFE])
    return Audit(rubric, [one.trace for one in kept], kept, AT, "0.1.0", ["ada"])
