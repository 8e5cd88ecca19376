"""How a grade is read from what a judge wrote, what several graders come to, and how a trait's own
template is filled in; as in inspect_ai 0.3.285.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from appellate.core.problem import quoted
from appellate.traits.matching import matcher

_SPACE = r"[\s\u200b-\u200f\u2060\u2063\ufeff]*"
_GRADE = rf"(?is).*(?<!\w)GRADE(?!\w){_SPACE}:{_SPACE}"
LAST_GRADE = rf"{_GRADE}([CPI])"
"""The last grade of a text, where the instructions are a trait's own."""
LAST_WORD = rf"{_GRADE}(\w*)"
"""Whatever is after the last GRADE: what it says counts, or nothing before it does."""
_WORDS = {"correct": "C", "incorrect": "I", "partial": "P"}


def offered(*, partial_credit: bool) -> tuple[str, ...]:
    """The grades that the usual instructions offer."""
    if partial_credit:
        return ("C", "P", "I")
    return ("C", "I")


def grade_in(
    text: str,
    *,
    grade_pattern: str | None = None,
    has_own_instructions: bool = False,
    partial_credit: bool = False,
) -> str | None:
    """The grade that a grader's text ends with; None where it cannot be read.

    With the usual instructions it must be one of those that they offer; a pattern of the trait's
    own decides alone. Raises Unmatched where that takes too long.
    """
    if grade_pattern is not None:
        matched = matcher().find(grade_pattern, text, most=1)
        span = None
        if matched.hits:
            span = matched.groups[0]
        if span:
            return text[span[0] : span[1]]
        return None
    wanted = LAST_WORD
    if has_own_instructions:
        wanted = LAST_GRADE
    found = re.search(wanted, text)
    if found is None:
        return None
    word = found[1].lower()
    grade = _WORDS.get(word) or word.upper()
    if has_own_instructions or grade in offered(partial_credit=partial_credit):
        return grade
    return None


def majority(grades: Sequence[Any], count: int) -> Any | None:
    """The grade that more than half of so many graders give, those that gave none included."""
    votes = Counter(grades)
    votes.pop(None, None)
    for grade, most in votes.most_common(1):
        if 2 * most > count:
            return grade
    return None


# -- a template of the trait's own -----------------------------------------------------------------

_FORGED = re.compile(r"\[(BEGIN|END) DATA\]", re.IGNORECASE)


class _Filler(Formatter):
    """Fills in names and entries of tables; nothing of a value's inside can be reached.

    What the metadata hold is `shown` as text.
    """

    def __init__(self, values: Mapping[str, str], shown: Callable[[str], str]) -> None:
        self._values = values
        self._shown = shown

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        name, _, rest = field_name.partition("[")
        if name not in kwargs:
            raise LookupError(field_name)
        value = kwargs[name]
        for key in filter(None, re.split(r"[\[\]]+", rest)):
            if not isinstance(value, dict) or key not in value:
                raise LookupError(field_name)
            value = value[key]
        if name not in self._values:
            value = self._shown(str(value))
        return value, name


def template_fault(template: str) -> str:
    """What keeps a template from being filled in; nothing where it can be."""
    try:
        fields = [one for one in Formatter().parse(template) if one[1] is not None]
    except ValueError as error:
        return f"cannot be filled in: {error}; write {{{{ and }}}} for braces"
    for _, name, spec, conversion in fields:
        if not re.fullmatch(r"[^\W\d]\w*(?:\[\w+\])*", name or ""):
            return f"has {{{name}}}, which is no name; write {{{{ and }}}} for braces"
        if spec or conversion:
            given = quoted(f"!{conversion}" if conversion else f":{spec}")
            right = f"write {{{name}}}, which is filled in as it stands"
            return f"has {given} after {name}; {right}"
    if not any(name == "answer" for _, name, _, _ in fields):
        return "lacks {answer}, the response that is to be graded"
    return ""


def unforged(text: str) -> str:
    """The text without marks that would end the data of a template."""
    return _FORGED.sub(lambda mark: mark[0].replace(" ", "-"), text)


def filled(
    template: str,
    values: Mapping[str, str],
    metadata: Mapping[str, Any],
    shown: Callable[[str], str] = unforged,
) -> str:
    """A template with its names filled in, those of the metadata too, each of which is `shown`.

    Raises LookupError for a name that nothing is known of.
    """
    return _Filler(values, shown).vformat(template, (), {**metadata, **values})
