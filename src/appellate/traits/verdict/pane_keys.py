"""The keys that give a verdict: the same under every kind that has one."""

from collections.abc import Iterable, Mapping
from typing import Any

from appellate.traits.verdict.scale import DIGITS
from appellate.ui.contract import Review, keyed
from appellate.ui.key import Key, keys_in

KEYS = keys_in(
    """\
Verdict
verdict.yes  y  y  yes  -  yes  yes, where yes or no is asked  lines
verdict.0  0  0  score 0  -  value(0)  score 0  lines
verdict.1  1  1  score 1  -  value(1)  yes, score 1 or class 1; of letters C, correct  lines
verdict.2  2  2  score 2  -  value(2)  no, score 2 or class 2; of letters P, partly correct  lines
verdict.3  3  3  score 3  -  value(3)  score 3 or class 3; of letters I, incorrect  lines
verdict.4  4  4  score 4  -  value(4)  score 4 or class 4; of letters N, no answer  lines
verdict.5  5  5  score 5  -  value(5)  score 5 or class 5; of letters unscored  lines
verdict.6  6  6  score 6  -  value(6)  score 6 or class 6  lines
verdict.7  7  7  score 7  -  value(7)  score 7 or class 7  lines
verdict.8  8  8  score 8  -  value(8)  score 8 or class 8  lines
verdict.9  9  9  score 9  -  value(9)  score 9 or class 9  lines
verdict.turn  space  Space  turn  -  turn near  the verdict under the cursor; of one that is \
given the contrary  lines: the contrary of the verdict
verdict.pick  i  i  list  9/7  correct('pick')  pick the verdict from a list, or type a \
score  lines
Going about
verdict.over  l,right,tab,h,left,shift+tab  l h Tab  verdict, evidence  -  over  go from the \
verdict to what it rests on and back
"""
)
TAKING = frozenset(
    {"verdict.yes", "verdict.pick", *(f"verdict.{digit}" for digit in range(1, DIGITS + 1))}
)
"""Those that may give a verdict on words that are being selected."""


def answer_keys(trait: Any) -> Mapping[str, str]:
    """The ids of the keys that give a verdict by themselves, and the answer of each."""
    answers = {value: answer for answer, value in trait.sayable.items()}
    if trait.kind == "boolean":
        yes, no = answers[True], answers[False]
        return {"verdict.1": yes, "verdict.2": no, "verdict.yes": yes}
    if not trait.has_digits:
        return {}
    return {f"verdict.{trait.key_of(value)}": answer for value, answer in answers.items()}


def offers(scale: Any) -> dict[str, str]:
    """What the menu says of them, by their ids."""
    given = answer_keys(scale).items()
    words = {answer: scale.in_words(value) for answer, value in scale.sayable.items()}
    return {key: f"the {scale.word}: {words[answer]}" for key, answer in given}


def key_shown(scale: Any, value: Any, review: Review) -> str:
    """The key of a verdict as the person has it; of one without, what is typed for it in lists."""
    key: str = scale.key_of(value)
    return keyed(f"{{verdict.{key}:{key}}}", review) if key and scale.has_digits else key


def shown(scale: Any, keys: Iterable[Key]) -> str:
    """The keys that give a verdict, as a person has them: `1 2`, `1-5`, or that of the list."""
    names = {key.id: key.shown.partition(" ")[0] for key in keys if key.keys}
    usual = [key.removeprefix("verdict.") for key in answer_keys(scale) if key != "verdict.yes"]
    texts = [names[f"verdict.{digit}"] for digit in usual if f"verdict.{digit}" in names]
    if not texts:
        return names.get("verdict.pick", "")
    is_range = "".join(usual) in "0123456789" and len(usual) > 2  # noqa: PLR2004 - two are none
    if is_range and texts == usual:
        return f"{texts[0]}-{texts[-1]}"
    return " ".join(texts)


OLD_IDS: Mapping[str, str] = {
    **{
        f"{kind}.{name}": f"verdict.{name}"
        for kind in ("llm", "callable", "scorer")
        for name in ("yes", "turn", "pick", "over", *map(str, range(DIGITS + 1)))
    },
    "callable.ask": "verdict.pick",
    "regex.yes": "verdict.1",
    "regex.no": "verdict.2",
    "regex.turn": "verdict.turn",
    **{f"scorer.{letter}": f"verdict.{digit}" for digit, letter in enumerate("cpin", 1)},
}
"""The ids in keymaps of earlier versions, which had these keys once for each kind."""
