"""The cell on the screen: A, B, tie."""

from appellate.traits.verdict.pane_verdict import VerdictPane


class PreferencePane(VerdictPane):
    MATERIAL = "documents"


PANE = PreferencePane
