"""What a check of a gold set came to, in the sentences that a report and `metrics` begin with.

The file is JSON as `gold check -o FILE` writes it. It is somebody's word: it is read and told, and
nothing in it decides a bar here.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert

from appellate.core.problem import many
from appellate.numbers.formatting import cut, figure

GOLD_CHECK_FORMAT = "appellate-gold-check/1"
_MOST_JUDGES = 3
_MOST_BARS = 4
_VERDICTS = {
    "passed": "passed",
    "not passed": "did not pass",
    "undecided": "is undecided",
}


class GoldVerdict(Struct, frozen=True):
    """What the check of a gold set came to."""

    source: str
    """The audit that the gold set was made of."""
    frozen: str
    """When its last label was given, ISO 8601."""
    digest: str
    cells: int
    judges: Sequence[Mapping[str, Any]]
    """For each judge its `name`, its `verdict`, and its `bars` with their intervals."""

    def describe(self) -> Iterator[str]:
        """Yield a sentence on each of the first `_MOST_JUDGES` judges: if it passed, by which bars.

        It names the gold set, with its cells and the day it was frozen, and at most `_MOST_BARS`
        bars with their numbers. A last sentence counts the judges left out. Nothing is yielded
        without judges. Nothing is raised for what `read_gold_verdict` returned.
        """
        gold_set_text = (
            f"the gold set of {cut(self.source)} ({many(self.cells, 'cell')},"
            f" {self.frozen[:10]})"
        )
        for judge in self.judges[:_MOST_JUDGES]:
            bars = [_bar_text(bar) for bar in judge["bars"][:_MOST_BARS]]
            text = (
                f"{cut(judge['name'])} {_VERDICTS[judge['verdict']]} on {gold_set_text}"
            )
            if bars:
                text += f": {', '.join(bars)}"
            yield f"{text}."
        more = len(self.judges) - _MOST_JUDGES
        if more > 0:
            were = "was" if more == 1 else "were"
            yield f"{many(more, 'more judge')} {were} tested on it."


def _bar_text(bar: Mapping[str, Any]) -> str:
    """Return a bar with its number: "judge.kappa>=0.6 reached, 0.710 (0.620 to 0.790)".

    `bar` has the keys "bar", "decision" and "interval". Without an interval, which is None, the
    number is left out. Raises KeyError, TypeError, ValueError or OverflowError for a table that is
    no bar.
    """
    bar_text = bar["bar"]
    decision = bar["decision"]
    interval = bar["interval"]
    text = f"{bar_text} {decision}"
    if interval is None:
        return text
    value = figure(interval["value"])
    low = figure(interval["low"])
    high = figure(interval["high"])
    return f"{text}, {value} ({low} to {high})"


def read_gold_verdict(text: str) -> GoldVerdict:
    """Return what a check of a gold set came to, by its JSON as `gold check -o FILE` writes it.

    Nothing is recomputed: what the file says is believed, and other keys are passed over. Raises
    ValueError, with what is wrong in a clause, for text that is not JSON or is no check of a gold
    set. So it does for a check that lacks a key or has a value of another sort.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("this is not JSON") from error
    if not isinstance(document, dict) or document.get("format") != GOLD_CHECK_FORMAT:
        raise ValueError(
            "this is no check of a gold set, which `gold check -o FILE` writes",
        )
    try:
        gold = document["gold"]
        judges = [_judge(judge) for judge in document["judges"]]
        verdict = convert({**gold, "judges": judges}, GoldVerdict)
        list(verdict.describe())
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            "the check of a gold set was changed, so it is not told",
        ) from error
    return verdict


def _judge(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the name, the verdict and the bars of a judge, as a table without other keys.

    A bar has its text, its decision and its interval. Raises KeyError if one of these is missing,
    and TypeError or ValidationError for a name that is no text or tables of another sort.
    """
    bars = [
        {
            "bar": convert(bar["bar"], str),
            "decision": convert(bar["decision"], str),
            "interval": bar["interval"],
        }
        for bar in table["bars"]
    ]
    name = convert(table["name"], str)
    return {"name": name, "verdict": table["verdict"], "bars": bars}
