"""What a kind may ask of a session line by line: each question waits for its answer where it is."""

import re
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import count
from textwrap import shorten

from msgspec.structs import replace

from appellate.core.messages import sentence_bounds
from appellate.core.trace import Trace
from appellate.linear.console import ENTER, TAB, Console
from appellate.traits.evidence import Finder
from appellate.ui.contract import Choice, Freely, Paragraph, takes
from appellate.ui.conversation import Left
from appellate.ui.key import Key

Stretch = tuple[int, int]
_SOLID = re.compile(r"\S(?:.*\S)?")
MOST = 12  # choices that are all printed, and how many of more
OFFERED = 5
SHORTEST = 3  # letters that are looked up in the response
_SHORT = 40
_PART = "=>"


def sentences_of(trace: Trace) -> list[Stretch]:
    """Where the sentences stand, none of them over the end of a line.

    Of a conversation those of the assistant's steps.
    """
    own = trace.own_words
    found: list[Stretch] = []
    for sentence in _sentences_in(own.text):
        found += own.pieces(sentence)
    return found


@lru_cache(maxsize=1)
def _sentences_in(text: str) -> list[Stretch]:
    found: list[Stretch] = []
    for line in _SOLID.finditer(text):
        for first, last in sentence_bounds(line[0]):
            low = line.start() + first
            high = line.start() + last
            words = text[low:high]
            low += len(words) - len(words.lstrip())
            high -= len(words) - len(words.rstrip())
            if low < high:
                found.append((low, high))
    return found


class LinearReview:
    """`correct` makes corrections, `trace` is that of the cell in sight, as its trait reads it."""

    def __init__(
        self,
        console: Console,
        *,
        readonly: bool,
        correct: Callable[..., bool],
        trace: Callable[[], Trace],
    ) -> None:
        self.marks = console.marks
        self.readonly = readonly
        self.judging = False  # one judges beside the screen alone
        self.keys: Sequence[Key] = ()
        self.of_cell: Sequence[str] = ()  # there are no menus
        self.correct = correct
        self.say = console.say
        self.words: Stretch | None = None  # taken by v
        self._console = console
        self._trace = trace
        self._drafts: dict[Hashable, str] = {}

    @property
    def selecting(self) -> bool:
        return self.words is not None

    def take_words(self) -> Stretch | None:
        words = self.words
        self.words = None
        return words

    def sees_item(self) -> bool:
        return True

    def run(self, key: str) -> None:
        """There are no menus: every key is typed."""

    def looked(self) -> None:
        """Where the cursor is, is printed when it is asked about."""

    def copy(self, label: str, text: str) -> None:
        """Prints it: what is printed can be copied."""
        self._console.say(f"{label[:1].upper()}{label[1:]}:")
        for line in text.splitlines():
            self._console.show(Paragraph(line, quoted=True))

    # -- a list -----------------------------------------------------------------------------------

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        *,
        none: str = "",
        on_none: bool = False,
        about: Hashable = None,
        free: Freely = False,
        typed: str = "",
    ) -> str:
        """Enter takes the first, or `none` where it opens on that."""
        asked = ChoiceQuestion(choices, none, on_none=on_none, free=free)
        self._console.say(f"{title.rstrip('?.')}?")
        self._list(asked.numbered[: asked.shown])
        while True:
            answer = self._console.ask(asked.prompt, asked.instant, typed)
            typed = ""
            if answer == "l" and asked.is_cut:
                self._list(asked.numbered)
                continue
            found = asked.found(answer)
            if len(found) == 1:
                return found[0].key
            if answer.strip() and takes(free, answer.strip()):
                self._drafts[about] = answer
                return answer.strip()
            if answer.strip():
                self._console.say("It could be any of these:" if found else "Nothing fits that.")
            self._list(found)

    def _list(self, choices: Sequence[Choice]) -> None:
        for one in choices:
            note = f" ({one.note})" if one.note else ""
            self._console.show(Paragraph(f"{one.text}{note}", f"{one.number:>3}", "key", hang=4))

    # -- a line -----------------------------------------------------------------------------------

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
        typed: str | None = None,
        checking: Callable[[str], str] | None = None,  # noqa: ARG002 - who asked refuses
    ) -> str:
        """What is there is printed: a part of it may be put in another's place."""
        now = self._drafts.get(about, "") or initial
        hint = ""
        if now:
            self._console.show(Paragraph(now, "Now:", "key", in_quotes=True))
            if not typed:
                hint = f" (Enter keeps it, old {_PART} new changes a part)"
        answer = self._console.ask(f"{label}{hint}> ", typed=typed or "")
        if not answer.strip():
            answer = now
        old, arrow, new = answer.partition(_PART)
        if arrow and now and old.strip() in now:
            answer = now.replace(old.strip(), new.strip(), 1)
        self._drafts[about] = answer
        return answer

    def done_with(self, about: Hashable) -> None:
        self._drafts.pop(about, None)

    # -- words of the response --------------------------------------------------------------------

    async def select_words(
        self, offers: Sequence[Stretch] = (), *, which: str = "", none: str = ""
    ) -> Stretch | None:
        """Enter takes the offered sentence, or none; words that are typed are looked up."""
        trace = self._trace()
        at = 0
        while True:
            asked = "l lists sentences, 0 none, or type words of it> "
            if offers:
                self._show_offer(offers, at, which)
                asked = f"Enter takes it, n next, {asked}"
            elif none:
                asked = f"Enter or 0 {none}, l lists sentences, or type words of it> "
            answer = self._console.ask(f"{asked}", f"{ENTER}{TAB}n0l")
            if answer in (ENTER, "") and (offers or none):
                return next(iter(offers[at:]), None)
            if answer in ("n", TAB) and offers:
                at = (at + 1) % len(offers)
            elif answer == "0":
                return None
            elif answer == "l":
                self._list_sentences(trace)
            else:
                words = self._looked_up(answer, trace)
                if words:
                    return words

    def _show_offer(self, offers: Sequence[Stretch], at: int, which: str) -> None:
        start, end = offers[at]
        text = " ".join(self._trace().text[start:end].split())
        wording = " · ".join(filter(None, (f"Evidence {at + 1} of {len(offers)}", which)))
        self._console.show(Paragraph(text, f"{wording}:", "key", in_quotes=True))

    def _list_sentences(self, trace: Trace) -> None:
        for number, (start, end) in enumerate(sentences_of(trace), 1):
            text = " ".join(trace.text[start:end].split())
            self._console.show(Paragraph(text, f"{number:>3}", "key", hang=4))

    def _looked_up(self, answer: str, trace: Trace) -> Stretch | None:
        """The words of a number of the list, or those typed; says why there are none."""
        words = answer.strip(f'“”" {ENTER}')
        first, dash, last = words.partition("-")
        if first.isdecimal() and (last.isdecimal() or not dash):
            listed = sentences_of(trace)
            low = int(first)
            high = int(last or first)
            if 1 <= low <= high <= len(listed):
                return listed[low - 1][0], listed[high - 1][1]
            self._console.say(f"There are sentences 1 to {len(listed)}: l lists them.")
            return None
        if len(words) < SHORTEST:
            self._console.say("Type at least three letters of the response; Esc leaves.")
            return None
        found = Finder.of(trace).find(words)
        if found is None:
            where = "response" if trace.transcript is None else "conversation"
            self._console.say(f"“{words}” is not in the {where}: type words as they are there.")
        return found

    async def select(self) -> None:
        """Has words of the response taken, for the next key to put somewhere."""
        self.words = await self.select_words()
        if self.words is None:
            raise Left
        start, end = self.words
        text = " ".join(self._trace().text[start:end].split())
        self._console.show(Paragraph(text, "Taken:", "evidence", in_quotes=True))


class ChoiceQuestion:
    """Choices as they are asked for: by number, by words, the first or none by Enter alone."""

    def __init__(
        self, choices: Sequence[Choice], none: str, *, on_none: bool, free: Freely
    ) -> None:
        taken = {one.number for one in choices}
        free_numbers = (str(no) for no in count(1) if str(no) not in taken)
        self.numbered = [
            one if one.number else replace(one, number=next(free_numbers)) for one in choices
        ]
        self.shown = len(choices)
        if len(choices) > MOST:
            self.shown = OFFERED
        self._none = [Choice("", "0", none)] if none else []
        self._default: Sequence[Choice] = ()
        if on_none:
            self._default = self._none
        elif not free:
            self._default = self.numbered[:1]

    @property
    def is_cut(self) -> bool:
        """Whether not all of them are printed."""
        return self.shown < len(self.numbered)

    @property
    def instant(self) -> str:
        """The keys that answer by themselves."""
        instant = ENTER if self._default else ""
        if self._none:
            instant += "0"
        if self.is_cut:
            return instant + "l"
        if all(len(one.number) == 1 for one in self.numbered):
            instant += "".join(one.number for one in self.numbered)
        return instant

    @property
    def prompt(self) -> str:
        hints = []
        for one in self._default:
            text = shorten(one.text, _SHORT, placeholder=" ...")
            hints.append(f"Enter {one.number} {text}")
        if self._default is not self._none:
            hints += [f"0 {one.text}" for one in self._none]
        if self.is_cut:
            hints.append(f"l all {len(self.numbered)}")
        return "; ".join([*hints, "a number, or words> "])

    def found(self, answer: str) -> Sequence[Choice]:
        """The choice of that number, else those that hold every word typed."""
        if not answer.strip():
            return self._default
        wanted = answer.strip().replace("-", "−")
        for one in (*self._none, *self.numbered):
            if one.number.replace("-", "−") == wanted:
                return [one]
        fitting = self.numbered
        for word in answer.casefold().split():
            fitting = [one for one in fitting if word in f"{one.text} {one.note}".casefold()]
        return fitting
