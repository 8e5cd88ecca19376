"""A draw that was edited by hand: seed, fingerprint and the cells' own histories find it, and nothing is decided."""

import json
import re
import tomllib

import pytest
from msgspec.structs import replace

from appellate.cli import main
from appellate.core.design_facts import DesignFact, LooksPlanned, Sampled
from appellate.numbers.samples import sample_at, sample_in
from appellate.stats import designs
from appellate.stats.designs import FrameUnit
from appellate.store.audits.audit import load_audit
from appellate.store.samples.design_faults import (
    BLIND,
    IN_SIGHT,
    OUT,
    FramedTrace,
    sample_faults,
)
from appellate.store.samples.sample_plans import SampleWish, plan
from cells import bench, panel, proposal, trace
from sampled import sampled

NAMES = [f"t{no}" for no in range(12)]


def drawn(n=6, before=0, *, parts=1, blind=True, seed=4, **other) -> Sampled:
    """A draw of n of twelve traces, after so many; the strata take turns."""
    units = [FrameUnit(name, place % parts) for place, name in enumerate(NAMES)]
    wanted, had = [n // parts] * parts, [before // parts] * parts
    found = designs.draw(units, seed, wanted, had)
    told = [
        {"traces": [[unit.name, 1]], "stratum": "ab"[unit.stratum]} for unit in found
    ]
    rows = [
        {"name": "ab"[one], "units": 12 // parts, "drawn": wanted[one]}
        for one in range(parts)
    ]
    frame = designs.written([unit.stratum for unit in units])
    design, sha256 = (
        "simple" if parts == 1 else "stratified",
        designs.fingerprint(units),
    )
    what = Sampled(design, [], seed, blind, 12, sha256, frame, rows, told)
    return replace(what, **other)


def wrong(*draws, cells=None, names=NAMES) -> list[str]:
    facts = [DesignFact(n, "", "ada", what) for n, what in enumerate(draws, 1)]
    in_it = {row["traces"][0][0] for one in draws for row in one.drawn}
    mark = BLIND if draws[0].blind else IN_SIGHT
    told = {name: {mark if name in in_it else OUT} for name in names} | (cells or {})
    traces = [FramedTrace((name, 1), "", told[name]) for name in names]
    return list(sample_faults(facts, traces))


def less(what: Sampled, *places: int) -> Sampled:
    return replace(
        what,
        drawn=[row for at, row in enumerate(what.drawn) if at not in places],
    )


def test_a_draw_as_it_was_made_and_what_was_added_to_it_agree():
    assert wrong(drawn()) == wrong(drawn(), drawn(8, 6)) == []
    assert wrong(drawn(blind=False)) == wrong(drawn(8, parts=2)) == []
    assert wrong(drawn(), names=[*NAMES, "late"]) == []
    assert (
        list(
            sample_faults(
                [DesignFact(1, "", "ada", LooksPlanned("", "f1>=.8", [20], 0.05))],
                [],
            ),
        )
        == []
    )


FIRST = [row["traces"][0][0] for row in drawn().drawn]


@pytest.mark.parametrize(
    ("draws", "told"),
    [
        (
            [less(drawn(), 5)],
            f"number 6 of the draw is nothing, where seed 4 draws {FIRST[5]}",
        ),
        (
            [less(drawn(), 1)],
            f"number 2 of the draw is {FIRST[2]}, where seed 4 draws {FIRST[1]}",
        ),
        ([drawn(seed=5, drawn=drawn().drawn)], "number 1 of the draw is"),
        ([drawn(drawn=drawn().drawn[::-1])], "number 1 of the draw is"),
        ([drawn(drawn=drawn(7).drawn)], "draws nothing"),
        ([drawn(), drawn(8, 6, drawn=drawn(9, 7).drawn)], "number 7 of the draw is"),
        ([drawn(frame_sha256="ab" * 32)], "their fingerprint is another"),
        ([drawn(frame_strata="11a-")], "their fingerprint is another"),
        (
            [drawn(), drawn(8, 6, seed=5)],
            "by another design, seed or frame than the rest",
        ),
        (
            [drawn(strata=[{"name": "a", "units": 11, "drawn": 6}])],
            "not of as many traces",
        ),
        ([drawn(design="active")], "it cannot be drawn"),
    ],
)
def test_a_draw_that_its_seed_does_not_draw_is_told(draws, told):
    assert told in wrong(*draws)[0]


def test_a_trace_that_was_taken_out_or_came_in_by_hand_is_told_by_its_cells():
    gone = wrong(less(drawn(), 5), cells={FIRST[5]: {BLIND}})
    assert (
        gone[1]
        == f"{FIRST[5]} is drawn, by the history of its cells, and not by the draw"
    )
    out = wrong(drawn(), cells={FIRST[0]: {BLIND, OUT}, FIRST[1]: {IN_SIGHT}})
    (told,) = out
    assert (
        "and 1 other are in the draw, and the history of its cells tells otherwise"
        in told
    )


def test_chances_that_are_not_those_of_the_draw_are_told():
    units = [FrameUnit(name, place % 2) for place, name in enumerate(NAMES)]
    names = ["disagreement 1/10", "disagreement 9/10"]
    found, chances = designs.drawn_by_chance(units, 4, designs.shares(names, [6, 6]), 6)
    rows = []
    for one, name in enumerate(names):
        count = sum(unit.stratum == one for unit in found)
        rows.append({"name": name, "units": 6, "drawn": count, "chance": chances[one]})
    told = [
        {"traces": [[unit.name, 1]], "stratum": names[unit.stratum]} for unit in found
    ]
    frame, sha256 = designs.written([0, 1] * 6), designs.fingerprint(units)
    what = Sampled("active", ["disagreement"], 4, True, 12, sha256, frame, rows, told)
    assert wrong(what) == []
    rows = [rows[0], rows[1] | {"chance": 0.9}]
    assert (
        "the chance of disagreement 9/10 is another"
        in wrong(replace(what, strata=rows))[0]
    )


@pytest.mark.parametrize(
    "how",
    [{}, {"by": ["model"]}, {"by": ["disagreement"]}, {"blind": False}],
)
def test_what_the_program_draws_and_adds_agrees_in_workspace_and_file(tmp_path, how):
    models = ("gpt", "llama", "gpt")
    traces = [
        trace(f"t{no}", model=models[no % 3], cluster="c" if no in (3, 4) else None)
        for no in range(40)
    ]
    with bench(tmp_path, *traces) as at:
        for no in range(1, 41):
            one = panel().judge["members"][0]
            at.receive(no, proposal(members=[one, one]) if no % 3 else panel())
        at.draw(plan(at.workspace.path, SampleWish(20, **how)).what)
        at.draw(
            plan(at.workspace.path, SampleWish(4), at.workspace.design.sample()).what,
        )
        at.save()
        assert sample_at(at.workspace.path).faults == []
    assert sample_in(load_audit(tmp_path / "x.audit.toml")).faults == []


# -- the file ----------------------------------------------------------------------------------------


@pytest.fixture
def doctored(tmp_path):
    """An audit of which three of forty rows of the draw were deleted."""
    with sampled(tmp_path, ruled=40) as at:
        at.save()
    (tmp_path / "x.audit.db").unlink()
    file = tmp_path / "x.audit.toml"
    rows = re.findall(
        r"\[\[design\.drawn\]\]\n.*?\n\n",
        file.read_text("utf-8"),
        re.DOTALL,
    )
    text = file.read_text("utf-8")
    for row in rows[5:8]:
        text = text.replace(row, "")
    file.write_text(text, "utf-8")
    return file


def test_a_file_that_does_not_agree_with_itself_decides_nothing_and_says_why(
    doctored,
    capsys,
):
    why = "does not agree with itself, so it says and decides nothing: number 6 of the draw is"
    others = "and 2 others are drawn, by the history of its cells, and not by the draw"

    def told(*arguments):
        code = main([arguments[0], str(doctored), *arguments[1:]])
        return code, " ".join("".join(capsys.readouterr()).split())

    code, said = told("check")
    assert (code, why in said, others in said) == (2, True, True)
    code, said = told("gate", "Polite:yes>=.2")
    assert (code, "Polite:yes>=0.2: undecided." in said, why in said) == (3, True, True)
    assert "looked_unplanned" not in doctored.read_text("utf-8")
    code, said = told("metrics")
    assert (code, why in said, "corrected" in said) == (0, True, False)
    assert why in told("metrics", "--csv")[1]
    code, said = told("report")
    assert (code, why in said) == (0, True)
    document = json.loads(told("gate", "Polite:yes>=.2", "--json")[1])
    assert len(document["sample"]["faults"]) == 2
    assert document["bars"][0]["decision"] == "undecided"


def test_a_decision_that_was_kept_does_not_stand_in_a_file_that_disagrees(
    tmp_path,
    capsys,
):
    with sampled(tmp_path, ruled=40, bars=[("yes>=.2", [20, 40])]) as at:
        at.save()
    file = tmp_path / "x.audit.toml"
    assert main(["gate", str(file), "yes>=.2"]) == 0
    text = file.read_text("utf-8")
    assert any(row["act"] == "looked" for row in tomllib.loads(text)["design"])
    (tmp_path / "x.audit.db").unlink()
    file.write_text(text.replace("\nseed = 1\n", "\nseed = 2\n"), "utf-8")
    assert main(["gate", str(file), "yes>=.2"]) == 3
    assert "where seed 2 draws" in " ".join(capsys.readouterr().out.split())
