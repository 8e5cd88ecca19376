"""What the lines of a kind may ask a person in line mode: to pick, to type, to select words.

`LinearReview` has the methods of `ui.contract.Review`. Each of its questions waits for the answer
before it returns, so no coroutine is ever suspended.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from textwrap import shorten

from msgspec.structs import replace

from appellate.core.messages import sentence_bounds
from appellate.core.trace import Trace
from appellate.linear.console import ENTER, TAB, Console
from appellate.stats.whole_number import whole_number
from appellate.traits.evidence import Finder
from appellate.ui.contract import Choice, Freely, takes
from appellate.ui.key import Key
from appellate.ui.kind_lines import Paragraph

Span = tuple[int, int]
"""Where an excerpt begins and ends in a text."""
_LINE_WITHOUT_MARGINS = re.compile(r"\S(?:.*\S)?")
MOST = 12
"""Choices that are printed without being asked for; of more, only `OFFERED` are."""
OFFERED = 5
SHORTEST = 3
"""Letters that words must have to be searched for in the response."""
NO_SENTENCES = "There are no sentences to choose from."
_SHORT = 40
"""Characters of a choice that are repeated in a prompt."""
_REPLACES = "=>"
"""What a person types between an old part of a line and the new one."""


def sentences_of(trace: Trace) -> list[Span]:
    """Return where the sentences of a response are, in reading order.

    They are offsets in the trace's text, without the blanks around a sentence. `sentencex` tells
    where an English sentence ends, which is not after an initial as in "J. Smith". No sentence goes
    beyond the end of its line. Of a conversation only the assistant's steps have sentences.
    """
    own_words = trace.own_words
    spans: list[Span] = []
    for sentence in _sentences_in(own_words.text):
        spans += own_words.pieces(sentence)
    return spans


@lru_cache(maxsize=1)
def _sentences_in(text: str) -> Sequence[Span]:
    """Return where the sentences of a text are, in order, without the blanks around them.

    No sentence goes beyond its line, and blank lines have none. The result for the latest text is
    remembered.
    """
    spans: list[Span] = []
    for line in _LINE_WITHOUT_MARGINS.finditer(text):
        for first, last in sentence_bounds(line[0]):
            start = line.start() + first
            end = line.start() + last
            words = text[start:end]
            blanks_before = len(words) - len(words.lstrip())
            blanks_after = len(words) - len(words.rstrip())
            start += blanks_before
            end -= blanks_after
            if start < end:
                spans.append((start, end))
    return spans


def _on_one_line(trace: Trace, span: Span) -> str:
    """Return the words at a span of the text that is judged; runs of white space are one space."""
    start, end = span
    words = trace.text[start:end].split()
    return " ".join(words)


class LinearReview:
    """The review that the lines of a kind talk to. It asks at a console, for the open cell."""

    def __init__(
        self,
        console: Console,
        *,
        readonly: bool,
        correct: Callable[..., bool],
        cell_no: Callable[[], int],
        trace: Callable[[], Trace],
    ) -> None:
        """Prepare to ask at `console` about the cell that is open at the time.

        `correct` makes corrections in that cell, `cell_no` returns its number, and `trace` its
        trace. No words are selected, and `keys` is empty until the session sets it. Nothing is
        asked yet.
        """
        self.marks = console.marks
        self.readonly = readonly
        self.judging = False  # only the screen judges in the background
        self.keys: Sequence[Key] = ()
        self.of_cell: Sequence[str] = ()  # there are no menus
        self.correct = correct
        self.say = console.say
        self.words: Span | None = None
        """The words of the response that `v` selected, until a key uses them."""
        self._console = console
        self._cell_no = cell_no
        self._trace = trace
        self._drafts: dict[tuple[int, Hashable], str] = {}
        """Lines that were typed and not accepted yet, by the cell and what they are about."""

    @property
    def selecting(self) -> bool:
        """Whether words of the response are selected."""
        return self.words is not None

    def take_words(self) -> Span | None:
        """Return where the selected words (`words`) are and clear the selection, or None if none
        are selected.
        """
        words = self.words
        self.words = None
        return words

    def sees_item(self) -> bool:
        """Return True: the item under the cursor is always printed before a key is asked for."""
        return True

    def run(self, key: str) -> None:
        """Do nothing: line mode has no menus that could run a key."""

    def looked(self) -> None:
        """Do nothing: where the cursor is, is printed before the next key is asked for."""

    def copy(self, label: str, text: str) -> None:
        """Print a text below its label, so that it can be copied from the terminal.

        The label's first letter is made a capital, and a colon is put after it. The label is
        printed also if the text is empty. Raises AskedToLeave if the terminal or pipe was closed.
        """
        first_letter = label[:1].upper()
        heading = f"{first_letter}{label[1:]}:"
        self._console.say(heading)
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
        about: Hashable = None,  # noqa: ARG002 - only the screen offers typed words again
        free: Freely = False,
        typed: str = "",
    ) -> str:
        """Ask for one of the choices and return its key, "" for choosing nothing, or typed words.

        The title and the choices are printed; of more than `MOST` only `OFFERED` are, and the
        answer l prints all. A choice is named by its number or by words of it; it is asked for
        again until just one is meant. `none` describes the choice of nothing, which 0 takes; "" if
        there is no such choice. Enter takes that if `on_none` is true, else the first choice; with
        `free` it does not take the first. `free` says which words are an answer if they do not mean
        just one choice; they are returned without the blanks around them. `typed` is the beginning
        of the first answer, and `about` is ignored.

        Raises Left at Esc, EOFError at Ctrl+D and at the end of the input, KeyboardInterrupt at
        Ctrl+C, or AskedToLeave.
        """
        question = ChoiceQuestion(choices, none, on_none=on_none, free=free)
        title = title.rstrip("?.")
        # not `say`: a title may be a claim or an item, which has no keys to put in
        self._console.show(Paragraph(f"{title}?"))
        self._print_choices(question.numbered[: question.printed_count])
        while True:
            answer = self._console.ask(question.prompt, question.instant, typed)
            typed = ""
            if answer == "l" and question.is_cut:
                self._print_choices(question.numbered)
                continue
            matches = question.matches(answer)
            if len(matches) == 1:
                return matches[0].key
            words = answer.strip()
            if words and takes(free, words):
                return words
            if words and matches:
                self._console.say("Several choices match:")
            elif words:
                self._console.say("No choice matches that.")
            self._print_choices(matches)

    def _print_choices(self, choices: Sequence[Choice]) -> None:
        """Print choices, each on a line with its number, text, and its note in brackets if any.

        Prints nothing without choices. Raises AskedToLeave if the terminal or pipe was closed.
        """
        for choice in choices:
            text = choice.text
            if choice.note:
                text += f" ({choice.note})"
            number = f"{choice.number:>3}"
            self._console.show(Paragraph(text, number, "key", hang=4))

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
        """Ask for a line and return it as typed, or the current line with a part of it replaced.

        The current line is printed first: the one kept `about` this in the open cell, else
        `initial`. A blank answer returns it. `old => new` replaces the first place that has `old`,
        without the blanks around both; without such a place the answer is taken as it is. `typed`
        is the beginning of the answer.

        What is returned is kept until `done_with` in the place of the line kept before; nothing is
        kept if it is blank or `initial`, or about None. `checking` is ignored: who asks refuses
        what cannot be. Raises Left at Esc, EOFError at Ctrl+D and at the end of the input,
        KeyboardInterrupt at Ctrl+C, or AskedToLeave.
        """
        draft_key = (self._cell_no(), about)
        current = self._drafts.get(draft_key, initial)
        hint = ""
        if current:
            self._console.show(Paragraph(current, "Now:", "key", in_quotes=True))
            if not typed:
                hint = f" (Enter keeps it, old {_REPLACES} new changes a part)"
        question = f"{label}{hint}> "
        answer = self._console.ask(question, typed=typed or "")

        if not answer.strip():
            answer = current
        else:
            old, arrow, new = answer.partition(_REPLACES)
            old = old.strip()
            if arrow and old and old in current:
                answer = current.replace(old, new.strip(), 1)
        if about is not None:
            self._drafts.pop(draft_key, None)
            if answer.strip() and answer != initial:
                self._drafts[draft_key] = answer
        return answer

    def done_with(self, about: Hashable) -> None:
        """Forget the line that was typed `about` something in the open cell; there may be none."""
        self._drafts.pop((self._cell_no(), about), None)

    # -- words of the response --------------------------------------------------------------------

    async def select_words(
        self,
        offers: Sequence[Span] = (),
        *,
        which: str = "",
        none: str = "",
    ) -> Span | None:
        """Ask for words of the response and return their span, or None if no words are taken.

        A span has offsets in the text that is judged, which may be a conversation. Words are typed,
        or sentences are named by number, as "3" or "3-5"; it prints why and asks again if that
        gives none. The answer l prints the sentences and asks again, 0 takes no words. With
        `offers` Enter takes the one that is printed, and n or Tab prints the next, after the last
        the first; `which` is what they are evidence for. Without them Enter takes no words if
        `none` says what that means, and else is no answer. At a terminal l, 0 and n want Enter
        after them, as words may begin with them.

        The words are only returned: what `words` keeps selected stays. Raises Left at Esc, EOFError
        at Ctrl+D and at the end of the input, KeyboardInterrupt at Ctrl+C, or AskedToLeave.
        """
        trace = self._trace()
        # no letter or digit acts at once, as words may begin with it
        instant = f"{ENTER}{TAB}" if offers else ENTER
        index = 0
        while True:
            question = "l lists sentences, 0 none, or type words of it> "
            if offers:
                offer = _on_one_line(trace, offers[index])
                self._print_offer(offer, index + 1, len(offers), which)
                question = f"Enter takes it, n next, {question}"
            elif none:
                question = (
                    f"Enter or 0 {none}, l lists sentences, or type words of it> "
                )
            answer = self._console.ask(question, instant)
            if answer in (ENTER, "") and (offers or none):
                return offers[index] if offers else None
            if answer in ("n", TAB) and offers:
                index = (index + 1) % len(offers)
            elif answer == "0":
                return None
            elif answer == "l":
                self._print_sentences(trace)
            else:
                words = self._span_answered(answer, trace)
                if words:
                    return words

    def _print_offer(self, text: str, number: int, count: int, which: str) -> None:
        """Print offered words after their number: `Evidence 2 of 5 · gist: “a gene”`.

        `number` is from 1. `which` says what they are evidence for, or is "". Raises AskedToLeave
        if the terminal or pipe was closed.
        """
        label = f"Evidence {number} of {count}"
        if which:
            label += f" · {which}"
        label += ":"
        paragraph = Paragraph(text, label, "key", in_quotes=True)
        self._console.show(paragraph)

    def _print_sentences(self, trace: Trace) -> None:
        """Print the sentences of a trace, each on one line after its number, from 1.

        They are those of its response, or of the assistant's steps in a conversation. If there are
        none, that is printed. Raises AskedToLeave if the terminal or pipe was closed.
        """
        sentences = sentences_of(trace)
        if not sentences:
            self._console.say(NO_SENTENCES)
        for number, span in enumerate(sentences, 1):
            text = _on_one_line(trace, span)
            padded_number = f"{number:>3}"
            self._console.show(Paragraph(text, padded_number, "key", hang=4))

    def _span_answered(self, answer: str, trace: Trace) -> Span | None:
        """Return the span of the sentences that an answer numbers, or of the words that it has.

        An answer is `3`, `3-5`, or words of at least `SHORTEST` characters that stand in the
        response, or in any step where the trait judges a conversation. Quotation marks around it
        are ignored. For several sentences the span is from the start of the first to the end of the
        last. If there are no such sentences or words, it prints why and returns None. Raises
        AskedToLeave if the terminal or pipe was closed.
        """
        words = answer.strip(f'“”" {ENTER}')
        first, dash, last = words.partition("-")
        if first.isdecimal() and (last.isdecimal() or not dash):
            sentences = sentences_of(trace)
            if not sentences:
                self._console.say(NO_SENTENCES)
                return None
            first_no = whole_number(first) or 0
            last_no = whole_number(last or first) or 0
            if 1 <= first_no <= last_no <= len(sentences):
                start, _ = sentences[first_no - 1]
                _, end = sentences[last_no - 1]
                return start, end
            self._console.say(
                f"There are sentences 1 to {len(sentences)}: l lists them.",
            )
            return None
        if len(words) < SHORTEST:
            self._console.say(
                "Type at least three letters of the response; Esc leaves.",
            )
            return None
        span = Finder.of(trace).find(words)
        if span is None:
            where = "response" if trace.transcript is None else "conversation"
            self._console.say(
                f"“{words}” is not in the {where}: type words as it has them.",
            )
        return span

    async def select(self) -> None:
        """Ask for words of the response, keep them selected in `words`, and print them.

        They stay selected until a command takes them or something clears them. The answer 0 clears
        what was selected before, and that no words are selected is printed. An empty answer, or one
        that gives no words, is asked again. Raises Left at Esc, and what was selected stays then.
        Raises EOFError at Ctrl+D and at the end of the input, KeyboardInterrupt at Ctrl+C, or
        AskedToLeave.
        """
        self.words = await self.select_words()
        if self.words is None:
            self._console.say("No words are selected.")
            return
        text = _on_one_line(self._trace(), self.words)
        self._console.show(Paragraph(text, "Selected:", "evidence", in_quotes=True))


class ChoiceQuestion:
    """A list of choices to ask for, each with a number to answer by."""

    def __init__(
        self,
        choices: Sequence[Choice],
        none: str,
        *,
        on_none: bool,
        free: Freely,
    ) -> None:
        """Number the choices that have no number: 1, 2 and so on, without those that others have.

        Of more than `MOST` choices only the first `OFFERED` are to be printed at first. `none`
        describes the choice of nothing, which has the number 0; "" if there is no such choice.
        Enter takes that if `on_none` is true, else the first choice; with `free` it does not take
        the first.
        """
        used_numbers = {choice.number for choice in choices}
        self.numbered: list[Choice] = []
        number = 0
        for choice in choices:
            if choice.number:
                self.numbered.append(choice)
                continue
            number += 1
            while str(number) in used_numbers:
                number += 1
            self.numbered.append(replace(choice, number=str(number)))

        self.printed_count = len(choices)
        if len(choices) > MOST:
            self.printed_count = OFFERED
        self._none = [Choice("", "0", none)] if none else []
        self._takes_words = bool(free)
        self._default: Sequence[Choice] = ()
        if on_none:
            self._default = self._none
        elif not free:
            self._default = self.numbered[:1]

    @property
    def is_cut(self) -> bool:
        """Whether only the first of the choices are printed, and l is there to print all."""
        return self.printed_count < len(self.numbered)

    @property
    def instant(self) -> str:
        """The keys that answer at once, without Enter, as one text of single characters.

        Enter is among them if it takes something, and 0 if there is a choice of nothing. If only
        some of the choices are printed, l is among them. If all are printed, their numbers are,
        which may be letters, as in "12r", unless one of them is longer. Where other words are an
        answer, too, only Enter can be among the keys, as words may begin with the rest.
        """
        keys = ENTER if self._default else ""
        if self._takes_words:
            return keys  # words may begin with a digit, or with l
        if self._none:
            keys += "0"
        if self.is_cut:
            return keys + "l"
        if all(len(choice.number) == 1 for choice in self.numbered):
            for choice in self.numbered:
                keys += choice.number
        return keys

    @property
    def prompt(self) -> str:
        """The prompt that says what Enter, 0 and l do: `Enter 1 yes; 0 skip; l all 40; a number, or
        words> `.

        What does nothing is left out, and so is 0 if Enter does the same. A long choice is
        shortened.
        """
        hints = []
        for choice in self._default:
            text = shorten(choice.text, _SHORT, placeholder=" ...")
            hints.append(f"Enter {choice.number} {text}")
        if self._default is not self._none:
            for choice in self._none:
                hints.append(f"0 {choice.text}")
        if self.is_cut:
            count = len(self.numbered)
            hints.append(f"l all {count}")
        hints.append("a number, or words> ")
        return "; ".join(hints)

    def matches(self, answer: str) -> Sequence[Choice]:
        """Return the choice whose number was typed, else all that contain every word typed, in
        order.

        A word may be a part of a longer one, in the choice's text or its note. Case and blanks
        around the answer are ignored. A blank answer gives the choice that Enter takes, or none.
        The choice of nothing is found by 0 only.
        """
        if not answer.strip():
            return self._default
        number = answer.strip().replace("-", "−")
        for choice in (*self._none, *self.numbered):
            if choice.number.replace("-", "−") == number:
                return [choice]

        fitting = self.numbered
        for word in answer.casefold().split():
            fitting = [
                choice
                for choice in fitting
                if word in f"{choice.text} {choice.note}".casefold()
            ]
        return fitting
