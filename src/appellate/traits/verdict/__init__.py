"""What kinds with verdicts share (llm, regex, callable, scorer): a value on a scale."""
