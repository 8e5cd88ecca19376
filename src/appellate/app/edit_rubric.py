"""Editing the rubric without leaving the bench: in the person's own editor, then held against what
the audit has.

Nothing is taken before the person has seen what it changes. What is wrong is shown where they are,
and whatever they wrote stays in the file.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from textual.app import App

from appellate.app.draft_screen import Answer, differing, preview, wrong
from appellate.app.external_editor import NotEdited, command, editor, run, unchanged
from appellate.app.keys import kinds_of
from appellate.app.workplace import Workplace
from appellate.core.problem import Problem, Refused, Unusable
from appellate.store import draft as drafts
from appellate.store import revision
from appellate.store.database import NotKept
from appellate.store.draft import Draft
from appellate.traits.rubric import Rubric
from appellate.ui.textual_compat import beside


class RubricEdit:
    """One draft, from the key to the revised rubric; `run` gives the terminal to the editor that
    `environ` names.
    """

    def __init__(
        self,
        at: Workplace,
        environ: Mapping[str, str] = os.environ,
        run: Callable[[App[None], list[str]], None] = run,
    ) -> None:
        self._at = at
        self._environ = environ
        self._run = run
        self._bench = at.bench
        self._say = at.dialogs.say
        self._words: list[str] = []

    async def edit(self) -> None:
        """Opens the rubric in the person's editor, as often as it takes, or says why not."""
        if self._bench.readonly:
            self._say(
                "This session only reads: "
                "the rubric can be edited where the audit is being reviewed."
            )
        elif self._at.judge_run.is_on:
            self._say(
                "A judge is at work by the rubric as it is: X stops it, then edit the rubric."
            )
        else:
            try:
                await self._edit()
            except (NotEdited, Unusable, NotKept) as refusal:
                self._say(str(refusal))

    async def _edit(self) -> None:
        problems: Sequence[Problem] = ()
        while True:
            draft = self._written(problems)
            rubric, problems = self._read(draft)
            answer: Answer | None = None
            if rubric is not None:
                answer, problems = await self._offer(draft, rubric)
                if answer == "take":
                    return
            elif not problems:
                self._say(unchanged(self._words))
                return
            if problems:
                answer = await self._at.dialogs.show(wrong(draft, problems, self._at.marks))
            if answer != "edit":
                self._say(f"The rubric is as it was; what you wrote stays in {draft.path}")
                return

    def _written(self, problems: Sequence[Problem]) -> Draft:
        """The draft that the editor leaves."""
        self._words = editor(self._environ)
        draft = drafts.begin(self._bench.workspace)
        try:
            self._run(self._at.screen.app, command(self._words, draft.path, problems))
        finally:
            drafts.leave(self._bench.workspace, draft)
        return draft

    def _read(self, draft: Draft) -> tuple[Rubric | None, Sequence[Problem]]:
        """The rubric that was written, or what is wrong with it; neither where it is the same."""
        if draft.is_copy and not draft.path.exists():
            return None, ()
        read = draft.read()
        if read.problems or read.value is None:
            return None, read.problems
        if drafts.is_same(self._bench.workspace.rubric, read.value):
            drafts.settle(self._bench.workspace, draft)
            return None, ()
        return read.value, ()

    async def _offer(self, draft: Draft, rubric: Rubric) -> tuple[Answer | None, Sequence[Problem]]:
        """Shows what a rubric would change, and takes it where the person wants that; what is wrong
        where it is refused.
        """
        workspace = self._bench.workspace
        try:
            found = revision.look(workspace, rubric)
            foreseen = preview(workspace.path, rubric)
            shown = differing(draft, workspace.rubric, rubric, found, self._at.marks, foreseen)
            answer = await self._at.dialogs.show(shown)
            if answer == "take":
                self._take(draft, rubric)
        except (Refused, NotKept) as refusal:
            return None, [Problem(str(draft.path), "", str(refusal))]
        return answer, ()

    def _take(self, draft: Draft, rubric: Rubric) -> None:
        """Takes a rubric for the audit; raises Refused or NotKept."""
        found = self._bench.revise(rubric)
        drafts.settle(self._bench.workspace, draft)
        beside(self._at.screen, partial(self._show_anew, drafts.describe(found)), "rubric")

    async def _show_anew(self, text: str) -> None:
        """Shows the cells under the new rubric, of whatever kinds they are."""
        for kind in kinds_of(self._bench.workspace.rubric):
            await self._at.parts.panes.add(kind, self._at.review)
        self._at.moved()
        self._at.ask()
        self._at.dialogs.say(text)
