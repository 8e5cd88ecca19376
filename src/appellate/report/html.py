"""The report as one HTML file that needs nothing else: no script, no request, all styles within.

Its policy forbids whatever could run or be fetched, and `elements` escapes every text, so that neither
alone has to hold. Pictures are SVG by hand: what people say is filled and what the judge says an outline,
so that no colour is needed; each has a title and says in words what it shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import chain

from appellate.core.totals import AnswerStats
from appellate.report.elements import Markup, element, own, together, void
from appellate.report.report import BINS, FORMAT, Act, Metric, Report, Sides
from appellate.report.sections import (
    PICTURED,
    Acts,
    Bars,
    Block,
    Section,
    Sentence,
    Shares,
    Spread,
    Table,
    sections,
    title,
    where,
)
from appellate.report.words import cut, number, when, whole

BEGINS = "<!doctype html>\n<!-- appellate-report/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LONG = 40  # characters, from which on a column is kept wide
WIDTH = 480
_LEFT, _RIGHT = 86, 50
_ROW = 40
_TALL = 120
_LABEL = 64
_NUMBERS = 130  # room for the numbers after the longest bar
SHARES = ("found", "unclear", "missing", "overruled")
"""The parts of an instruction's bar from left to right, and the line below it."""


def html(report: Report) -> str:
    """The whole report."""
    parts = sections(report)
    body = element(
        "main",
        element("h1", title(report)),
        element("nav", *_contents(parts), aria_label="Contents"),
        *map(_section, parts),
    )
    page = element("html", _head(report), "\n", element("body", body), lang="en")
    return f"{BEGINS}{FORMAT.split('/')[1]} -->\n{page}\n"


def _head(report: Report) -> Markup:
    return element(
        "head",
        void("meta", charset="utf-8"),
        own(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        element("title", title(report)),
        element("style", own(_style())),
    )


def _style() -> str:
    return "\n" + files("appellate.report").joinpath("report.css").read_text("utf-8")


def _contents(parts: Sequence[Section]) -> Iterator[Markup]:
    for part in parts:
        yield element("a", part.title, href=f"#{part.anchor}")
        yield own("\n")


def _section(part: Section) -> Markup:
    heading = element("h2", element("bdi", part.title), id=f"{part.anchor}-title")
    blocks = [_block(block, part.anchor, number) for number, block in enumerate(part.blocks, 1)]
    return together("\n", element("section", heading, *blocks, id=part.anchor))


def _block(block: Block, part: str, number: int) -> Markup:
    anchor = f"{part}-{number}"
    match block:
        case Sentence(text):
            return element("p", text)
        case Table():
            return _table(block, f"{part}-title")
        case Bars(trait, sides):
            bars = metric_bars(anchor, trait.metrics, "macro", sides)
            return _figure(bars, "Macro: the mean over traces.", *_key(sides))
        case Spread(metric, sides):
            columns = histogram(anchor, metric, sides)
            return _figure(columns, f"Cells by {metric.name}, in tenths.", *_key(sides))
        case Shares(trait):
            told = "The instructions overruled most; found / missing / overruled."
            return _figure(stacked(anchor, trait.instructions[:PICTURED]), told, *_key(SHARES))
        case Acts(acts, _):
            return element("ol", *map(_act, acts), class_="acts")


def _key(names: Sequence[str]) -> Iterator[Markup]:
    for name in names:
        yield element("span", element("i", class_=name), name, class_="key")


def _figure(picture: Markup, *caption: str) -> Markup:
    return element("figure", element("figcaption", *caption), picture)


def _table(table: Table, heading: str) -> Markup:
    numbers = range(table.figures, len(table.heads))
    head = element("thead", element("tr", *(_head_cell(text, n in numbers) for n, text in enumerate(table.heads))))
    rows = [element("tr", *(_cell(text, n in numbers) for n, text in enumerate(row))) for row in table.rows]
    whole_table = element("table", head if any(table.heads) else "", element("tbody", *rows))
    return element("div", whole_table, class_="wide", tabindex=0, role="region", aria_labelledby=heading)


def _head_cell(text: str, figures: bool) -> Markup:
    return element("th", text, scope="col", class_="figures" if figures else "said")


def _cell(text: str, figures: bool) -> Markup:
    if figures:
        return element("td", text, class_="figures")
    return element("td", element("bdi", text), class_="said long" if len(text) > _LONG else "said")


def _act(act: Act) -> Markup:
    anchor = f"act-{act.n}"
    number = element("a", f"#{act.n}", href=f"#{anchor}")
    parts = [number, when(act.at), element("bdi", cut(act.by)), element("bdi", where(act.place))]
    by = [element("bdi", cut(act.undone_by))] if act.undone_by else []
    parts += [element("strong", act.fate, *by)] if act.fate else []
    head = element("p", *_dotted(parts), class_="head")
    reason = element("p", "because: ", element("bdi", whole(act.reason)), class_="text") if act.reason else ""
    did = element("p", element("bdi", whole(act.did)), class_="text did")
    return together("\n", element("li", head, did, reason, id=anchor, class_="undone" if act.fate else "stands"))


def _dotted(parts: Sequence[str]) -> Iterator[str]:
    for place, part in enumerate(parts):
        if place:
            yield " · "
        yield part


# -- pictures -------------------------------------------------------------------------------------


def metric_bars(anchor: str, metrics: Sequence[Metric], mean: str, sides: Sides) -> Markup:
    """Of each metric the value on people's side and on the judge's."""
    rows = [_metric_row(metric, mean, sides, index * _ROW) for index, metric in enumerate(metrics)]
    said = "; ".join(f"{m.name}: {', '.join(f'{side} {_of(m, side, mean)}' for side in sides)}" for m in metrics)
    return _picture(anchor, len(metrics) * _ROW, f"Metrics, {mean}, {' and '.join(sides)}", said, rows)


def _of(metric: Metric, side: str, mean: str) -> str:
    return number(getattr(metric.sides[side], mean))


def _metric_row(metric: Metric, mean: str, sides: Sides, top: int) -> Markup:
    label = _text(0, top + 22, metric.name)
    bars = [
        part
        for side, down in zip(sides, (5, 20), strict=True)
        for part in _bar(side, getattr(metric.sides[side], mean), top + down)
    ]
    return element("g", label, *bars)


def _bar(side: str, value: float | None, top: int) -> Iterator[Markup]:
    length = (WIDTH - _LEFT - _RIGHT) * (value or 0)
    if value:
        yield element("rect", x=_LEFT, y=top, width=length, height=12, class_=side)
    yield _text(_LEFT + length + 6, top + 10, number(value), "small")


def histogram(anchor: str, metric: Metric, sides: Sides) -> Markup:
    """How many cells are in each tenth of the metric's range."""
    spread = {side: metric.spread[side] for side in sides}
    tallest = max(1, *chain.from_iterable(spread.values()))
    columns = [_column(spread, number, tallest) for number in range(BINS)]
    axis = [_text(WIDTH * tenth / BINS + 4, _TALL + 32, f"{tenth / BINS:.1f}", "small") for tenth in range(BINS)]
    base = element("line", x1=0, x2=WIDTH, y1=_TALL + 16, y2=_TALL + 16, class_="axis")
    title = f"Cells by {metric.name}, {' and '.join(sides)}"
    return _picture(anchor, _TALL + 40, title, _spread_in_words(spread), [*columns, base, *axis])


def _spread_in_words(spread: Mapping[str, Sequence[int]]) -> str:
    told = [
        f"from {tenth / BINS:.1f}: {', '.join(f'{side} {counts[tenth]}' for side, counts in spread.items())}"
        for tenth in range(BINS)
        if any(counts[tenth] for counts in spread.values())
    ]
    return "; ".join(told) or "No cell has this metric."


def _column(spread: Mapping[str, Sequence[int]], tenth: int, tallest: int) -> Markup:
    parts = []
    for (side, counts), right in zip(spread.items(), (3, 24), strict=True):
        count = counts[tenth]
        height, left = _TALL * count / tallest, WIDTH * tenth / BINS + right
        if count:
            parts.append(element("rect", x=left, y=_TALL + 16 - height, width=19, height=height, class_=side))
            parts.append(_text(left + 9.5, _TALL + 12 - height, str(count), "small middle"))
    return element("g", *parts)


def stacked(anchor: str, hits: Sequence[AnswerStats]) -> Markup:
    """Of each instruction in how many cells it was found and missing, and below in how many it was overruled."""
    longest = max(hit.cells for hit in hits)
    bars = [_instruction(hit, index * _ROW, (WIDTH - _NUMBERS) / longest) for index, hit in enumerate(hits)]
    told = [
        f"{cut(h.instruction, _LABEL)}: found {h.times('found')}, missing {h.times('missing')}, overruled {h.overruled}"
        for h in hits
    ]
    return _picture(anchor, len(hits) * _ROW, "Instructions: found, missing and overruled", "; ".join(told), bars)


def _instruction(hit: AnswerStats, top: int, scale: float) -> Markup:
    left, parts = 0.0, [_text(0, top + 13, cut(hit.instruction, _LABEL))]
    shares = tuple(map(hit.times, SHARES[:3]))
    for name, count in zip(SHARES, shares, strict=False):
        if count:
            parts.append(element("rect", x=left, y=top + 19, width=count * scale, height=11, class_=name))
        left += count * scale
    if hit.overruled:
        parts.append(element("rect", x=0, y=top + 32, width=hit.overruled * scale, height=3, class_="overruled"))
    parts.append(_text(left + 6, top + 29, f"{shares[0]} / {shares[2]} / {hit.overruled}", "small"))
    return element("g", *parts)


def _text(x: float, y: float, words: str, class_: str = "label") -> Markup:
    return element("text", words, x=x, y=y, class_=class_)


def _picture(anchor: str, height: int, title: str, said: str, parts: Sequence[Markup]) -> Markup:
    named = element("title", title, id=f"{anchor}-title"), element("desc", said, id=f"{anchor}-desc")
    return element(
        "svg",
        *named,
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )
