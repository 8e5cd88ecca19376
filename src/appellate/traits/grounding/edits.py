"""Every correction of a grounding cell: an edit in, new labels out or a refusal; and how it is
told.

A cell that nobody judged has no sentences yet: the first edit brings them and keeps them. A link to
a document sentence says that it was utilized, and that what it supports has support; a verdict of
no support takes the links away. A new verdict takes the judge's explanation away, which speaks for
another one.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Instruction, Outcome, Table
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.grounding import sentences
from appellate.traits.grounding.labels import Labels, Support, unlabelled
from appellate.traits.grounding.sentences import SPECIAL, KeyedSentences, SentenceRows
from appellate.traits.grounding.spec import GroundingRubricTrait

Action = Literal["relevant", "utilized", "support", "link"]
ACTIONS: tuple[Action, ...] = get_args(Action)
Said = Literal["full", "partial", "none"]
SAID: tuple[Said, ...] = get_args(Said)


class Edit(Struct, frozen=True):
    """One correction.

    `relevant` and `utilized` say of the document sentence `key` whether it is (`on`), `support` how
    far the response's `sentence` is supported, `link` whether `key`, a document sentence or a
    special key, supports it (`on`). `seen` are the words of the sentence that it is about, and
    `linked` those of the document sentence of a link, so that an edit never hits another one;
    `rows` are the sentences, where the labels have none.
    """

    action: Action
    key: str | None = None
    sentence: str | None = None
    on: bool | None = None
    support: Said | None = None
    seen: str | None = None
    linked: str | None = None
    rows: SentenceRows | None = None

    @property
    def about(self) -> str:
        """The key of the sentence that it changes the label of."""
        if self.action in ("relevant", "utilized"):
            return self.key or ""
        return self.sentence or ""

    @classmethod
    def from_row(cls, row: Table) -> "Edit":
        """An edit from a fact or a file, whose other keys are not ours; raises ValueError for what
        is none.
        """
        given = {name: row[name] for name in _TYPES if name in row}
        for name, value in given.items():
            if type(value) is not _TYPES[name]:
                raise ValueError(f"{name} cannot be {value!r}")
        if given.get("action") not in ACTIONS:
            raise ValueError(f"{given.get('action')!r} is not an edit of a grounding trait")
        edit = cls(**given, rows=sentences.read_rows(row))
        needed = {"support": ("sentence", "support"), "link": ("key", "sentence", "on")}
        for name in needed.get(edit.action, ("key", "on")):
            if getattr(edit, name) is None:
                raise ValueError(f"an edit of {edit.action} has {name}")
        if edit.support not in (None, *SAID):
            raise ValueError(f"support is one of {', '.join(SAID)}, not {edit.support!r}")
        return edit

    def to_row(self) -> dict[str, Any]:
        """The edit as facts and files keep it: only what was given."""
        row: dict[str, Any] = {}
        for name in _TYPES:
            if getattr(self, name) is not None:
                row[name] = getattr(self, name)
        if self.rows:
            row |= self.rows.to_file()
        return row


_TYPES: dict[str, type] = {
    "action": str,
    "key": str,
    "sentence": str,
    "on": bool,
    "support": str,
    "seen": str,
    "linked": str,
}


def permit(
    trait: GroundingRubricTrait,  # noqa: ARG001
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Edit:
    """A correction as it is kept: with the words that it is about, and the first one by hand with
    the sentences.
    """
    found, rows = labels.sentences, None
    if found is None:
        rows = sentences.sentence_rows(trace, {})
        found = sentences.from_rows(trace, rows)
    about = found.find(edit.about)
    if about is None:
        raise Refused(_no_such(edit.about))
    linked = None
    if edit.action == "link":
        linked = _words(found, edit.key)
    return replace(edit, rows=rows, seen=about.text, linked=linked)


def apply(
    trait: GroundingRubricTrait,  # noqa: ARG001
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """The labels after the edit; raises Refused with what to do instead."""
    if labels.sentences is None:
        if edit.rows is None:
            raise Refused("Its sentences came with a correction that is undone.")
        labels = unlabelled(sentences.from_rows(trace, edit.rows))
    found = labels.sentences or KeyedSentences()
    about = found.find(edit.about)
    if about is None:
        raise Refused(_no_such(edit.about))
    if edit.seen not in (None, about.text):
        raise Refused(f"{edit.about} is another sentence here; look again.")
    if edit.linked not in (None, _words(found, edit.key)):
        raise Refused(f"{edit.key} is another sentence here; look again.")
    match edit.action:
        case "relevant" | "utilized":
            return _marked(found, labels, edit)
        case "support":
            return _ruled(found, labels, edit)
        case _:
            return _linked(found, labels, edit)


def _no_such(key: str) -> str:
    return f"There is no sentence {key}."


def _marked(found: KeyedSentences, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """A document sentence that is relevant, or utilized, or no longer."""
    key = edit.about
    if not found.is_document(key):
        raise Refused(f"{key} is a sentence of the response: only document sentences are marked.")
    if _says_so(labels, edit):
        raise Refused(f"{key} is {_mark(edit)} already.")
    before, after = _mark(replace(edit, on=not edit.on)), _mark(edit)
    if edit.action == "relevant":
        kept = _in_order(found, {*labels.relevant} ^ {key})
        return Outcome(replace(labels, relevant=kept), before, after)
    kept = _in_order(found, {*labels.utilized} ^ {key})
    return Outcome(replace(labels, utilized=kept), before, after)


def _mark(edit: Edit) -> str:
    if edit.on:
        return edit.action
    return f"not {edit.action}"


def _in_order(found: KeyedSentences, chosen: set[str]) -> tuple[str, ...]:
    return tuple(key for key in (*found.keys(), *SPECIAL) if key in chosen)


def _ruled(found: KeyedSentences, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """A sentence of the response that is supported so far."""
    before = _support(found, labels, edit)
    if edit.support is None or edit.support == before.verdict:
        raise Refused(f"{before.key} is {support_text(before)} already.")
    after = Support(before.key, edit.support, before.keys)
    if edit.support == "none":
        after = replace(after, keys=())
    return Outcome(_with(labels, after), support_text(before), support_text(after))


def _linked(found: KeyedSentences, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """What supports a sentence of the response, or no longer."""
    before, key = _support(found, labels, edit), edit.key or ""
    if not found.is_document(key) and key not in SPECIAL:
        raise Refused(f"There is no document sentence {key} that could support anything.")
    if _says_so(labels, edit) and edit.on:
        raise Refused(f"{key} supports {before.key} already.")
    if _says_so(labels, edit):
        raise Refused(f"{key} does not support {before.key} anyway.")
    after = replace(before, keys=_in_order(found, {*before.keys} ^ {key}))
    if edit.on and before.verdict in ("none", "unlabelled"):
        after = replace(after, verdict="full", explanation="")
    changed = _with(labels, after)
    if edit.on and found.is_document(key):
        changed = replace(changed, utilized=_in_order(found, {*labels.utilized, key}))
    return Outcome(changed, support_text(before), support_text(after))


def _support(found: KeyedSentences, labels: Labels, edit: Edit) -> Support:
    if not found.is_response(edit.about):
        raise Refused(f"{edit.about} is no sentence of the response: only those are supported.")
    return labels.of(edit.about)


def _with(labels: Labels, changed: Support) -> Labels:
    """The labels with a person's word on one sentence: the whole follows from the sentences."""
    support = list(labels.support)
    support[support.index(labels.of(changed.key))] = changed
    return replace(labels, support=tuple(support), overall=None)


def turned(cell: Cell, asked: Instruction) -> Iterator[Sequence[Edit]]:
    """Support denied to a sentence of the response that has it, or by some utilized sentence where
    it has none.
    """
    labels: Labels = cell.labels
    if asked.of != "response":
        return
    about = labels.support[asked.number - 1]
    if about.verdict in ("full", "partial"):
        yield (Edit("support", sentence=about.key, support="none"),)
    for key in labels.utilized:
        if about.verdict == "none":
            yield (Edit("link", key, about.key, on=True),)


# -- telling ---------------------------------------------------------------------------------------

WORDS = {
    "full": "fully supported",
    "partial": "partly supported",
    "none": "not supported",
    "unlabelled": "not labelled",
}
"""A verdict on one sentence, as people call it."""


def support_text(support: Support) -> str:
    """How a sentence is supported, and by what: `fully supported by 0a, 0b`."""
    if not support.keys:
        return WORDS[support.verdict]
    return f"{WORDS[support.verdict]} by {', '.join(support.keys)}"


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, past tense, whole texts."""
    about = edit.about
    if edit.seen:
        about += f" (“{edit.seen}”)"
    match edit.action:
        case "support":
            return f"ruled {about} {after} (was {before})"
        case "link" if edit.on:
            return f"linked {about} to {_linked_to(edit)}: {after}"
        case "link":
            return f"unlinked {about} from {_linked_to(edit)}: {after}"
        case _:
            return f"marked {about} {after}"


def _linked_to(edit: Edit) -> str:
    if edit.linked:
        return f"{edit.key} (“{edit.linked}”)"
    return edit.key or ""


def brief(edit: Edit) -> str:
    """The sort of an edit in a word or two."""
    match edit.action:
        case "support":
            return "support"
        case "link" if edit.on:
            return "link"
        case "link":
            return "unlink"
        case _:
            return _mark(edit)


# -- carrying to other labels ----------------------------------------------------------------------


class EditedWords(NamedTuple):
    """What an edit was about: the words of the sentence, and of the one it links to."""

    seen: str | None
    linked: str | None


def anchor(
    trait: GroundingRubricTrait,  # noqa: ARG001
    labels: Labels,  # noqa: ARG001
    edit: Edit,
) -> EditedWords:
    """What an edit of these labels, or of none, is about."""
    return EditedWords(edit.seen, edit.linked)


def _words(found: KeyedSentences, key: str | None) -> str | None:
    sentence = found.find(key or "")
    if sentence is None:
        return None
    return sentence.text


def carried(
    trait: GroundingRubricTrait,
    labels: Labels,
    edit: Edit,
    anchor: EditedWords,
) -> Edit | None:
    """The edit for other labels; None where they say so already. Refused where it has no place.

    A sentence is found by its key where the words are the same, else by its words.
    """
    found = labels.sentences or KeyedSentences()
    fresh = replace(edit, rows=None)
    if edit.action in ("relevant", "utilized"):
        fresh = replace(fresh, key=_found_again(found, edit.about, anchor.seen))
    else:
        fresh = replace(fresh, sentence=_found_again(found, edit.about, anchor.seen))
    if edit.action == "link":
        fresh = replace(fresh, key=_found_again(found, edit.key or "", anchor.linked))
    try:
        apply(trait, Trace(id="-"), labels, fresh)
    except Refused:
        if _says_so(labels, fresh):
            return None
        raise
    return fresh


def _found_again(found: KeyedSentences, key: str, words: str | None) -> str:
    if key in SPECIAL or words in (None, _words(found, key)):
        return key
    every = found.keys()
    if not key[:1].isdigit():
        every = found.response_keys()
    again = next((other for other in every if _words(found, other) == words), None)
    if again is None:
        raise Refused("Its sentence is not among these.")
    return again


def _says_so(labels: Labels, edit: Edit) -> bool:
    """Whether labels say already what an edit would."""
    match edit.action:
        case "relevant":
            return (edit.key in labels.relevant) == edit.on
        case "utilized":
            return (edit.key in labels.utilized) == edit.on
        case "support":
            return labels.of(edit.about).verdict == edit.support
        case _:
            return (edit.key in labels.of(edit.about).keys) == edit.on
