"""The metric kind, for the property suite."""

from hypothesis import strategies as st

from appellate.traits.metric.edits import Edit
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    HINTS,
    PLACE,
    SURVIVE,
    TRACE,
    any_edit,
    checklist,
    likely_edit,
    link,
    matrix,
)
from kind_examples import Examples

LEFT_OUT = [
    "Fails to name a drug",
    "Does not ask why",
    "States that it is a gene",
    EXPECTED[3],
]
TEXTS = st.lists(
    st.sampled_from([GENE, SURVIVE, CANCER, PLACE, "nowhere", f" {GENE.upper()}"]),
    max_size=3,
)


@st.composite
def tables(draw, trait):
    """Lists of what may stand in them, some of it linked."""
    lists = {name: draw(TEXTS) for name in ("tp", "fp")}
    lists["fn"] = draw(st.lists(st.sampled_from(trait.tp_instructions), unique=True))
    forbidden = trait.instructions("tn")
    lists["tn"] = (
        draw(st.lists(st.sampled_from(forbidden), unique=True)) if forbidden else []
    )
    linked = [index for index in range(len(lists["tp"])) if draw(st.booleans())]
    rows = [
        {"bucket": "tp", "index": index, **link(draw(st.integers(1, 4)))}
        for index in linked
    ]
    for name in ("fn", "tn"):
        denied = [index for index in range(len(lists[name])) if draw(st.booleans())]
        said = st.sampled_from([PLACE, "no gene at all", SURVIVE.upper()])
        rows += [
            {"bucket": name, "index": index, "denied": draw(said)} for index in denied
        ]
    omitted = [index for index in range(len(lists["fp"])) if draw(st.booleans())]
    rows += [{"bucket": "fp", "index": index, "omission": True} for index in omitted]
    return {**lists, "items": rows}


EXAMPLES = Examples(
    traits=[
        matrix(),
        checklist(),
        matrix(name="Once", repeated_extraction=False, fp_instructions=HINTS[:1]),
        matrix(
            name="Names",
            tp_instructions=[[EXPECTED[0], GENE, SURVIVE], *EXPECTED[1:]],
        ),
        matrix(
            name="Omissions",
            tp_instructions=LEFT_OUT,
            tn_instructions=LEFT_OUT[:2],
        ),
    ],
    trace=TRACE,
    tables=tables,
    edits=lambda trait, labels: (any_edit() | likely_edit()).map(Edit.from_row),
    wrong=[
        {},
        {"tp": "gene"},
        {"tp": [1]},
        {"tp": [], "items": [{"bucket": "tp", "index": 0}]},
        {"tp": [GENE], "items": [{"bucket": "tp", "index": 0, "denied": GENE}]},
        {"fn": [GENE], "items": [{"bucket": "fn", "index": 0, "denied": " "}]},
        {"tp": [GENE], "items": [{"bucket": "tp", "index": 0, "wrong_evidence": 1}]},
        {"fp": [GENE], "items": [{"bucket": "fp", "index": 0, "omission": 1}]},
        {"fn": [GENE], "items": [{"bucket": "fn", "index": 0, "omission": True}]},
        {"value": True},
    ],
    changed=matrix(tp_instructions=["Says more", *matrix().tp_instructions]),
    queries=[
        "tp>1",
        "fn:0",
        "recall<0.5",
        "denied>0",
        "wrong_evidence:0",
        "omission>0",
    ],
)
