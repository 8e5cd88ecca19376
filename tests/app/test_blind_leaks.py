"""Nothing that is seen of a blind cell depends on what its judge said: two audits that differ in that
alone read the same on every screen, in every order and filter, and in what can be copied.
"""

import json
from shutil import copytree

import pytest
from msgspec.structs import replace
from review_stage import sitting

from all_kinds import EDITS, GPT, RUBRIC, TABLES
from appellate.app.queue.lineup import Lineup
from appellate.app.reading.response_actions import copies
from appellate.cli import main
from appellate.core.deciding import Comment, Correct, Draw
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import Refused
from appellate.query.language import QueryUnreadable, parse
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create, resume
from appellate.store.queue import look_up
from appellate.traits.rubric import Rubric
from cells import NOON, other_proposal, place, proposal, trace

ASKED = "What is BCL2?"
DOCUMENTS = [
    "BCL2 is a gene. It lies on chromosome 18.",
    "Cancer keeps too much of it.",
]
RUBRIC_OF_EACH = Rubric(
    metric_traits=RUBRIC.metric_traits,
    grounding_traits=RUBRIC.grounding_traits,
    llm_traits=RUBRIC.llm_traits[:1],
    regex_traits=RUBRIC.regex_traits,
    callable_traits=RUBRIC.callable_traits,
    scorer_traits=RUBRIC.scorer_traits[:1],
)
WORDS = ("zyzzyva", "quokka")
"""What each of two judges says in every reason and explanation."""
FILTERS = (
    "state:pending",
    "state:proposed",
    "state:failed",
    "is:unverified",
    "is:disagreement",
    "is:overruled",
    "is:blind",
    "judge:gpt",
    "zyzzyva",
    "meta.success:true",
    "meta.anna:yes",
    "meta.anna:ye*",
    "meta.ben:1",
    "meta.ben>0",
    "meta.run.score=1",
    "meta.human_label:zyzzyva",
    "meta.metricsData.score>0.5",
    "meta.extra:*zyzzyva*",
)


def beside(side):
    """The metadata of a trace as tools write them, whose verdicts are those of one of two judges."""
    word = WORDS[side]
    verdict = ("yes", "no")[side]
    return {
        "site": "berlin",
        "success": side == 0,
        "metricsData": [{"name": "G-Eval", "score": (0.9, 0.2)[side], "reason": word}],
        "human_label": word,
        "annotator2_comment": f"I say {word}.",
        "anna": verdict,
        "ben": side,
        "extra": json.dumps({"verdict": word, "run": 7}),
        "run": {"seed": 12345, "score": side, "by": {"rationale": word}},
    }


def said(subject, side):
    """What one of two judges says of a cell, with its word in whatever has room for one."""
    word = WORDS[side]
    if subject.kind.name == "metric":
        given = (proposal, other_proposal)[side]()
        rows = [row | {"rationale": word} for row in given.table["items"]]
        return replace(given, table=given.table | {"items": rows}, judge=GPT)
    table = dict(TABLES[subject.trait.name][side])
    if subject.kind.name == "llm":
        table["rationale"] = word
    if subject.kind.name == "scorer":
        table["explanation"] = word
    if subject.kind.name == "grounding":
        table["relevance_explanation"] = table["overall_supported_explanation"] = word
    return Proposed(subject.kind.locate(subject.trait, subject.trace, table), GPT)


def answer(bench, number, word):
    """What a reviewer does who has seen the judge: each act quotes it."""
    subject = bench.open_unhidden(number)[1].subject
    try:
        bench.do(number, Correct(subject.kind.edit(EDITS[subject.trait.name]), word))
    except Refused:  # it stands so already, or there is nothing to correct
        bench.do(number, Comment(f"Right: {word}"))
    bench.do(number, Comment(f"It says {word}."))
    if bench.open_unhidden(number)[1].labels is not None:
        bench.sign_off(number)
    else:
        bench.do(number, Comment("failed"))
    bench.do(number, Comment(f"{word}, indeed"))
    bench.undo()


def audit(folder, side):
    """Every kind's cells of two answers, all of them drawn blind after a judge was heard, or failed
    where there is no side, and a reviewer had answered it.
    """
    folder.mkdir()
    traces = [
        trace(
            name,
            model=name,
            question=ASKED,
            documents=DOCUMENTS,
            reference="chromosome 18",
            metadata=beside(side or 0),
        )
        for name in ("one", "two")
    ]
    opened = create(place(folder), RUBRIC_OF_EACH, traces, "0.1.0")
    bench = Workbench(opened.workspace, place(folder).audit, "ada", lambda: NOON)
    for number in range(1, bench.workspace.cells.count() + 1):
        subject = bench.open(number)[1].subject
        what = Failed("zyzzyva", "quokka", GPT) if side is None else said(subject, side)
        bench.receive(number, what)
        answer(bench, number, WORDS[side or 0])
    for number in range(1, bench.workspace.cells.count() + 1):
        bench.do(number, Draw(True))
    bench.save()
    opened.workspace.close()


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """The folders of an audit that one judge was heard in, the other, and in which it failed."""
    folder = tmp_path_factory.mktemp("blind")
    names = {"one": 0, "two": 1, "not": None}
    for name, side in names.items():
        audit(folder / name, side)
    return [folder / name for name in names]


async def seen(folder):
    """All that the screens say, one after the other: every kind's cell, then the audit."""
    found = []
    async with sitting(folder) as at:

        async def press(*keys):
            await at.press(*keys)
            found.append(f"{at.no} {keys}\n{at.text}")

        await press()
        for _ in RUBRIC_OF_EACH.every_trait():
            await press("C")
            await press("escape", "escape", "J")
            await press("escape", "escape")
            material = at.screen.objects.parts.material
            while not material.is_open or material.chosen != "metadata":
                await press("K")
            found.append(material.text)
            assert "site: berlin" in material.text
            await press("escape")
            await press("V")
            if at.cell.subject.kind.answering:
                await press("b")
                await press("escape", "s")
                await press("escape")
            await press("full_stop")
        await press("H")
        await press("u")
        await press("escape", "Q")
        await press("escape", "S")
    return found


@pytest.mark.slow
async def test_no_screen_tells_what_the_judge_said(audits, tmp_path):
    one, two = (copytree(folder, tmp_path / folder.name) for folder in audits[:2])
    first, second = await seen(one), await seen(two)
    for one_text, other_text in zip(first, second, strict=True):
        assert one_text == other_text
    assert not [text for text in first if any(word in text.lower() for word in WORDS)]


def found_by(workspace, query, order):
    return list(look_up(workspace.path, query, order, 1, "ada").numbers)


def rows(folder):
    """Every order of the queue, and what each filter finds."""

    found = {}
    with resume(place(folder), readonly=True).workspace as workspace:
        lineup = Lineup(workspace, "ada")
        for order in lineup.orders():
            query = parse("", lineup._vocabulary)
            found[order.id] = found_by(workspace, query, order.id)
        for text in FILTERS:
            try:
                query = parse(text, lineup._vocabulary)
            except QueryUnreadable as why:
                found[text] = str(why)
            else:
                found[text] = found_by(workspace, query, "loaded")
        found["rows"] = [
            replace(row) for row in workspace.cells.rows(0, workspace.cells.count())
        ]
        for number in range(1, workspace.cells.count() + 1):
            known, cell = Workbench(workspace, place(folder).audit, "ada").open(number)
            found[number] = [
                one.text
                for one in copies(known, cell, ASKED, ("tp", 0), place(folder))
                if one.key != "command"
            ]
    return found


def test_no_order_filter_row_or_total_tells_it_either(audits):
    first, *others = map(rows, audits)
    for other in others:
        for name, found in first.items():
            assert found == other[name], name


@pytest.mark.parametrize(
    "command",
    [
        ("log",),
        ("metrics",),
        ("metrics", "--json"),
        *(("report", "--format", form) for form in ("md", "html", "json", "csv")),
    ],
)
def test_no_command_that_tells_of_the_audit_says_a_word_of_it(
    audits,
    command,
    capsys,
    monkeypatch,
):
    monkeypatch.chdir(audits[0])
    assert main([command[0], "x.audit.toml", *command[1:]]) == 0
    told = capsys.readouterr().out.lower()
    assert not any(word in told for word in WORDS)
