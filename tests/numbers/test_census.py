"""An audit in which people signed off all cells: nothing is estimated, and nothing advises to sample it."""

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.numbers import markdown
from appellate.numbers.report import report
from appellate.store.audits.audit import load_audit
from appellate.traits.metric.edits import Edit
from cells import bench, place, proposal, trace

AUDIT = "x.audit.toml"


@pytest.fixture
def signed(tmp_path, monkeypatch):
    """Makes an audit of 25 judged traces with the first `count` signed off, one of them corrected."""
    monkeypatch.chdir(tmp_path)

    def stage(count):
        traces = [trace(f"t{no}", question=f"What of {no}?") for no in range(25)]
        with bench(tmp_path, *traces) as at:
            for number in range(1, 26):
                at.receive(number, proposal())
            at.do(1, Correct(Edit("drop", "fp"), reason="Not said."))
            for number in range(1, count + 1):
                at.sign_off(number)
            at.save()
        return place(tmp_path).audit

    return stage


def in_markdown(path):
    return markdown.markdown(report(load_audit(path)))


def test_a_census_is_named_and_no_sample_is_advised(signed):
    text = in_markdown(signed(25))
    assert "All cells are signed off: the figures are of all responses here" in text
    assert "No sample is needed. The judge stands beside people in: Accuracy." in text
    assert "appellate sample" not in text


def test_with_one_cell_open_it_is_no_census(signed):
    text = in_markdown(signed(24))
    assert "All cells are signed off" not in text
    assert "draw a random sample" in text


def test_an_example_shows_question_response_and_reason(signed):
    text = in_markdown(signed(25))
    row = next(line for line in text.splitlines() if "because: Not said." in line)
    assert "| What of 0? | BCL2 is an anti-apoptotic gene" in row


def test_a_bar_on_a_census_says_where_the_numbers_are(signed, capsys):
    signed(25)
    assert main(["gate", AUDIT, "f1>=.7"]) == 2
    refused = " ".join(capsys.readouterr().err.split())
    assert (
        "All cells are signed off, without a random sample: the numbers of these"
        in refused
    )
    assert "`appellate metrics` has them" in refused
    assert "appellate sample" not in refused
