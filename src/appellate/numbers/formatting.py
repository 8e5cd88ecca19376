"""What every form of the report has alike: texts inert and cut; moments; numbers."""

from appellate.core.inert import spelled_out
from appellate.core.kind import Measure
from appellate.core.scale import SHARE_OF_CLASS, full_name, measure_text

TABLE = 160
"""Characters of a text in a table."""
SIDE_WORDS = {"standing": "as they are now", "judge_all": "judge, all cells"}
"""What a side of the numbers is called, where its name would not do."""
LIST = 2000
"""Characters of a text in the list of corrections."""


def side_word(side: str) -> str:
    """Return what people call a side of the numbers; any other name stays, as "signed" and "judge".

    "standing" is "as they are now", and "judge_all" is "judge, all cells".
    """
    return SIDE_WORDS.get(side, side)


def cut(text: str, room: int = TABLE) -> str:
    """Return the text inert and on one line, cut to `room` characters.

    A text that is longer as it is given is cut, and ends in "…" then: `cut("a long text", 7)` is "a
    long…". Only afterwards do runs of spaces and line ends become one space each, and those at its
    ends none, so that the result may be shorter; what acts on a terminal or hides is spelled out,
    so that it may be longer again.
    """
    if len(text) > room:
        beginning = text[: room - 1].rstrip()
        text = f"{beginning}…"
    words = spelled_out(text).split()
    return " ".join(words)


def capital(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return f"{text[:1].upper()}{text[1:]}"


def uncapital(text: str) -> str:
    """Return the text with its first letter in lower case, as a sentence goes on after a colon."""
    return f"{text[:1].lower()}{text[1:]}"


def called(measure: Measure) -> str:
    """Return a measure in words, with bounds and direction, inert and cut: "score (1–5)".

    The mean of verdicts is "share answered yes", that of classes "mean class".
    """
    name = full_name(measure, measure_text(measure))
    return cut(name)


def bar_name(measure: Measure) -> str:
    """Return a short name of a measure, for little room; it is neither cut nor made inert.

    A measure of verdicts is "answered " and its name, one of classes "mean class".
    """
    names = {"verdict": f"answered {measure.name}", "class": "mean class"}
    return names.get(measure.word, measure.name)


def answer_name(measure: Measure) -> str:
    """Return what a single cell has of a measure: "answer", "class" or the measure's name.

    The name is inert and cut.
    """
    names = {"verdict": "answer", "class": "class", SHARE_OF_CLASS: "class"}
    name = names.get(measure.word, measure.name)
    return cut(name)


def whole(text: str) -> str:
    """Return the text inert, with its lines.

    After `LIST` characters it is cut, and a note in brackets says how many there are.
    """
    if len(text) <= LIST:
        return spelled_out(text)
    beginning = spelled_out(text[:LIST])
    left_out = f"[{LIST:,} of {len(text):,} characters; --format json has them all]"
    return f"{beginning}… {left_out}"


def when(timestamp: str | None) -> str:
    """Return a moment as facts have it, to the minute: "2026-01-31 09:05 UTC".

    It is "never" for None and "". Another text is not refused: its first ten characters count as
    the date.
    """
    if not timestamp:
        return "never"
    date = timestamp[:10]
    time = timestamp[11:16]
    return f"{date} {time} UTC"


def figure(value: float | None) -> str:
    """Return a number with three decimals and a true minus: `0.812`, `−0.100`; a dash for None."""
    if value is None:
        return "–"
    return f"{value:.3f}".replace("-", "−")


def between(low: float | None, high: float | None) -> str:
    """Return an interval as `0.812–0.910`, or with "to" between if it begins below 0.

    A dash stands for a bound that is None.
    """
    low_text = figure(low)
    high_text = figure(high)
    if low is not None and low < 0:
        return f"{low_text} to {high_text}"
    return f"{low_text}–{high_text}"


def percent(share: float) -> str:
    """Return a share of 1 in percent, with at most three significant digits: `95 %`, `1.67 %`."""
    return f"{share * 100:.3g} %"


def signed(value: float) -> str:
    """Return a difference with three decimals and its sign: `+0.120`; 0 has a plus."""
    return f"{value:+.3f}".replace("-", "−")


def number(value: float | None) -> str:
    """Return a number with three decimals; `0/0` for None."""
    return "0/0" if value is None else figure(value)


def mean(value: float | None, cells: int) -> str:
    """Return a number over `cells` cells: a dash for no cells, `0/0` for None."""
    return number(value) if cells else "–"


def change(difference: float | None) -> str:
    """Return a difference with its sign and three decimals: `+0.120`.

    It is `0` for what rounds to it, and a dash for None.
    """
    if difference is None:
        return "–"
    if round(difference, 3) == 0:
        return "0"
    return signed(difference)


def cost_figure(cost: float) -> str:
    """Return a cost with at most six decimals, and no zeros at its end: `0.0012`, `3`."""
    return f"{cost:.6f}".rstrip("0").rstrip(".") or "0"
