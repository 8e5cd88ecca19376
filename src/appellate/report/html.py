"""The report as one HTML file that needs nothing else: no script, no request, all styles within.

Its policy forbids whatever could run or be fetched, and a str is text until an element is made of
it, so that neither alone has to hold. Pictures are SVG by hand: what people say is filled and what
the judge says an outline, so that no colour is needed; each has a title and says in words what it
shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import chain

from appellate.core.scale import full_name, share
from appellate.core.totals import AnswerStats
from appellate.report.contents import FORMAT, ActReport, Metric, Report, Sides, TraitReport
from appellate.report.formatting import cut, number, when, whole
from appellate.report.sections import (
    PICTURED,
    Acts,
    Bars,
    Block,
    ReportSection,
    ReportTable,
    Sentence,
    Shares,
    Spread,
    sections,
    spread_name,
    title,
    where,
)

# -- elements -------------------------------------------------------------------------------------


Attribute = str | int | float


class Markup(str):
    """Text that is markup already; only this module makes it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: Attribute) -> Markup:
    """An element; `class_` is its class, `aria_label` its `aria-label`."""
    return Markup(f"{void(name, **attributes)}{together(*inside)}</{name}>")


def void(name: str, /, **attributes: Attribute) -> Markup:
    """An element that HTML never closes."""
    opening = name
    for key, value in attributes.items():
        told = f"{value:.4g}" if isinstance(value, float) else escape(str(value))
        opening += f' {key.rstrip("_").replace("_", "-")}="{told}"'
    return Markup(f"<{opening}>")


def together(*parts: str) -> Markup:
    """Markup as it is, and text escaped, one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def own(text: str) -> Markup:
    """Markup written in this package, never anything from a file."""
    return Markup(text)


# -- the page -------------------------------------------------------------------------------------


BEGINS = "<!doctype html>\n<!-- appellate-report/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LONG = 40  # characters, from which on a column is kept wide
WIDTH = 480
_LEFT, _RIGHT = 86, 50
_ROW = 40
_TALL = 120
_LABEL = 64
_CHARACTER = 8  # about the width of one
_NAME = 12  # characters of a metric's name beside its bars
FEW = 4  # answers whose numbers find room behind the bar
_NUMBERS = 130  # room for the numbers after the longest bar
COLOURS = 8
"""Colours of answers in `report.css`; of more answers some share one."""


def html(report: Report) -> str:
    """The whole report."""
    parts = sections(report)
    contents: list[str] = []
    for part in parts:
        contents += element("a", part.title, href=f"#{part.anchor}"), own("\n")
    body = element(
        "main",
        element("h1", title(report)),
        element("nav", *contents, aria_label="Contents"),
        *map(_section, parts),
    )
    page = element("html", _head(report), "\n", element("body", body), lang="en")
    return f"{BEGINS}{FORMAT.split('/')[1]} -->\n{page}\n"


def _head(report: Report) -> Markup:
    style = files("appellate.report").joinpath("report.css").read_text("utf-8")
    return element(
        "head",
        void("meta", charset="utf-8"),
        own(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        element("title", title(report)),
        element("style", own(f"\n{style}")),
    )


def _section(part: ReportSection) -> Markup:
    heading = element("h2", element("bdi", part.title), id=f"{part.anchor}-title")
    blocks = [_block(block, part.anchor, number) for number, block in enumerate(part.blocks, 1)]
    return together("\n", element("section", heading, *blocks, id=part.anchor))


def _block(block: Block, part: str, number: int) -> Markup:
    anchor = f"{part}-{number}"
    match block:
        case Sentence(text):
            return element("p", text)
        case ReportTable():
            return _table(block, f"{part}-title")
        case Bars(trait, sides):
            bars = metric_bars(anchor, trait.metrics, "macro", sides)
            return _figure(bars, "Macro: the mean over traces.", *map(_key, sides, sides))
        case Spread(metric, sides):
            columns = histogram(anchor, metric, sides)
            return _figure(columns, f"Cells by {spread_name(metric)}.", *map(_key, sides, sides))
        case Shares(trait):
            return _shares(anchor, trait)
        case Acts(acts, _):
            return element("ol", *map(_act, acts), class_="acts")


def _shares(anchor: str, trait: TraitReport) -> Markup:
    """How instructions are answered, as a stack of colours."""
    shown = trait.instructions[:PICTURED]
    words = [word for word in trait.vocabulary if any(word in one.answers for one in shown)]
    told = f"The instructions overruled most; {' / '.join(map(cut, words))} / overruled."
    keys = [_key(f"answer-{place % COLOURS}", cut(word)) for place, word in enumerate(words)]
    return _figure(stacked(anchor, shown, words), told, *keys, _key("overruled", "overruled"))


def _key(class_: str, said: str) -> Markup:
    """What a colour or an outline in a picture stands for."""
    return element("span", element("i", class_=class_), said, class_="key")


def _figure(picture: Markup, *caption: str) -> Markup:
    return element("figure", element("figcaption", *caption), picture)


def _table(table: ReportTable, heading: str) -> Markup:
    parts = []
    if any(table.heads):
        said, figures = table.heads[: table.figures], table.heads[table.figures :]
        heads = [element("th", text, scope="col", class_="said") for text in said]
        heads += [element("th", text, scope="col", class_="figures") for text in figures]
        parts.append(element("thead", element("tr", *heads)))
    rows = []
    for row in table.rows:
        cells = [_said(text) for text in row[: table.figures]]
        cells += [element("td", text, class_="figures") for text in row[table.figures :]]
        rows.append(element("tr", *cells))
    parts.append(element("tbody", *rows))
    whole_table = element("table", *parts)
    return element(
        "div", whole_table, class_="wide", tabindex=0, role="region", aria_labelledby=heading
    )


def _said(text: str) -> Markup:
    """A cell of a table with words in it."""
    class_ = "said"
    if len(text) > _LONG:
        class_ = "said long"
    return element("td", element("bdi", text), class_=class_)


def _act(act: ActReport) -> Markup:
    anchor = f"act-{act.n}"
    number = element("a", f"#{act.n}", href=f"#{anchor}")
    head = [number, " · ", when(act.at)]
    head += " · ", element("bdi", cut(act.by)), " · ", element("bdi", where(act.place))
    class_ = "stands"
    if act.fate:
        class_ = "undone"
        fate = [act.fate]
        if act.undone_by:
            fate.append(element("bdi", cut(act.undone_by)))
        head += " · ", element("strong", *fate)
    texts = [element("p", element("bdi", whole(act.did)), class_="text did")]
    if act.reason:
        because = element("bdi", whole(act.reason))
        texts.append(element("p", "because: ", because, class_="text"))
    entry = element("li", element("p", *head, class_="head"), *texts, id=anchor, class_=class_)
    return together("\n", entry)


# -- pictures ----------------------------------------------------------------------------------


def metric_bars(anchor: str, metrics: Sequence[Metric], mean: str, sides: Sides) -> Markup:
    """Of each metric the value on people's side and on the judge's, on the metric's own scale."""
    rows, said = [], []
    for index, metric in enumerate(metrics):
        rows.append(_metric_row(metric, mean, sides, index * _ROW))
        values = ", ".join(f"{side} {number(getattr(metric.sides[side], mean))}" for side in sides)
        said.append(f"{cut(full_name(metric.measure))}: {values}")
    title = f"Metrics, {mean}, {' and '.join(sides)}"
    return _picture(anchor, len(metrics) * _ROW, title, "; ".join(said), rows)


def _metric_row(metric: Metric, mean: str, sides: Sides, top: int) -> Markup:
    parts = [_text(0, top + 22, cut(metric.name, _NAME))]
    for side, down in zip(sides, (5, 20), strict=True):
        value = getattr(metric.sides[side], mean)
        filled = 0.0 if value is None else share(metric.measure, value)
        parts += _bar(side, filled, number(value), top + down)
    return element("g", *parts)


def _bar(side: str, filled: float, told: str, top: int) -> Iterator[Markup]:
    length = (WIDTH - _LEFT - _RIGHT) * filled
    if filled:
        yield element("rect", x=_LEFT, y=top, width=length, height=12, class_=side)
    yield _text(_LEFT + length + 6, top + 10, told, "small")


def histogram(anchor: str, metric: Metric, sides: Sides) -> Markup:
    """How many cells are in each part of the metric's scale."""
    spread = {side: metric.spread[side] for side in sides}
    tallest = max(1, *chain.from_iterable(spread.values()))
    wide = WIDTH / len(metric.parts)
    columns, names = [], []
    for part, name in enumerate(metric.parts):
        columns.append(_column(spread, part, wide, tallest))
        shown = cut(name, max(int(wide / _CHARACTER), 2))
        names.append(_text(wide * part + 4, _TALL + 32, shown, "small"))
    axis = element("line", x1=0, x2=WIDTH, y1=_TALL + 16, y2=_TALL + 16, class_="axis")
    title = f"Cells by {cut(metric.name)}, {' and '.join(sides)}"
    return _picture(anchor, _TALL + 40, title, _in_words(metric, sides), [*columns, axis, *names])


def _in_words(metric: Metric, sides: Sides) -> str:
    told = []
    begins = "" if metric.measure.steps else "from "
    for part, name in enumerate(metric.parts):
        if any(metric.spread[side][part] for side in sides):
            counts = ", ".join(f"{side} {metric.spread[side][part]}" for side in sides)
            told.append(f"{begins}{cut(name)}: {counts}")
    return "; ".join(told) or "No cell has this metric."


def _column(spread: Mapping[str, Sequence[int]], part: int, wide: float, tallest: int) -> Markup:
    """The cells of one part: people's side on the left, the judge's on the right."""
    parts = []
    bar = (wide - 10) / 2
    for place, (side, counts) in enumerate(spread.items()):
        count = counts[part]
        height, left = _TALL * count / tallest, wide * part + 3 + place * (bar + 2)
        if count:
            top = _TALL + 16 - height
            parts.append(element("rect", x=left, y=top, width=bar, height=height, class_=side))
            parts.append(_text(left + bar / 2, top - 4, str(count), "small middle"))
    return element("g", *parts)


def stacked(anchor: str, shown: Sequence[AnswerStats], words: Sequence[str]) -> Markup:
    """Of each instruction in how many cells it was answered how, and below how often overruled."""
    longest = max(one.cells for one in shown)
    scale = (WIDTH - _NUMBERS) / longest
    bars, said = [], []
    for index, one in enumerate(shown):
        bars.append(_instruction(one, words, index * _ROW, scale))
        answers = ", ".join(f"{cut(word)} {one.times(word)}" for word in words)
        said.append(f"{cut(one.instruction, _LABEL)}: {answers}, overruled {one.overruled}")
    title = "Instructions: how they are answered, and how often overruled"
    return _picture(anchor, len(shown) * _ROW, title, "; ".join(said), bars)


def _instruction(one: AnswerStats, words: Sequence[str], top: int, scale: float) -> Markup:
    left, parts = 0.0, [_text(0, top + 13, cut(one.instruction, _LABEL))]
    for place, word in enumerate(words):
        width = one.times(word) * scale
        if width:
            colour = f"answer-{place % COLOURS}"
            parts.append(element("rect", x=left, y=top + 19, width=width, height=11, class_=colour))
        left += width
    if one.overruled:
        width = one.overruled * scale
        parts.append(element("rect", x=0, y=top + 32, width=width, height=3, class_="overruled"))
    if len(words) <= FEW:
        told = " / ".join(map(str, (*map(one.times, words), one.overruled)))
    else:
        told = f"{one.overruled} overruled"
    parts.append(_text(left + 6, top + 29, told, "small"))
    return element("g", *parts)


def _text(x: float, y: float, words: str, class_: str = "label") -> Markup:
    return element("text", words, x=x, y=y, class_=class_)


def _picture(anchor: str, height: int, title: str, said: str, parts: Sequence[Markup]) -> Markup:
    named = (
        element("title", title, id=f"{anchor}-title"),
        element("desc", said, id=f"{anchor}-desc"),
    )
    return element(
        "svg",
        *named,
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )
