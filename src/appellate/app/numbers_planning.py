"""Planning, from the numbers, at which audits a bar is decided."""

from collections.abc import Callable, Sequence

from appellate.app.numbers_frame import NumbersFrame
from appellate.core.problem import Refused
from appellate.stats.looks import TrustBar, read_bar, read_looks
from appellate.store.database import NotKept
from appellate.ui.conversation import Left
from appellate.workbench import Workbench
from appellate.worth.gates import planned
from appellate.worth.worth_sentences import plan_text

AT = " at "
LABEL = "Bar and looks"
HINT = "f1>=.8 at 40,60,80, or judge.kappa>=.6 at 60"


def read_plan(text: str) -> tuple[TrustBar, Sequence[int]]:
    """`f1>=.8 at 40,60,80`; raises ValueError with what would be right."""
    bar, at, looks = text.rpartition(AT)
    if not at:
        raise ValueError("Write after how many audits: f1>=.8 at 40,60,80.")
    try:
        found = read_bar(bar)
    except ValueError as error:
        raise ValueError(f"{bar.strip()} {error}.") from error
    try:
        return found, read_looks(looks)
    except ValueError as error:
        raise ValueError(f"{looks.strip()} {error}.") from error


async def plan_looks(frame: NumbersFrame, bench: Workbench, done: Callable[[], None]) -> None:
    """Asks for a bar and its looks, and keeps them."""

    def wrong(text: str) -> str:
        try:
            bar, looks = read_plan(text)
            planned(bench.workspace, bar, looks)
        except (ValueError, Refused) as error:
            return str(error)
        return ""

    try:
        text = await frame.prompt.ask("plan", LABEL, hint=HINT, checking=wrong)
    except Left:
        frame.lines.focus()
        raise
    frame.lines.focus()
    try:
        bar, looks = read_plan(text)
        plan = planned(bench.workspace, bar, looks)
        if plan.is_new:
            bench.record(plan.what)
    except (ValueError, Refused, NotKept) as refusal:
        frame.say(str(refusal))
        return
    done()
    frame.say(plan_text(plan))
