"""Corrections of a grounding cell: a coroutine each, which asks what it lacks and makes one
request.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import Literal, get_args

from appellate.core.problem import many
from appellate.traits.grounding.labels import WORDS, Edit, Said, Support
from appellate.traits.grounding.pane_items import TwoTexts
from appellate.traits.grounding.view import REASONS, unsupported_list
from appellate.ui.contract import READS_ONLY, Choice, Review
from appellate.ui.conversation import Conversation

Marked = Literal["relevant", "utilized"]
MARKED: tuple[Marked, ...] = get_args(Marked)
NO_CLAIM = "The response has no sentence here."
NO_SOURCE = "This is a sentence of the response: {grounding.over:Tab} goes to the documents."
TITLE = 48  # characters of a claim in the title of a list


class SupportCorrections:
    """What keys do to the claim, and to the document sentences under the cursor."""

    def __init__(self, review: Review, texts: TwoTexts) -> None:
        self._review = review
        self._texts = texts
        self.by_name: Mapping[str, Callable[[], Conversation]] = {
            "full": partial(self.say, "full"),
            "partial": partial(self.say, "partial"),
            "none": partial(self.say, "none"),
            "relevant": partial(self.toggle, "relevant"),
            "utilized": partial(self.toggle, "utilized"),
            "turn": self.turn,
            "link": self.link,
            "copy": self.copy,
        }
        self._earlier: dict[tuple[object, str], Support] = {}  # what claims were turned from

    # -- verdicts ----------------------------------------------------------------------------------

    async def say(self, text: Said) -> None:
        """What a response sentence is; the claim's cursor tells which."""
        claim = self._texts.claim
        if self._may_correct(claim, NO_CLAIM):
            self._keep(claim)
            self._review.correct([(Edit("support", sentence=claim, support=text),)])

    async def turn(self) -> None:
        """Turns the claim, or in the documents what it rests on."""
        if self._texts.in_documents:
            await self._turn_links()
        else:
            await self._turn_claim()

    async def _turn_claim(self) -> None:
        """Supported or not; back with what it rested on."""
        claim = self._texts.claim
        if not self._may_correct(claim, NO_CLAIM):
            return
        support = self._texts.grounded.support(claim)
        if support.verdict in ("full", "partial"):
            await self.say("none")
            return
        self._review.correct([_restored(claim, self._before(claim))])

    def _before(self, claim: str) -> Support:
        """What a claim that is not supported was before it was turned, here or by the judge."""
        grounded = self._texts.grounded
        found = self._earlier.get((grounded.cell.subject.trace.key, claim))
        if found is None and grounded.judged is not None:
            found = next((one for one in grounded.judged.support if one.key == claim), None)
        if found is None or found.verdict in ("none", "unlabelled"):
            return Support(claim, "full")
        return found

    def _keep(self, claim: str) -> None:
        """Keeps what a claim is, to be turned back to."""
        grounded = self._texts.grounded
        support = grounded.support(claim)
        if support.verdict in ("full", "partial"):
            self._earlier[grounded.cell.subject.trace.key, claim] = support

    # -- what a claim rests on ---------------------------------------------------------------------

    async def _turn_links(self) -> None:
        """The claim rests on the sentences under the cursor, or not; of several all or none."""
        claim, keys = self._texts.claim, self._texts.aimed
        if not self._may_correct(claim, NO_CLAIM) or not keys:
            return
        self._link(claim, keys)

    def _link(self, claim: str, keys: Sequence[str]) -> None:
        """The claim rests on these sentences; where it does on all of them already, on none."""
        on, turned = _turned(keys, self._texts.grounded.support(claim).keys)
        edits = [(Edit("link", key=key, sentence=claim, on=on),) for key in turned]
        self._review.correct(edits, f"{('taken from', 'linked to')[on]} {claim}")

    async def link(self) -> None:
        """Has sentences picked for the claim; in the documents, the claim for a sentence."""
        if not self._may_correct(self._texts.claim, NO_CLAIM):
            return
        if self._texts.in_documents and len(self._texts.aimed) == 1:
            await self._link_source(self._texts.aimed[0])
        else:
            await self._link_claim(self._texts.claim)

    async def _link_claim(self, claim: str) -> None:
        """Several keys that are typed, parted by spaces or commas, are linked at once."""
        grounded = self._texts.grounded
        sentence = grounded.sentences.find(claim)
        words = sentence.text if sentence else ""
        title = f"{claim} rests on: {words}"

        def are_keys(typed: str) -> bool:
            return all(map(grounded.sentences.is_document, keys_in(typed)))

        picked = await self._review.pick(title, self._offers(claim), free=are_keys)
        self._link(claim, keys_in(picked))

    def _offers(self, claim: str) -> list[Choice]:
        """Sentences it rests on first, then the relevant ones, then the rest, then what is not
        in the documents.
        """
        grounded = self._texts.grounded
        linked = grounded.support(claim).keys
        rests, relevant, others = list[Choice](), list[Choice](), list[Choice]()
        for sentence in grounded.sources:
            key = sentence.key
            if key in linked:
                rests.append(Choice(key, key, sentence.text, "linked", "It rests on"))
            elif key in grounded.relevant:
                relevant.append(Choice(key, key, sentence.text, "", "Relevant sentences"))
            else:
                others.append(Choice(key, key, sentence.text, "", "Other sentences"))
        special = []
        for key, text in REASONS.items():
            note = "linked" * (key in linked)
            special.append(Choice(key, "", text, note, "Without a sentence"))
        return [*rests, *relevant, *others, *special]

    async def _link_source(self, key: str) -> None:
        """Which claim a document sentence bears out; the one in sight is first."""
        grounded, here = self._texts.grounded, self._texts.claim
        order = sorted(grounded.claims, key=lambda sentence: sentence.key != here)
        choices = []
        for sentence in order:
            support = grounded.support(sentence.key)
            note = WORDS[support.verdict]
            if key in support.keys:
                note = "linked"
            choices.append(Choice(sentence.key, sentence.key, sentence.text, note))
        claim = await self._review.pick(f"{key} bears out", choices)
        self._link(claim, [key])

    # -- the documents -----------------------------------------------------------------------------

    async def toggle(self, what: Marked) -> None:
        """Document sentences are relevant, or utilized, or are not; of several all or none."""
        keys = self._texts.aimed
        if not self._may_correct(bool(keys), NO_SOURCE):
            return
        self.mark(what, keys)

    def mark(self, what: Marked, keys: Sequence[str]) -> None:
        grounded = self._texts.grounded
        now = {"relevant": grounded.relevant, "utilized": grounded.utilized}[what]
        on, turned = _turned(keys, now)
        edits = [(Edit(what, key=key, on=on),) for key in turned]
        self._review.correct(edits, f"{what} {('no more', 'now')[on]}")

    # -- copying -----------------------------------------------------------------------------------

    async def copy(self) -> None:
        """Copies the claims that are not supported."""
        text = unsupported_list(self._texts.grounded)
        if not text:
            self._review.say("Every sentence with a verdict is supported: nothing to copy.")
            return
        self._review.copy(many(len(text.splitlines()), "unsupported claim"), text)

    # -- whether ----------------------------------------------------------------------------------

    def _may_correct(self, is_there: object, why: str) -> bool:
        """Whether something can be corrected now; says why not."""
        if not self._review.sees_item():
            return False
        if self._review.readonly:
            self._review.say(READS_ONLY)
            return False
        if not is_there:
            self._review.say(why)
        return bool(is_there)


def keys_in(typed: str) -> list[str]:
    """Keys as people type several: `0b 2a`, `0b, 2a`."""
    return typed.replace(",", " ").split()


def _turned(keys: Sequence[str], now: Container[str]) -> tuple[bool, Sequence[str]]:
    """Which of the keys are to be turned on, those that are not; or off, where all are on."""
    missing = [key for key in keys if key not in now]
    return bool(missing), missing or keys


def _restored(claim: str, before: Support) -> Sequence[Edit]:
    """The edits that give a claim back its verdict and what it rested on."""
    verdict: Said = "full"
    if before.verdict == "partial":
        verdict = "partial"
    links = [Edit("link", key=key, sentence=claim, on=True) for key in before.keys]
    return [Edit("support", sentence=claim, support=verdict), *links]
