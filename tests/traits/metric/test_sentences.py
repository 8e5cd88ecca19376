"""A correction in plain words."""

import pytest

from appellate.traits.metric.edits import Edit
from appellate.traits.metric.ledger import link_mark
from appellate.traits.metric.sentences import describe
from cells import link


@pytest.mark.parametrize(("mark", "shown"), [(4, "4"), (-1, "−1"), ("~2", "~2"), (None, "")])
def test_links_are_written_as_the_screen_shows_them(mark, shown):
    where = link(mark)
    assert link_mark(where.get("of"), where.get("instruction")) == shown


@pytest.mark.parametrize(
    ("edit", "before", "after", "sentence"),
    [
        (Edit("move", "tp", to="fn"), "gene", "Mentions", "moved TP → FN: “gene” as “Mentions”"),
        (
            Edit("move", "tp", to="fp", of="tn", instruction=1),
            "gene",
            "gene",
            "moved TP → FP: “gene” as −1",
        ),
        (Edit("move", "tp", to="fp"), "gene", "gene", "moved TP → FP: “gene”"),
        (Edit("add", "tp", of="tp", instruction=4), "", "gene", "added to TP as 4: “gene”"),
        (Edit("add", "fp"), "", "gene", "added to FP: “gene”"),
        (Edit("relink", "tp", of="tp", instruction=2), "gene", "gene", "linked TP to 2: “gene”"),
        (Edit("relink", "tp"), "gene", "gene", "linked TP to nothing: “gene”"),
        (Edit("reword", "tp"), "gen", "gene", "reworded TP: “gen” → “gene”"),
        (Edit("drop", "fp"), "gene", "", "dropped from FP: “gene”"),
        (Edit("split", "tp"), "a b", "a | b", "split TP: “a b” → “a | b”"),
        (Edit("merge", "tp"), "a | b", "a b", "merged TP: “a | b” → “a b”"),
    ],
)
def test_an_edit_is_told_in_the_past_tense(edit, before, after, sentence):
    assert describe(edit, before, after) == sentence
