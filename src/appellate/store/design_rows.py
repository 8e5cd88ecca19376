"""The facts of an audit as a whole: rows of `facts` that belong to cell 0."""

import json

from appellate.core.design_facts import DesignEvent, DesignFact, Sampled, from_body, to_body
from appellate.core.samples import Sample
from appellate.store.database import Database

WHOLE = 0
"""The cell of a fact that is about none."""


class DesignFacts:
    """What happened to the audit of an open workspace as a whole."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def facts(self) -> list[DesignFact]:
        """All of it, in order."""
        sql = "SELECT n, at, by, name, body FROM facts WHERE cell = ? ORDER BY n"
        found = self._file.db.execute(sql, (WHOLE,))
        return [
            DesignFact(n, at, by, from_body(name, json.loads(body)))
            for n, at, by, name, body in found
        ]

    def sample(self) -> Sample | None:
        """All that was drawn at random, if anything was."""
        facts = (fact.what for fact in self.facts())
        return Sample.of([what for what in facts if isinstance(what, Sampled)])

    def append(self, what: DesignEvent, at: str, by: str) -> DesignFact:
        """Keeps one more, durably; `at` is UTC, ISO 8601."""
        with self._file.transaction():
            n = self._file.number("SELECT ifnull(max(n), 0) + 1 FROM facts")
            fact = DesignFact(n, at, by, what)
            self.insert(fact)
        return fact

    def insert(self, fact: DesignFact) -> None:
        """Keeps a fact under its own number."""
        name, body = to_body(fact.what)
        text = json.dumps(body, ensure_ascii=False)
        row = (fact.n, WHOLE, fact.at, fact.by, name, text)
        self._file.db.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, NULL)", row)
