"""What an agent did is an agent's in every file, and what a person did a person's."""

import tomllib

import pytest

from appellate import load_audit
from appellate.core.deciding import Comment, Flag
from appellate.core.design_facts import LooksPlanned
from appellate.core.facts import AGENT
from appellate.core.problem import Unusable
from cells import MOVED, bench, from_file_alone, place, proposal, sample_of, trace


def acts_of(workspace):
    _, cell = workspace.cell(1)
    return [(fact.by, fact.as_agent) for fact in cell.facts]


def test_who_acted_as_what_is_in_the_workspace_and_in_the_file(tmp_path):
    with bench(tmp_path, trace("t1"), trace("t2"), trace("t3")) as at:
        at.receive(1, proposal(name="claude", **{"as": AGENT}))
        at.do(1, Flag(True))
        at.as_agent = True
        at.do(1, MOVED)
        at.do(1, Comment("hm"))
        at.draw(sample_of("t2"))
        at.record(LooksPlanned("", "f1>=0.8", [20], 0.05))
        acted = acts_of(at.workspace)
        assert acted == [("claude", True), ("ada", False), ("ada", True), ("ada", True)]
        design = at.workspace.design.facts()
        assert [fact.as_agent for fact in design] == [True, True]
        with from_file_alone(at) as workspace:
            assert acts_of(workspace) == acted
            assert workspace.design.facts() == design
    document = tomllib.loads(place(tmp_path).audit.read_text("utf-8"))
    (judgment,) = document["traces"][0]["judgments"]
    assert judgment["judge"]["as"] == AGENT
    assert [row.get("as") for row in judgment["history"]] == [None]
    assert [row["as"] for row in judgment["corrections"] + judgment["comments"]] == [
        AGENT,
    ] * 2
    assert [row["as"] for row in document["design"]] == [AGENT] * 2


@pytest.mark.parametrize("word", ['"bot"', "1"])
def test_a_file_with_another_word_is_refused_with_its_place(tmp_path, word):
    with bench(tmp_path, trace("t1")) as at:
        at.receive(1, proposal())
        at.as_agent = True
        at.do(1, Comment("hm"))
        at.save()
    path = place(tmp_path).audit
    path.write_text(
        path.read_text("utf-8").replace('as = "agent"', f"as = {word}"),
        "utf-8",
    )
    with pytest.raises(Unusable, match="is neither 'person' nor 'agent'"):
        load_audit(path)
