"""The bench line by line: prints, asks, one key a verdict, without Textual.

It draws over nothing, so that it can be read aloud, sent over slow lines, or piped.
"""
