"""The cell on the screen: A, B, tie."""

from appellate.traits.verdict.pane_verdict import VerdictPane


class PairwisePane(VerdictPane):
    MATERIAL = "document 1"


PANE = PairwisePane
