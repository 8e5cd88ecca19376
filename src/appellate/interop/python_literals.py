"""Values that other tools write as Python does: `['a', 'b']`, with single quotes."""

import ast
import json
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


def value_in_cell(text: str) -> Any:
    """Return the value of a cell's text that is JSON or a Python literal; any other text as it is.

    Nothing is run.
    """
    for read_text in (json.loads, literal_value):
        try:
            return read_text(text)
        except (ValueError, RecursionError):  # of JSON that is nested too deeply
            continue
    return text
