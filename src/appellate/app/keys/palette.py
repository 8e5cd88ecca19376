"""What every key of the screen does, by its id: functions, and conversations that ask first."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from appellate import manual
from appellate.ui.contract import Choice
from appellate.ui.conversation import Conversation, begin
from appellate.ui.textual_compat import text_on

if TYPE_CHECKING:
    from appellate.app.review_screen import ReviewScreen
    from appellate.app.workplace import Workplace

Command = Callable[[], object]


def asking(conversation: Callable[[], Conversation]) -> Command:
    """A conversation as a command."""
    return lambda: begin(conversation())


def commands(screen: "ReviewScreen") -> dict[str, Command]:
    """The command of each key of `keys.KEYS`, and of `leave`."""
    at = screen.at
    go, queue, reading, cell = at.navigation, at.queue_control, at.reading, at.cell_actions
    whole = WholeScreen(screen, at)
    return {
        **whole.commands(),
        "text.select": at.selection.begin,
        "text.none": at.selection.no_evidence,
        "text.evidence": reading.evidence,
        "text.next": partial(reading.walk, 1),
        "text.previous": partial(reading.walk, -1),
        "text.plea": reading.passage,
        "text.search": asking(at.search.ask),
        "text.focus": at.turn_response_alone,
        "page.on": partial(at.parts.response.action_roll_page, 1),
        "page.back": partial(at.parts.response.action_roll_page, -1),
        **at.material.commands(),
        "cell.sign": cell.sign,
        "cell.undo": partial(cell.take_back, "undo"),
        "cell.redo": partial(cell.take_back, "redo"),
        "cell.comment": asking(cell.comment),
        "cell.flag": cell.flag,
        "item.reason": asking(cell.reason),
        "cell.copy": asking(reading.copy),
        "cell.copy_again": asking(reading.copy_again),
        "cell.proposals": asking(whole.proposals),
        "cell.next": partial(go.cell, 1),
        "cell.previous": partial(go.cell, -1),
        "trace.next": partial(go.trace, 1),
        "trace.previous": partial(go.trace, -1),
        "back": asking(whole.back),
        "by_instruction": lambda: begin(at.comparing.by_instruction()),
        "side_by_side": lambda: begin(at.comparing.side_by_side()),
        "forward": go.forward,
        "jump": asking(at.jumping.jump),
        "last": partial(at.jumping.to_end, "last"),
        "trace.go": asking(go.go_to),
        "cell.bookmark": go.bookmark,
        "bookmarks": asking(go.bookmarks),
        "queue": at.turn_to_queue,
        "queue.filter": asking(queue.filter),
        "queue.order": asking(queue.order),
        "queue.hide": queue.turn_hiding,
        "history": asking(cell.history),
        "sizes": asking(at.layout.move_borders),
        "save": asking(at.saving.save),
    }


def counted(screen: "ReviewScreen") -> dict[str, Callable[[int], object]]:
    """What goes so many times further, by the id of its key."""
    go = screen.at.navigation
    return {
        "cell.next": go.cell,
        "cell.previous": lambda times: go.cell(-times),
        "trace.next": go.trace,
        "trace.previous": lambda times: go.trace(-times),
    }


class WholeScreen:
    """What concerns the screen as a whole."""

    def __init__(self, screen: "ReviewScreen", at: "Workplace") -> None:
        self._screen = screen
        self._at = at

    def commands(self) -> dict[str, Command]:
        return {
            "text.markdown": self.markdown,
            "unreviewed.next": partial(self.next, 1),
            "unreviewed.previous": partial(self.next, -1),
            "session": lambda: begin(self._at.numbers_visit.open()),
            "sample": asking(self.sample),
            "rubric.edit": asking(self.edit_rubric),
            "rubric.add": asking(self.add_instruction),
            "theme": self._screen.app_action("change_theme"),
            "cell.judge": asking(self.judge_this),
            "run.again": asking(self.judge_again),
            "run.stop": self.stop_judge,
            "palette": asking(self.palette),
            "help": asking(self.help),
            "quit": self.quit,
            "leave": self.leave,
        }

    def next(self, by: int) -> None:
        """The next hit while a search is open, else the next item of a long cell that was not seen,
        else the next cell that is not signed off.
        """
        if self._at.search.on:
            self._at.search.next_hit(by)
        elif by > 0 and self._at.goes_to_unseen:
            self._at.view.long.next()
        else:
            self._at.navigation.unreviewed(by)

    def markdown(self) -> None:
        self._at.reading.markdown()
        self._at.keys_changed()

    async def judge_this(self) -> None:
        await self._at.judge_run.control.judge_one(self._at.view.no)

    def stop_judge(self) -> None:
        self._at.judge_run.stop()

    async def judge_again(self) -> None:
        at = self._at
        await at.judge_run.control.judge_again(at.view.no, at.parts.queue.lineup.filter)

    async def back(self) -> None:
        """To where the cell was opened from, else to the cell before."""
        at = self._at
        if not await at.comparing.back():
            self._at.navigation.back()

    async def return_to_list(self) -> bool:
        """Into the pair of answers, or the list of an instruction, that the cell was opened from,
        or to the figure whose cells the queue holds; false where there is none.
        """
        at = self._at
        if await at.comparing.back():
            return True
        return await at.numbers_visit.back()

    async def proposals(self) -> None:
        """What judges proposed, or what two reviewers differ in."""
        at = self._at
        if at.view.cell.contest:
            await at.comparing.rule()
        else:
            at.comparing.judges()

    async def sample(self) -> None:
        from appellate.app.sample import SampleVisit

        await SampleVisit(self._at).open()

    async def edit_rubric(self) -> None:
        from appellate.app.edit_rubric import RubricEdit

        await RubricEdit(self._at).edit()

    async def add_instruction(self) -> None:
        from appellate.app.edit_rubric import RubricEdit

        await RubricEdit(self._at).add()

    async def help(self) -> None:
        """The keys and marks needed here, then all of them; a key that is taken is pressed."""
        from appellate.app.keys import help as texts
        from appellate.app.reading.screen import ReadingScreen

        screen, at = self._screen, self._at
        where, pane, overrides = texts.here(screen), type(at.view.pane), screen.overrides
        needed = texts.needed_here(at.marks, at.keys_here, pane, overrides, text_on(screen))
        every = texts.keys_help(at.marks, at.keys_here, pane, where, overrides)
        topic = texts.page_of(where, at.view.cell.subject.kind.name)
        name = await at.dialogs.show(texts.HelpScreen(needed, every, topic, marks=at.marks))
        if name == texts.MANUAL:
            await at.dialogs.show(ReadingScreen(manual.page(topic), marks=at.marks))
        elif name:
            at.review.run(name)

    async def palette(self) -> None:
        """Every command by name; the one that is taken is pressed."""
        from appellate.app.keys.help import commands_to_pick

        await self._press_one_of("What to do?", commands_to_pick(self._at.keys_here))

    async def _press_one_of(self, title: str, choices: list[Choice]) -> None:
        from appellate.ui.picker import Picker

        at = self._at
        name = await at.dialogs.show(Picker(title, choices, does="Enter does it", marks=at.marks))
        if name:
            at.review.run(name)

    def quit(self) -> None:
        """Writes the audit and leaves."""
        self._at.judge_run.stop(quietly=True)
        self._at.saving.quit()

    def leave(self) -> None:
        """Esc leaves the innermost thing, wherever the focus is."""
        at = self._at
        if at.parts.confirm.asking:
            at.parts.confirm.action_answer(yes=False)
        elif at.parts.prompt.asking:
            at.parts.prompt.action_dismiss_prompt()
        elif at.selection.on:
            at.selection.end()
        elif at.search.on:
            at.search.end()
        elif at.view.pane.clear_marks():
            return
        elif self._screen.focused not in at.view.pane.lists() and not at.layout.is_response_alone:
            at.rest()
        elif at.layout.is_response_alone:
            at.turn_response_alone()
        elif at.parts.card.shown:
            at.parts.card.put_away()
        elif at.parts.tour.shown:
            at.parts.tour.put_away()
        else:
            begin(self.return_to_list())
