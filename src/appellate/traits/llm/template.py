"""The parts of what a model is told about an LLM trait: prompt.toml beside this file, or what
replaces it.
"""

from appellate.traits.template import PromptTemplate, Slots

TEMPLATE = PromptTemplate(
    "appellate.traits.llm",
    {
        "trait": Slots((), ("name",)),
        "description": Slots(("description",), spare=True),
        "boolean": Slots(),
        "score": Slots(("low", "high")),
        "literal": Slots(("classes",)),
        "evidence": Slots(),
        "most": Slots(("most",)),
    },
)
