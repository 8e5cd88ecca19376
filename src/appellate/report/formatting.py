"""What every form of the report has alike: texts inert and cut; moments; numbers."""

from msgspec.structs import replace

from appellate.core.inert import spelled_out
from appellate.core.kind import Measure
from appellate.core.scale import full_name

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


def called(measure: Measure) -> str:
    """A measure with its scale, in words for those that are the mean of what people answer."""
    match measure.word:
        case "verdict":
            return cut(full_name(replace(measure, name=f"share answered {measure.name}")))
        case "class":
            return cut(full_name(replace(measure, name="mean class")))
        case _:
            return cut(full_name(measure))


def bar_name(measure: Measure) -> str:
    """What a measure is called where there is little room."""
    names = {"verdict": f"answered {measure.name}", "class": "mean class"}
    return names.get(measure.word, measure.name)


def answer_name(measure: Measure) -> str:
    """What a cell has of a measure."""
    return cut({"verdict": "answer", "class": "class"}.get(measure.word, measure.name))


def whole(text: str) -> str:
    """The text inert with its lines; what is beyond `LIST` characters is left out, as is said."""
    if len(text) <= LIST:
        return spelled_out(text)
    left_out = f"[{LIST:,} of {len(text):,} characters; --format json has them all]"
    return f"{spelled_out(text[:LIST])}… {left_out}"


def when(at: str | None) -> str:
    """A moment as facts keep it, to the minute."""
    if not at:
        return "never"
    return f"{at[:10]} {at[11:16]} UTC"


def number(figure: float | None) -> str:
    return "0/0" if figure is None else _figure(figure)


def number_or_dash(figure: float | None) -> str:
    """A number that needs several to be one; a dash where there are too few."""
    return "–" if figure is None else _figure(figure)


def _figure(figure: float) -> str:
    return f"{figure:.3f}".replace("-", "−")


def mean(figure: float | None, cells: int) -> str:
    """A number over cells; a dash where there is no cell to have it."""
    return number(figure) if cells else "–"


def change(figure: float | None) -> str:
    """A difference with its sign; nothing where one side is 0/0."""
    if figure is None:
        return "–"
    if round(figure, 3) == 0:
        return "0"
    return f"{figure:+.3f}".replace("-", "−")
