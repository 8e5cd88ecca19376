"""Who sits on a panel, by the names that a person reads, and what each of them answered."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple


class Member(NamedTuple):
    """One judge of a panel: its place there, its name among the others, and its table as the record has it."""

    place: int
    name: str
    table: Mapping[str, Any]

    @property
    def error(self) -> str:
        """Why it gave no labels; nothing where it did."""
        return str(self.table.get("error", ""))


def members(judge: Mapping[str, Any]) -> list[Member]:
    """The members of a judge's record, in order; the second of one name is `name #2`."""
    seen: Counter[str] = Counter()
    found: list[Member] = []
    for place, table in enumerate(judge.get("members", ())):
        name = name_of(table)
        seen[name] += 1
        found.append(Member(place, name if seen[name] == 1 else f"{name} #{seen[name]}", table))
    return found


def answered(judge: Mapping[str, Any]) -> list[Member]:
    """The members that gave labels."""
    return [member for member in members(judge) if "error" not in member.table]


def missing(judge: Mapping[str, Any]) -> int:
    """How many members gave no labels."""
    return len(members(judge)) - len(answered(judge))


def name_of(judge: Mapping[str, Any]) -> str:
    """A judge's model, else its name."""
    return str(judge.get("model") or judge.get("name") or "judge")
