"""What strip and card show: the name of the mode one is in, and the keys that act in it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from appellate.app.reading.text_search import FINDING
from appellate.ui.key import Hint, Key, as_remapped, first_names, hints
from appellate.ui.marks import spelt
from appellate.ui.pane import KindPane
from appellate.ui.rendered_text import Paragraph
from appellate.ui.rows import StyledText
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

NEXT, SIGN, JUDGE = "unreviewed.next", "cell.sign", "cell.judge"
REASON = "item.reason"
NEEDLE = 24  # cells of what is looked for, in the strip
GOING = (
    "{lines.down:j} {lines.up:k} {cell.next:.} {cell.previous:,} {trace.next:>} {trace.previous:<}"
)
COUNTED = (
    Hint(GOING, "so many", priority=1),
    Hint("Esc", "once only", "leave", priority=1),
)
QUESTION = (
    Hint("y", "yes", "confirm.yes"),
    Hint("n", "no", "confirm.no"),
    Hint("Esc", "no", "confirm.no"),
)
QUEUE = (
    Hint("Enter", "open", "lines.choose"),
    Hint("{lines.down:j} {lines.up:k}", "go", "lines.down", 2),
    Hint("3{lines.down:j}", "three on", priority=7),
    Hint("f", "filter", "queue.filter", 3),
    Hint("O", "order", "queue.order", 4),
    Hint("Z", "hide done", "queue.hide", 5),
    Hint("g", "jump", "jump", 6),
    Hint("Esc", "back to the cell", "leave", 1),
    Hint("?", "keys", "help", 1),
)
RESPONSE = (
    Hint("{response.down:j} {response.up:k}", "scroll", "response.down", 2),
    Hint("p", "next evidence", "text.next", 3),
)
STEPS = (
    Hint("{step.next:w} {step.previous:E}", "steps", "step.next", 5),
    Hint("*", "next reply", "step.assistants", 6),
)
UNFOLD = Hint("Enter", "unfold", "response.unfold", 2)
BACK = Hint("Esc", "items", "leave", 2)
CHANGING = (
    "move.",
    "item.",
    "verdict.",
    "llm.",
    "scorer.",
    "support.",
    "cell.sign",
    "cell.undo",
    "cell.redo",
    "cell.comment",
    "cell.flag",
)
"""How the ids of keys begin that a session which only reads refuses."""
_FINDING_KEYS = {hint.action for hint in FINDING}


class ShownKeys:
    """The keys of the moment on one screen."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at

    def show(self) -> None:
        """Shows the keys that act now, behind the name of the mode that they act in."""
        at, finding, queue = self._at, self._at.search.finding, self._at.parts.queue
        if at.parts.confirm.asking:
            at.parts.keys.show(self._own(QUESTION), "QUESTION")
            return
        mode, shown = self._mode()
        modes = [mode]
        if at.view.cell.hidden:
            modes.insert(0, "BLIND")
        if at.bench.readonly:
            modes.insert(0, "READ ONLY")
            shown = [hint for hint in shown if not hint.action.startswith(CHANGING)]
        if finding.needle and not at.selection.on:
            others = [hint for hint in shown if hint.action not in _FINDING_KEYS]
            finders = [hint for hint in FINDING if hint.action in at.search.keys]
            shown = [*self._own(finders), *others]
        if queue.typed:
            modes.append(f"{queue.typed} ×")
            shown = [*self._own(COUNTED), *shown]
        if finding.needle:
            here, of = finding.position
            modes.append(f"FIND {clip(finding.needle, NEEDLE, at.marks)} {here}/{of}")
        at.parts.keys.show(shown, spelt(" · ".join(filter(None, modes)), at.marks))

    def _mode(self) -> tuple[str, Sequence[Hint]]:
        """The name of the mode, "" among the items, and its keys."""
        at, focused = self._at, self._at.screen.focused
        if at.selection.on:
            return at.selection.mode, self._own(at.selection.hints)
        if at.material.has_focus:
            return at.material.mode, self._own(at.material.hints)
        if focused is at.parts.queue:
            return "QUEUE", self._own(QUEUE)
        if focused is not at.parts.response:
            return "", self._of_cell()
        of_cell = [hint for hint in self._of_cell(near=False) if hint.action != "text.next"]
        if at.view.cell.subject.transcript is None:
            return "RESPONSE", [*self._own(RESPONSE), *of_cell, *self._own([BACK])]
        reading = [*RESPONSE, replace(STEPS[0], priority=2), *STEPS[1:]]
        steps = at.parts.response.steps
        if steps is not None and steps.folded:
            reading.insert(len(RESPONSE), UNFOLD)
        return "CONVERSATION", [*self._own(reading), *of_cell, *self._own([BACK])]

    def _own(self, given: Sequence[Hint]) -> list[Hint]:
        return as_remapped(given, self._at.key_names)

    def _of_cell(self, *, near: bool = True) -> list[Hint]:
        """The keys for the cell in sight; not those that want the focus `near` unless it is."""
        at = self._at
        here = [key for key in at.keys_here if near or not key.near]
        shown = list(at.view.pane.hints(here))
        own = {hint.key for hint in shown}
        shown += filter(lambda hint: hint.key not in own, hints(here))
        if near and at.view.cell.subject.transcript is not None:
            shown[2:2] = self._own(STEPS[:1])
        otherwise: dict[str, str] = {}
        if at.goes_to_unseen:
            otherwise[NEXT] = "next unseen"
        if at.view.cell.hidden:
            otherwise[SIGN] = "lock"
        shown = [replace(hint, label=otherwise.get(hint.action, hint.label)) for hint in shown]
        first = self._wanted_first()
        if first == JUDGE:
            shown += [Hint(key.shown, key.label, key.id) for key in here if key.id == first]
        shown = sorted(shown, key=lambda hint: hint.action != first)
        if at.view.keys_since_correction is None or at.bench.readonly:
            return shown
        reasons = [replace(hint, priority=0) for hint in shown if hint.action == REASON]
        others = [hint for hint in shown if hint.action != REASON]
        return [*others[:1], *reasons, *others[1:]]

    def _wanted_first(self) -> str:
        """The key that comes next most often; "" for the kind's own: reading is before signing."""
        at, cell = self._at, self._at.view.cell
        if cell.hidden:
            return ""
        if cell.labels is None:
            return "" if at.judge_run.is_on or at.bench.readonly else JUDGE
        if cell.state == "reviewed":
            return NEXT
        settled = cell.state == "corrected" and not cell.checks and not at.view.long.unseen()
        return SIGN if settled else ""


def card(keys: Sequence[Key], pane: KindPane) -> list[Paragraph]:
    """The keys that matter: those of the cell in sight, and four more."""
    names = first_names(keys)
    is_blind = pane.cell is not None and pane.cell.hidden
    shown = [*pane.first_keys(names)]
    if pane.TAKING:
        shown.append((names["text.select"], "select words"))
    shown += [
        (names["cell.sign"], "lock" if is_blind else "sign off, go on"),
        (names["cell.undo"], "take back"),
        (names["help"], "all keys and marks"),
    ]
    atoms = [(StyledText(key, "key"), StyledText(f" {what}  ")) for key, what in shown]
    away = (StyledText(f"{names['leave']} hides this", "muted"),)
    return [[(StyledText(" New here? ", "title"), StyledText(" ")), *atoms, away]]
