"""What a reviewer does with the response without changing the cell.

That is to show it as Markdown or as written, to go from evidence to evidence and from step to step,
and to copy. The commands of the screen and its mouse messages call `ResponseActions`.
"""

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
from appellate.core.problem import many
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
    from appellate.core.transcript import Step
    from appellate.ui.steps import StepsInView


class Copy(Struct, frozen=True):
    """A text that can be copied."""

    key: str
    """Names what kind of text it is; the same in every cell."""
    label: str
    """Its name in the list and in sentences."""
    text: str


def copies(
    trace: Trace,
    cell: Cell,
    question: str,
    place: tuple[str, int],
    audit: AuditFiles,
) -> list[Copy]:
    """Return all texts that can be copied in a cell, those of the item at `place` first.

    A place is the name of a list of the audited table, and an index in it from 0. There are no
    texts of an item if the place has none, and no excerpt if the item has no offsets. The others
    are the cell as text, TOML and JSON, the text that is judged, the question, the trace's id, and
    a command.
    """
    from appellate.store.item_steps import with_steps  # not before the first paint

    names = {"id": trace.id, "epoch": trace.epoch}
    table: Table = {}
    if cell.labels is not None:
        table = with_steps(cell.subject.kind.write(cell.labels), cell.subject)
    read_name = "response" if cell.subject.transcript is None else "conversation"
    texts: list[Copy] = []
    item = _item_record(table, *place)
    if item:
        texts.append(Copy("item.text", "the item", item["text"]))
        if "start" in item:
            excerpt = trace.text[item["start"] : item["end"]]
            texts.append(Copy("item.excerpt", f"its words in the {read_name}", excerpt))
        item_record = {**names, "trait": cell.subject.trait.name, **item}
        texts.append(Copy("item.toml", "the item as TOML", _toml(item_record)))
        texts.append(Copy("item.json", "the item as JSON", _json(item_record)))

    cell_text = "\n".join(_cell_lines(trace, cell, question, table.get("audited", {})))
    cell_record = {**names, **with_steps(written(cell), cell.subject)}
    texts += [
        Copy("cell.text", "the cell as text", cell_text),
        Copy("cell.toml", "the cell as TOML", _toml(cell_record)),
        Copy("cell.json", "the cell as JSON", _json(cell_record)),
        Copy("response", f"the whole {read_name}", trace.text),
        Copy("question", "the question", question),
        Copy("id", "the trace's id", trace.id),
        Copy(
            "command",
            "the command that opens this cell",
            _command(trace, cell, audit),
        ),
    ]
    return texts


def _command(trace: Trace, cell: Cell, audit: AuditFiles) -> str:
    """Return `appellate review AUDIT --at TRACE/TRAIT`, which opens this cell, quoted for a shell.

    `--workspace` is added only if the workspace is not the one that belongs to the audit by its
    name.
    """
    command = ["appellate", "review", str(audit.audit)]
    if audit != AuditFiles.of(audit.audit):
        command += ["--workspace", str(audit.workspace)]
    cell_name = f"{name_of(*trace.key)}/{cell.subject.trait.name}"
    if cell_name.startswith("-"):
        command.append(f"--at={cell_name}")
    else:
        command += ["--at", cell_name]
    return shlex.join(command)


def _item_record(table: Table, list_name: str, index: int) -> Table | None:
    """Return an item of a cell's table with its text, list and index, or None if there is none.

    There is none if the table has no such list, or the list has no such index, from 0. If `table`
    has a row of details for the item, they are added. Such a row may name its list.
    """
    audited = table.get("audited", {})
    texts = audited.get(list_name, [])
    if not isinstance(texts, list) or index >= len(texts):
        return None
    item = {"text": texts[index], "list": list_name, "index": index}
    for row in table.get("items", ()):
        row_lists = [
            value
            for value in row.values()
            if isinstance(value, str) and value in audited
        ]
        if row.get("index") == index and row_lists[:1] in ([], [list_name]):
            return item | dict(row)
    return item


def _toml(record: Table) -> str:
    return "".join(emit(record)).strip() + "\n"


def _json(record: Table) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2, default=_stamped) + "\n"


def _stamped(value: object) -> str:
    return stamp(value) if isinstance(value, datetime) else str(value)


def _cell_lines(
    trace: Trace,
    cell: Cell,
    question: str,
    audited: Table,
) -> Iterator[str]:
    """Yield the lines of a cell as text: its name and state, question, labels and numbers.

    A label has the line "name value". A list of labels has the line "name count", and below it a
    line for each item, indented by two blanks. The last line has all numbers, an undefined one as
    0/0; it is left out before any were measured.
    """
    kind = cell.subject.kind
    trace_name = name_of(trace.id, trace.epoch)
    yield f"{trace_name} · {cell.subject.trait.name} · {cell.state}"
    yield f"Question: {question}"
    for key, value in audited.items():
        name = kind.spelled.get(key, key)
        if not isinstance(value, list):
            yield f"{name} {_on_one_line(value)}"
            continue
        yield f"{name} {len(value)}"
        for item_text in value:
            yield f"  {_on_one_line(item_text)}"

    figures = cell.figures
    if figures:
        values = {name: number(value) for name, value in figures.values.items()}
        values |= dict.fromkeys(figures.undefined, "0/0")
        values |= dict.fromkeys(figures.cannot_tell, CANNOT_TELL)
        yield "  ".join(f"{name} {value}" for name, value in values.items())


def _on_one_line(value: object) -> str:
    """Return `str(value)` with each run of white space as one blank, and none at its ends.

    True and False are written as in TOML: `true`, `false`.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(str(value).split())


QUOTED = 48
"""Columns of a quoted passage that addresses the judge."""


class ResponseActions:
    """Does what a reviewer asks for while reading the response of the open cell."""

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
        """Prepare the acts in the texts of the open cell; nothing is copied yet.

        `changed` is called when the response is shown in another form.
        """
        self._bench = bench
        self._view = view
        self._response = response
        self._material = material
        self._dialogs = dialogs
        self._changed = changed
        self._passage = (0, 0)
        """A cell, and the number of its passage that was shown last."""
        self._copied = ""
        """The key of the `Copy` that was copied last; "" if none was."""

    def markdown(self) -> None:
        """Show the response as rendered Markdown, or as written if it is rendered now; say which.

        A conversation stays as it is, and that is said.
        """
        if self._response.steps is not None:
            self._dialogs.say("A conversation is shown as it was written, whole.")
            return
        on = not self._response.rendered
        self._response.set_rendered(on)
        self._changed()
        if on:
            self._dialogs.say(
                "Markdown is rendered; {text.markdown:M} shows the response as it was written.",
            )
        else:
            self._dialogs.say("The response as written.")

    # -- evidence ---------------------------------------------------------------------------------

    def evidence(self) -> None:
        """Scroll to the first piece of evidence of the item under the cursor.

        If all of that piece was visible already, put the focus on the response instead and say
        which keys act there. If the item has no evidence, say so.
        """
        evidence = self._view.chosen
        if evidence is None:
            self._dialogs.say(
                f"This item has no evidence in the {self._view.read_name}.",
            )
            return
        first_offset, end_offset = self._response.in_sight
        was_visible = first_offset <= evidence.start and evidence.end <= end_offset
        self._view.looked()
        if was_visible:
            self._response.screen.set_focus(self._response)
            self._dialogs.say(
                f"In the {self._view.read_name}: arrows scroll, {{text.next:p}} next evidence, "
                "{text.select:v} selects, {leave:Esc} returns.",
            )

    def walk(self, by: int) -> None:
        """Go `by` pieces of evidence on in the order of the text, or back if negative.

        It counts from the piece gone to last while that is evidence of the item under the cursor,
        else from the first piece of that item, else from what is visible. After the last comes the
        first. The cursor goes to the item of that evidence. If no item has evidence, say so.
        """
        index = self._response.walk(by)
        if index is None:
            name = self._view.read_name
            self._dialogs.say(f"No item of this cell is based on words of the {name}.")
        else:
            self.go_to_evidence(index)

    def go_to_evidence(self, index: int) -> None:
        """Put the cursor on the item of a piece of evidence, and scroll to the evidence.

        `index`, from 0, is that in the pane's list of evidence. Raises IndexError beyond its end.
        """
        self._view.pane.go(*self._view.pane.evidence()[index].place)
        self._view.looked()

    def passage(self) -> None:
        """Scroll to the next passage that seems to address the judge, and quote it in a sentence.

        In another cell than last time that is its first passage; after the last comes the first.
        The quote is shortened. If there is none, say so, and whether the question has one.
        """
        cell_no = self._view.no
        passages = self._view.passages
        if not passages:
            text = f"Nothing in this {self._view.read_name} seems to address the judge"
            if self._bench.count_suspect_passages(cell_no):
                text += ", but the question does"
            self._dialogs.say(f"{text}.")
            return
        previous_cell, previous_passage = self._passage
        passage_no = 1
        if previous_cell == cell_no:
            passage_no = previous_passage % len(passages) + 1
        self._passage = (cell_no, passage_no)
        passage = passages[passage_no - 1]
        self._response.reveal(passage.start, passage.end)
        subject = "A passage"
        if len(passages) > 1:
            subject = f"Passage {passage_no} of {len(passages)}"
        response_text = self._view.trace.text
        quote = clip(
            response_text[passage.start : passage.end],
            QUOTED,
            self._view.marks,
        )
        text = f"{subject} that seems to address the judge: “{quote}”."
        self._dialogs.say(f"{text} It is asked to assess such words, not to follow.")

    # -- steps of a conversation ------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Go `by` steps of the conversation on, or back if negative.

        If the heading of the current step is above the visible rows, going back only goes to that
        heading, however many steps were asked for. Beyond the first or last step that is said, and
        nothing is scrolled. A response has no steps, which is said too.
        """
        steps = self._steps()
        if steps is None:
            return
        index = self._current_index(steps)
        is_at_heading = self._response.in_sight[0] <= steps.steps[index].heading_start
        if by > 0 or is_at_heading:
            index += by
        if 0 <= index < len(steps.steps):
            self._show_step(steps.steps[index])
        elif by > 0:
            self._dialogs.say("This is the last step.")
        else:
            self._dialogs.say("This is the first step.")

    def assistants_step(self) -> None:
        """Go to the next step of the assistant, or say that there is none after the current step.

        A response has no steps, which is said too.
        """
        steps = self._steps()
        if steps is None:
            return
        index = self._current_index(steps)
        for step in steps.steps[index + 1 :]:
            if step.is_assistants:
                self._show_step(step)
                return
        if steps.steps[index].is_assistants:
            self._dialogs.say("This is the assistant's last step.")
        else:
            self._dialogs.say("The assistant has no step after this one.")

    def go_to_step(self, no: int) -> None:
        """Go to the step with this number, from 1, or say that the conversation has no such step.

        A response has no steps, which is said too.
        """
        steps = self._steps()
        if steps is None:
            return
        if not 1 <= no <= len(steps.steps):
            self._dialogs.say(
                f"There is no step {no}: this conversation has {len(steps.steps)}.",
            )
            return
        self._show_step(steps.steps[no - 1])

    def turn_folds(self) -> None:
        """Unfold all long steps, or fold them again if they are unfolded, and say which.

        Steps that must be seen stay unfolded. A response has no steps, and a conversation may have
        no long ones; that is said too.
        """
        steps = self._steps()
        if steps is None:
            return
        if not steps.folds:
            self._dialogs.say(
                "No step of this conversation is long enough to be folded.",
            )
        elif self._response.turn_folds():
            self._dialogs.say(
                "Everything is unfolded; the same again folds long steps.",
            )
        else:
            self._dialogs.say("Long steps are folded, except those that must be seen.")

    def _steps(self) -> "StepsInView | None":
        """Return the steps of the open conversation; for a response say so and return None."""
        if self._response.steps is None:
            self._dialogs.say("This trait reads the response, which has no steps.")
        return self._response.steps

    def _current_index(self, steps: "StepsInView") -> int:
        """Return the index of the current step, from 0.

        That is the step that was gone to last, if it is visible, else the step of the first visible
        row.
        """
        first_offset, end_offset = self._response.in_sight
        for span in self._view.pointed:
            if first_offset <= span.start < end_offset:
                return steps.index_at(span.start)
        return steps.index_at(first_offset)

    def _show_step(self, step: "Step") -> None:
        """Scroll so that a step of the open conversation begins in the first row.

        Its heading is marked, and no other step's; the marked step is the current one while it is
        visible.
        """
        heading = StyledSpan(
            step.heading_start,
            step.heading_end,
            "step",
            selected=True,
            aside=True,
        )
        self._view.pointed = (heading,)
        self._response.set_spans(self._view.spans())
        self._response.put_at_top(step.heading_start)

    # -- copying ----------------------------------------------------------------------------------

    @property
    def selected(self) -> str:
        """The selected words, or "" if none are.

        They are those of the docked text if it has the focus, else those of the response.
        """
        if self._material.has_focus:
            return self._material.selection.text
        return self._response.selection.text

    async def copy(self) -> None:
        """Copy the selected words, or let the reviewer choose a text to copy if none are.

        The kind of text that is chosen is remembered for `copy_again`; selected words are not. A
        docked text that had the focus gets it back. Raises Left if the reviewer chooses none.
        """
        if self.selected:
            self.copy_text("what is selected", self.selected)
            return
        choices = [
            Choice(text.key, "", text.label, _size(text.text))
            for text in self._copies()
        ]
        had_focus = self._material.has_focus
        try:
            key = await self._dialogs.pick("Copy", choices)
        finally:
            if had_focus:
                self._material.screen.set_focus(self._material)
        self._copy_kind(key)

    @property
    def has_copied(self) -> bool:
        """Whether a kind of text was chosen before, so that `copy_again` copies without asking."""
        return bool(self._copied)

    async def copy_again(self) -> None:
        """Copy the kind of text that was chosen last.

        If none was chosen yet, copy the selected words, or let the reviewer choose. Raises Left if
        they choose none.
        """
        if self._copied:
            self._copy_kind(self._copied)
        else:
            await self.copy()

    def _copies(self) -> list[Copy]:
        """Return all texts that can be copied in the open cell, those of the item first.

        If the docked text has the focus, the section that is read there and the open tab come
        before them.
        """
        trace = self._view.trace
        question = self._bench.workspace.rubric.question_text(trace) or ""
        audit = AuditFiles(self._bench.audit, self._bench.workspace.path)
        texts = copies(trace, self._view.cell, question, self._view.pane.place, audit)
        docked = self._material
        if not docked.has_focus:
            return texts
        section = docked.shown.sections[
            docked.shown.section_read(*docked.in_sight, docked.gone_to)
        ]
        section_text = Copy(
            "docked.section",
            section.head or "what is read here",
            section.text,
        )
        tab_text = Copy("docked.tab", "all of this tab", docked.shown.whole)
        return [section_text, tab_text, *texts]

    def _copy_kind(self, key: str) -> None:
        """Copy the text of the open cell with this `Copy.key`, and remember the key.

        A key is such as "cell.json". If the cell has no such text, say so; then the key is not
        remembered.
        """
        for text in self._copies():
            if text.key == key:
                self._copied = key
                self.copy_text(text.label, text.text)
                return
        self._dialogs.say("There is nothing of that kind to copy here.")

    def copy_text(self, label: str, text: str) -> None:
        """Copy a text in the background, then say which clipboard or file has it.

        `label` names the text in that sentence. A copy that is still being made is cancelled.
        """
        from appellate.app.clipboard import Clipboard

        screen = self._response.screen
        clipboard = Clipboard(screen.app.copy_to_clipboard, os.environ)

        async def copy() -> None:
            self._dialogs.say(await clipboard.copy(label, text))

        beside(screen, copy, "copy", exclusive=True)


def _size(text: str) -> str:
    return many(len(text), "character")
