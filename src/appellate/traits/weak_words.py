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
    r"|fluen\w+|friendly|helpful(?:ness)?|overall|polite(?:ly)?|professional(?:ism)? tone"
    r"|quality of the|readab\w+"
    r"|(?:right|suitable|appropriate|professional|supportive|neutral) (?:style|tone)"
    r"|well[- ](?:organi[sz]ed|structured|written))\b"
)
_WEAK = {
    "compound": (
        rf"(?i);\s+\w|\b(?:and|or)\s+(?:also\s+|then\s+)?{_VERBS}\b|\bas well as\b|\band/or\b",
        "asks for two things at once: half of it can be met",
        "make an instruction of each",
    ),
    "vague": (
        _VAGUE,
        "leaves {found} to whoever reads it",
        "say what an answer must hold to be that",
    ),
    "format": (
        _FORMAT,
        "is about form ({found})",
        "a pattern in [[regex_traits]] sees that for nothing, and does not err",
    ),
    "holistic": (
        _HOLISTIC,
        "is an impression of the whole ({found})",
        'no excerpt can show it: ask for it in [[llm_traits]] with kind = "score"',
    ),
}
"""What is looked for, what is wrong with a text that has it, and what would be better."""
_ABSENT = (
    r"(?i)^\s*(?:the (?:answer|model|response) )?(?:does not|doesn't|doesn’t|do not|should not"
    r"|must not|never|no mention|(?:contains|has|makes) no\b|avoids?\b|fails? to|lacks?\b"
    r"|neglects?\b|omits?\b|refrains?\b|without\b)"
)


def weak(text: str, path: tuple[str | int, ...], *sorts: str) -> Iterator[Weakness]:
    """What is weak in a text by its words, of these sorts."""
    for sort in sorts:
        pattern, reason, fix = _WEAK[sort]
        found = re.search(pattern, text)
        if found:
            why = reason.format(found=quoted(found[0]))
            yield Weakness(sort, path, f"{quoted(text)} {why}", fix)


def asks_for_absence(text: str) -> bool:
    """Whether a criterion says what an answer does not do: no excerpt of one can show that."""
    return re.search(_ABSENT, text) is not None
