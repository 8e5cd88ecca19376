"""The pure heart: traces, facts, and what they make of a cell.

No I/O, clock, randomness, threads or screen.
"""
