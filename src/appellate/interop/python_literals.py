"""Values that other tools write as Python does: `['a', 'b']`, with single quotes."""

import ast
from typing import Any


def literal_value(text: str) -> Any:
    """Return the value of a text that is a Python literal, as `"['a', 'b']"`; nothing is run.

    Raises ValueError for any other text: also for a literal that Python cannot make (`"{[]: 1}"`),
    and for one that is nested too deeply.
    """
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as wrong:
        raise ValueError("this is no Python literal") from wrong
