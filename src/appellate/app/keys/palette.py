"""The commands of the review screen, by the ids of its keys.

`ReviewScreen.do` calls a command when its key is pressed or picked. A command is a function, or a
coroutine function if it asks the reviewer first.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.screen import Screen

from appellate.app.review_objects import ReviewObjects
from appellate.store.cells import StepDirection
from appellate.ui.conversation import begin
from appellate.ui.key import Key, first_names
from appellate.ui.textual_compat import text_on

if TYPE_CHECKING:
    from appellate.ui.picker import Picker


Command = Callable[[], object]
STEPS = "step."
"""The beginning of the ids of keys that act on the steps of a conversation."""


class Commands:
    """The commands of one review screen: one for each of its keys, and `leave`."""

    def __init__(
        self,
        screen: Screen[None],
        objects: ReviewObjects,
        overrides: Mapping[str, str],
    ) -> None:
        """Keep what the commands act on; `overrides` are the reviewer's own keys by the ids of
        bindings.
        """
        self._screen = screen
        self._objects = objects
        self._overrides = overrides

    def by_id(self) -> dict[str, Command]:
        """Return all commands of the review screen, by the ids of their keys."""
        return self._of_texts() | self._of_cells() | self._of_session()

    def _of_texts(self) -> dict[str, Command]:
        """Return the commands that act on the texts of the open cell, by the ids of their keys."""
        objects = self._objects
        reading = self._objects.reading
        return {
            "text.select": objects.selection.begin,
            "text.none": objects.selection.no_evidence,
            "text.evidence": reading.evidence,
            "text.next": partial(reading.walk, 1),
            "text.previous": partial(reading.walk, -1),
            "text.plea": reading.passage,
            "text.search": objects.search.ask,
            "text.markdown": reading.markdown,
            "step.next": partial(reading.step, 1),
            "step.previous": partial(reading.step, -1),
            "step.assistants": reading.assistants_step,
            "step.unfold": reading.turn_folds,
            "text.focus": objects.layout.turn_response_alone,
            "page.on": partial(objects.parts.response.action_roll_page, 1),
            "page.back": partial(objects.parts.response.action_roll_page, -1),
            "material": partial(objects.material.turn, 1),
            "material.before": partial(objects.material.turn, -1),
            "cell.comments": objects.material.history,
            "cell.copy": reading.copy,
            "cell.copy_again": reading.copy_again,
        }

    def _of_cells(self) -> dict[str, Command]:
        """Return the commands for the open cell, for going to others and for the queue, by key ids.

        A number that was typed before a key of cells or traces says how many to go.
        """
        objects = self._objects
        cell = self._objects.cell_actions
        go = self._objects.navigation
        times = objects.parts.queue.take_times
        queue = objects.queue_control
        return {
            "cell.sign": cell.sign,
            "cell.undo": partial(cell.take_back, "undo"),
            "cell.redo": partial(cell.take_back, "redo"),
            "cell.comment": cell.comment,
            "cell.flag": cell.flag,
            "item.reason": cell.reason,
            "cell.proposals": self.proposals,
            "cell.judge": lambda: objects.judge_run.control.judge_one(objects.view.no),
            "cell.next": lambda: go.cell(times()),
            "cell.previous": lambda: go.cell(-times()),
            "trace.next": lambda: go.trace(times()),
            "trace.previous": lambda: go.trace(-times()),
            "unreviewed.next": partial(self.next, 1),
            "unreviewed.previous": partial(self.next, -1),
            "back": self.back,
            "forward": go.forward,
            "by_instruction": lambda: begin(objects.comparing.by_instruction()),
            "side_by_side": lambda: begin(objects.comparing.side_by_side()),
            "jump": lambda: begin(objects.jumping.jump()),
            "last": lambda: objects.jumping.to_end("last"),
            "trace.go": go.go_to,
            "cell.bookmark": go.bookmark,
            "bookmarks": go.bookmarks,
            "queue": objects.turn_to_queue,
            "queue.filter": queue.filter,
            "queue.order": queue.order,
            "queue.hide": queue.turn_hiding,
        }

    def _of_session(self) -> dict[str, Command]:
        """Return the commands for the review as a whole, by the ids of their keys.

        They are about numbers, rubric, judge, sample, saving and help.
        """
        objects = self._objects
        screen = self._screen
        queue = self._objects.parts.queue
        return {
            "session": lambda: begin(objects.numbers_visit.open()),
            "history": objects.cell_actions.history,
            "sizes": objects.layout.move_borders,
            "rubric.edit": self.edit_rubric,
            "rubric.add": self.add_instruction,
            "theme": lambda: screen.call_later(screen.app.run_action, "change_theme"),
            "sample": self.sample,
            "run.again": lambda: objects.judge_run.control.judge_again(
                objects.view.no,
                queue.lineup.filter,
            ),
            "run.stop": objects.judge_run.stop,
            "save": objects.saving.save,
            "palette": self.palette,
            "help": self.help,
            "quit": self.quit,
            "leave": self.leave,
        }

    def next(self, by: StepDirection) -> None:
        """Go to the next hit, unseen item or unsigned cell, or back for -1.

        Hits go first, while they are marked. Going on, an unseen item of a long cell follows, if
        the focus is on the items. If there is none, it is a cell that is not signed off.
        """
        if self._objects.search.on:
            self._objects.search.next_hit(by)
        elif by > 0 and self._objects.goes_to_unseen:
            self._objects.view.long.next()
        else:
            self._objects.navigation.unreviewed(by)

    async def back(self) -> None:
        """Open the list or pair from which the cell was opened, else the cell before it.

        If there is no cell before it, say so.
        """
        if not await self._objects.comparing.back():
            self._objects.navigation.back()

    async def return_to_list(self) -> None:
        """Open the list or pair from which the cell was opened.

        If it was opened from neither, open the figure whose cells the queue holds, if any.
        """
        if not await self._objects.comparing.back():
            await self._objects.numbers_visit.back()

    async def proposals(self) -> None:
        """Show the proposals of the judges; in a contested cell, open the screen for rulings."""
        objects = self._objects
        if objects.view.cell.contest:
            await objects.comparing.rule()
        else:
            objects.comparing.judges()

    async def sample(self) -> None:
        """Open the screen of the sample."""
        await self._objects.sample_visit().open()

    async def edit_rubric(self) -> None:
        """Let the reviewer edit the rubric in their editor."""
        await self._objects.rubric_edit().edit()

    async def add_instruction(self) -> None:
        """Ask for a new instruction of the open cell's trait."""
        await self._objects.rubric_edit().add()

    async def help(self) -> None:
        """Show the keys and marks that are needed now, and all others; do the picked one.

        Marks are those on the screen above the numbers. The row of the manual opens its page.
        Nothing happens if nothing is picked.
        """
        from appellate.app.keys import help as texts
        from appellate.app.reading.screen import ReadingScreen

        screen = self._screen
        objects = self._objects
        where = texts.focus_here(screen)
        pane = type(objects.view.pane)
        overrides = self._overrides
        keys, verdicts = (
            self.told_keys,
            objects.view.pane.first_keys(first_names(objects.keys)),
        )
        # keys are no marks
        rows = text_on(screen).split("\n")[: objects.parts.numbers.region.bottom]
        in_sight = "\n".join(rows)
        is_blind = objects.view.cell.hidden
        needed = texts.needed_here(
            objects.marks,
            keys,
            pane,
            overrides,
            in_sight,
            verdicts,
            is_blind=is_blind,
        )
        all_rows = texts.keys_help(objects.marks, keys, pane, where, overrides)
        topic = texts.page_of(where, objects.view.cell.subject)
        name = await self._picked(
            texts.HelpScreen(needed, all_rows, topic, marks=objects.marks),
        )
        if name == texts.MANUAL:
            await objects.dialogs.show(ReadingScreen.of_manual(topic, objects.marks))
        elif name:
            objects.press(name)

    @property
    def told_keys(self) -> list[Key]:
        """The keys that do something at the open cell, with the pane's words for what they do.

        Keys for steps are left out for a response, and the pane's that it does not tell now.
        """
        pane_keys = {key.id: key for key in self._objects.view.pane.told()}
        has_steps = self._objects.view.cell.subject.transcript is not None
        keys: list[Key] = []
        for key in self._objects.keys_here:
            if key.id.startswith(STEPS) and not has_steps:
                continue
            if not key.is_own:
                keys.append(key)
            elif key.id in pane_keys:
                pane_key = pane_keys[key.id]
                keys.append(replace(key, label=pane_key.label, help=pane_key.help))
        return keys

    async def palette(self) -> None:
        """List all commands that do something at the open cell by name, and do the one picked.

        Nothing happens if none is picked.
        """
        from appellate.app.keys.help import commands_to_pick
        from appellate.ui.picker import Picker

        objects = self._objects
        choices = commands_to_pick(self.told_keys)
        picker = Picker(
            "What to do?",
            choices,
            does="Enter does it",
            marks=objects.marks,
        )
        if name := await self._picked(picker):
            objects.press(name)

    async def _picked(self, picker: "Picker") -> str | None:
        """Open a list and return the key of what is picked, or None if nothing is.

        After a pick the focus goes back to where it was, since some commands act on what has the
        focus.
        """
        focused = self._screen.focused
        name = await self._objects.dialogs.show(picker)
        if name and focused is not None:
            self._screen.set_focus(focused)
        return name

    def quit(self) -> None:
        """Stop the judge, write the audit, and end the program.

        If the audit cannot be written, ask first whether to end without it.
        """
        self._objects.judge_run.stop(quietly=True)
        self._objects.saving.quit()

    def leave(self) -> None:
        """End the innermost thing that is open (Esc): a question, a selection, a search, marks.

        After these, in order: give the focus back to the items, end the response's filling of the
        screen, close the card, close the tour. If nothing is open, go back to the list, pair or
        figure that the cell was opened from.
        """
        objects = self._objects
        if objects.parts.confirm.asking:
            objects.parts.confirm.action_answer(yes=False)
        elif objects.parts.prompt.asking:
            objects.parts.prompt.leave()
        elif objects.selection.on:
            objects.selection.end()
        elif objects.search.on:
            objects.search.end()
        elif objects.view.pane.clear_marks():
            return
        elif (
            self._screen.focused not in objects.view.pane.lists()
            and not objects.layout.is_response_alone
        ):
            objects.rest()
        elif objects.layout.is_response_alone:
            objects.layout.turn_response_alone()
        elif objects.parts.card.shown:
            objects.parts.card.put_away()
        elif objects.parts.tour.shown:
            objects.parts.tour.put_away()
        else:
            begin(self.return_to_list())
