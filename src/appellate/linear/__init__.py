"""The bench line by line: prints, asks, one key a verdict.

Nothing here moves the cursor or draws over what was printed, so that it can be read aloud, sent
over the slowest line, or driven by a pipe; and nothing here needs Textual.
"""
