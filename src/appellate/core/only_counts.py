"""Why of answers that are compared only counts are shown."""

from typing import NamedTuple

UNEQUAL = (
    "These cells were drawn with unequal chances, so their agreement is not the agreement of all"
    " cells"
)


class Reasons(NamedTuple):
    """Why only counts are shown, of answers with the judge in sight and of blind ones; "" for no
    reason.
    """

    sighted: str = ""
    blind: str = ""

    def of(self, *, blind: bool) -> str:
        """Return the reason for blind answers, or for the others."""
        return self.blind if blind else self.sighted


SHOWN = Reasons()
"""No reason: everything is shown."""
