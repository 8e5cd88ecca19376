"""Drawing a sample on the bench, and going through it in the order of the draw."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace
    from appellate.store.sample_plans import PlannedDraw

QUERY, ORDER = "is:sampled", "sample"


class SampleVisit:
    """Opens the sample; keeps what is drawn there, and puts the sample into the queue."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at

    async def open(self) -> None:
        from appellate.app.sample_screen import GO, SampleScreen

        at = self._at
        decided = await at.dialogs.show(SampleScreen(at.bench, at.marks))
        if decided is None:
            return
        if decided != GO and not self._drew(decided):
            return
        lineup = at.parts.queue.lineup
        at.queue_control.line_up(lineup.filtered(QUERY).ordered(ORDER), afresh=True)

    def _drew(self, planned: "PlannedDraw") -> bool:
        """Keeps a draw; whether it could be kept."""
        at = self._at
        if at.requests.do(lambda: at.bench.draw(planned.what)) is None:
            return False
        at.saving.write_soon()
        at.navigation.open(at.view.no)  # which may be hidden by now
        at.parts.queue.draw_anew()
        return True
