"""What the kinds with verdicts share (llm, regex, callable, scorer): a value on a scale, which a
person gives or overrules; its rows, its lines and its keys.
"""
