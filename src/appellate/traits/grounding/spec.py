"""Defines a grounding trait: which definition its numbers follow (SPEC 8)."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from appellate.core.trace import DOCUMENTS, QUESTION, RESPONSE, Materials
from appellate.traits.digest import HeadlineKey, RubricPart, check_headline

Definition = Literal["guide", "ragbench"]
MEASURES = ("relevance", "utilization", "completeness", "adherence", "average")
"""The names of the measures, by either definition."""
DENOMINATOR = 20
"""The number of relevant sentences that makes a relevance of 1, as the guide has it."""


class GroundingRubricTrait(RubricPart):
    """Holds a response against the documents that were retrieved for it (TRACe)."""

    PLAINLY_WRITTEN = True

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    definition: Definition = "guide"
    """Whose formulas the numbers follow: those of the guide, or RAGBench's (Friel et al. 2024)."""
    relevance_denominator: Annotated[int, Field(ge=1, strict=True)] = DENOMINATOR
    """The number of relevant sentences that makes a relevance of 1, for "guide" only."""
    headline: HeadlineKey = None
    """The measure that stands for the trait; None for the average."""

    @field_validator("headline")
    @classmethod
    def _one_of_the_measures(cls, headline: str | None) -> str | None:
        """Return a headline as it is, None for the average.

        Raises ValueError for a name that is none of the trait's measures.
        """
        check_headline(headline, MEASURES)
        return headline

    @property
    def material(self) -> Materials:
        """The parts of a trace that a request contains: question, documents and response."""
        return frozenset({QUESTION, DOCUMENTS, RESPONSE})

    def notes(self) -> list[str]:
        """Return a predicate, without its subject, for each key of the trait that has no effect.

        There is one: "has relevance_denominator, …" if the definition is RAGBench's and the key is
        not the default. Otherwise the list is empty.
        """
        if self.definition == "guide" or self.relevance_denominator == DENOMINATOR:
            return []
        reason = 'which definition = "ragbench" does not use: it divides by all document sentences'
        return [f"has relevance_denominator, {reason}"]
