"""The parts of what a model is told about a metric trait: prompt.toml beside this file, or what
replaces it.
"""

from appellate.traits.template import PromptTemplate, Slots

TEMPLATE = PromptTemplate(
    "appellate.traits.metric",
    {
        "trait": Slots((), ("name",)),
        "description": Slots(("description",), spare=True),
        "tp": Slots(("tp",)),
        "fn": Slots(("fn",), spare=True),
        "tn": Slots(("tn",)),
        "fp": Slots(("fp",)),
        "wrong": Slots(),
        "wrong_hint": Slots(spare=True),
        "hint": Slots(),
    },
)
PARTS = TEMPLATE.parts
faults, shipped, shipped_text, wording = (
    TEMPLATE.faults,
    TEMPLATE.shipped,
    TEMPLATE.shipped_text,
    TEMPLATE.wording,
)
