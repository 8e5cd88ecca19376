"""How every cell answers its questions, a row each: by labels, judge and verdict."""

import sqlite3
from collections.abc import Mapping
from itertools import zip_longest

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.kind import Instruction, Subject
from appellate.traits.digest import digest

Given = tuple[int | None, ...]
"""The words with which labels, judge and verdict answer a question, by their numbers."""


class Checklist(Struct, frozen=True):
    """Questions that are asked together."""

    number: int
    questions: list[int]
    """Their numbers, in the order in which they are asked."""


class Answered:
    """How cells answer their questions; known checklists and words are kept in memory."""

    def __init__(self) -> None:
        self._checklists: dict[int, tuple[Subject, Checklist]] = {}
        self._words: dict[str, int] = {}

    def keep(
        self,
        db: sqlite3.Connection,
        number: int,
        old_cell: Cell,
        new_cell: Cell,
    ) -> None:
        """Write how a cell that changed from `old_cell` to `new_cell` answers its questions.

        `number` is the cell's. Only answers that differ are written. If its questions changed, or
        it answers none any more, the old answers are deleted. This is done in the caller's
        transaction.
        """
        old_answers = self.given(db, old_cell)
        new_answers = self.given(db, new_cell)
        if old_answers and old_answers.keys() != new_answers.keys():
            db.execute("DELETE FROM given WHERE cell = ?", (number,))
            old_answers = {}
        rows = [
            (number, question_no, *words)
            for question_no, words in new_answers.items()
            if old_answers.get(question_no) != words
        ]
        db.executemany("INSERT OR REPLACE INTO given VALUES (?, ?, ?, ?, ?)", rows)

    def given(self, db: sqlite3.Connection, cell: Cell) -> dict[int, Given]:
        """Return how a cell answers each of its questions, by the question's number.

        An answer is the numbers of three words: of the current labels, of the judge, and of the
        ruling if that was blind. Each is None if that side gives none; a hidden judge gives none.
        Empty if nothing happened to the cell, or no side answers any question in it. Words and
        questions that are new are written.
        """
        subject = cell.subject
        if not cell.facts:
            return {}
        ruled: Mapping[Instruction, str] = {}
        if cell.ruled_blind:
            ruled = subject.kind.standings(subject.trait, cell.verdict)
        sides = [cell.standings, cell.shown.judge_standings, ruled]
        if not any(sides):
            return {}
        for side in sides:
            for word in side.values():
                if word not in self._words:
                    db.execute("INSERT OR IGNORE INTO words (word) VALUES (?)", (word,))
                    row = db.execute("SELECT no FROM words WHERE word = ?", (word,))
                    (self._words[word],) = row.fetchone()
        word_nos = zip_longest(
            *[map(self._words.__getitem__, side.values()) for side in sides],
        )
        return dict(zip(self.checklist(db, subject).questions, word_nos, strict=False))

    def checklist(self, db: sqlite3.Connection, subject: Subject) -> Checklist:
        """Return the checklist of a trait's questions; write it, with the questions, if it is new.

        `subject` is a cell's. Traits that ask the same questions in the same order share a
        checklist. That of a trait is looked up once, and kept in memory from then on. This is done
        in the caller's transaction.
        """
        trait_id = id(subject.trait)
        if trait_id in self._checklists:
            _, checklist = self._checklists[trait_id]
            return checklist

        kind = subject.kind
        question_rows = [
            [instruction.of, instruction.text]
            for instruction in kind.standings(subject.trait, kind.blank)
        ]
        sha256 = digest({"asked": question_rows})
        is_new = db.execute(
            "INSERT OR IGNORE INTO checklists (sha256) VALUES (?)",
            (sha256,),
        ).rowcount
        (number,) = db.execute(
            "SELECT no FROM checklists WHERE sha256 = ?",
            (sha256,),
        ).fetchone()
        if is_new:
            db.executemany(
                "INSERT INTO questions (checklist, of, text) VALUES (?, ?, ?)",
                [(number, list_name, text) for list_name, text in question_rows],
            )
        numbers = db.execute(
            "SELECT no FROM questions WHERE checklist = ? ORDER BY no",
            (number,),
        )
        checklist = Checklist(number, [question for (question,) in numbers])
        self._checklists[trait_id] = (subject, checklist)
        return checklist


def instructions(db: sqlite3.Connection, most: int) -> tuple[str, ...]:
    """Return the words of the first `most` questions, each once, in the order first asked."""
    sql = "SELECT text FROM questions GROUP BY text ORDER BY min(no) LIMIT ?"
    return tuple(text for (text,) in db.execute(sql, (most,)))


def words(db: sqlite3.Connection) -> dict[int, str]:
    """Return every word that ever answered a question, by its number."""
    return dict(db.execute("SELECT no, word FROM words"))
