"""How good the judge is, at the bench line by line."""

from io import StringIO

from linear_stage import told

from appellate.core.design_facts import Looked
from appellate.linear.cell_reading import worth
from appellate.linear.console import Console
from appellate.numbers.samples import sample_at, sample_numbers
from appellate.numbers.sentences import NO_SAMPLE, difference_text, worth_text
from appellate.ui.marks import ASCII, UNICODE
from cells import bench
from sampled import sampled


def printed(at, marks=UNICODE):
    out = StringIO()
    console = Console(marks, colours=False, given=StringIO(), out=out)
    console.show(*worth(at, console))
    return out.getvalue().splitlines()


def test_every_number_of_a_sample_is_a_sentence_and_reached_looks_are_kept(tmp_path):
    with sampled(tmp_path, drawn=52, ruled=52, bars=[("yes>=.2", [20, 40])]) as at:
        lines = printed(at)
        found = sample_numbers(sample_at(at.workspace.path))
        kept = [one.what for one in at.workspace.design.facts() if isinstance(one.what, Looked)]
        again = printed(at)
        ascii_lines = printed(at, ASCII)
    assert lines == again
    assert lines[1].startswith("How good the judge is: Simple random sample: 52 of 60, seed 1")
    for one in (*found.worths, *found.by_group):
        assert worth_text(one, "trace") in lines
    assert next(difference_text(one) for one in found.differences) in lines
    assert any(line.startswith("share answered yes in Polite (gpt): ") for line in lines)
    assert any(line.startswith("yes>=0.2 of Polite: reached.") for line in lines)
    assert [(one.look, one.units) for one in kept] == [(1, 20)]
    assert all(line.isascii() for line in ascii_lines)


def test_s_tells_what_is_wanting_for_a_number_or_that_nothing_was_drawn(tmp_path):
    with sampled(tmp_path, ruled=19) as at:
        printed_here = told(at, "S", "q")
    assert "Polite: yes" in printed_here.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert (
        "share answered yes in Polite: shown from 20 audits on: 1 more audit to go (19 traces of 60"
        in (printed_here)
    )
    assert "Numbers are shown from 20 audits on" in printed_here
    (tmp_path / "none").mkdir()
    with bench(tmp_path / "none") as at:
        assert NO_SAMPLE in told(at, "S", "q")
