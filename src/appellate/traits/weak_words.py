"""Words that make a criterion weak: what several kinds look for in theirs.

The rules are of words alone, so they err: each says why, and none keeps a rubric from being used.
Their patterns are compiled once they are sought: all of them take 8 ms of a start.
"""

import re
from collections.abc import Iterator

from appellate.core.kind import Weakness
from appellate.core.problem import quoted

_VERBS = (
    "(?:advises|asks|avoids|cautions|defines|describes|discusses|emphasi[sz]es|encourages|explains"
    "|gives|identifies|includes|lists|mentions|names|notes|offers|provides|recommends|refers|says"
    "|states|suggests|tells|warns)"
)
_TWO_THINGS = rf"(?i);\s+\w|\b(?:and|or)\s+(?:also\s+|then\s+)?{_VERBS}\b|\bas well as\b|\band/or\b"
_VAGUE = (
    r"(?i)\b(?:adequate(?:ly)?|appropriate(?:ly)?|as needed|comprehensive(?:ly)?|etc\b\.?|and so on"
    r"|if applicable|nice(?:ly)?|proper(?:ly)?|reasonabl[ey]|relevant(?:ly)?|sufficient(?:ly)?"
    r"|suitabl[ey]|thorough(?:ly)?|well(?=\s+\w+ed\b))"
)
_FORMAT = (
    r"(?i)\b(?:begins with|bullet(?:ed)?(?:\s+points?|\s+list)?|capital letters"
    r"|contains the (?:word|phrase|string)|(?:a|an|valid) (?:doi|url|hyperlink|email address)"
    r"|ends with|emoji|(?:in|as|valid) json"
    r"|(?:fewer|less|more) than \d+ (?:words|characters|sentences|lines)"
    r"|(?:at (?:most|least)|under|exactly|no more than) (?:\d+|one|two|three)"
    r" (?:words|characters|sentences|lines)"
    r"|markdown (?:heading|table|list)s?|numbered list|starts with|upper ?case|word count)\b"
)
_HOLISTIC = (
    r"(?i)\b(?:coherent(?:ly)?|concise(?:ly)?|easy to (?:follow|read|understand)|empath\w+|engaging"
    r"|fluen\w+"
    r"|friendly|helpful(?:ness)?|overall|polite(?:ly)?|professional(?:ism)? tone|quality of the"
    r"|readab\w+|(?:right|suitable|appropriate|professional|supportive|neutral) (?:style|tone)"
    r"|well[- ](?:organi[sz]ed|structured|written))\b"
)
_ABSENT = (
    r"(?i)^\s*(?:the (?:answer|model|response) )?(?:does not|doesn't|doesn’t|do not|should not"
    r"|must not|never|no mention|(?:contains|has|makes) no\b|avoids?\b|fails? to|lacks?\b"
    r"|neglects?\b|omits?\b|refrains?\b|without\b)"
)


def two_things(text: str, path: tuple[str | int, ...]) -> Iterator[Weakness]:
    """Two criteria in one: an answer that meets one of them is neither right nor wrong."""
    if re.search(_TWO_THINGS, text):
        reason = f"{quoted(text)} asks for two things at once: half of it can be met"
        yield Weakness("compound", path, reason, "make an instruction of each")


def vague(text: str, path: tuple[str | int, ...]) -> Iterator[Weakness]:
    """A word that every reader fills otherwise."""
    found = re.search(_VAGUE, text)
    if found:
        reason = f"{quoted(text)} leaves {quoted(found[0])} to whoever reads it"
        yield Weakness("vague", path, reason, "say what an answer must hold to be that")


def about_form(text: str, path: tuple[str | int, ...]) -> Iterator[Weakness]:
    """What a pattern sees and a model often miscounts."""
    found = re.search(_FORMAT, text)
    if found:
        reason = f"{quoted(text)} is about form ({quoted(found[0])})"
        fix = "a pattern in [[regex_traits]] sees that for nothing, and does not err"
        yield Weakness("format", path, reason, fix)


def holistic(text: str, path: tuple[str | int, ...]) -> Iterator[Weakness]:
    """An impression of the whole, which no excerpt can show."""
    found = re.search(_HOLISTIC, text)
    if found:
        reason = f"{quoted(text)} is an impression of the whole ({quoted(found[0])})"
        fix = 'no excerpt can show it: ask for it in [[llm_traits]] with kind = "score"'
        yield Weakness("holistic", path, reason, fix)


def asks_for_absence(text: str) -> bool:
    """Whether a criterion says what an answer does not do: no excerpt of one can show that."""
    return re.search(_ABSENT, text) is not None
