"""`--by` and `--reducer`: what numbers are grouped by, and how epochs become one value."""

from collections.abc import Sequence

from appellate.core.aggregates import REDUCERS
from appellate.core.breakdown import reduced
from appellate.core.problem import quoted
from appellate.query.language import META
from appellate.report import measured
from appellate.store.breakdowns import BY, is_grouping
from appellate.store.text_file import unusable


def grouping(given: str | None) -> str:
    """What is grouped by, "" for nothing; raises Unusable."""
    if given is None or is_grouping(given):
        return given or ""
    right = f"it would be {', '.join(BY)}, or a key of the metadata as {META}site"
    raise unusable("--by", f"traces cannot be grouped by {quoted(given)}", right)


def reducers(given: Sequence[str] | None) -> Sequence[str]:
    """How epochs are reduced; raises Unusable."""
    for name in given or ():
        try:
            reduced(name, ())
        except ValueError:
            right = f"it would be one of {', '.join(REDUCERS)}, where K is a number from 1"
            raise unusable("--reducer", f"{quoted(name)} reduces no epochs", right) from None
    return given or measured.REDUCERS
