"""What the kinds with verdicts (llm, regex, callable, scorer) share: a value on a scale."""
