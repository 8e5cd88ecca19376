"""The menu of an LLM cell: everything that can be done with what is under the cursor."""

from appellate.traits.llm.pane_rows import VerdictRows
from appellate.traits.verdict.scale import meaning_of
from appellate.ui.contract import Review, pick_action

_VERDICT = {
    "llm.pick": "pick the verdict from a list",
    "llm.add": "add words of the response as evidence",
}
_EXCERPT = {
    "llm.replace": "put other words in its place",
    "llm.reword": "reword it",
    "llm.drop": "drop it",
}


class VerdictMenu:
    """Lets one of the things be picked that can be done here."""

    def __init__(self, review: Review, rows: VerdictRows) -> None:
        self._review = review
        self._rows = rows

    async def ask(self) -> None:
        excerpt = self._rows.excerpt
        offers: dict[str, str] = {}
        if excerpt and excerpt.span:
            offers["text.evidence"] = "bring its words into sight"
        option = self._rows.option
        if option is not None and not self._review.readonly:
            offers["llm.turn"] = f"the verdict: {meaning_of(self._rows.trait, option)}"
        if not self._review.readonly:
            offers |= _VERDICT
        if excerpt and not self._review.readonly:
            offers |= _EXCERPT
        _, members = self._rows.votes(self._rows.found)
        if members or self._rows.cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        title = excerpt.text if excerpt else self._rows.trait.name
        await pick_action(self._review, title, offers)
