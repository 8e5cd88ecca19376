"""Having cells judged.

Which judge, which cells, at what cost, and the run, live or by files for batch engines.
"""
