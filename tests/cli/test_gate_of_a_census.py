"""`appellate gate` where people signed off every cell: bars on the judge, for further responses."""

import json
import tomllib

import pytest
import tomli_w

from appellate.core.deciding import Correct, SignOff
from appellate.core.facts import Proposed
from appellate.store.breakdowns import breakdown
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.edits import Edit as SetVerdict
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench, place, trace
from sampled import sampled

AUDIT = "x.audit.toml"
SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="?")
PAIRS = (
    [(True, True)] * 30
    + [(True, False)] * 4
    + [(False, True)] * 3
    + [(False, False)] * 23
)


@pytest.fixture
def labelled(tmp_path, monkeypatch):
    """Makes an audit whose cells a table labelled whole, with the judge's verdicts beside them.

    Of the cells in `unjudged` there is no verdict of the judge, and of those in `claims` it is
    claimed that people were blind, or that they were not; else nothing is said.
    """
    monkeypatch.chdir(tmp_path)

    def stage(pairs=PAIRS, claims=lambda _: None, unjudged=()):
        traces = [
            trace(f"t{no}", question=f"What of {no}?") for no in range(len(pairs))
        ]
        with bench(tmp_path, *traces, of=Rubric(llm_traits=[SAFE])) as at:
            for number, (judge, person) in enumerate(pairs, 1):
                if number not in unjudged:
                    table = {"value": judge, "evidence": [], "rationale": ""}
                    proposed = LLM.locate(SAFE, traces[number - 1], table)
                    at.receive(number, Proposed(proposed, {"name": "gpt"}))
                if judge != person or number in unjudged:
                    at.do(number, Correct(SetVerdict("set", value=person)))
                at.do(number, SignOff(SAFE.sha256(), said_blind=claims(number)))
            at.save()
        return place(tmp_path).audit

    return stage


@pytest.mark.parametrize(
    ("bar", "code", "says"),
    [
        ("judge.kappa>=.5", 0, "judge.kappa>=0.5 of Safe: reached."),
        ("judge.kappa>=.99", 1, "judge.kappa>=0.99 of Safe: not reached."),
        ("Safe:judge.sensitivity>=.9", 3, "Safe:judge.sensitivity>=0.9: undecided."),
        ("judge.f1>=.7", 0, "judge.f1>=0.7 of Safe: reached."),
    ],
)
def test_bars_on_the_judge_are_decided_for_further_responses(
    labelled,
    cli,
    bar,
    code,
    says,
):
    labelled()
    told = " ".join(cli(f"gate {AUDIT} {bar}", code=code).out.split())
    assert "All 60 cells are signed off, without a random sample." in told
    assert says in told
    assert "For further responses like these its 95 % interval is" in told
    assert (
        "People ruled in sight of the judge, or nobody says that they did not" in told
    )


def test_the_interval_of_a_census_is_the_one_of_the_page_judge(labelled, cli):
    path = labelled()
    (bar,) = json.loads(cli(f"gate {AUDIT} judge.kappa>=.5 --json").out)["bars"]
    known = breakdown(
        path.with_name("x.audit.db"),
        ("llm", "Safe"),
    ).whole.agreement.known(
        "kappa",
    )
    interval = bar["now"]["judge"]
    assert interval == {
        "value": known.value,
        "low": known.bounds.low,
        "high": known.bounds.high,
        "level": 0.95,
    }
    assert (bar["how"], bar["answers"], bar["units"]) == ("in sight", 60, 60)


def test_only_what_is_claimed_of_every_cell_makes_it_blind_by_the_importers_claim(
    labelled,
    cli,
):
    labelled(claims=lambda _: True)
    told = " ".join(cli(f"gate {AUDIT} judge.kappa>=.5").out.split())
    assert "People's labels are blind by the importer's claim: 60 answers on 60" in told


def test_one_cell_without_the_claim_makes_a_census_one_in_sight(labelled, cli):
    labelled(claims=lambda number: number > 1)
    told = " ".join(cli(f"gate {AUDIT} judge.kappa>=.5").out.split())
    assert "People ruled in sight of the judge" in told


def test_answers_of_a_census_are_of_cells_that_have_both_labels(labelled, cli):
    labelled(unjudged=(1, 2, 3, 4, 5))
    (bar,) = json.loads(cli(f"gate {AUDIT} judge.agreement>=.5 --json").out)["bars"]
    assert (bar["answers"], bar["units"]) == (55, 55)
    assert bar["now"]["judge"]["value"] == pytest.approx(48 / 55)


def test_where_the_judge_lacks_some_of_the_cells_its_number_says_of_how_many_it_is(
    labelled,
    cli,
):
    labelled(unjudged=(1, 2, 3, 4, 5))
    told = " ".join(cli(f"metrics {AUDIT}").out.split())
    assert "; the judge says 0.527, over the 55 of them that it judged." in told
    row = next(
        line for line in cli(f"report {AUDIT}").out.splitlines() if "| Safe |" in line
    )
    assert "| 60 of 60 | 0.550 | 0.527 (n 55) |" in row


def test_a_report_names_the_section_that_has_more(labelled, cli):
    labelled()
    told = cli(f"report {AUDIT}").out
    assert "the same cells under “What is signed off”" in told
    assert "with who, when and why, are below under “Corrections”." in told
    assert "## What is signed off" in told
    assert "## Corrections" in told


def test_a_census_of_few_cells_decides_nothing_and_says_why(labelled, cli):
    labelled(pairs=PAIRS[-15:])
    told = " ".join(cli(f"gate {AUDIT} judge.agreement>=.5", code=3).out.split())
    assert "it takes 20 answers on 20 traces that judge and person both gave" in told
    assert "there are 15 on 15." in told


def test_a_sample_that_was_cut_out_of_the_file_makes_no_census(
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    with sampled(tmp_path, count=20, drawn=20, ruled=20) as at:
        at.save()
    place(tmp_path).workspace.unlink()
    document = tomllib.loads(place(tmp_path).audit.read_text("utf-8"))
    del document["design"]
    place(tmp_path).audit.write_text(tomli_w.dumps(document), "utf-8")
    told = cli(f"gate {AUDIT} Polite:judge.kappa>=.5", code=2).err
    assert "No bar is decided, since the file was edited by hand" in told


USELESS = [(True, True)] * 22 + [(True, False)] * 7 + [(False, True)] * 20
USELESS += [(False, False)] * 11
INVERTED = [(True, False)] * 30 + [(False, True)] * 24 + [(True, True)] * 6


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        (PAIRS, "kappa .76 (.52–.91 for further responses like these)."),
        (USELESS, "like these), no better than chance."),
        (INVERTED, "like these), worse than chance."),
        (
            [(True, True)] * 40 + [(False, False)] * 20,
            "among further responses like these up to about 6 % would not show.",
        ),
        ([(True, True)] * 5 + [(False, False)] * 3, "on all 8, and there are no more."),
    ],
)
def test_the_first_sentence_of_a_census_tells_what_holds_for_further_responses(
    labelled,
    cli,
    pairs,
    says,
):
    labelled(pairs)
    assert says in json.loads(cli(f"metrics {AUDIT} --json").out)["sentence"]
