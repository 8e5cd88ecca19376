"""Corrects a grounding cell by keys, on the screen and in line mode.

Each correction is a coroutine that asks for what it lacks and makes one request.
"""

from collections.abc import Container, Sequence
from itertools import chain
from typing import Literal

from appellate.core.kind import TraitKey
from appellate.core.problem import many
from appellate.traits.grounding.labels import WORDS, Edit, Said, Support
from appellate.traits.grounding.pane_items import TwoTexts
from appellate.traits.grounding.view import REASONS
from appellate.ui.contract import Choice, Review, may_correct, pick_action
from appellate.ui.key import Act, Key, Strip, in_group

Marked = Literal["relevant", "utilized"]
NO_CLAIM = "The response has no sentence here."
NO_SOURCE = "The documents have no sentence here."
IN_RESPONSE = (
    "This is a sentence of the response: {grounding.over:Tab} goes to the documents."
)
SAYING = ("support.full", "support.partial", "support.none")
"""The keys that give a response sentence its verdict."""

_CLAIM = {
    "support.full": "it is supported",
    "support.partial": "it is partly supported",
    "support.none": "it is not supported: a hallucinated claim",
    "support.turn": "the other verdict: supported, or not",
    "support.link": "pick what supports it",
}


class SupportCorrections:
    """The acts of keys on the response sentence and the document sentences under the cursors."""

    def __init__(self, review: Review, texts: TwoTexts) -> None:
        """Correct the cell that `texts` shows, through `review`; no label is remembered yet."""
        self._review = review
        self._texts = texts
        self._earlier: dict[tuple[TraitKey, object, str], Support] = {}
        """The last label with support of a claim, by trait, trace and the claim's key."""

    # -- verdicts ----------------------------------------------------------------------------------

    async def say(self, verdict: Said) -> None:
        """Give the response sentence under its cursor a verdict: "full", "partial" or "none".

        Does nothing, and says why, without a sentence, if nothing may be corrected, or if it has
        this verdict already. A verdict of full or partial support that it had is remembered for
        `turn`.
        """
        claim = self._claim_to_correct()
        if not claim:
            return
        grounded = self._texts.grounded
        support_before = grounded.support(claim)
        if support_before.verdict in ("full", "partial"):
            subject = grounded.cell.subject
            self._earlier[subject.trait_key, subject.trace.key, claim] = support_before
        self._review.correct([(Edit("support", sentence=claim, support=verdict),)])

    async def turn(self) -> None:
        """Give the response sentence its other verdict; in the documents, link it or unlink it.

        A supported sentence, also a partly supported one, becomes unsupported. Any other gets back
        its earlier verdict and links, from here or from the judge, else full support. In the
        documents the sentences aimed at are linked to it, or unlinked. Does nothing, and says why,
        without a response sentence, if nothing may be corrected, or if keys act on documents
        without a sentence.
        """
        claim = self._claim_to_correct()
        aimed = self._texts.aimed
        if not claim:
            return
        if self._texts.in_documents:
            if aimed:
                self._link(claim, aimed)
            else:
                self._review.say(NO_SOURCE)
        elif self._texts.grounded.support(claim).verdict in ("full", "partial"):
            await self.say("none")
        else:
            before = self._support_before(claim)
            verdict: Said = "full"
            if before.verdict == "partial":
                verdict = "partial"
            links = [
                Edit("link", key=key, sentence=claim, on=True) for key in before.keys
            ]
            self._review.correct(
                [[Edit("support", sentence=claim, support=verdict), *links]],
            )

    def _support_before(self, claim: str) -> Support:
        """Return the last label with support that a response sentence had, for turning it back.

        Only verdicts that `say` replaced since the program began count. Without one it is the
        judge's label, or full support without links if the judge gave no support either.
        """
        grounded = self._texts.grounded
        subject = grounded.cell.subject
        earlier = self._earlier.get((subject.trait_key, subject.trace.key, claim))
        if earlier is None and grounded.judged is not None:
            earlier = next(
                (label for label in grounded.judged.support if label.key == claim),
                None,
            )
        if earlier is None or earlier.verdict in ("none", "unlabelled"):
            return Support(claim, "full")
        return earlier

    # -- what a claim rests on ---------------------------------------------------------------------

    def _link(self, claim: str, keys: Sequence[str]) -> None:
        """Link a response sentence to the sentences of these keys, or unlink it if all are linked.

        If only some are linked, the others are linked and these stay. It is one act. Nothing
        happens without keys. What is refused, such as a key of no sentence, is told to the
        person. Raises KeyError if `claim` is the key of no response sentence.
        """
        is_linked, keys_to_change = _turned(
            keys,
            self._texts.grounded.support(claim).keys,
        )
        edits = [
            (Edit("link", key=key, sentence=claim, on=is_linked),)
            for key in keys_to_change
        ]
        self._review.correct(edits, f"{('taken from', 'linked to')[is_linked]} {claim}")

    async def link(self) -> None:
        """Ask what supports the response sentence, and link it, or unlink it if all are linked.

        In the documents, with one sentence aimed at, the response sentence that it supports is
        asked for instead. With several marked, it is what supports the response sentence under its
        cursor, and the marks do not matter. Does nothing, and says why, without a response
        sentence, in a session that only reads, or if the reviewer does not see the sentences.
        Raises Left if the reviewer leaves the question.
        """
        claim = self._claim_to_correct()
        aimed = self._texts.aimed
        if not claim:
            return
        if self._texts.in_documents and len(aimed) == 1:
            supported_claim = await self._pick_claim(aimed[0])
            self._link(supported_claim, aimed)
        else:
            support_keys = await self._pick_support(claim)
            self._link(claim, support_keys)

    async def _pick_support(self, claim: str) -> list[str]:
        """Ask what supports a response sentence, and return the keys that are picked or typed.

        They are keys of document sentences, which may be typed as in "0b 2a" or "0b, 2a", or one
        special key from the list. A text with a key of no document sentence is no answer. Raises
        Left if the reviewer leaves the question, and KeyError for a key of no response sentence.
        """
        sentences = self._texts.grounded.sentences
        sentence = sentences.find(claim)
        claim_text = sentence.text if sentence else ""
        title = f"{claim} is supported by: {claim_text}"

        def are_keys(typed: str) -> bool:
            return all(sentences.is_document(key) for key in typed_keys(typed))

        choices = self._support_choices(claim)
        picked = await self._review.pick(title, choices, free=are_keys)
        return typed_keys(picked)

    def _support_choices(self, claim: str) -> list[Choice]:
        """Return the choices of what supports a response sentence, in groups.

        First come linked sentences, relevant ones and the others, in the order of the documents.
        Then come reasons without a sentence. What is linked says so. Raises KeyError for a key of
        no response sentence.
        """
        grounded = self._texts.grounded
        linked = grounded.support(claim).keys
        groups = ("Supporting sentences", "Relevant sentences", "Other sentences")
        choices: dict[str, list[Choice]] = {group: [] for group in groups}
        for sentence in grounded.sources:
            key = sentence.key
            group = "Other sentences"
            note = ""
            if key in linked:
                group = "Supporting sentences"
                note = "linked"
            elif key in grounded.relevant:
                group = "Relevant sentences"
            choices[group].append(Choice(key, key, sentence.text, note, group))
        special = []
        for key, text in REASONS.items():
            note = "linked" * (key in linked)
            special.append(Choice(key, "", text, note, "Without a sentence"))
        return [*chain.from_iterable(choices.values()), *special]

    async def _pick_claim(self, key: str) -> str:
        """Ask which response sentence a document sentence supports, and return its key.

        The one under the cursor is offered first. What is linked to the document sentence says so.
        Raises Left if the reviewer leaves the question.
        """
        grounded = self._texts.grounded
        current_claim = self._texts.claim
        order = sorted(
            grounded.claims,
            key=lambda sentence: sentence.key != current_claim,
        )
        choices = []
        for sentence in order:
            support = grounded.support(sentence.key)
            note = WORDS[support.verdict]
            if key in support.keys:
                note = "linked"
            choices.append(Choice(sentence.key, sentence.key, sentence.text, note))
        return await self._review.pick(f"{key} supports", choices)

    # -- the documents -----------------------------------------------------------------------------

    async def toggle(self, mark_name: Marked) -> None:
        """Mark the document sentences that are aimed at, or unmark them if all are marked so.

        `mark_name` is what they are marked as. If none is aimed at, only a note says how to go to
        the documents, or that these have no sentence. If nothing may be corrected, only a note says
        so.
        """
        keys = self._texts.aimed
        if not may_correct(self._review):
            return
        if keys:
            self.mark(mark_name, keys)
        elif self._texts.in_documents:
            self._review.say(NO_SOURCE)
        else:
            self._review.say(IN_RESPONSE)

    def mark(self, mark_name: Marked, keys: Sequence[str]) -> None:
        """Mark these document sentences as relevant or utilized, or unmark them if all are.

        If only some are, the others are marked. Nothing happens without keys. What is refused is
        told to the person, as a key of no document sentence.
        """
        marked_keys = getattr(self._texts.grounded, mark_name)
        is_marked, keys_to_change = _turned(keys, marked_keys)
        edits = [(Edit(mark_name, key=key, on=is_marked),) for key in keys_to_change]
        since = "now" if is_marked else "no more"
        self._review.correct(edits, f"{mark_name} {since}")

    # -- copying -----------------------------------------------------------------------------------

    async def copy(self) -> None:
        """Copy the unsupported sentences of the response to the clipboard, a list item a line.

        In line mode they are printed instead. How many there are is told. Those without a label are
        left out, and partly supported ones say so. If there is none, nothing is copied and a note
        says so.
        """
        grounded = self._texts.grounded
        lines = []
        for sentence in grounded.unsupported:
            verdict = grounded.support(sentence.key).verdict
            line = " ".join(sentence.text.split())
            if verdict == "partial":
                line += f" ({WORDS[verdict]})"
            if verdict != "unlabelled":
                lines.append(f"- {line}")
        if lines:
            self._review.copy(many(len(lines), "unsupported claim"), "\n".join(lines))
        else:
            self._review.say(
                "Every sentence with a verdict is supported: nothing to copy.",
            )

    # -- the menu ----------------------------------------------------------------------------------

    async def menu(self) -> None:
        """List what can be done with the current sentence and the cell, and do what is picked.

        The current sentence is the one that keys act on. Raises Left if the reviewer leaves the
        list.
        """
        texts = self._texts
        grounded = self._texts.grounded
        offers = self._of_claim()
        if texts.in_documents:
            offers = self._of_source()
        if grounded.labels.unsupported():
            offers["grounding.copy"] = "copy the claims that are not supported"
        offers["grounding.view"] = (
            "only the claims that are not supported, or all again"
        )
        if grounded.cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        sentence = grounded.sentences.find(texts.key)
        title = ""
        if sentence:
            title = f"{sentence.key} {sentence.text}"
        await pick_action(self._review, title, offers)

    def _of_claim(self) -> dict[str, str]:
        """Return what can be done with the response sentence under the cursor, by ids of keys.

        It is as {"support.none": "it is not supported: a hallucinated claim"}. In a session that
        only reads, nothing that changes it.
        """
        offers = {"text.evidence": "bring it into sight"}
        if self._texts.links:
            offers["grounding.on"] = "to the sentences that support it"
        if self._review.readonly:
            return offers
        return offers | _CLAIM

    def _of_source(self) -> dict[str, str]:
        """Return what can be done with the document sentence under the cursor, by ids of keys.

        It is as {"support.relevant": "it is not relevant"}: a key that turns a mark or link off
        says so. In a session that only reads, nothing that changes it.
        """
        texts = self._texts
        offers = {"grounding.back": "to the claim that it supports"}
        if self._review.readonly:
            return offers
        contrary = "does not support" if texts.source in texts.links else "supports"
        offers["support.turn"] = f"it {contrary} claim {texts.claim}"
        offers["support.link"] = "pick the claim that it supports"
        for name in ("relevant", "utilized"):
            marked_keys = getattr(texts.grounded, name)
            offer = f"it is {name}"
            if texts.source in marked_keys:
                offer = f"it is not {name}"
            offers[f"support.{name}"] = offer
        offers["support.mark"] = "mark it, or unmark it"
        return offers

    # -- whether ----------------------------------------------------------------------------------

    def _claim_to_correct(self) -> str:
        """Return the key of the response sentence under its cursor, or "" if none can be corrected.

        None can if the session only reads, if the reviewer does not see the sentences, or if the
        response has none. Then a note says why.
        """
        if not may_correct(self._review):
            return ""
        claim = self._texts.claim
        if not claim:
            self._review.say(NO_CLAIM)
        return claim


def typed_keys(typed: str) -> list[str]:
    """Return keys as people type several: "0b 2a" or "0b, 2a".

    Whether they exist is not checked. Empty for blanks.
    """
    return typed.replace(",", " ").split()


def _turned(
    keys: Sequence[str],
    current_keys: Container[str],
) -> tuple[bool, Sequence[str]]:
    """Return what a key that turns something on or off does to the sentences `keys`.

    The result is whether it turns it on, and for which of `keys`. It is on for `current_keys` now.
    If it is off for some of `keys`, it is turned on for those; else it is turned off for all.
    """
    keys_off = [key for key in keys if key not in current_keys]
    return bool(keys_off), keys_off or keys


# -- the keys --------------------------------------------------------------------------------------

OF_GROUNDING = "grounding trait: "
"""How the help of each of these keys begins."""
SAYING_KEYS = in_group(
    "Support",
    Key(
        "support.full",
        "1",
        "supported",
        "the response sentence is supported",
        Act(SupportCorrections.say, "full"),
        in_lines=True,
    ),
    Key(
        "support.partial",
        "2",
        "partly",
        "the response sentence is partly supported, which counts as not supported",
        Act(SupportCorrections.say, "partial"),
        in_lines=True,
    ),
    Key(
        "support.none",
        "3",
        "not",
        "the response sentence is not supported; what it rested on goes",
        Act(SupportCorrections.say, "none"),
        in_lines=True,
    ),
    about=OF_GROUNDING,
)
RELEVANT_KEY = Key(
    "support.relevant",
    "4",
    "relevant",
    "the document sentence is relevant, or is not",
    Act(SupportCorrections.toggle, "relevant"),
    in_lines="which document sentences are relevant, or are not: type their keys (0b 2a)",
)
UTILIZED_KEY = Key(
    "support.utilized",
    "5",
    "utilized",
    "the document sentence is utilized, or is not",
    Act(SupportCorrections.toggle, "utilized"),
    in_lines="which document sentences are utilized, or are not: type their keys (0b 2a)",
)
LINK_KEYS = in_group(
    "Support",
    Key(
        "support.turn",
        "space",
        "turn, link",
        "supported ⇄ not; in the documents: the claim rests on this, or does not",
        Act(SupportCorrections.turn),
        shown="Space",
        strip=Strip(8, 5),
        near=True,
        in_lines="supported ⇄ not; back with what it rested on",
    ),
    Key(
        "support.link",
        "i",
        "link",
        "link claim and sentences: type keys (0b 2a), or words",
        Act(SupportCorrections.link),
        strip=Strip(9, 7),
        in_lines="link it to sentences of the documents: type keys (0b 2a), or words",
    ),
    about=OF_GROUNDING,
)
COPY_KEY = Key(
    "grounding.copy",
    "exclamation_mark,!",
    "copy claims",
    "copy the claims that are not supported, as a list",
    Act(SupportCorrections.copy),
    shown="!",
    strip=Strip(11, 8),
    in_lines="print the claims that are not supported, as a list",
)
