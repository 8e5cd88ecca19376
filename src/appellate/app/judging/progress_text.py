"""How far the judge's run is, for the line at the top."""

from typing import TYPE_CHECKING

from appellate.ui.bar import Part
from appellate.ui.marks import Marks, spelt

if TYPE_CHECKING:
    from appellate.judging.progress import Progress


def running(progress: "Progress | None", marks: Marks) -> list[Part]:
    """The run's progress in a few words; how far it is stays longest."""
    if progress is None:
        return []
    far = [f"judging {progress.done}/{progress.done + (progress.left or 0)}"]
    if progress.failed:
        far.append(f"{progress.failed} failed")
    if progress.absent:
        far.append(f"{progress.absent} without all judges")
    going = _going(progress)
    if progress.stalled:
        going = [progress.silence_text]
        if progress.waiting is None:
            far, going = [*far, *going], []
        else:
            far.append(progress.end_text)
    return [
        Part(spelt(" · ".join(far), marks), "busy", 1),
        Part(spelt(" · ".join(going), marks), "busy", 3),
        Part(_cost(progress), "busy", 2),
    ]


def _going(progress: "Progress") -> list[str]:
    """How fast, and how long it will take."""
    texts = []
    if progress.rate >= 1:
        texts.append(f"{progress.rate:.0f}/s")
    elif progress.rate:
        texts.append(f"{progress.rate * 60:.0f}/min")
    if progress.seconds_left and progress.seconds_left >= 1:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        texts.append(f"{minutes}:{seconds:02} left")
    return texts


def _cost(progress: "Progress") -> str:
    """What was spent, of what all will be: in the currency that the prices are in."""
    if not progress.cost:
        return ""
    if progress.left and progress.expected_cost:
        return f"cost {progress.cost:.2f}/{progress.expected_cost:.2f}"
    return f"cost {progress.cost:.2f}"
