"""Drawing a sample on the bench, and going through it in the order of the draw."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace
    from appellate.store.samples.sample_plans import PlannedDraw

QUERY, ORDER = "is:sampled", "sample"
GONE = "The sample is taken back. {sample:%} draws another."


class SampleVisit:
    """Opens the sample; keeps what is drawn or taken back there, and puts it into the queue."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at

    async def open(self) -> None:
        from appellate.app.sample.screen import GO, WITHDRAW, SampleScreen

        at = self._at
        decided = await at.dialogs.show(SampleScreen(at.bench, at.marks))
        if decided is None:
            return
        if decided == WITHDRAW:
            self._withdraw()
            return
        if decided != GO and not self._drew(decided):
            return
        lineup = at.parts.queue.lineup
        sample = lineup.but(filter=QUERY, order=ORDER)
        # quietly: what one needs to read now is the keys
        at.queue_control.line_up(sample, quietly=True, afresh=True)

    def _drew(self, planned: "PlannedDraw") -> bool:
        """Keeps a draw; whether it could be kept."""
        at = self._at
        if at.requests.do(lambda: at.bench.draw(planned.what)) is None:
            return False
        self._show_anew()
        return True

    def _show_anew(self) -> None:
        """Shows the cell in sight as it is now, hidden or not, and the queue."""
        self._at.saving.write_soon()
        self._at.navigation.open(self._at.view.no)
        self._at.parts.queue.draw_anew()

    def _withdraw(self) -> None:
        """Takes the sample back, and the queue away from it."""
        at = self._at
        if at.requests.do(at.bench.withdraw) is None:
            return
        self._show_anew()
        lineup = at.parts.queue.lineup
        if lineup.filter == QUERY:
            lineup = lineup.but(filter="")
        if lineup.order == ORDER:
            lineup = lineup.but(order="loaded")
        lineup.remember()
        at.queue_control.line_up(lineup, quietly=True)
        at.dialogs.say(GONE)
