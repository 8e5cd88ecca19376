"""What is done with the response, changing nothing: its face, its evidence, copying."""

import json
import os
import shlex
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.core.cell import Cell
from appellate.core.kind import CANNOT_TELL, Table
from appellate.core.trace import Trace, name_of
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.toml import emit, stamp
from appellate.store.judgment import written
from appellate.ui.contract import Choice
from appellate.ui.docked import DockedText
from appellate.ui.measures import number
from appellate.ui.page import StyledSpan
from appellate.ui.text import clip
from appellate.ui.text_view import ResponseView
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.ui.steps import StepsInView


class Copy(Struct, frozen=True):
    """One thing to copy: a key that stays the same from cell to cell, its name, and the text."""

    key: str
    label: str
    text: str


def copies(
    trace: Trace, cell: Cell, question: str, place: tuple[str, int], audit: AuditFiles
) -> list[Copy]:
    """All that can be copied at a place of a cell, the item there first. A place is a list of the
    audited table and a number in it, from 0.
    """
    from appellate.store.item_steps import with_steps  # not before the first paint

    names = {"id": trace.id, "epoch": trace.epoch}
    table: Table = {}
    if cell.labels is not None:
        table = with_steps(cell.subject.kind.write(cell.labels), cell.subject)
    read_name = "response" if cell.subject.transcript is None else "conversation"
    found = []
    item = _item(table, *place)
    if item:
        found.append(Copy("item.text", "the item", item["text"]))
        if "start" in item:
            excerpt = trace.text[item["start"] : item["end"]]
            found.append(Copy("item.excerpt", f"its words in the {read_name}", excerpt))
        record = {**names, "trait": cell.subject.trait.name, **item}
        found.append(Copy("item.toml", "the item as TOML", _toml(record)))
        found.append(Copy("item.json", "the item as JSON", _json(record)))
    words = "\n".join(_in_words(trace, cell, question, table.get("audited", {})))
    record = {**names, **with_steps(written(cell), cell.subject)}
    command = ["appellate", "review", str(audit.audit)]
    if audit != AuditFiles.of(audit.audit):
        command += ["--workspace", str(audit.workspace)]
    at = f"{name_of(*trace.key)}/{cell.subject.trait.name}"
    if at.startswith("-"):
        command.append(f"--at={at}")
    else:
        command += ["--at", at]
    return [
        *found,
        Copy("cell.text", "the cell as text", words),
        Copy("cell.toml", "the cell as TOML", _toml(record)),
        Copy("cell.json", "the cell as JSON", _json(record)),
        Copy("response", f"the whole {read_name}", trace.text),
        Copy("question", "the question", question),
        Copy("id", "the trace's id", trace.id),
        Copy("command", "the command that opens this cell", shlex.join(command)),
    ]


def _item(table: Table, group: str, number: int) -> Table | None:
    """An item's text with its row of detail, which names its list first, where there is more than
    one.
    """
    audited = table.get("audited", {})
    texts = audited.get(group, [])
    if not isinstance(texts, list) or number >= len(texts):
        return None
    item = {"text": texts[number], "list": group, "index": number}
    for row in table.get("items", ()):
        lists = [value for value in row.values() if isinstance(value, str) and value in audited]
        if row.get("index") == number and lists[:1] in ([], [group]):
            return item | dict(row)
    return item


def _toml(record: Table) -> str:
    return "".join(emit(record)).strip() + "\n"


def _json(record: Table) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2, default=_stamped) + "\n"


def _stamped(value: object) -> str:
    return stamp(value) if isinstance(value, datetime) else str(value)


def _in_words(trace: Trace, cell: Cell, question: str, audited: Table) -> Iterator[str]:
    """The cell with its labels and its numbers, a line each."""
    kind = cell.subject.kind
    yield f"{name_of(trace.id, trace.epoch)} · {cell.subject.trait.name} · {cell.state}"
    yield f"Question: {question}"
    for key, value in audited.items():
        name = kind.spelled.get(key, key)
        if isinstance(value, list):
            yield f"{name} {len(value)}"
            for one in value:
                yield f"  {_on_one_line(one)}"
        else:
            yield f"{name} {_on_one_line(value)}"
    figures = cell.figures
    if figures:
        values = {name: number(value) for name, value in figures.values.items()}
        values |= dict.fromkeys(figures.undefined, "0/0")
        values |= dict.fromkeys(figures.cannot_tell, CANNOT_TELL)
        yield "  ".join(f"{name} {value}" for name, value in values.items())


def _on_one_line(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(str(value).split())


QUOTED = 48  # cells of a passage that addresses the judge


class ResponseActions:
    """Reading the response of the cell in sight."""

    def __init__(
        self,
        bench: Workbench,
        view: CellView,
        response: ResponseView,
        material: DockedText,
        dialogs: Dialogs,
        *,
        changed: Callable[[], object],
    ) -> None:
        """`changed` shows that the response has another face."""
        self._bench = bench
        self._view = view
        self._response = response
        self._material = material
        self._dialogs = dialogs
        self._changed = changed
        self._passage = 0, 0  # the cell, and which of its passages was gone to last
        self._copied = ""

    def markdown(self) -> None:
        """Shows Markdown rendered, or as it was written."""
        if self._response.steps is not None:
            self._dialogs.say("A conversation is shown as it was written, whole.")
            return
        on = not self._response.rendered
        self._response.set_rendered(on)
        self._changed()
        if on:
            self._dialogs.say(
                "Markdown is rendered; {text.markdown:M} shows the response as it was written."
            )
        else:
            self._dialogs.say("The response as written.")

    # -- evidence ---------------------------------------------------------------------------------

    def evidence(self) -> None:
        """Brings the item's evidence into sight; where it is, goes into the response."""
        chosen = self._view.chosen
        if chosen is None:
            self._dialogs.say(f"This item rests on no words of the {self._view.read_name}.")
            return
        low, high = self._response.in_sight
        seen = low <= chosen.start and chosen.end <= high
        self._view.looked()
        if seen:
            self._response.screen.set_focus(self._response)
            self._dialogs.say(
                f"In the {self._view.read_name}: arrows scroll, {{text.next:p}} next evidence, "
                "{text.select:v} selects, {leave:Esc} returns."
            )

    def walk(self, by: int) -> None:
        """To the next evidence in the order of the text; the cursor follows among the items."""
        found = self._response.walk(by)
        if found is None:
            name = self._view.read_name
            self._dialogs.say(f"No item of this cell rests on words of the {name}.")
        else:
            self.go_to_evidence(found)

    def go_to_evidence(self, index: int) -> None:
        """Puts the cursor on the item of a piece of evidence."""
        self._view.pane.go(*self._view.pane.evidence()[index].place)
        self._view.looked()

    def passage(self) -> None:
        """Brings the next passage that addresses the judge into sight, round the corner."""
        no = self._view.no
        passages = self._view.passages
        if not passages:
            text = f"Nothing in this {self._view.read_name} seems to address the judge"
            if self._bench.count_suspect_passages(no):
                text += ", but the question does"
            self._dialogs.say(f"{text}.")
            return
        cell, last = self._passage
        at = last % len(passages) + 1 if cell == no else 1
        self._passage = no, at
        found = passages[at - 1]
        self._response.reveal(found.start, found.end)
        which = "A passage"
        if len(passages) > 1:
            which = f"Passage {at} of {len(passages)}"
        response = self._view.trace.text
        marks = self._view.marks
        words = clip(response[found.start : found.end], QUOTED, marks)
        text = f"{which} that seems to address the judge: “{words}”."
        self._dialogs.say(f"{text} It is asked to assess such words, not to follow.")

    # -- steps of a conversation ------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Goes to the next step; back to the beginning of this one, then to the one before."""
        steps = self._steps()
        if steps is None:
            return
        index = self._step_here(steps)
        is_at_heading = self._response.in_sight[0] <= steps.steps[index].heading_start
        if by > 0 or is_at_heading:
            index += by
        self._go_to_index(steps, index, "last" if by > 0 else "first")

    def assistants_step(self) -> None:
        """Goes to the next step of the assistant."""
        steps = self._steps()
        if steps is None:
            return
        index = self._step_here(steps) + 1
        while index < len(steps.steps) and not steps.steps[index].is_assistants:
            index += 1
        self._go_to_index(steps, index, "assistant's last")

    def go_to_step(self, no: int) -> None:
        """Goes to the step of a number, from 1."""
        steps = self._steps()
        if steps is None:
            return
        if not 1 <= no <= len(steps.steps):
            self._dialogs.say(f"There is no step {no}: this conversation has {len(steps.steps)}.")
            return
        self._go_to_index(steps, no - 1, "")

    def turn_folds(self) -> None:
        """Unfolds every long step, or folds them again."""
        steps = self._steps()
        if steps is None:
            return
        if not steps.folds:
            self._dialogs.say("No step of this conversation is long enough to be folded.")
        elif self._response.turn_folds():
            self._dialogs.say("Everything is unfolded; the same again folds long steps.")
        else:
            self._dialogs.say("Long steps are folded, but for what must be seen.")

    def _steps(self) -> "StepsInView | None":
        """Return the steps of the conversation in sight; None, and a sentence, for a response."""
        if self._response.steps is None:
            self._dialogs.say("This trait reads the response, which has no steps.")
        return self._response.steps

    def _step_here(self, steps: "StepsInView") -> int:
        """Return the index of the step that is read: the one gone to, or that of the first row."""
        low, high = self._response.in_sight
        for span in self._view.pointed:
            if low <= span.start < high:
                return steps.index_at(span.start)
        return steps.index_at(low)

    def _go_to_index(self, steps: "StepsInView", index: int, end: str) -> None:
        """Brings the step of an index into the first row; says that there is none beyond an end."""
        if not 0 <= index < len(steps.steps):
            self._dialogs.say(f"This is the {end} step.")
            return
        step = steps.steps[index]
        heading = StyledSpan(
            step.heading_start, step.heading_end, "step", selected=True, aside=True
        )
        self._view.pointed = (heading,)
        self._response.set_spans(self._view.spans())
        self._response.put_at_top(step.heading_start)

    # -- copying ----------------------------------------------------------------------------------

    @property
    def selected(self) -> str:
        """The words that are selected, of what is docked while one reads there."""
        if self._material.has_focus:
            return self._material.selection.text
        return self._response.selection.text

    async def copy(self) -> None:
        """Copies what is selected, or something of what is read here and of the cell."""
        if self.selected:
            self.copy_text("what is selected", self.selected)
            return
        choices = [Choice(one.key, "", one.label, _size(one.text)) for one in self._copies()]
        reading = self._material.has_focus
        try:
            key = await self._dialogs.pick("Copy", choices)
        finally:
            if reading:
                self._material.screen.set_focus(self._material)
        self._copy_kind(key)

    @property
    def has_copied(self) -> bool:
        """Whether something was copied that `copy_again` would copy here."""
        return bool(self._copied)

    async def copy_again(self) -> None:
        """Copies the same kind of thing here."""
        if self._copied:
            self._copy_kind(self._copied)
        else:
            await self.copy()

    def _copies(self) -> list[Copy]:
        trace = self._view.trace
        question = self._bench.workspace.rubric.question_text(trace) or ""
        audit = AuditFiles(self._bench.audit, self._bench.workspace.path)
        found = copies(trace, self._view.cell, question, self._view.pane.place, audit)
        docked = self._material
        if not docked.has_focus:
            return found
        section = docked.shown.sections[docked.shown.section_read(*docked.in_sight, docked.gone_to)]
        part = Copy("docked.section", section.head or "what is read here", section.text)
        return [part, Copy("docked.tab", "all of this tab", docked.shown.whole), *found]

    def _copy_kind(self, key: str) -> None:
        found = next((one for one in self._copies() if one.key == key), None)
        if found is None:
            self._dialogs.say("There is nothing of that kind to copy here.")
            return
        self._copied = key
        self.copy_text(found.label, found.text)

    def copy_text(self, label: str, text: str) -> None:
        """Copies words, and says where they are once other programs asked have answered."""
        from appellate.app.clipboard import Clipboard

        screen = self._response.screen
        clipboard = Clipboard(screen.app.copy_to_clipboard, os.environ)

        async def copy() -> None:
            self._dialogs.say(await clipboard.copy(label, text))

        beside(screen, copy, "copy", exclusive=True)


def _size(text: str) -> str:
    return f"{len(text)} characters"
