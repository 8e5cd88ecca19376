"""Decides which keys the strip and the card of the review screen show.

`shown_keys` is a pure function of a `Moment`, which `ReviewObjects` fills in.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from appellate.app.reading.text_search import FINDING
from appellate.core.cell import Cell
from appellate.core.problem import KeyNames
from appellate.ui.key import Hint, Key, as_remapped, first_names, hints
from appellate.ui.marks import Marks, spelt
from appellate.ui.page import Finding
from appellate.ui.pane import KindPane
from appellate.ui.rendered_text import Paragraph
from appellate.ui.rows import StyledText
from appellate.ui.text import clip

NEXT = "unreviewed.next"
SIGN = "cell.sign"
JUDGE = "cell.judge"
REASON = "item.reason"
NEEDLE = 24
"""Columns of the words that are searched for, in the strip."""
GOING = (
    "{lines.down:j} {lines.up:k} {cell.next:.} {cell.previous:,} {trace.next:>}"
    " {trace.previous:<}"
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
    "pairwise.",
    "scorer.",
    *(f"steps.{digit}" for digit in range(1, 10)),
    "steps.error",
    "steps.instead",
    "steps.outcome",
    "support.",
    "cell.sign",
    "cell.undo",
    "cell.redo",
    "cell.comment",
    "cell.flag",
)
"""The beginnings of the ids of keys that a session which only reads refuses."""
_FINDING_KEYS = {hint.action for hint in FINDING}


Focus = Literal["question", "selection", "material", "queue", "text", "items"]
"""The part of the screen that the next key goes to."""


class Moment(Struct, frozen=True):
    """Everything that decides which keys the strip shows."""

    focus: Focus
    own_mode: str
    """The name of the mode while words are selected or the docked text has the focus; else ""."""
    own_hints: Sequence[Hint]
    """The keys of the selection or of the docked text; else none."""
    pane: KindPane
    cell: Cell
    keys_here: Sequence[Key]
    """The keys that act at the open cell."""
    key_names: KeyNames
    is_readonly: bool
    is_judging: bool
    has_unseen: bool
    """Whether items of a long cell were not seen yet."""
    is_in_list: bool
    """Whether a list of the pane has the focus."""
    has_folds: bool
    """Whether steps of the conversation are folded."""
    was_just_corrected: bool
    finding: Finding
    finding_ids: Collection[str]
    """The ids of the keys that act on the hits of a search."""
    times: str
    """The digits that were typed before a key of the queue; "" for none."""
    marks: Marks

    @property
    def goes_to_unseen(self) -> bool:
        """Whether the key for the next cell goes to an unseen item of the open cell first."""
        return self.is_in_list and self.has_unseen


def shown_keys(moment: Moment) -> tuple[str, Sequence[Hint]]:
    """Return the name of the current mode, and the keys that act in it, most important first.

    The name also says that the session only reads, that the cell is blind, the number that was
    typed, and the words that are searched for. While a question is open, only its keys are
    returned. Keys that change something are left out in a session that only reads. Keys for the
    hits of a search, and for a number that was typed, go before the others.
    """
    if moment.focus == "question":
        return "QUESTION", _remapped(moment, QUESTION)
    mode, hints_of_mode = _mode(moment)
    modes = [mode]
    if moment.cell.hidden:
        modes.insert(0, "BLIND")
    if moment.is_readonly:
        modes.insert(0, "READ ONLY")
        hints_of_mode = [
            hint for hint in hints_of_mode if not hint.action.startswith(CHANGING)
        ]
    needle = moment.finding.needle
    if needle and moment.focus != "selection":
        search_hints = [hint for hint in FINDING if hint.action in moment.finding_ids]
        remaining = [hint for hint in hints_of_mode if hint.action not in _FINDING_KEYS]
        hints_of_mode = [*_remapped(moment, search_hints), *remaining]
    if moment.times:
        modes.append(f"{moment.times} ×")
        hints_of_mode = [*_remapped(moment, COUNTED), *hints_of_mode]
    if needle:
        hit_no, count = moment.finding.position
        modes.append(f"FIND {clip(needle, NEEDLE, moment.marks)} {hit_no}/{count}")
    return spelt(" · ".join(filter(None, modes)), moment.marks), hints_of_mode


def _mode(moment: Moment) -> tuple[str, Sequence[Hint]]:
    """Return the name of the mode that the focus gives, "" among the items, and its keys."""
    match moment.focus:
        case "selection" | "material":
            return moment.own_mode, _remapped(moment, moment.own_hints)
        case "queue":
            return "QUEUE", _remapped(moment, QUEUE)
        case "text":
            return _reading_mode(moment)
        case _:
            return "", _of_cell(moment, near=True)


def _reading_mode(moment: Moment) -> tuple[str, Sequence[Hint]]:
    """Return the name of the mode and its keys while the response has the focus.

    A conversation has a name of its own and the keys for steps; that of unfolding only if steps are
    folded. The keys of the cell that need no focus on the items follow.
    """
    of_cell = [
        hint for hint in _of_cell(moment, near=False) if hint.action != "text.next"
    ]
    name = "RESPONSE"
    reading: Sequence[Hint] = RESPONSE
    if moment.cell.subject.transcript is not None:
        name = "CONVERSATION"
        reading = [*RESPONSE, replace(STEPS[0], priority=2), *STEPS[1:]]
        if moment.has_folds:
            reading.insert(len(RESPONSE), UNFOLD)
    return name, [*_remapped(moment, reading), *of_cell, *_remapped(moment, [BACK])]


def _remapped(moment: Moment, hints: Sequence[Hint]) -> list[Hint]:
    """Return hints with the keys that the reviewer has set for them."""
    return as_remapped(hints, moment.key_names)


def _of_cell(moment: Moment, *, near: bool) -> list[Hint]:
    """Return the keys for the open cell; with `near` also those that need the focus on the items.

    They are the pane's, then the screen's; with `near` a conversation has the key for steps after
    the first two. The key that is most likely needed next goes before all, with the words for what
    it does now. After a correction the key that gives a reason comes second, unless the session
    only reads.
    """
    keys = [key for key in moment.keys_here if near or not key.near]
    cell_hints = list(moment.pane.hints(keys))
    pane_keys = {hint.key for hint in cell_hints}
    cell_hints += [hint for hint in hints(keys) if hint.key not in pane_keys]
    if near and moment.cell.subject.transcript is not None:
        cell_hints[2:2] = _remapped(moment, STEPS[:1])
    labels: dict[str, str] = {}
    if moment.goes_to_unseen:
        labels[NEXT] = "next unseen"
    if moment.cell.hidden:
        labels[SIGN] = "lock"
    cell_hints = [
        replace(hint, label=labels.get(hint.action, hint.label)) for hint in cell_hints
    ]
    first = _wanted_first(moment)
    if first == JUDGE:
        cell_hints += [
            Hint(key.shown, key.label, key.id) for key in keys if key.id == first
        ]
    cell_hints.sort(key=lambda hint: hint.action != first)
    if not moment.was_just_corrected or moment.is_readonly:
        return cell_hints
    reasons = [
        replace(hint, priority=0) for hint in cell_hints if hint.action == REASON
    ]
    remaining = [hint for hint in cell_hints if hint.action != REASON]
    return [*remaining[:1], *reasons, *remaining[1:]]


def _wanted_first(moment: Moment) -> str:
    """Return the id of the screen's key that is most likely needed next.

    That is the judge's without labels, the next cell's after a sign-off, and the one that signs off
    for a corrected cell without open checks or unseen items. Otherwise, and in a blind cell, it is
    "": then a key of the pane is needed.
    """
    cell = moment.cell
    if cell.hidden:
        return ""
    if cell.labels is None:
        return "" if moment.is_judging or moment.is_readonly else JUDGE
    if cell.state == "reviewed":
        return NEXT
    is_settled = cell.state == "corrected" and not cell.checks and not moment.has_unseen
    return SIGN if is_settled else ""


def card(keys: Sequence[Key], pane: KindPane) -> list[Paragraph]:
    """Return the card of important keys for a newcomer: the pane's, and some of the screen.

    In a blind cell the key that signs off is said to lock the verdict.
    """
    names = first_names(keys)
    is_blind = pane.cell is not None and pane.cell.hidden
    pairs = [*pane.first_keys(names)]
    if pane.TAKING:
        pairs.append((names["text.select"], "select words"))
    pairs += [
        (names["cell.sign"], "lock" if is_blind else "sign off, go on"),
        (names["cell.undo"], "take back"),
        (names["help"], "all keys and marks"),
    ]
    atoms = [(StyledText(key, "key"), StyledText(f" {text}  ")) for key, text in pairs]
    hides = (StyledText(f"{names['leave']} hides this", "muted"),)
    return [[(StyledText(" New here? ", "title"), StyledText(" ")), *atoms, hides]]
