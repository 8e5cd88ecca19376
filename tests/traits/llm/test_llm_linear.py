"""An LLM cell line by line: verdicts by one key, evidence, the same facts as on the screen."""

from llm_traits import judged

from app.review_stage import sitting
from linear.linear_stage import bench_of, facts, told


def value(bench, no):
    return bench.workspace.cell(no)[1].labels.value


async def test_a_verdict_and_its_evidence_come_to_the_same_facts_as_on_the_screen(
    tmp_path,
):
    here, there = tmp_path / "lines", tmp_path / "screen"
    here.mkdir()
    there.mkdir()
    with bench_of(here, judged()) as bench:
        printed = told(bench, "2", " ", "j", "d", "q")
        by_lines = facts(bench, 1)
        assert "Evidence 1: “with food”" in printed
    async with sitting(there, judged()) as at:
        await at.press("2", "space", "l", "d")
        assert facts(at.bench, 1) == by_lines
        assert len(by_lines) == 4


def test_evidence_is_added_and_reworded_line_by_line(tmp_path):
    with bench_of(tmp_path, judged(), at=2) as bench:
        told(bench, "+", "1", "e", "nothing like it", "q")
        labels = bench.workspace.cell(2)[1].labels
        assert [(one.text, one.span) for one in labels.evidence] == [
            ("nothing like it", None),
        ]
        printed = told(bench, "j", "a", "k", "i", "2", "q")
        assert "not found in the response" in printed
        assert "1 excerpt not in the response. Press a again to sign it off" in printed
        assert value(bench, 2) == 2


def test_what_is_refused_names_only_keys_and_commands_that_there_are_line_by_line(
    tmp_path,
):
    with bench_of(tmp_path, judged()) as bench:
        printed = told(bench, "=", "@", "q")
        assert "No excerpt is under the cursor: j goes to the evidence." in printed
        assert (
            "Only a metric trait can get one here; for others: `appellate judge AUDIT --revise RUBRIC`."
            in printed
        )
        gone = told(bench, "k", "=", "q", overrides={"lines.down": "x"})
        assert "No excerpt is under the cursor: x goes to the evidence." in gone
