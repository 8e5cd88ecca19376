"""The words by which tables say yes and no, in five languages.

`says_yes` tells what one word says; `are_one_question` whether some words can be the answers to one
question. A word that is not listed is no answer to a yes-or-no question: it is a class.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

GENERAL = "yes"
"""The pair that the plain words of every language belong to."""

_PLAIN = """
    yes no | y n | true false | t f | 1 0 | ja nein | wahr falsch | oui non | vrai faux | si no
    | verdadero falso | sim nao | verdadeiro falso
"""
"""Plain words: they go together with one another, and with the words of any one pair."""

_PAIRS = """
    pass fail | passed failed | passes fails | pass failed | success failure | succeeded failed
    | correct incorrect | correct wrong | right wrong | accurate inaccurate
    | supported unsupported | grounded ungrounded | faithful unfaithful | factual nonfactual
    | safe unsafe | harmless harmful | valid invalid | good bad | met unmet
    | satisfied unsatisfied | fulfilled unfulfilled | acceptable unacceptable | accepted rejected
    | accept reject | approved rejected | relevant irrelevant | helpful unhelpful
    | consistent inconsistent | complete incomplete | compliant noncompliant
    | appropriate inappropriate | resolved unresolved | solved unsolved | match mismatch
    | bestanden durchgefallen | richtig falsch | korrekt inkorrekt | korrekt unkorrekt
    | belegt unbelegt | sicher unsicher | gultig ungultig | gut schlecht | erfullt unerfullt
    | zutreffend unzutreffend | akzeptabel inakzeptabel | vollstandig unvollstandig
    | hilfreich unhilfreich | treu untreu | erfolg misserfolg
    | reussi echoue | reussite echec | juste faux | correcte incorrecte | valide invalide
    | bon mauvais | bonne mauvaise | sur dangereux | fidele infidele | etaye infonde
    | satisfait insatisfait | pertinent impertinent | conforme inconforme | utile inutile
    | aprobado suspenso | aprobado reprobado | correcto incorrecto | valido invalido
    | bueno malo | seguro inseguro | fiel infiel | cumplido incumplido | cumple incumple
    | relevante irrelevante | fundado infundado | exito fracaso
    | aprovado reprovado | correto incorreto | certo errado | bom mau | bom ruim | boa ma
    | cumprido descumprido | atendido desatendido | sucesso fracasso
"""
"""Pairs of words with a meaning of their own, each yes and no of one question."""

_DENIALS = ("not", "non", "no", "nicht", "pas", "nao", "un")
"""Words that turn the positive word of a pair into its negative one, as in `not met`."""


class _Meaning(NamedTuple):
    """What a known word says."""

    is_yes: bool
    pairs: frozenset[str]
    """The names of the pairs that the word is in: `GENERAL`, or the positive word of a pair."""


def _pairs_in(text: str) -> list[tuple[str, str]]:
    """Return the (yes, no) pairs of words in a text such as "yes no|pass fail", in order.

    Raises ValueError for a part between "|" that is not two words, also for an empty text.
    """
    pairs: list[tuple[str, str]] = []
    for pair in text.split("|"):
        positive, negative = pair.split()
        pairs.append((positive, negative))
    return pairs


def _known_words() -> Mapping[str, _Meaning]:
    """Return the meaning of every word in `_PLAIN` and `_PAIRS`, by the word.

    A pair is named after its positive word: "pass" and "fail" are in the pair "pass". All plain
    pairs, such as yes and no, have the one name `GENERAL`. Words are in small letters and without
    accents, as in these texts.
    """
    meanings: dict[str, _Meaning] = {}

    def add(word: str, pair: str, *, is_yes: bool) -> None:
        """Add a pair's name to the meaning of one word in `meanings`, which is changed.

        `is_yes` says whether the word means yes, and replaces what an earlier pair said of it.
        A word is to mean one thing in all its pairs.
        """
        meaning = meanings.get(word, _Meaning(is_yes, frozenset()))
        meanings[word] = _Meaning(is_yes, meaning.pairs | {pair})

    for positive, negative in _pairs_in(_PLAIN):
        add(positive, GENERAL, is_yes=True)
        add(negative, GENERAL, is_yes=False)
    for positive, negative in _pairs_in(_PAIRS):
        add(positive, positive, is_yes=True)
        add(negative, positive, is_yes=False)
    return meanings


_KNOWN = _known_words()


@lru_cache(1 << 14)
def spelled(word: str) -> str:
    """Return a word in the one spelling in which words are compared: "Not-Met." becomes "not met".

    It is in small letters, without accents, and without blanks, points and exclamation marks at its
    ends; a line end is a blank. Each run of hyphens, underscores and blanks within becomes one
    blank, also a hyphen or underscore at an end: " 1" for "-1", which does not mean yes.
    """
    letters = unicodedata.normalize("NFKD", word.casefold())
    unaccented = ""
    for letter in letters:
        if not unicodedata.combining(letter):
            unaccented += letter
    bare = unaccented.strip(string.whitespace + ".!")
    return re.sub(r"[\s_-]+", " ", bare)


def says_yes(word: str) -> bool | None:
    """Return True for a word that means yes ("pass", "ja"), False for no, and None for any other.

    Case, accents, hyphens, and points at its ends do not matter. A denial before a word for yes is
    no: "not passed".
    """
    meaning = _meaning_of(word)
    if meaning is None:
        return None
    return meaning.is_yes


def are_one_question(words: Iterable[str]) -> bool:
    """Return whether some words are all answers to one and the same yes-or-no question.

    They are if all are known words and those that are not plain, as yes and true are, belong to one
    pair: `pass`, `fail`, `no`. `correct` and `unsupported` are answers to two questions. Words that
    only say yes are enough. False without words, and for a word that is not known.
    """
    shared: frozenset[str] | None = None
    is_empty = True
    for word in words:
        meaning = _meaning_of(word)
        if meaning is None:
            return False
        is_empty = False
        if GENERAL in meaning.pairs:
            continue
        if shared is None:
            shared = meaning.pairs
        else:
            shared &= meaning.pairs
        if not shared:
            return False
    return not is_empty


def _meaning_of(word: str) -> _Meaning | None:
    """Return what a word says, in any spelling (`spelled`); None if it is not known.

    A denial before a word that means yes, as in "not passed", means no, in the same pairs. One
    before a word that means no, as in "not failed", is not known.
    """
    text = spelled(word)
    if text in _KNOWN:
        return _KNOWN[text]
    denial, _, denied_word = text.partition(" ")
    denied = _KNOWN.get(denied_word)
    if denial in _DENIALS and denied is not None and denied.is_yes:
        return _Meaning(is_yes=False, pairs=denied.pairs)
    return None
