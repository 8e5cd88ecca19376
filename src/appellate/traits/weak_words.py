"""Finds words that make a criterion weak, for several kinds.

The rules look at words only, so they err: each says why, and none keeps a rubric from being used.
Patterns are compiled when they are used first, since all of them take 8 ms of a start.
"""

import re
from collections.abc import Iterator
from typing import Literal

from appellate.core.kind import Weakness
from appellate.core.problem import quoted

_VERBS = (
    "(?:advises|asks|avoids|cautions|defines|describes|discusses|emphasi[sz]es|encourages|explains"
    "|gives|identifies|includes|lists|mentions|names|notes|offers|provides|recommends|refers|says"
    "|states|suggests|tells|warns)"
)
_END = r"\s*[.?!]?\s*$"
_ANSWER = r"(?:answer|output|reply|response)"
_ALL_OF_IT = (
    r"(?:basic|central|essential|important|key|main|major|necessary|right)\s+"
    r"(?:aspects?|concepts?|content|details?|facts?|information|issues?|points?|things?|topics?)"
    rf"(?={_END})"
)
"""A word for many things, and nothing after it that says which."""
# a bounded gap: without one each verb would be the beginning of another way through the text
_DONE_WELL = (
    r"(?:address(?:es)?|answers?|communicates?|covers?|describes?|discuss(?:es)?|explains?|handles?"
    rf"|presents?|summari[sz]es?|writes?)\b[^.;?!]{{0,300}}(?<!\bas )\b(?P<well>well){_END}"
)
_IS_GOOD = (
    rf"(?:is (?:it|the {_ANSWER})|{_ANSWER} is|^\s*is)\s+(?:really\s+|very\s+)?"
    rf"(?P<good>bad|fine|good|great|nice|ok|okay){_END}|how (?P<how>good) (?:is )?the {_ANSWER}\b"
)
_VAGUE = (
    rf"(?i)\b(?:{_ALL_OF_IT}|{_DONE_WELL}|(?:enough|sufficient) (?:detail|information)s?"
    r"|adequate(?:ly)?|appropriate(?:ly)?|as needed|comprehensive(?:ly)?|etc\b\.?|and so on"
    r"|if applicable|nice(?:ly)?|proper(?:ly)?|reasonabl[ey]|relevant(?:ly)?|sufficient(?:ly)?"
    r"|suitabl[ey]|thorough(?:ly)?|well(?=\s+\w+ed\b))"
    rf"|{_IS_GOOD}"
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
_WRONG = (
    r"(?:\w+ly\s+)?(?:bad|erroneous|false|inaccurate|incorrect|misleading|untrue|wrong)"
)
_HAS = r"(?:claims|contains|gives|has|includes|makes|mentions|provides|says|states)"
_UMBRELLA = (
    rf"(?i)^\s*(?:the {_ANSWER} )?(?:"
    rf"{_HAS}(?: an?| any| some)? {_WRONG}(?: \w+){{1,2}}"
    rf"|{_HAS} (?:anything|something|things)(?: (?:that|which) (?:are|is))? {_WRONG}"
    rf"|{_HAS}(?: an?| any| some)?(?: \w+)?"
    r" (?:errors?|falsehoods?|hallucinations?|misinformation|mistakes?)"
    rf"|is {_WRONG}|hallucinates){_END}"
)
"""A statement that something is wrong, without saying what."""
_KEYWORD = (
    r"(?i)\b(?:contains?|includes?|mentions?|names?|uses?)\s+(?:"
    r"(?:the\s+|a\s+)?(?:exact\s+|specific\s+)?(?:keywords?|phrases?|strings?|words?|term)\b"
    r"|(?:the\s+)?(?:“[^”]+”|\"[^\"]+\"|'[^']+'|(?-i:[A-Z][\w-]*[A-Z\d]))"
    rf"(?:\s+\w+)?\s*(?:\([^()]*\))?{_END})"
)
"""Words that are looked for literally: in quotes, or a name such as BCL2."""
WordSort = Literal["compound", "vague", "format", "umbrella", "keyword", "holistic"]
_WEAK: dict[WordSort, tuple[str, str, str]] = {
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
    "umbrella": (
        _UMBRELLA,
        "says that something is wrong, and not what: a judge may find any words to be it, or none",
        "write the wrong statement itself, one to an instruction",
    ),
    "keyword": (
        _KEYWORD,
        "looks for words as they are ({found})",
        "a pattern in [[regex_traits]] finds them for nothing, and does not err",
    ),
    "holistic": (
        _HOLISTIC,
        "is an impression of the whole ({found})",
        'no excerpt can show it: ask for it in [[llm_traits]] with kind = "score"',
    ),
}
"""The pattern, what is wrong with a text that matches it, and what would be better, by sort."""
_ABSENT = (
    r"(?i)^\s*(?:the (?:answer|model|response) )?(?:does not|doesn't|doesn’t|do not|should not"
    r"|must not|never|no mention|(?:contains|has|makes) no\b|avoids?\b|fails? to|lacks?\b"
    r"|neglects?\b|omits?\b|refrains?\b|without\b)"
)


def find_weaknesses(
    text: str,
    path: tuple[str | int, ...],
    *sorts: WordSort,
) -> Iterator[Weakness]:
    """Yield the weaknesses of these sorts that a criterion's words show, at most one of each sort.

    For "names X and says why" and the sort "compound" the reason is '"names X and says why" asks
    for two things at once: half of it can be met', and the fix "make an instruction of each". They
    are in the order of `sorts`. `path` is the place of the text in the rubric, and each of them has
    it. Line breaks and blanks in `text` make no difference.
    """
    criterion = " ".join(text.split())
    for sort in sorts:
        pattern, reason, fix = _WEAK[sort]
        match = re.search(pattern, criterion)
        if match is None:
            continue
        words = match[match.lastgroup or 0].strip(" .?!")
        full_reason = reason.format(found=quoted(words))
        yield Weakness(sort, path, f"{quoted(text)} {full_reason}", fix)


def asks_for_absence(text: str) -> bool:
    """Return whether a criterion begins by saying what an answer does not do.

    No excerpt can show what is missing. Only its first words are looked at, in any case, as in
    "does not", "The response avoids" or "without".
    """
    return re.search(_ABSENT, text) is not None
