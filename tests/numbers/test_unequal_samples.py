"""Agreement on cells that were drawn with unequal chances: counts, and why there is no more."""

import json

from hypothesis import given
from hypothesis.strategies import integers, lists

from appellate.cli import main
from appellate.core.design_facts import Sample, Sampled
from appellate.core.only_counts import UNEQUAL
from appellate.stats import designs
from appellate.stats.designs import FrameUnit
from appellate.store import breakdowns
from cells import bench, place
from sampled import MODELS, RUBRIC, judged, number_of, rule, sampled, traces

COUNT, DRAWN = 60, [25, 10]


def drawn_by_model(at) -> None:
    """Five sixths of the one model's answers, a third of the other's."""
    units = [FrameUnit(f"t{number}", number % 2) for number in range(COUNT)]
    order = designs.draw(units, 1, DRAWN, [0, 0])
    strata = [
        {"name": name, "units": COUNT // 2, "drawn": drawn}
        for name, drawn in zip(MODELS, DRAWN, strict=True)
    ]
    rows = [
        {"traces": [[unit.name, 1]], "stratum": MODELS[unit.stratum]} for unit in order
    ]
    written = designs.written([unit.stratum for unit in units])
    frame = (COUNT, designs.fingerprint(units), written)
    at.draw(Sampled("stratified", ["model"], 1, True, *frame, strata, rows))


def test_counts_stay_and_coefficients_are_left_out_with_the_reason(tmp_path, capsys):
    with bench(tmp_path, *traces(COUNT), of=RUBRIC) as at:
        at.receive_many(
            (number_of(at.workspace, number, name), what)
            for number in range(COUNT)
            for name, what in zip(("Facts", "Polite"), judged(number), strict=True)
        )
        drawn_by_model(at)
        rule(at, sum(DRAWN))
        at.save()
        blind = breakdowns.breakdown(at.workspace.path, ("llm", "Polite")).whole.blind
    assert (blind.n, blind.kappa, blind.rates.sensitivity) == (35, None, None)
    assert blind.known("ac1").bounds is None
    audit = str(place(tmp_path).audit)
    assert main(["metrics", audit, "--json"]) == 0
    traits = {one["name"]: one for one in json.loads(capsys.readouterr().out)["traits"]}
    polite = traits["Polite"]["blind_agreement"]
    assert (polite["compared"], polite["kappa"], polite["intervals"]) == (35, None, {})
    assert UNEQUAL in polite["reason"]
    for command in ("metrics", "report"):
        assert main([command, audit]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert "drawn with unequal chances" in shown
        assert "Cohen's kappa" not in shown.split("How to")[0]


def test_equal_chances_change_nothing(tmp_path, capsys):
    with sampled(tmp_path, ruled=30) as at:
        at.save()
        assert (
            breakdowns.breakdown(at.workspace.path, ("llm", "Polite")).whole.blind.kappa
            is not None
        )
    assert main(["report", str(place(tmp_path).audit)]) == 0
    assert UNEQUAL not in capsys.readouterr().out


def is_unequal(sizes, drawn):
    rows = [
        {"name": str(place), "units": units, "drawn": count}
        for place, (units, count) in enumerate(zip(sizes, drawn, strict=True))
    ]
    fact = Sampled("stratified", ["model"], 1, True, sum(sizes), "", "", rows, [])
    return Sample.of([fact]).is_unequal


def test_many_small_strata_of_which_two_are_drawn_each_are_drawn_unequally():
    sizes = [10] * 10 + [900]
    drawn = designs.allocate(100, sizes)
    assert drawn == [2] * 10 + [80]
    assert is_unequal(sizes, drawn)
    assert not is_unequal([10, 990], designs.allocate(100, [10, 990])), (
        "one of a hundred units"
    )


@given(lists(integers(20, 60), min_size=2, max_size=12))
def test_rounding_alone_makes_no_sample_unequal(sizes):
    assert not is_unequal(sizes, designs.allocate(sum(sizes) // 8, sizes))
