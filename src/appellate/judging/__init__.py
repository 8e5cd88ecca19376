"""Having cells judged: which judge, which cells, at what cost, and the run, live or by files for batch engines."""
