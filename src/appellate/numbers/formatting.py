"""What every form of the report has alike: texts inert and cut; moments; numbers."""

from appellate.core.inert import spelled_out
from appellate.core.kind import Measure
from appellate.core.scale import full_name, measure_text

TABLE = 160
"""Characters of a text in a table."""
SIDE_WORDS = {"standing": "as they are now", "judge_all": "judge, all cells"}
"""What a side of the numbers is called, where its name would not do."""
LIST = 2000
"""Characters of a text in the list of corrections."""


def side_word(side: str) -> str:
    """What a side of the numbers is called."""
    return SIDE_WORDS.get(side, side)


def cut(text: str, room: int = TABLE) -> str:
    """The text inert, on one line, with `…` where it was longer than `room`."""
    if len(text) > room:
        text = text[: room - 1].rstrip() + "…"
    return " ".join(spelled_out(text).split())


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def called(measure: Measure) -> str:
    """A measure in words, with its scale."""
    return cut(full_name(measure, measure_text(measure)))


def bar_name(measure: Measure) -> str:
    """What a measure is called where there is little room."""
    names = {"verdict": f"answered {measure.name}", "class": "mean class"}
    return names.get(measure.word, measure.name)


def answer_name(measure: Measure) -> str:
    """What a cell has of a measure."""
    return cut({"verdict": "answer", "class": "class"}.get(measure.word, measure.name))


def whole(text: str) -> str:
    """The text inert with its lines; what is beyond `LIST` characters is left out, with a note."""
    if len(text) <= LIST:
        return spelled_out(text)
    left_out = f"[{LIST:,} of {len(text):,} characters; --format json has them all]"
    return f"{spelled_out(text[:LIST])}… {left_out}"


def when(at: str | None) -> str:
    """A moment as facts keep it, to the minute."""
    if not at:
        return "never"
    return f"{at[:10]} {at[11:16]} UTC"


def figure(value: float | None) -> str:
    """A number with three decimals, "–" for none."""
    if value is None:
        return "–"
    return f"{value:.3f}".replace("-", "−")


def between(low: float | None, high: float | None) -> str:
    """An interval: 0.812–0.910."""
    if low is not None and low < 0:
        return f"{figure(low)} to {figure(high)}"
    return f"{figure(low)}–{figure(high)}"


def percent(share: float) -> str:
    """`95 %`, `98.3 %`, `1.67 %`."""
    return f"{share * 100:.3g} %"


def signed(value: float) -> str:
    """A difference with its sign."""
    return f"{value:+.3f}".replace("-", "−")


def number(value: float | None) -> str:
    return "0/0" if value is None else figure(value)


def mean(value: float | None, cells: int) -> str:
    """A number over cells; a dash where there is no cell to have it."""
    return number(value) if cells else "–"


def change(by: float | None) -> str:
    """A difference with its sign; nothing where one side is 0/0."""
    if by is None:
        return "–"
    if round(by, 3) == 0:
        return "0"
    return signed(by)
