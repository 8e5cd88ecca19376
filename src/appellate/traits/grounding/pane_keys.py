"""The keys of the grounding pane, and what its marks mean."""

from appellate.ui.key import keys_in
from appellate.ui.marks import MarkHelp, Marks, raised

SAYING = ("support.full", "support.partial", "support.none")
"""The keys that give a response sentence its verdict."""


KEYS = keys_in(
    """\
Support
support.full  1  1  supported  -  correct('full')  the response sentence is supported  lines
support.partial  2  2  partly  -  correct('partial')  the response sentence is partly supported, \
which counts as not supported  lines
support.none  3  3  not  -  correct('none')  the response sentence is not supported; what it \
rested on goes  lines
support.relevant  4  4  relevant  -  correct('relevant')  the document sentence is relevant, or \
is not  lines: which document sentences are relevant, or are not: type their keys (0b 2a)
support.utilized  5  5  utilized  -  correct('utilized')  the document sentence is utilized, or \
is not  lines: which document sentences are utilized, or are not: type their keys (0b 2a)
support.turn  space  Space  turn, link  8/5  correct('turn') near  supported ⇄ not; in the \
documents: the claim rests on this, or does not  lines: supported ⇄ not; back with what it rested \
on
support.link  i  i  link  9/7  correct('link')  link claim and sentences: type keys (0b 2a), or \
words  lines: link it to sentences of the documents: type keys (0b 2a), or words
support.mark  x  x  mark  -  mark  mark the document sentence; 4, 5 and Space then take all marked
grounding.copy  exclamation_mark,!  !  copy claims  11/8  correct('copy')  copy the claims that \
are not supported, as a list  lines: print the claims that are not supported, as a list
grounding.view  t  t  unsupported  13/15  view  only the claims that are not supported, or all \
sentences again
Going about
grounding.on  l,right  l →  its support  -  go('support')  to the sentence that the claim rests \
on, then to the next one
grounding.back  h,left  h ←  its claim  -  go('claim')  from a sentence to the claim that rests \
on it
grounding.over  tab,shift+tab  Tab  the other text  -  go('other')  go from the response to the \
documents and back
""",
    about="grounding trait: ",
)


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    keys = f"{raised('a', marks)}  {raised('0b', marks)}"
    return [
        MarkHelp("0b  c", "sentence b of document 0, sentence c of the response", "key"),
        MarkHelp(keys, "behind words, which sentence it is, with R and U", "key"),
        MarkHelp(
            "Rel Util Comp Adh Avg",
            "relevance, utilization, completeness, adherence, their average",
            "key",
        ),
        MarkHelp("supported", "the documents say all that the sentence says", "tp"),
        MarkHelp(
            f"{marks.partly} partly",
            "the documents say a part of it; counts as not supported",
            "fn",
        ),
        MarkHelp(f"{marks.fp} not", "no document says it: a hallucinated claim", "fp"),
        MarkHelp(marks.open, "a sentence without a label yet", "muted"),
        MarkHelp("R", "a document sentence that is relevant to the question", "key"),
        MarkHelp("U", "a document sentence that the response uses", "key"),
        MarkHelp(
            marks.linked,
            "left, the claim under the cursor rests on it; right, all claims that do",
            "corrected",
        ),
        MarkHelp(f"{marks.moved} was", "what the judge said, then your reason", "corrected"),
        MarkHelp(marks.marked, "marked: 4, 5 and Space are done to all that are marked", "key"),
        MarkHelp(marks.doubt, "labels that contradict each other", "flag"),
    ]
