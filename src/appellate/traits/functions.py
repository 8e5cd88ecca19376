"""Checks the names of functions in rubrics: `package.module:function`."""

from appellate.core.problem import quoted

NAMED = 'callable = "package.module:function" names the function'
"""How a rubric names a function, for a sentence."""


def checked_name(name: str) -> str:
    """Return the name of a function, "package.module:function", unchanged.

    On both sides of the colon are identifiers with dots between them, as in "rules:Checks.polite".
    Raises ValueError for any other text. Nothing is imported to look for the function.
    """
    module, colon, function = name.partition(":")
    parts = module.split(".") + function.split(".")
    are_identifiers = all(part.isidentifier() for part in parts)
    if not colon or not are_identifiers:
        raise ValueError(f"{quoted(name)} names no function: {NAMED}")
    return name
