"""The pure heart of the program: traces, facts, and what facts make of a cell.

Nothing here does I/O, reads a clock, draws chance, starts threads or knows a screen.
"""
