"""Going to rule on what two reviewers differ in, from the bench and back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

BACK = "On the bench: V goes on ruling where you are."


class AdjudicationVisit:
    """Opens the contested cell in sight."""

    def __init__(self, at: "Workplace", reasons: Sequence[str]) -> None:
        self._at = at
        self._reasons = reasons

    async def here(self) -> None:
        """Rules from the cell in sight on; comes back to the cell that was looked at last."""
        from appellate.app.adjudication.screen import AdjudicationScreen
        from appellate.session.adjudicating import Adjudicating

        at = self._at
        screen = AdjudicationScreen(
            Adjudicating(at.bench),
            at.view.no,
            at.keys,
            self._reasons,
            at.marks,
            rendered=at.parts.response.reads_as_markdown,
            message=at.dialogs.said,
        )
        opened = await at.dialogs.show(screen)
        at.navigation.go(screen.here.no)
        if opened is None:
            at.dialogs.say(BACK)
        elif screen.here.cell.hidden:
            at.dialogs.say("Make it right, then a rules on it; V shows both again.")
