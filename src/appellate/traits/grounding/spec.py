"""What a grounding trait is: which definition its numbers follow (SPEC 8)."""

from typing import Annotated, Literal

from pydantic import Field

from appellate.core.trace import DOCUMENTS, QUESTION, RESPONSE, Materials
from appellate.traits.digest import RubricPart

Definition = Literal["guide", "ragbench"]
DENOMINATOR = 20
"""Relevant sentences that count as all there can be, as the guide has it."""


class GroundingRubricTrait(RubricPart):
    """How a response stands on the documents that were retrieved for it (TRACe).

    `definition` is whose formulas the numbers follow: "guide", or "ragbench" (Friel et al. 2024).
    `relevance_denominator` is how many relevant sentences make a relevance of 1; of "guide" only.
    """

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    definition: Definition = "guide"
    relevance_denominator: Annotated[int, Field(ge=1, strict=True)] = DENOMINATOR

    @property
    def material(self) -> Materials:
        """What a request holds of each trace."""
        return frozenset({QUESTION, DOCUMENTS, RESPONSE})

    def notes(self) -> list[str]:
        """Keys without effect: a sentence each."""
        if self.definition == "guide" or self.relevance_denominator == DENOMINATOR:
            return []
        why = 'which definition = "ragbench" does not use: it divides by all document sentences'
        return [f"has relevance_denominator, {why}"]
