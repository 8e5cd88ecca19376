"""The menu of a grounding cell: everything that can be done with the sentence under the cursor."""

from appellate.traits.grounding.pane_items import TwoTexts
from appellate.ui.contract import Review, pick_action

_CLAIM = {
    "support.full": "it is supported",
    "support.partial": "it is partly supported",
    "support.none": "it is not supported: a hallucinated claim",
    "support.link": "pick what it rests on",
}


class SupportMenu:
    """Lets one of the things be picked that can be done here."""

    def __init__(self, review: Review, texts: TwoTexts) -> None:
        self._review = review
        self._texts = texts

    async def ask(self) -> None:
        texts = self._texts
        key, offers = texts.claim, self._of_claim()
        if texts.in_documents:
            key, offers = texts.source, self._of_source()
        if texts.grounded.labels.unsupported():
            offers["grounding.copy"] = "copy the claims that are not supported"
        if texts.grounded.cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        sentence = texts.grounded.sentences.find(key)
        title = f"{key} {sentence.text}" if sentence else ""
        await pick_action(self._review, title, offers)

    def _of_claim(self) -> dict[str, str]:
        offers = {"text.evidence": "bring it into sight"}
        if self._texts.links:
            offers["grounding.on"] = "to the sentences it rests on"
        if not self._review.readonly:
            offers |= _CLAIM
        return offers

    def _of_source(self) -> dict[str, str]:
        texts = self._texts
        offers = {"grounding.back": "to the claim that rests on it"}
        if self._review.readonly:
            return offers
        isnt = "does not rest" if texts.source in texts.links else "rests"
        offers["support.turn"] = f"claim {texts.claim} {isnt} on it"
        offers["support.link"] = "pick the claim that it bears out"
        for name in ("relevant", "utilized"):
            now = getattr(texts.grounded, name)
            text = f"not {name}" if texts.source in now else name
            offers[f"support.{name}"] = f"it is {text}"
        offers["support.mark"] = "mark it, or let it go"
        return offers
