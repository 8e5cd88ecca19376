"""What a person does to cells, in the sentences that the screen and the lines say."""

from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.session.acts import Acts
from appellate.traits.metric.edits import Edit
from cells import bench, worked_example


def test_a_blank_reason_leaves_the_one_that_was_given(tmp_path):
    with bench(tmp_path) as at:
        at.receive(1, Proposed(worked_example(), {"name": "gpt"}))
        at.do(1, Correct(Edit("drop", "tp", 0)))
        acts = Acts(at)
        correction, _ = acts.last_correction(1)
        assert acts.reason(1, correction, " \n") == "No reason given."
        assert acts.reason(1, correction, " said twice ") == "Reason saved: said twice"
        assert acts.reason(1, correction, "  ") == "The reason is unchanged: said twice"
        assert acts.last_correction(1) == (correction, "said twice")
