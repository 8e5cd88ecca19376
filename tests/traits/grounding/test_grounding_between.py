"""How far the judge is from the person, where numbers over cells are told: it takes both label sets."""

import csv
import io
import json

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct, Receive
from appellate.core.facts import Proposed
from appellate.numbers.data import figures_csv
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.store.audits.audit import load_audit
from appellate.traits.grounding import KIND
from appellate.traits.grounding.labels import Edit
from appellate.traits.rubric import Rubric
from cells import bench, breakdowns_of
from traits.grounding.grounding_traits import TRACE, TRAIT, table


@pytest.fixture
def file(tmp_path):
    """One cell, judged, corrected in one sentence and signed off; and one judged alone."""
    other = TRACE.model_copy(update={"id": "t2"})
    with bench(tmp_path, TRACE, other, of=Rubric(grounding_traits=[TRAIT])) as at:
        for number in (1, 2):
            at.do(
                number,
                Receive(Proposed(KIND.locate(TRAIT, TRACE, table()), {"name": "gpt"})),
            )
        at.do(1, Correct(Edit("relevant", key="1b", on=False), "not asked"))
        at.do(
            1,
            Correct(Edit("link", key="general", sentence="c", on=True), "small talk"),
        )
        at.sign_off(1)
        at.save()
        yield at.audit


def test_rmse_and_consistency_are_told_of_the_cells_signed_off(file, capsys):
    (trait,) = breakdowns_of(load_audit(file))
    rmse, consistency = trait.whole.between["rmse"], trait.whole.between["consistency"]
    judge = {
        "relevance": 0.2,
        "utilization": 0.5,
        "completeness": 0.5,
        "adherence": 0.0,
    }
    person = {
        "relevance": 0.15,
        "utilization": 2 / 3,
        "completeness": 1 / 3,
        "adherence": 1.0,
    }
    squares = sum((judge[name] - person[name]) ** 2 for name in judge)
    assert rmse.macro == pytest.approx((squares / 4) ** 0.5)
    assert (rmse.n, consistency.n) == (1, 1)
    assert consistency.macro == pytest.approx(1 - rmse.macro)
    main(["metrics", str(file), "--all"])
    told = f"rmse {rmse.macro:.3f}, consistency {consistency.macro:.3f}."
    text = " ".join(capsys.readouterr().out.split())
    assert (
        f"The judge's scores against the signed ones of the same 1 cell, as a mean: {told}"
        in text
    )
    main(["metrics", str(file), "--json"])
    (told,) = json.loads(capsys.readouterr().out)["traits"]
    assert told["between"]["rmse"]["macro"] == rmse.macro
    assert f"rmse {rmse.macro:.3f}" in markdown(report(load_audit(file)))
    assert trait.whole.agreement.counts == {("full", "full"): 2, ("none", "full"): 1}
    assert {one.stats.instruction: one.agreement.n for one in trait.instructions} == {
        "Response sentence supported": 3,
        "Document sentence relevant": 6,
        "Document sentence utilized": 6,
    }
    rows = list(csv.DictReader(io.StringIO(figures_csv([trait]))))
    (row,) = [one for one in rows if one["metric"] == "rmse"]
    assert (row["side"], float(row["macro"])) == ("between", rmse.macro)


def test_nothing_is_told_before_a_cell_is_signed_off(tmp_path):
    with bench(tmp_path, TRACE, of=Rubric(grounding_traits=[TRAIT])) as at:
        at.do(1, Receive(Proposed(KIND.locate(TRAIT, TRACE, table()), {"name": "gpt"})))
        at.save()
    (trait,) = breakdowns_of(load_audit(at.audit))
    assert trait.whole.between == {}
