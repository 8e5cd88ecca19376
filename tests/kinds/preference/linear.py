from appellate.traits.verdict.linear import VerdictLines

LINES = VerdictLines
