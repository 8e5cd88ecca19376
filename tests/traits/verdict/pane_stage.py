"""A pane of verdicts without the screen around it: a cell, keys, and answers to what it asks."""

from appellate.core.deciding import Correct, Receive
from appellate.core.facts import Proposed
from appellate.core.kind import Subject
from appellate.core.problem import Refused, with_keys
from appellate.ui.conversation import PendingAnswer
from appellate.ui.marks import UNICODE
from cells import Story, story_of
from ui.ui_stage import Stage, lines_of


def cell_of(kind, trait, trace, *received):
    """A cell, and what its source said."""
    return story_of(*map(Receive, received), of=Subject(kind, trait, trace)).cell


def judged(kind, trait, trace, table, **judge):
    """A cell as its source left it."""
    located = kind.locate(trait, trace, table)
    return cell_of(kind, trait, trace, Proposed(located, {"name": "gpt", **judge}))


def after(cell, command):
    story = Story(of=cell.subject)
    story.cell = cell
    story.does(command)
    return story.cell


class FakeReview:
    """A review of one cell: it makes corrections at once, and answers questions as the test told it to."""

    def __init__(self, cell, keys):
        self.cell, self.marks, self.readonly, self.keys = cell, UNICODE, False, keys
        self.pane = None
        self.of_cell = ()
        self.words, self.selecting, self.judging = None, False, False
        self.answers, self.asked, self.said, self.ran, self.taken = [], [], [], [], []

    def say(self, text):
        self.said.append(with_keys(text, {}))

    def sees_item(self):
        return True

    def looked(self):
        self.asked.append("looked")

    def take_words(self):
        self.selecting = False
        return self.words

    def run(self, key):
        self.ran.append(key)

    def pick(self, title, choices, **_):
        self.asked.append(
            [(choice.number, choice.text, choice.note) for choice in choices],
        )
        return self._question()

    def line(self, label, initial="", **_):
        self.asked.append((label, initial))
        return self._question()

    def select_words(self, offers=(), **_):
        self.asked.append("words")
        return self._question()

    def done_with(self, about):
        self.taken.append(about)

    def _question(self):
        question = PendingAnswer()
        answer = self.answers.pop(0)
        self.pane.call_later(question.answer, answer)
        return question

    def correct(self, items, done="changed", *, repeated=False):
        for edits in items:
            for edit in edits:
                before = self.cell
                try:
                    self.cell = after(before, Correct(edit))
                except Refused as refusal:
                    self.say(str(refusal))
                    return False
                self.pane.show(self.cell, fresh=False)
                self.pane.follow(edit.to_row(), before, turned=False)
                self.said += self.pane.remarks(before, self.cell)
        return True


class Shown:
    """A pane with a cell, in an app of its own."""

    def __init__(self, pane, cell, size=(60, 30)):
        self.review = FakeReview(cell, pane.KEYS)
        self._pane, self._size = pane, size

    async def __aenter__(self):
        stage = Stage(lambda: [self._pane(self.review)])
        self._running = stage.run_test(size=self._size)
        self.pilot = await self._running.__aenter__()
        self.pane = self.review.pane = stage.query_one(self._pane)
        self.pane.show(self.review.cell, fresh=True)
        self.pane.take_focus()
        await self.pilot.pause()
        return self

    async def __aexit__(self, *raised):
        await self._running.__aexit__(*raised)

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.pilot.pause()

    @property
    def labels(self):
        return self.review.cell.labels

    @property
    def rows(self):
        """The rows that hold anything, without what pads them."""
        return [
            " ".join(line.split())
            for line in lines_of(self.pane.drawn.lines)
            if line.strip()
        ]

    def told(self, name):
        return self.pane.query_one(f"#{name}").content.plain

    def words(self, name):
        return " ".join(self.told(name).split())
