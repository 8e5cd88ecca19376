"""Functions that rubrics name: `package.module:function`."""

from appellate.core.problem import quoted

NAMED = 'callable = "package.module:function" names the function'
"""How a rubric names one, for a sentence."""


def checked_name(name: str) -> str:
    """The name of a function as it is; raises ValueError for what cannot be one."""
    module, colon, function = name.partition(":")
    parts = [*module.split("."), *function.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        raise ValueError(f"{quoted(name)} names no function: {NAMED}")
    return name
