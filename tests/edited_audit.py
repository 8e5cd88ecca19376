"""An audit with a sample that was ruled on, and ways in which somebody may edit its file by hand."""

import copy
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from appellate.core.deciding import Comment, Correct
from appellate.core.design_facts import LooksPlanned, Probed, SecondPass
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.session.workbench import Workbench
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import bench

TRACES, DRAWN = 60, 24
WARNS = LLMRubricTrait(name="Warns", description="Does it warn?", kind="boolean")
QUESTION = Question(id="q", question="Is it safe?", reference="Below 4 g a day.")
RUBRIC = Rubric(name="Leaflets", llm_traits=[WARNS], questions=[QUESTION])
RECORD = {"name": "gpt", "model": "gpt-9", "prompt_sha256": "a1b2" * 16}
PLANNED, UNPLANNED = "Warns:yes>=.3", "judge.agreement>=.5"


def traces() -> list[Trace]:
    """Every second one asks the question of the rubric, the others one of their own."""
    found = []
    for number in range(TRACES):
        fields: dict[str, Any] = {
            "question": "May I drive?",
            "reference": "Not after two.",
        }
        if number % 2:
            fields = {"question_id": "q"}
        model = "ab"[number % 3 == 0]
        found.append(
            Trace(id=f"t{number}", response="Mind the dose.", model=model, **fields),
        )
    return found


def is_yes(number: int) -> bool:
    """Whether people say yes of a trace."""
    return number % 4 != 0


def judged(number: int) -> Proposed:
    """What the judge says: otherwise than people of every seventh trace."""
    value = is_yes(number) != (number % 7 == 0)
    table = {"value": value, "evidence": [], "rationale": ""}
    return Proposed(
        KIND.locate(WARNS, Trace(id="any", response="Mind the dose."), table),
        RECORD,
    )


def make_audit(folder: Path, audited: int = DRAWN) -> Path:
    """Write an audit with a planned bar, the first units of its sample ruled on, and no decision.

    A sample was drawn and withdrawn before the one that stands.
    """
    with bench(folder, *traces(), of=RUBRIC) as at:
        at.receive_many((number + 1, judged(number)) for number in range(TRACES))
        at.draw(plan(at.workspace.path, SampleWish(10, seed=9)).what)
        at.withdraw()
        at.draw(plan(at.workspace.path, SampleWish(DRAWN, seed=4)).what)
        at.record(LooksPlanned("Warns", "yes>=0.3", [20, DRAWN], 0.05))
        for done, trace in enumerate(at.workspace.design.drawn()[:audited]):
            rule(at, trace)
            if done % 5 == 0:
                at.do(trace, Comment("As the leaflet has it."))
        at.record(Probed("again", {"name": "gpt"}, 20, {"turned": 3, "of": 20}))
        again = {
            "trait": "Warns",
            "blind_before": True,
            "cells": 6,
            "answers": 6,
            "alike": 4,
        }
        at.record(SecondPass("ada", 6, {"traits": [again]}))
        at.save()
    (folder / "x.audit.db").unlink()
    return folder / "x.audit.toml"


def rule(at: Workbench, cell: int) -> None:
    """Rule on a blind cell, after a correction that is undone for every third."""
    value = is_yes(cell - 1)
    if cell % 3 == 0:
        at.do(cell, Correct(Edit("set", not value)))
        at.undo()
    at.do(cell, Correct(Edit("set", value)))
    at.sign_off(cell, 5.0)


# -- the file as a document ------------------------------------------------------------------------

Document = dict[str, Any]
LISTS = ("rounds", "corrections", "comments", "failures", "history")
"""The lists of a judgment whose rows are facts; `judge` is one more."""


def cells(document: Document) -> dict[str, Document]:
    """Return the judgment of each trace, by its id."""
    return {trace["id"]: trace["judgments"][0] for trace in document["traces"]}


def trace_of(document: Document, name: str) -> Document:
    return next(trace for trace in document["traces"] if trace["id"] == name)


def acts(document: Document, name: str) -> list[Document]:
    """Return the facts of the design that are such an act, in order."""
    return [row for row in document["design"] if row["act"] == name]


def sample(document: Document) -> Document:
    """Return the draw that stands."""
    return acts(document, "sampled")[-1]


def drawn(document: Document) -> list[str]:
    """Return the ids of the drawn traces, in the order of the draw."""
    return [row["traces"][0][0] for row in sample(document)["drawn"]]


def undrawn(document: Document) -> list[str]:
    sampled = drawn(document)
    return [name for name in cells(document) if name not in sampled]


def facts(document: Document) -> Iterator[Document]:
    """Yield everything with a number: the facts of cells and of the design."""
    yield from document["design"]
    for cell in cells(document).values():
        yield from facts_of(cell)


def facts_of(cell: Document) -> Iterator[Document]:
    for name in LISTS:
        yield from cell.get(name, ())
    if "judge" in cell:
        yield cell["judge"]


def history(cell: Document, act: str) -> Document:
    """Return the last fact in a cell's history that is such an act."""
    return [row for row in cell["history"] if row["act"] == act][-1]


def renumber(document: Document) -> None:
    """Number all facts from 1 without a gap, in their order."""
    numbers = sorted(row["n"] for row in facts(document))
    new_numbers = {n: place for place, n in enumerate(numbers, 1)}
    for row in facts(document):
        for key in ("n", "of", "part_of"):
            if key in row:
                row[key] = new_numbers[row[key]]


def forget_verdict(document: Document, name: str, *, draw: bool = True) -> None:
    """Make a ruled cell what it was before its verdict, or also before its draw."""
    cell = cells(document)[name]
    for key in ("signed", "verdict", "corrections", "comments", "history"):
        rows = cell.pop(key, [])
        if key == "history" and not draw:
            cell[key] = [row for row in rows if row["act"] in ("drawn", "undrawn")]
    if draw:
        cell |= {"state": "proposed", "audited": answer_of(cell["judge"])}
        cell["metrics"] = dict(cell["judge_metrics"])
    else:
        cell |= {"state": "pending"}
        for key in ("audited", "metrics"):
            cell.pop(key, None)


def answer_of(table: Document) -> Document:
    return {"value": table["value"], "evidence": []}


def turn_judge(document: Document, name: str, *, figures: bool = True) -> None:
    """Have the judge say the contrary of a trace, and with `figures` all that follows from it."""
    cell = cells(document)[name]
    judge = cell["judge"]
    judge["value"] = not judge["value"]
    if not figures:
        return
    cell["judge_metrics"]["yes"] = float(judge["value"])
    if cell["state"] == "proposed":
        cell["audited"]["value"] = judge["value"]
        cell["metrics"]["yes"] = float(judge["value"])


def turn_verdict(document: Document, name: str) -> None:
    """Have the person say the contrary of a trace, in every place of it."""
    cell = cells(document)[name]
    value = not cell["audited"]["value"]
    cell["audited"]["value"] = value
    cell["verdict"]["audited"]["value"] = value
    cell["metrics"]["yes"] = float(value)
    for row in cell["corrections"]:
        row["value"] = value if "undone_by" not in row else not value
        row["after"] = "yes" if row["value"] else "no"


# -- edits -----------------------------------------------------------------------------------------

Change = Callable[[Document], object]
EDITS: dict[str, Change] = {}
"""Ways to edit the file, by what they do."""


def edit(does: str) -> Callable[[Change], Change]:
    def keep(change: Change) -> Change:
        EDITS[does] = change
        return change

    return keep


def take_out(document: Document, names: list[str]) -> None:
    draw = sample(document)
    draw["drawn"] = [row for row in draw["drawn"] if row["traces"][0][0] not in names]
    draw["strata"][0]["drawn"] -= len(names)


@edit("eight traces out of the draw")
def _(document):
    take_out(document, drawn(document)[3:11])


@edit("eight traces out of the draw and of the histories")
def _(document):
    names = drawn(document)[3:11]
    take_out(document, names)
    for name in names:
        forget_verdict(document, name)


@edit("the draw cut to a prefix, with the histories of the rest")
def _(document):
    names = drawn(document)[20:]
    take_out(document, names)
    for name in names:
        forget_verdict(document, name)


@edit("the draw cut to a prefix, and all facts numbered anew")
def _(document):
    EDITS["the draw cut to a prefix, with the histories of the rest"](document)
    forget_looks(document)
    renumber(document)


@edit("another seed")
def _(document):
    sample(document)["seed"] = 5


@edit("the order of the draw")
def _(document):
    sample(document)["drawn"].reverse()


@edit("the last row of the draw")
def _(document):
    take_out(document, drawn(document)[-1:])


@edit("a frame of 5,000")
def _(document):
    draw = sample(document)
    draw["frame"] = draw["strata"][0]["units"] = 5000


@edit("traces that were not drawn deleted")
def _(document):
    gone = undrawn(document)[:3]
    document["traces"] = [
        trace for trace in document["traces"] if trace["id"] not in gone
    ]


@edit("traces that were drawn deleted")
def _(document):
    gone = drawn(document)[:3]
    document["traces"] = [
        trace for trace in document["traces"] if trace["id"] not in gone
    ]


@edit("a blind draw called sighted")
def _(document):
    sample(document)["blind"] = False


@edit("a sighted draw called blind in one history")
def _(document):
    history(cells(document)[drawn(document)[0]], "drawn")["blind"] = False


@edit("a verdict")
def _(document):
    cell = cells(document)[drawn(document)[0]]
    cell["verdict"]["audited"]["value"] = not cell["verdict"]["audited"]["value"]


@edit("a verdict with its correction and its figures")
def _(document):
    turn_verdict(document, drawn(document)[0])


@edit("twelve verdicts with their corrections and figures, and no looks")
def _(document):
    forget_looks(document)
    for name in drawn(document)[:12]:
        turn_verdict(document, name)


@edit("a ruling taken back, and its marks with it")
def _(document):
    forget_verdict(document, drawn(document)[0], draw=False)


@edit("a sign-off taken back in its mark alone")
def _(document):
    del cells(document)[drawn(document)[0]]["signed"]


@edit("what the judge says of a trace that was not drawn")
def _(document):
    turn_judge(document, undrawn(document)[0], figures=False)


@edit("what the judge says of a trace that was not drawn, with its figures")
def _(document):
    turn_judge(document, undrawn(document)[0])


@edit("what the judge says of a trace that was drawn, with its figures")
def _(document):
    turn_judge(document, drawn(document)[0])


@edit("the judge's reason for what it says of a trace that was not drawn")
def _(document):
    cells(document)[undrawn(document)[0]]["judge"]["rationale"] = "It says so."


@edit("the judge's name throughout")
def _(document):
    for cell in cells(document).values():
        cell["judge"]["name"] = "better"


@edit("the judge's model throughout")
def _(document):
    for cell in cells(document).values():
        cell["judge"]["model"] = "gpt-10"


@edit("the prompt's fingerprint throughout")
def _(document):
    for cell in cells(document).values():
        cell["judge"]["prompt_sha256"] = "c3d4" * 16


@edit("the reviewer in one history")
def _(document):
    history(cells(document)[drawn(document)[0]], "ruled")["by"] = "bob"


@edit("the reviewer in the head")
def _(document):
    document["reviewers"] = ["bob"]


@edit("the reviewer throughout")
def _(document):
    document["reviewers"] = ["bob"]
    for row in facts(document):
        for key in {"by", "undone_by"} & row.keys():
            if row[key] == "ada":
                row[key] = "bob"
    for cell in cells(document).values():
        if "signed" in cell:
            cell["signed"]["by"] = "bob"


@edit("the time in one history")
def _(document):
    history(cells(document)[drawn(document)[0]], "ruled")["at"] += timedelta(hours=1)


@edit("all times, moved alike")
def _(document):
    move_times(document, timedelta(days=-3))


def move_times(document: Document, by: timedelta) -> None:
    document["saved"] += by
    for row in facts(document):
        row["at"] += by
    for cell in cells(document).values():
        if "signed" in cell:
            cell["signed"]["at"] += by


@edit("when the file was saved")
def _(document):
    document["saved"] += timedelta(days=1)


@edit("rulings dated before the draw")
def _(document):
    for name in drawn(document)[:5]:
        cell = cells(document)[name]
        early = history(cell, "drawn")["at"] - timedelta(hours=1)
        history(cell, "ruled")["at"] = early
        cell["signed"]["at"] = early


@edit("when the draw was made")
def _(document):
    sample(document)["at"] -= timedelta(hours=1)


@edit("who made the draw")
def _(document):
    sample(document)["by"] = "bob"


@edit("the seconds of a ruling")
def _(document):
    history(cells(document)[drawn(document)[0]], "ruled")["seconds"] = 50.0


@edit("words of the rubric")
def _(document):
    document["rubric"]["llm_traits"][0]["description"] = "Does it warn well?"


@edit("words of the rubric, with its fingerprint")
def _(document):
    document["rubric"]["llm_traits"][0]["description"] = "Does it warn well?"
    sign_rubric(document)


@edit("the name of the rubric")
def _(document):
    document["rubric"]["name"] = "Others"


@edit("the name of the rubric, with its fingerprint")
def _(document):
    document["rubric"]["name"] = "Others"
    sign_rubric(document)


@edit("a question of the rubric, with its fingerprint")
def _(document):
    document["rubric"]["questions"][0]["question"] = "Is it quite safe?"
    sign_rubric(document)


@edit("a reference of the rubric, with its fingerprint")
def _(document):
    document["rubric"]["questions"][0]["reference"] = "Below 8 g a day."
    sign_rubric(document)


def sign_rubric(document: Document) -> None:
    given = {key: value for key, value in document["rubric"].items() if key != "sha256"}
    document["rubric"]["sha256"] = parse_rubric(given, "rubric").usable().sha256()


@edit("the fingerprint of the trait in a ruling")
def _(document):
    cell = cells(document)[drawn(document)[0]]
    for signed in (cell["signed"], history(cell, "ruled")):
        signed["trait_sha256"] = "ab" * 32


@edit("figures of a cell")
def _(document):
    cells(document)[drawn(document)[0]]["metrics"]["yes"] = 0.5


@edit("a trace twice")
def _(document):
    document["traces"].append(copy.deepcopy(document["traces"][0]))


@edit("a trace again under a new name")
def _(document):
    twin = copy.deepcopy(trace_of(document, undrawn(document)[0]))
    document["traces"].append(twin | {"id": "twin"})


@edit("a trace again under a new name, with numbers of its own")
def _(document):
    twin = copy.deepcopy(trace_of(document, undrawn(document)[0])) | {"id": "twin"}
    last = max(row["n"] for row in facts(document))
    document["traces"].append(twin)
    for place, row in enumerate(facts_of(twin["judgments"][0]), 1):
        row["n"] = last + place


@edit("clusters")
def _(document):
    for trace in document["traces"][:6]:
        trace["cluster"] = "c"


@edit("another epoch of a trace that was not drawn")
def _(document):
    trace_of(document, undrawn(document)[0])["epoch"] = 2


@edit("the response of a trace that was ruled on")
def _(document):
    trace_of(document, drawn(document)[0])["response"] = "Mind the dose!"


@edit("the response of a trace that was ruled on, without its fingerprints")
def _(document):
    trace = trace_of(document, drawn(document)[0])
    trace["response"] = "Mind the dose!"
    (cell,) = trace["judgments"]
    del cell["judge"]["text_sha256"]
    for signed in (cell["signed"], history(cell, "ruled")):
        del signed["read_sha256"]
    del history(cell, "ruled")["read"]


@edit("the response of a trace that was not drawn")
def _(document):
    trace_of(document, undrawn(document)[0])["response"] = "Mind the dose!"


@edit("the response of a trace that was not drawn, without its fingerprint")
def _(document):
    trace = trace_of(document, undrawn(document)[0])
    trace["response"] = "Mind the dose!"
    del trace["judgments"][0]["judge"]["text_sha256"]


def asked_alone(document: Document, names: list[str]) -> Document:
    """Return the first of these traces with a question of its own."""
    traces = [trace_of(document, name) for name in names]
    return next(trace for trace in traces if "question" in trace)


@edit("the question of a trace that was ruled on")
def _(document):
    asked_alone(document, drawn(document))["question"] = "May I swim?"


@edit("the question of a trace that was not drawn")
def _(document):
    asked_alone(document, undrawn(document))["question"] = "May I swim?"


@edit("the reference of a trace that was ruled on")
def _(document):
    asked_alone(document, drawn(document))["reference"] = "Not after one."


@edit("the reference of a trace that was not drawn")
def _(document):
    asked_alone(document, undrawn(document))["reference"] = "Not after one."


@edit("the model of a trace that was ruled on")
def _(document):
    trace_of(document, drawn(document)[0])["model"] = "c"


@edit("the model of a trace that was not drawn")
def _(document):
    trace_of(document, undrawn(document)[0])["model"] = "c"


@edit("metadata of a trace")
def _(document):
    trace_of(document, undrawn(document)[0])["metadata"] = '{"site": "Bonn"}'


@edit("the order of the traces")
def _(document):
    document["traces"].reverse()


@edit("cells of traces that were drawn deleted")
def _(document):
    for name in drawn(document)[:3]:
        del trace_of(document, name)["judgments"]


@edit("cells of traces that were not drawn deleted")
def _(document):
    for name in undrawn(document)[:3]:
        del trace_of(document, name)["judgments"]


@edit("the design cut out")
def _(document):
    del document["design"]


@edit("the design cut out, and all facts numbered anew")
def _(document):
    document["design"] = []
    renumber(document)


@edit("the design cut out, and a second sample drawn")
def _(document):
    document["design"] = [copy.deepcopy(sample(document))]
    document["design"][0]["seed"] = 9
    document["design"][0]["drawn"].reverse()


@edit("the withdrawn sample cut out of the design")
def _(document):
    document["design"] = [
        row for row in document["design"] if row["n"] >= sample(document)["n"]
    ]


@edit("the withdrawn sample cut out of the design and of the histories")
def _(document):
    forget_withdrawn(document)


def forget_withdrawn(document: Document) -> None:
    (withdrawn,) = acts(document, "withdrawn")
    document["design"] = [
        row for row in document["design"] if row["n"] > withdrawn["n"]
    ]
    for cell in cells(document).values():
        rows = [row for row in cell.pop("history", ()) if row["n"] > withdrawn["n"]]
        if rows:
            cell["history"] = rows


@edit("the withdrawn sample cut out, and all facts numbered anew")
def _(document):
    forget_withdrawn(document)
    renumber(document)


@edit("the plan deleted, and its looks")
def _(document):
    document["design"] = [
        row
        for row in document["design"]
        if row["act"] not in ("looks_planned", "looked")
    ]


@edit("the plan deleted, and all facts numbered anew")
def _(document):
    EDITS["the plan deleted, and its looks"](document)
    renumber(document)


@edit("another bar in the plan")
def _(document):
    forget_looks(document)
    acts(document, "looks_planned")[0]["bar"] = "yes>=0.5"
    renumber(document)


def forget_looks(document: Document) -> None:
    looks = ("looked", "looked_unplanned")
    document["design"] = [row for row in document["design"] if row["act"] not in looks]
    document["saved"] = max(row["at"] for row in facts(document))


@edit("one look for two in the plan")
def _(document):
    forget_looks(document)
    acts(document, "looks_planned")[0]["looks"] = [DRAWN]


@edit("a plan with the number of another fact")
def _(document):
    plan_row = acts(document, "looks_planned")[0]
    document["design"].append(plan_row | {"n": plan_row["n"] - 1, "bar": "yes>=0.2"})


@edit("a plan after the verdicts")
def _(document):
    add_plan(document, max(row["n"] for row in facts(document)) + 1)


@edit("a plan among the verdicts, and all facts numbered anew")
def _(document):
    add_plan(document, 1 + history(cells(document)[drawn(document)[5]], "ruled")["n"])


def add_plan(document: Document, n: int) -> None:
    """Put a plan for an easier bar before fact `n`."""
    for row in facts(document):
        for key in ("n", "of", "part_of"):
            if row.get(key, 0) >= n:
                row[key] += 1
    before = max(
        (row for row in facts(document) if row["n"] < n),
        key=lambda row: row["n"],
    )
    plan_row = acts(document, "looks_planned")[0]
    added = plan_row | {"n": n, "at": before["at"], "bar": "yes>=0.2"}
    document["design"].append(added)
    document["saved"] = max(row["at"] for row in facts(document))


@edit("another level in the plan")
def _(document):
    forget_looks(document)
    acts(document, "looks_planned")[0]["level"] = 0.5


@edit("eleven looks in the plan")
def _(document):
    forget_looks(document)
    acts(document, "looks_planned")[0]["looks"] = list(range(DRAWN - 10, DRAWN + 1))


@edit("looks in the plan beyond the frame")
def _(document):
    forget_looks(document)
    acts(document, "looks_planned")[0]["looks"] = [20, TRACES + 1]


@edit("another decision in a look")
def _(document):
    acts(document, "looked")[0]["decision"] = "not reached"


@edit("other figures in a look")
def _(document):
    acts(document, "looked")[0] |= {"value": 0.99, "low": 0.97, "high": 0.995}


@edit("other figures and another decision in a look that was not planned")
def _(document):
    look = acts(document, "looked_unplanned")[0]
    look |= {"value": 0.99, "low": 0.97, "high": 0.995, "decision": "reached"}


@edit("a look that was not planned, over fewer units")
def _(document):
    acts(document, "looked_unplanned")[0]["units"] = 20


@edit("looks deleted from among other facts")
def _(document):
    document["design"].remove(acts(document, "looked")[0])


@edit("the last look deleted")
def _(document):
    document["design"].remove(acts(document, "looked_unplanned")[0])


@edit("a comment deleted")
def _(document):
    name = next(name for name in drawn(document) if "comments" in cells(document)[name])
    del cells(document)[name]["comments"]


@edit("an undone correction deleted, and its undo")
def _(document):
    for name in drawn(document):
        cell = cells(document)[name]
        undone = [row for row in cell["corrections"] if "undone_by" in row]
        if undone:
            cell["corrections"].remove(undone[0])
            cell["history"].remove(history(cell, "undone"))
            return


@edit("the outcome of a probe, which rests on replies that no file keeps")
def _(document):
    acts(document, "probed")[0]["outcome"]["turned"] = 0


@edit("the outcome of a second pass, which rests on another audit")
def _(document):
    acts(document, "second_pass")[0]["outcome"]["traits"][0]["alike"] = 6


@edit("the words of a comment")
def _(document):
    name = next(name for name in drawn(document) if "comments" in cells(document)[name])
    cells(document)[name]["comments"][0]["text"] = "I had no time."


@edit("the seconds of a ruling, wherever they are")
def _(document):
    cell = cells(document)[drawn(document)[0]]
    for signed in (cell["signed"], history(cell, "ruled")):
        signed["seconds"] = 50.0


@edit("a number far beyond the last")
def _(document):
    last = max(facts(document), key=lambda row: row["n"])
    last["n"] += 1000


# -- small ones ------------------------------------------------------------------------------------

LOOKALIKE = "W\N{CYRILLIC SMALL LETTER A}rns"
"""The name of the trait with one letter of another alphabet."""
OF_JUDGE = ("trait", "kind", "judge", "judge_metrics")
"""The keys of a judgment that do not follow from what people did."""


def unlike(document: Document) -> tuple[Document, Document]:
    """Return two ruled cells with other verdicts: the first of the draw, and the next such."""
    first, *others = [cells(document)[name] for name in drawn(document)]
    value = first["verdict"]["audited"]["value"]
    return first, next(
        cell for cell in others if cell["verdict"]["audited"]["value"] != value
    )


@edit("two verdicts swapped")
def _(document):
    first, second = unlike(document)
    first["verdict"], second["verdict"] = second["verdict"], first["verdict"]


@edit("two rulings swapped, with all that people did there")
def _(document):
    first, second = unlike(document)
    for key in {*first, *second} - {*OF_JUDGE}:
        values = [cell.pop(key, None) for cell in (second, first)]
        for cell, value in zip((first, second), values, strict=True):
            if value is not None:
                cell[key] = value


@edit("a mark of the draw twice in one history")
def _(document):
    rows = cells(document)[drawn(document)[0]]["history"]
    rows.insert(0, dict(rows[0]))


@edit("a ruling a second later, wherever it is")
def _(document):
    cell = cells(document)[drawn(document)[0]]
    ruled = history(cell, "ruled")
    before = ruled["at"]
    for row in (cell["signed"], cell["verdict"], *facts_of(cell)):
        if row.get("at") == before:
            row["at"] = before + timedelta(seconds=1)


@edit("the reviewer of one correction")
def _(document):
    cells(document)[drawn(document)[0]]["corrections"][-1]["by"] = "bob"


@edit("the reviewer of one sign-off in its mark alone")
def _(document):
    cells(document)[drawn(document)[0]]["signed"]["by"] = "bob"


@edit("a lookalike letter in the trait of the rubric")
def _(document):
    document["rubric"]["llm_traits"][0]["name"] = LOOKALIKE


@edit("a lookalike letter in the trait of one cell")
def _(document):
    cells(document)[drawn(document)[0]]["trait"] = LOOKALIKE


@edit("the level of a plan in its tenth digit")
def _(document):
    acts(document, "looks_planned")[0]["level"] = 0.0500000001


@edit("a history in the other order")
def _(document):
    cells(document)[drawn(document)[0]]["history"].reverse()


@edit("the facts of the design in the other order")
def _(document):
    document["design"].reverse()


@edit("the models of two drawn traces")
def _(document):
    first, second = (trace_of(document, name) for name in drawn(document)[:2])
    first["model"], second["model"] = "b", "a"
