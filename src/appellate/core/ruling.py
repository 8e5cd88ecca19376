"""Ruling a blind cell: what is still to be ruled before the verdict can be locked, and where it and
the judge differ once it is.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from appellate.core.cell import Cell
from appellate.core.kind import Grounds, Instruction, Subject
from appellate.core.wordforms import many

BLIND = "Blind: what the judge says shows once your verdict is locked (a)."
LOCKS = "a locks it: then the judge's shows beside it."
AT_WORK = "The judge is at work, and has not come to this cell"
"""What a blind pane says after the keys that give a verdict."""
MOST_NAMED = 8
"""So many instructions are named in a sentence."""


def stands_by(cell: Cell) -> str:
    """What the key does to a cell with which one is done."""
    return "locks it" if cell.hidden else "signs it off"


def unruled(subject: Subject, labels: Any) -> list[Instruction]:
    """The questions that labels leave open.

    A question is open where its kind says so, or where the answer is the one that blank labels
    have, and none that a person gives: a class may be called "unanswered".
    """
    kind, trait = subject.kind, subject.trait
    blank, now = kind.answers(trait, kind.blank), kind.standings(trait, labels)
    found = []
    for asked, answer in kind.answers(trait, labels).items():
        if kind.called(trait, labels, asked).is_open:
            found.append(asked)
        if answer != blank.get(asked):
            continue
        fields: Mapping[str, str] = {}
        if kind.answering:
            fields = kind.answering.sayable(trait, asked)
        if now.get(asked, "") not in fields.values():
            found.append(asked)
    return found


def why_unruled(cell: Cell) -> str:
    """Which questions of a cell are not ruled yet, in a sentence; nothing where all are."""
    subject, labels = cell.subject, cell.labels
    kind, trait = subject.kind, subject.trait
    if labels is None:
        labels = kind.blank
    total, still = len(kind.answers(trait, labels)), unruled(subject, labels)
    if not total:
        return "Nothing is ruled here yet: the judge shows once your verdict is locked."
    if not still:
        return ""
    names = [kind.called(trait, labels, asked).name for asked in still]
    if total == 1 or not any(names):
        return "There is no verdict here yet: give one, then it can be locked."
    if len(still) == total:
        return f"None of the {total} instructions is ruled yet: the judge shows once all are."
    text = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        text += f" and {len(names) - MOST_NAMED} more"
    return f"Not ruled yet: {text} ({len(still)} of {total}). The judge shows once all are."


class RuledQuestion(NamedTuple):
    """One question as a person ruled it blind, as the judge answers it, and as it stands now.

    `name` is what people call it, `text` its words. An answer is "" on a side that was not asked.
    """

    name: str
    text: str
    verdict: Grounds
    judge: Grounds
    now: Grounds

    @property
    def differs(self) -> bool:
        return self.verdict.word != self.judge.word

    @property
    def is_changed(self) -> bool:
        """Whether the person changed their mind afterwards."""
        return self.now.word != self.verdict.word


def compared(cell: Cell) -> list[RuledQuestion]:
    """The verdict of a cell beside the judge's table, question by question; nothing where the
    verdict is not locked or no judge has judged.
    """
    if cell.verdict is None or cell.judge is None:
        return []
    judged = cell.subject.labels(cell.judge.table)
    verdict, judge = _answered(cell.subject, cell.verdict), _answered(cell.subject, judged)
    now, nothing, rows = _answered(cell.subject, cell.labels), Grounds(""), []
    for asked in verdict | judge:
        name, text = asked
        sides = verdict.get(asked, nothing), judge.get(asked, nothing), now.get(asked, nothing)
        rows.append(RuledQuestion(name, text, *sides))
    return rows


def _answered(subject: Subject, labels: Any) -> dict[tuple[str, str], Grounds]:
    """How labels answer each question, by its name and words: kinds have questions that are each
    label set's own.
    """
    kind, trait = subject.kind, subject.trait
    words = kind.standings(trait, labels) or kind.answers(trait, labels)
    found: dict[tuple[str, str], Grounds] = {}
    for asked, word in words.items():
        grounds = Grounds(kind.spelled.get(word, word))
        if kind.answering:
            grounds = kind.answering.grounds(trait, labels, asked)
        called = kind.called(trait, labels, asked)
        found[called.name, called.text] = grounds
    return found


def standing_verdict(cell: Cell) -> str:
    """In a few words how a locked verdict stands to the judge, and to what stands now."""
    rows = compared(cell)
    if not rows:
        return "your blind verdict"
    apart = sum(map(attrgetter("differs"), rows))
    changed = sum(map(attrgetter("is_changed"), rows))
    if len(rows) == 1:
        text = f"blind {rows[0].verdict.word}, judge {rows[0].judge.word}"
        return f"{text}, now {rows[0].now.word}" if changed else text
    text = f"{apart} of {len(rows)} not as the judge"
    return f"{text}, {changed} changed since" if changed else text


def difference_text(cell: Cell) -> str:
    """How a verdict that was just locked compares with the judge, in a sentence."""
    rows = compared(cell)
    if not rows:
        if cell.failure:
            return "The judge failed here."
        return "The judge has not judged this cell yet."
    apart = list(filter(attrgetter("differs"), rows))
    if not apart:
        return f"The judge says the same ({many(len(rows), 'answer')})."
    if len(rows) == 1:
        return f"The judge says {rows[0].judge.word}."
    names = ", ".join(filter(None, map(attrgetter("name"), apart[:MOST_NAMED])))
    more = f": {names}" if names else ""
    return f"{len(apart)} of {len(rows)} answers differ from the judge's{more}."
