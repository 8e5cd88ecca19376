"""Having cells judged: by which judge, at what cost, live or by files for batch engines."""
