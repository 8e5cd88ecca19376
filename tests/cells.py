"""Short ways to make traits, labels, histories and workspaces, in the domain's own words.

An item is written `("words", mark)`; a mark is what the screen shows: 4 for TP instruction 4, -1 for
TN instruction 1, "~2" for hint 2, None for none.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import strategies as st
from msgspec.structs import replace

import appellate
from appellate.core.breakdown import Breakdown
from appellate.core.cell import Cell, evolve, fold, labels_or_blank
from appellate.core.deciding import (
    Act,
    Adopt,
    Command,
    Comment,
    Correct,
    Draw,
    Flag,
    Receive,
    Redo,
    Rule,
    SignOff,
    Undo,
    Undraw,
    unruled,
)
from appellate.core.design_facts import Sampled
from appellate.core.facts import Corrected, Fact, Failed, Proposed, Revised, What
from appellate.core.kind import Instruction, KnownTrait, Subject, TraitKey
from appellate.core.problem import Refused
from appellate.core.totals import counts, pooled
from appellate.core.trace import Trace
from appellate.session.workbench import Change, Workbench
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, Opened, create, resume
from appellate.store.breakdowns import BreakdownCount
from appellate.store.workspace import Workspace
from appellate.traits.metric import KIND, edits
from appellate.traits.metric.labels import BUCKETS, Item, Labels, to_lists
from appellate.traits.metric.spec import ConfusionLists, MetricRubricTrait
from appellate.traits.rubric import Rubric


def cases(table: str) -> list[list[str]]:
    """A table of what is given and what is said of it, a case a line, ` → ` between the two."""
    return [line.split(" → ") for line in table.strip().splitlines()]


EXPECTED = [
    "Mentions BCL2 gene",
    "States that BCL2 inhibits apoptosis",
    "References cancer relevance",
    "States BCL2 is on chromosome 18",
]
FORBIDDEN = ["States BCL2 is on chromosome 1", "Claims BCL2 is pro-apoptotic"]
HINTS = ["It is on chromosome 8", "BCL2 is a virus"]
RESPONSE = (
    "BCL2 is an anti-apoptotic gene that helps cells survive and is important in cancer. "
    "It is located on chromosome 1."
)
TRACE = Trace(id="t1", response=RESPONSE)
GENE, SURVIVE, CANCER = (
    "BCL2 is an anti-apoptotic gene",
    "helps cells survive",
    "is important in cancer",
)
PLACE = "It is located on chromosome 1"
NOON = datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC)
METRICS = ["precision", "recall", "specificity", "accuracy", "f1"]


def checklist(**more: Any) -> MetricRubricTrait:
    """A `tp_only` trait."""
    given = {
        "name": "Coverage",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": EXPECTED,
    }
    return MetricRubricTrait(**{**given, "fp_instructions": HINTS, **more})


def matrix(**more: Any) -> MetricRubricTrait:
    """A `full_matrix` trait."""
    given = {"name": "Accuracy", "evaluation_mode": "full_matrix", "metrics": METRICS}
    lists = {
        "tp_instructions": EXPECTED,
        "tn_instructions": FORBIDDEN,
        "fp_instructions": HINTS,
    }
    return MetricRubricTrait(**{**given, **lists, **more})


def link(mark: int | str | None) -> dict[str, Any]:
    """A mark as an edit's or an item's `of` and `instruction`."""
    if mark is None:
        return {}
    if isinstance(mark, str):
        return {"of": "fp", "instruction": int(mark[1:])}
    return {"of": "tp" if mark > 0 else "tn", "instruction": abs(mark)}


def item(text: str, mark: int | str | None = None, response: str = RESPONSE) -> Item:
    """An item, verified where its words stand in the response."""
    at = response.find(text)
    place = {"start": at, "end": at + len(text)} if at >= 0 else {}
    return Item(text, **link(mark), **place)


def of_mark(trait: MetricRubricTrait, mark: int) -> Item:
    """An FN or TN item."""
    where = link(mark)
    return Item(trait.instructions(where["of"])[where["instruction"] - 1], **where)


def labels(
    trait: MetricRubricTrait,
    *,
    fn: list[int] = (),
    tn: list[int] = (),
    **excerpts: Any,
) -> Labels:
    """Labels from short items; FN and TN are given by their marks alone."""
    made = {
        name: tuple(item(*entry) for entry in excerpts.get(name, ()))
        for name in ("tp", "fp")
    }
    held = {
        "fn": tuple(of_mark(trait, m) for m in fn),
        "tn": tuple(of_mark(trait, m) for m in tn),
    }
    return Labels(**made, **held)


def mark(one: Item) -> int | str | None:
    if one.link is None:
        return None
    of, number = one.link
    return {"tp": number, "tn": -number, "fp": f"~{number}"}[of]


def marks(found: Labels) -> dict[str, list[Any]]:
    """The marks of every bucket that holds anything."""
    return {
        name: [mark(one) for one in found.bucket(name)]
        for name in BUCKETS
        if found.bucket(name)
    }


def after(
    trait: MetricRubricTrait,
    before: Labels,
    response: str = RESPONSE,
    **edit: Any,
) -> Labels:
    of = trace(response=response)
    asked = edits.permit(trait, of, before, edits.Edit(**edit))
    return edits.apply(trait, of, before, asked).labels


def confusion(found: Labels) -> ConfusionLists:
    """The texts of every bucket."""
    return ConfusionLists(**to_lists(found))


def refusal(trait: MetricRubricTrait, before: Labels, **edit: Any) -> str:
    """Why an edit is refused."""
    with pytest.raises(Refused) as refused:
        after(trait, before, **edit)
    return str(refused.value)


def select(words: str, response: str = RESPONSE) -> dict[str, int]:
    """The words selected in the response, as an edit says it."""
    start = response.index(words)
    return {"start": start, "end": start + len(words)}


def do(
    what: str,
    mark: int | str | None = None,
    words: str = "",
    **more: Any,
) -> dict[str, Any]:
    """An edit as `"move tp1 fn"`, `"drop tp"`, with the mark that it links to and words selected."""
    action, place, *to = what.split()
    edit: dict[str, Any] = {
        "action": action,
        "bucket": place[:2],
        "index": int(place[2:] or 0),
    }
    edit |= {"to": to[0]} if to else {}
    return edit | link(mark) | (select(words) if words else {}) | more


def table(**lists: list[str]) -> dict[str, Any]:
    """A judge's table as it arrives, before anything is looked up."""
    return {name: lists.get(name, []) for name in BUCKETS}


def worked_example() -> dict[str, Any]:
    """The reference documents' example: TP 3, FN 1, FP 1, TN 1."""
    rows = [{"bucket": "tp", "index": i, "instruction": i + 1} for i in range(3)]
    rows.append({"bucket": "fp", "index": 0, "of": "tn", "instruction": 1})
    lists = table(
        tp=[GENE, SURVIVE, CANCER],
        fn=[EXPECTED[3]],
        fp=[PLACE],
        tn=[FORBIDDEN[1]],
    )
    return lists | {"items": rows}


def proposal(trait: MetricRubricTrait | None = None, **record: Any) -> Proposed:
    """The worked example, as a judge's labels with their places found."""
    located = KIND.locate(trait or matrix(), TRACE, worked_example())
    return Proposed(located, {"name": "gpt", **record})


def other_proposal(trait: MetricRubricTrait | None = None, **record: Any) -> Proposed:
    """Labels of the same response by a judge that misses the last excerpt and finds chromosome 18."""
    rows = [
        {"bucket": "tp", "index": 0, "instruction": 1},
        {"bucket": "tp", "index": 1, "instruction": 2},
    ]
    rows.append({"bucket": "tp", "index": 2, "instruction": 4})
    lists = table(tp=[GENE, SURVIVE, PLACE], fn=[EXPECTED[2]], tn=FORBIDDEN)
    return Proposed(
        KIND.locate(trait or matrix(), TRACE, lists | {"items": rows}),
        {"name": "other", **record},
    )


def panel(**record: Any) -> Proposed:
    """The worked example as what a panel of two proposed, and of a third that failed."""
    one, other = proposal(), other_proposal()
    members = [
        {**one.judge, **one.table},
        {**other.judge, **other.table},
        {"name": "third", "error": "no answer"},
    ]
    return Proposed(one.table, {"name": "panel", "members": members, **record})


class Story:
    """One cell lived through, command by command; every step is checked against a fold of all its facts."""

    def __init__(
        self,
        trait: Any = None,
        response: str = RESPONSE,
        of: Any = None,
    ) -> None:
        self.cell = Cell(
            of or Subject(KIND, trait or matrix(), trace(response=response)),
        )

    def does(self, command: Command, by: str = "ada") -> Fact:
        """Carries it out as the bench does."""
        by = command.what.judge.get("name", "") if isinstance(command, Receive) else by
        last, at = self._now
        act = Act(lambda _: (self.cell.subject.trace, self.cell), by, last, at)
        act.do(1, [command])
        return self._is_now(act.cells[1][2])

    def happens(self, what: What, by: str = "ada") -> Fact:
        """What a record says, be it asked for or not."""
        last, at = self._now
        return self._is_now(evolve(self.cell, Fact(last + 1, at, by, what)))

    @property
    def _now(self) -> tuple[int, str]:
        last = self.cell.facts[-1].n if self.cell.facts else 0
        return last, f"2026-11-21T12:00:00.{last + 1:06}Z"

    def _is_now(self, cell: Cell) -> Fact:
        self.cell = cell
        assert cell == fold(cell.subject, cell.facts)
        return cell.facts[-1]

    def revised(self, trait: MetricRubricTrait) -> "Story":
        """The same cell under another version of its trait."""
        of, old = self.cell.subject, self.cell.subject.trait
        known = {**of.earlier, old.sha256(): KnownTrait(of.kind, old)}
        after = Story(of=replace(of, trait=trait, earlier=known))
        last, at = self._now
        revised = Fact(last + 1, at, "ada", Revised(old.sha256()))
        after.cell = fold(after.cell.subject, (*self.cell.facts, revised))
        return after

    def corrects(self, by: str = "ada", reason: str = "", **edit: Any) -> Fact:
        return self.does(Correct(edits.Edit.from_row(edit), reason), by)

    def rules(self, command: Rule | None = None) -> Fact:
        """Rules on a blind cell: what is still open is missing, or absent."""
        for asked in unruled(self.cell.subject, labels_or_blank(self.cell)):
            for edit in missing(self.cell, asked):
                self.does(Correct(edit))
        return self.does(command or RULE)


def story_of(*commands: Command, of: Subject | None = None) -> Story:
    """The life of a cell in which this was done."""
    story = Story(of=of)
    for command in commands:
        story.does(command)
    return story


def judged() -> Story:
    """A cell with the worked example proposed."""
    return story_of(Receive(proposal()))


def missing(cell: Cell, asked: Instruction) -> Sequence[Any]:
    """The edits that put an instruction on the side of what is missing or absent."""
    bucket = {"tp": "fn", "tn": "tn"}[asked.of]
    return KIND.answering.edits(
        cell.subject.trait,
        labels_or_blank(cell),
        asked,
        bucket,
    )


def rules(at: Workbench, number: int) -> Change:
    """The same of a cell of an audit."""
    cell = at.open_unhidden(number)[1]
    for asked in unruled(cell.subject, labels_or_blank(cell)):
        for edit in missing(at.open_unhidden(number)[1], asked):
            at.do(number, Correct(edit))
    return at.do(number, RULE)


# -- workspaces -----------------------------------------------------------------------------------


def trace(name: str = "t1", response: str = RESPONSE, **more: Any) -> Trace:
    return Trace(id=name, response=response, **more)


def rubric(*traits: MetricRubricTrait, **more: Any) -> Rubric:
    return Rubric(name="BCL2", metric_traits=list(traits or (matrix(),)), **more)


def ticking() -> Any:
    """A clock that moves on by a second whenever it is read."""
    seconds = count()
    return lambda: NOON + timedelta(seconds=next(seconds))


def place(folder: Path) -> AuditFiles:
    return AuditFiles.of(folder / "x.audit.toml")


def opened(folder: Path, *traces: Trace, of: Rubric | None = None) -> Opened:
    return create(place(folder), of or rubric(), list(traces or (trace(),)), "0.1.0")


def seat(at: Opened, folder: Path, reviewer: str = "ada") -> Workbench:
    """A reviewer's bench at an open workspace."""
    return Workbench(at.workspace, place(folder).audit, reviewer, ticking())


@contextmanager
def bench(
    folder: Path,
    *traces: Trace,
    of: Rubric | None = None,
    reviewer: str = "ada",
) -> Iterator[Workbench]:
    """A new workspace with a reviewer before it."""
    at = opened(folder, *traces, of=of)
    try:
        yield seat(at, folder, reviewer)
    finally:
        at.workspace.close()


def kept_before(folder: Path, at: Workbench, **edit: Any) -> Workbench:
    """Keeps an edit of the first cell as an earlier version did, whose drops left instructions nowhere."""
    _, cell = at.workspace.cell(1)
    outcome = cell.corrected(edits.Edit.from_row(edit))
    what = Corrected(edit, outcome.before, outcome.after)
    at.workspace.facts.append(1, cell, what, "2026-11-21T13:00:00.000000Z", at.reviewer)
    return Workbench(at.workspace, place(folder).audit, at.reviewer, ticking())


def process(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Python code in a process of its own, with this package and these tests at hand."""
    roots = [Path(__file__).parent, Path(appellate.__file__).parents[1]]
    told = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots))}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command,
        env=told,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
    )


def said(code: str, *arguments: object) -> Any:
    """What the code printed last, as JSON."""
    with process(code, *arguments) as child:
        out, err = child.communicate()
    assert child.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def sums(counted: dict[str, int]) -> dict[str, int]:
    """Totals without their zeros, which say nothing."""
    return {key: value for key, value in counted.items() if value}


def everything(workspace: Workspace) -> tuple[Any, ...]:
    """Cells, totals and whose turn it is to undo what."""
    cells = [workspace.cell(number) for number in range(1, workspace.cells.count() + 1)]
    facts = [
        (
            repr(one.model_copy(update={"judgments": {}})),
            cell.facts,
            cell.labels,
            cell.state,
        )
        for one, cell in cells
    ]
    totals = all_totals(workspace)
    turns = [
        (workspace.facts.undoable(by), workspace.facts.redoable(by))
        for by in ("ada", "bob", "gpt")
    ]
    return (
        facts,
        totals,
        turns,
        workspace.cells.rows(0, 99),
        workspace.facts.reviewers(),
        workspace.facts.last_n(),
    )


def all_totals(workspace: Workspace) -> dict[TraitKey, dict[str, int]]:
    """The totals of all cells, as those of ("", ""), and of each trait that has cells."""
    workspace.totals()  # which has the sums written
    keys = workspace.db.execute("SELECT DISTINCT kind, trait FROM totals").fetchall()
    return {key: sums(workspace.totals(key)) for key in sorted(keys)}


def check_totals(workspace: Workspace) -> None:
    """Running totals equal a recount of every cell."""
    cells = [
        workspace.cell(number)[1] for number in range(1, workspace.cells.count() + 1)
    ]
    for key, kept in all_totals(workspace).items():
        if key == ("", ""):
            continue
        own = [cell for cell in cells if cell.subject.trait_key == key]
        assert sums(kept) == sums(pooled(own))
        signed = pooled(cell for cell in own if cell.state == "reviewed")
        for side, whole in (("signed", "standing"), ("judge", "judge_all")):
            assert sums(counts(kept, side)) == sums(counts(signed, whole))
    states = {
        key: by
        for key, by in pooled(cells).items()
        if key.startswith("state:") or ":" not in key
    }
    assert sums(workspace.totals()) == sums(states)
    assert [row.state for row in workspace.cells.rows(0, len(cells))] == [
        cell.shown.state for cell in cells
    ]


@contextmanager
def from_file_alone(at: Workbench) -> Iterator[Workspace]:
    """The workspace made anew of the audit file, which has all of it and is written again to the byte."""
    at.save()
    before, text = everything(at.workspace), at.audit.read_text(encoding="utf-8")
    assert load_audit(at.audit).text() == text
    at.workspace.close()
    at.workspace.path.unlink()
    again = resume(AuditFiles.of(at.audit))
    with again.workspace as workspace:
        assert (again.notes, everything(workspace)) == ([], before)
        yield workspace


def sample_of(*names: str, of: int = 3, blind: bool = True) -> Sampled:
    """A simple sample that drew these traces of so many."""
    strata = [{"name": "all", "units": of, "drawn": len(names)}]
    drawn = [{"traces": [[name, 1]], "stratum": "all"} for name in names]
    return Sampled("simple", [], 1, blind, of, "ab" * 32, f"{of}a", strata, drawn)


def breakdowns_of(audit: AnyAudit, by: str = "", **how: Any) -> list[Breakdown]:
    """The numbers of every trait of an audit."""
    count = BreakdownCount(audit, by, **how)
    for audited in audit.cells:
        count.add(audited)
    return count.breakdowns()


# -- anything at all ------------------------------------------------------------------------------


def corrects(row: dict[str, Any], reason: str = "") -> Correct:
    """The command that asks for a metric edit."""
    return Correct(edits.Edit.from_row(row), reason)


MOVED = corrects({"action": "move", "bucket": "tp", "index": 0, "to": "fn"})
"""What the worked example found first is missing."""


buckets = st.sampled_from(BUCKETS)
lists = st.sampled_from(["tp", "tn", "fp"])


def any_edit(response: str = RESPONSE) -> st.SearchStrategy[dict[str, Any]]:
    """An edit that may or may not make sense."""
    offset = st.integers(0, len(response))
    optional = {
        "to": buckets,
        "of": lists,
        "instruction": st.integers(0, 5),
        "start": offset,
        "end": offset,
        "text": st.sampled_from(
            [GENE, "Bcl2 is", "bcl2", "… survive", "nowhere said", "  "],
        ),
        "cut": st.integers(-2, 20),
        "omission": st.just(True),
    }
    action = st.sampled_from(get_args(edits.Action))
    needed = {"action": action, "bucket": buckets, "index": st.integers(0, 3)}
    return st.fixed_dictionaries(needed, optional=optional)


def likely_edit(response: str = RESPONSE) -> st.SearchStrategy[dict[str, Any]]:
    """An edit that often applies to the worked example."""
    links = st.sampled_from([1, 2, 3, 4, -1, -2, "~1"]).map(link)
    spans = st.sampled_from([GENE, SURVIVE, CANCER, PLACE, "cancer", "gene"]).map(
        lambda w: select(w, response),
    )
    moves = [
        ("tp", "fn"),
        ("tp", "fp"),
        ("fp", "tp"),
        ("fp", "tn"),
        ("fn", "tp"),
        ("tn", "fp"),
    ]
    index = st.integers(0, 3)
    move = st.builds(
        lambda way, at, to, where: {
            "action": "move",
            "bucket": way[0],
            "to": way[1],
            "index": at,
            **to,
            **where,
        },
        st.sampled_from(moves),
        index,
        links | st.just({}),
        spans | st.just({}),
    )
    add = st.builds(
        lambda name, to, where: {"action": "add", "bucket": name, **to, **where},
        buckets,
        links,
        spans,
    )
    rest = st.builds(
        lambda action, name, at, to: {
            "action": action,
            "bucket": name,
            "index": at,
            **to,
        },
        st.sampled_from(["relink", "drop", "merge"]),
        buckets,
        index,
        links,
    )
    words = st.builds(
        lambda action, name, at, cut: {
            "action": action,
            "bucket": name,
            "index": at,
            "cut": cut,
            "text": "BCL2",
        },
        st.sampled_from(["split", "reword"]),
        st.sampled_from(["tp", "fp"]),
        index,
        st.integers(0, 30),
    )
    denial = st.builds(
        lambda action, name, at, where: {
            "action": action,
            "bucket": name,
            "index": at,
            **where,
        },
        st.sampled_from(["deny", "deny", "omit"]),
        st.sampled_from(["tp", "fn", "tn"]),
        index,
        spans | st.just({}),
    )
    replacing = st.builds(
        lambda where, wrong: {"action": "reword", "bucket": "tp", **where, **wrong},
        spans,
        st.sampled_from([{}, {"wrong_evidence": True}]),
    )
    return st.one_of(move, add, rest, words, denial, replacing, any_edit(response))


SIGN = SignOff("abc")
RULE = Rule("abc")
commands = st.one_of(
    likely_edit().map(corrects),
    likely_edit().map(corrects),
    st.sampled_from([SIGN, SignOff("abc", 0.5)]),
    st.booleans().map(Flag),
    st.sampled_from(["hm", " "]).map(Comment),
    st.integers(1, 15).map(Undo),
    st.integers(1, 15).map(Redo),
    st.sampled_from([Receive(proposal()), Receive(Failed("no answer"))]),
    st.integers(2, 4).flatmap(
        lambda n: st.sampled_from(
            [
                Receive(other_proposal(round=n)),
                Receive(panel(round=n)),
                Receive(proposal(round=n)),
            ],
        ),
    ),
    st.builds(Adopt, st.integers(1, 15), st.none() | st.integers(0, 2)),
    st.sampled_from(
        [RULE, Rule("abc", 0.5), Draw(False), Draw(True), Draw(True), Undraw()],
    ),
)


def lived(story: Story, life: list[Command]) -> Story:
    for command in life:
        try:
            if (
                isinstance(command, Rule)
                and story.cell.hidden
                and story.cell.base is None
            ):
                story.rules(command)
            else:
                story.does(command)
        except Refused as refused:
            assert str(refused)  # noqa: PT017 - a law: any refusal says why
    return story
