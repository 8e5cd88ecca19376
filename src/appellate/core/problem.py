"""What is wrong with a file, as a value: collected, and shown all at once."""

from dataclasses import dataclass

from appellate.core.inert import escaped


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a loaded file: where it is, what is wrong, and what would be right."""

    file: str
    place: str  # "line 3", "metric_traits[0].metrics", "line 3: judgments.X.tp[1]" or ""
    wrong: str
    right: str = ""
    trace: str = ""  # the name of the trace it is about, where it is about one that has a name

    def __str__(self) -> str:
        where = f"{self.file}: {self.place}" if self.place else self.file
        right = f"; {self.right}" if self.right else ""
        trace = f" (trace {quoted(self.trace)})" if self.trace else ""
        return f"{where}: {self.wrong}{right}{trace}"


class Unusable(Exception):
    """Input that cannot be used at all; holds every problem found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def quoted(text: str, room: int = 60) -> str:
    """`text` in double quotes, cut to `room` characters, with whatever could act on a terminal escaped."""
    cut = text if len(text) <= room else text[: room - 1] + "…"
    return f'"{escaped(cut)}"'
