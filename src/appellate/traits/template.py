"""Prompts, whatever the kind: their words, part by part, and what they are made of.

The words are those of a kind's prompt.toml, or what replaces them: text with $names. What a part
must hold is checked before anything is sent. A recorded response is anybody's text: nothing in it
can end the material or pass for a turn of the chat.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from appellate.core.kind import Span, reads_conversation
from appellate.core.problem import closest, quoted
from appellate.core.trace import EARLIER_TURNS, QUESTION, REFERENCE, Materials, Trace
from appellate.core.transcript import around, context, question_of
from appellate.talk.dialogue import (
    NUMBER,
    TEXT,
    Dialogue,
    NoAnswer,
    Prompt,
    Reply,
    Schema,
    list_of,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, rows, text_of, whole_number
from appellate.traits.digest import digest
from appellate.traits.evidence import Finder


class Slots(NamedTuple):
    """Names that a part must hold, and those that it may; `spare` where "" leaves the part out."""

    needed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    spare: bool = False


_ORDER = Slots(("trait", "examples", "material", "reminder"))
ORDER = "order"
CONVERSATION_ORDER = "conversation_order"
"""The order of a prompt about a whole conversation, which comes first, alike for all its traits."""
OPENING: Mapping[str, Slots] = {
    "system": Slots(),
    ORDER: _ORDER,
    "examples": Slots(("examples",)),
    "example": Slots(("nonce", "material", "reply"), ("number",)),
    "question": Slots(("nonce", "question"), spare=True),
    "reference": Slots(("nonce", "reference"), spare=True),
    "response": Slots(("nonce", "response")),
}
"""The parts that every kind's template begins with: rules, in what order a prompt holds the rest,
examples, the material.
"""
CLOSING: Mapping[str, Slots] = {
    "shape": Slots(("shape",)),
    "reminder": Slots((), ("name",), spare=True),
    "again": Slots(("fault",)),
    "excerpts": Slots(("excerpts",)),
}
"""The parts that every kind's template ends with: the shape of a reply, the rules that matter most
once more, and the words after a reply.
"""
EARLIER: Mapping[str, Slots] = {"earlier": Slots(("nonce", "earlier"), spare=True)}
"""The part for what stands before the response, of the kinds whose judges read it."""
CONVERSATION: Mapping[str, Slots] = {
    CONVERSATION_ORDER: _ORDER,
    "conversation": Slots(("nonce", "conversation")),
    "conversation_excerpts": Slots(("excerpts",)),
}
"""The parts of the kinds that may read all of it: the order of the prompt, what takes the place of
question and response, and what is asked about excerpts that show nothing of the assistant.
"""
_FENCED = {
    "earlier": ("earlier",),
    "question": ("question",),
    "reference": ("reference",),
    "response": ("response",),
    "conversation": ("conversation",),
    "documents": ("documents",),
    "metadata": ("metadata",),
    "example": ("material", "reply"),
}
"""The parts that hold what others wrote, and by what names."""


class PromptWording:
    """A whole template: what `say` fills in, and the hash of all its words."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._templates = {name: Template(text.strip("\n")) for name, text in parts.items()}
        self.sha256 = digest(parts)

    def say(self, part: str, /, **values: str) -> str:
        return self._templates[part].substitute(values)

    @property
    def templates(self) -> str:
        """All parts as they are written, with names in the place of what is filled in."""
        return "\n".join(template.template for template in self._templates.values())

    def fenced(self, part: str, text: str, nonce: str) -> str:
        """A text between the tags of its part, with this code."""
        return self.say(part, nonce=nonce, **{part: text})

    def order(self, part: str = ORDER) -> list[str]:
        """The names that a part which is an order holds, as they follow each other."""
        return names_in(self._templates[part])

    def put_in_order(self, texts: Mapping[str, str], part: str = ORDER) -> str:
        """A part which is an order, with these texts in it; an empty one leaves no gap."""
        template = self._templates[part].template
        for name, text in texts.items():
            if not text:
                template = re.sub(rf"\$(?:{name}\b|{{{name}}})\s*", "", template)
        return Template(template).substitute(texts).strip()


class PromptTemplate:
    """The template of one kind: its prompt.toml, and what each part is filled with, in order."""

    def __init__(self, package: str, own: Mapping[str, Slots]) -> None:
        self._package = package
        self.parts: Mapping[str, Slots] = {**OPENING, **own, **CLOSING}

    @lru_cache(16)  # noqa: B019 - there is one template a kind
    def _wording(self, parts: frozenset[tuple[str, str]]) -> PromptWording:
        return PromptWording({**self.shipped(), **dict(parts)})

    def wording(self, parts: Mapping[str, str]) -> PromptWording:
        """Return the shipped template with these parts in place of its own."""
        return self._wording(frozenset(parts.items()))

    def shipped(self) -> dict[str, str]:
        """The parts of prompt.toml."""
        return tomllib.loads(self.shipped_text())

    def shipped_text(self) -> str:
        """prompt.toml as it is: what a template of one's own starts from."""
        return files(self._package).joinpath("prompt.toml").read_text("utf-8")

    def faults(self, parts: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Everything that keeps parts from being used: the part, and what is wrong with it."""
        for name, text in parts.items():
            if name not in self.parts:
                meant = closest(name, self.parts)
                right = f"parts are {', '.join(self.parts)}"
                if meant:
                    right = f"did you mean {quoted(meant)}?"
                yield name, f"there is no part {quoted(name)} of a prompt; {right}"
            elif not isinstance(text, str):
                yield name, "must be text in quotes"
            elif text.strip():
                for wrong in _wrong(name, self.parts[name], text):
                    yield name, wrong
            elif not self.parts[name].spare:
                yield name, "must not be empty: a judge cannot do without it"


# -- what a part may be ----------------------------------------------------------------------------


def _wrong(part: str, slots: Slots, text: str) -> Iterator[str]:
    template = Template(text)
    if not template.is_valid():
        yield "holds a $ that begins no name: write $$ for a dollar sign"
        return
    found = template.get_identifiers()
    known = (*slots.needed, *slots.allowed)
    right = "nothing is: write $$ for a dollar sign"
    if known:
        right = "only $" + ", $".join(known)
    for name in found:
        if name not in known:
            yield f"holds ${name}, which is not filled in here; {right}"
    lacking = [name for name in slots.needed if name not in found]
    if lacking:
        yield "lacks $" + " and $".join(lacking)
        return
    if part in (ORDER, CONVERSATION_ORDER):
        names = names_in(template)
        for name in slots.needed:
            if names.count(name) > 1:
                yield f"holds ${name} more than once"
    for held in _FENCED.get(part, ()):
        yield from _open(template, held)


def names_in(template: Template) -> list[str]:
    """The names that a template holds, as often as it does."""
    found = template.pattern.finditer(template.template)
    return [name for one in found if (name := one["named"] or one["braced"])]


def _open(template: Template, held: str) -> Iterator[str]:
    """A part whose code does not stand on both sides of others' text, or that holds that twice."""
    names = names_in(template)
    if names.count(held) != 1:
        yield f"holds ${held} more than once"
        return
    place = names.index(held)
    if "nonce" not in names[:place] or "nonce" not in names[place:]:
        why = "without it, text of others could forge the end of itself"
        yield f"must hold $nonce before and after ${held}: {why}"


Shown = tuple[Mapping[str, str], str]
"""An example: its material by part, and the reply that would have been right."""

CORRECTED = table({"excerpts": list_of(table({"number": NUMBER, "text": TEXT}))})
"""The reply to the question about excerpts that were not found."""
CORRECTED_STEPS = table(
    {"excerpts": list_of(table({"number": NUMBER, "step": NUMBER, "text": TEXT}))}
)
"""The same of a conversation."""


class Quote(NamedTuple):
    """An excerpt as a judge gives it; of a conversation with the number of its step, if any."""

    text: str
    step_no: int | None = None


def excerpt_schema(trait: Any) -> Schema:
    """Return the shape of an excerpt: its words, of a conversation with the number of its step."""
    if not reads_conversation(trait):
        return TEXT
    return table({"step": NUMBER, "text": TEXT})


def excerpt_reply(trait: Any, quote: Quote) -> str | dict[str, Any]:
    """Return an excerpt as a reply has it; its step is 0 where nobody knows it."""
    if not reads_conversation(trait):
        return quote.text
    return {"step": quote.step_no or 0, "text": quote.text}


def quotes_of(trait: Any, value: object) -> list[Quote]:
    """Return the excerpts in a reply's list, or in a single value in its place, without blank ones.

    Words alone are an excerpt, too. Only of a conversation an excerpt has a step.
    """
    values = value if isinstance(value, list) else [value]
    quotes: list[Quote] = []
    for given in values:
        text = text_of(given)
        step_no = None
        if isinstance(given, dict):
            text = text_of(given.get("text"))
            if reads_conversation(trait):
                step_no = whole_number(given.get("step"))
        if text.strip():
            quotes.append(Quote(text, step_no))
    return quotes


def quote_of(trait: Any, value: object) -> Quote:
    """Return the one excerpt that a value of a reply is; its text is "" for none."""
    return next(iter(quotes_of(trait, value)), Quote(""))


def material(trace: Trace, names: Collection[str]) -> dict[str, str]:
    """Return what there is of a trace by the part that holds it, inert.

    Only what is among `names` (`core.trace`) is there; what a kind words in a way of its own,
    such as documents, it adds itself. Of a conversation there is the transcript, which has both the
    question and the response.
    """
    texts: dict[str, str] = {}
    if trace.transcript is None:
        texts = _before_response(trace, names)
    expected = trace.reference
    if isinstance(expected, list):
        expected = "\n".join(expected)
    if REFERENCE in names and expected:
        texts["reference"] = inert(expected)
    if trace.transcript is not None:
        return {"conversation": inert(trace.text), **texts}
    return {**texts, "response": inert(trace.response)}


def example_material(trace: Trace, names: Materials, evidence: Iterable[Span]) -> dict[str, str]:
    """Return the material of a trace that is shown as an example, as `material` does.

    Of a conversation it has only the steps with evidence for what a person says, and two around.
    """
    texts = material(trace, names - {EARLIER_TURNS})
    if trace.transcript is not None:
        texts["conversation"] = inert(around(trace.transcript, [span[:2] for span in evidence]))
    return texts


def _before_response(trace: Trace, names: Collection[str]) -> dict[str, str]:
    """Return the question and the earlier turns, by their parts, if they are among `names`."""
    texts: dict[str, str] = {}
    question = ""
    if EARLIER_TURNS in names:
        question, earlier = context(trace)
        if earlier:
            texts["earlier"] = inert(earlier)
    elif QUESTION in names:
        question = question_of(trace)
    if QUESTION in names and question:
        texts["question"] = inert(question)
    return texts


def user_text(
    words: PromptWording,
    given: Mapping[str, str],
    shown: Sequence[Shown],
    trait: str,
    reminder: str,
) -> str:
    """A first prompt: what is asked, examples, the material between its tags and a reminder, in the
    template's order.

    The code of a tag is made of what it holds and of what is before it: cells begin alike as
    far as they are alike, and nobody can foretell the code of a response that is yet to be written.
    Cells that read one conversation begin with it.
    """
    order = CONVERSATION_ORDER if "conversation" in given else ORDER
    inside = [text for texts, reply in shown for text in (*texts.values(), reply)]
    whole = [trait, reminder, *given.values(), *inside]
    texts = {"trait": trait, "reminder": reminder}
    before = ""
    for name in words.order(order):
        if name == "examples":
            texts[name] = _examples(words, shown, nonce_for([before, *inside], whole))
        elif name == "material":
            held: list[str] = []  # each text between tags with a code of its own
            for part, text in given.items():
                held.append(words.fenced(part, text, nonce_for([before, *held, text], whole)))
            texts[name] = joined(held)
        before += texts[name]
    return words.put_in_order(texts, order)


def _examples(words: PromptWording, shown: Sequence[Shown], nonce: str) -> str:
    if not shown:
        return ""
    texts = []
    for number, (given, reply) in enumerate(shown, 1):
        held = [words.fenced(name, text, nonce) for name, text in given.items()]
        named = {"number": str(number), "nonce": nonce, "material": joined(held), "reply": reply}
        texts.append(words.say("example", **named))
    return words.say("examples", examples=joined(texts))


def joined(parts: Iterable[str]) -> str:
    """Parts with an empty line between, without those that a template leaves out."""
    return "\n\n".join(filter(None, parts))


def one_line(text: str) -> str:
    """A rubric's words on one line."""
    return " ".join(text.split())


def nonce_for(texts: Iterable[str], others: Iterable[str]) -> str:
    """A code, the same for the same texts, that occurs nowhere in the prompt: no tag is forged."""
    whole = "\0".join(texts)
    digest = hashlib.sha256(whole.encode())
    everything = "\0".join([whole, *others])
    while digest.hexdigest()[:16] in everything:
        digest.update(b"\0")
    return digest.hexdigest()[:16]


# -- inert text ------------------------------------------------------------------------------------

_MARKER = re.compile(
    r"(<)(?=[|｜]|\w{2,20}\|>|/?(?:turn|start_of_|end_of_|bos|eos|sop|eop|eoh|eoa|think|tool_call|"
    r"system|reserved_|extra_id_)|<?/?SYS>|/?s>)|"
    r"(\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK)\])"
)
_JOINER = "\u2060"


def inert(text: str) -> str:
    """The text with chat-template markers broken by an invisible character: servers obey them."""
    return _MARKER.sub(lambda match: match.group() + _JOINER, readable(text))


def restored(text: str, response: str) -> str:
    """Return an excerpt without the invisible characters of `inert`, unless they are its own."""
    if _JOINER not in text or text in response:
        return text
    return text.replace(_JOINER, "")


_SHORTEST_OWN = 12
"""Characters of an excerpt that stands in the prompt by no chance."""


class Quotable:
    """The response that excerpts are copied from, told apart from the prompt's own words."""

    def __init__(self, trace: Trace | None = None, own: str = "") -> None:
        self.response = ""
        self._response = Finder("")
        if trace is not None:
            self.response = trace.text
            self._response = Finder.of(trace)
        self._own = Finder(own)

    def is_own(self, excerpt: str) -> bool:
        """Return whether an excerpt is the prompt's words and none of the response's.

        Small models repeat a line of the request in the place of evidence. A word or two may stand
        in it by chance: those are only not found.
        """
        if len(excerpt.strip()) < _SHORTEST_OWN:
            return False
        return self._own.find(excerpt) is not None and not self._response.is_found(excerpt)


ANYWHERE = Quotable()
"""For replies that are read without their prompt: no excerpt is the prompt's own."""


def quotable(words: PromptWording, prompt: Prompt, reminder: str, trace: Trace) -> Quotable:
    """Return what excerpts are copied from; `reminder` is the prompt's last part, filled in.

    The checklist is not among the prompt's own words: responses often say what it says.
    """
    return Quotable(trace, "\n".join([words.templates, reminder, shape(prompt.schema)]))


# -- after a reply ---------------------------------------------------------------------------------


def again(words: PromptWording, fault: str) -> str:
    """What follows the prompt when a reply could not be used."""
    text = words.say("again", fault=fault)
    return f"\n{text}\n"


def not_found(words: PromptWording, excerpts: Sequence[str]) -> str:
    """What follows the prompt about excerpts that are not in the response."""
    lines = []
    for number, text in enumerate(excerpts, 1):
        lines.append(f"{number}. {inert(json.dumps(text, ensure_ascii=False))}")
    listed = words.say("excerpts", excerpts="\n".join(lines))
    return f"\n{listed}\n"


def found_again(
    words: PromptWording, prompt: Prompt, quotes: Iterable[Quote], trace: Trace
) -> Dialogue[dict[Quote, Quote]]:
    """Return better words by excerpt, asking once more about all that show nothing.

    These are those that are not in the response. Of a conversation also those in the words of a
    user or of the system: they stay as they are if no others come back.
    """
    finder = Finder.of(trace)
    better: dict[Quote, Quote] = {}
    for quote in quotes:
        better[quote] = quote._replace(text=restored(quote.text, trace.text))
    astray: list[Quote] = []
    for quote in dict.fromkeys(better.values()):
        is_lost = not finder.is_found(quote.text)
        if is_lost or finder.context_of(*quote) is not None:
            astray.append(quote)
    if not astray:
        return better
    schema = CORRECTED
    question = not_found(words, [quote.text for quote in astray])
    if trace.transcript is not None:
        schema = CORRECTED_STEPS
        question = _showing_nothing(words, astray, finder)
    reply = yield prompt.with_text(question).as_further_question(schema)
    offered = _offered(reply, astray, trace)
    for quote, known in better.items():
        other = offered.get(known)
        if other is None or not finder.is_found(other.text):
            continue
        if finder.is_found(known.text) and finder.context_of(*other) is not None:
            continue  # other words of a user show no more than these
        better[quote] = other
    return better


def _offered(reply: Reply, astray: Sequence[Quote], trace: Trace) -> dict[Quote, Quote]:
    """Return what a reply offers in the place of excerpts that were asked for once more."""
    given: list[dict[str, Any]] = []
    with suppress(NoAnswer):
        if not reply.cut:
            given = rows(object_in(readable(reply.text), trace.text).get("excerpts"))
    offered: dict[Quote, Quote] = {}
    for row in given:
        number = whole_number(row.get("number"))
        wording = text_of(row.get("text"))
        if number and 1 <= number <= len(astray) and wording.strip():
            step_no = None
            if trace.transcript is not None:
                step_no = whole_number(row.get("step"))
            offered[astray[number - 1]] = Quote(restored(wording, trace.text), step_no)
    return offered


def _showing_nothing(words: PromptWording, quotes: Sequence[Quote], finder: Finder) -> str:
    """Return what follows the prompt about excerpts of a conversation, with what is wrong."""
    lines: list[str] = []
    for number, quote in enumerate(quotes, 1):
        named: dict[str, Any] = {"text": quote.text}
        if quote.step_no is not None:
            named = {"step": quote.step_no, **named}
        why = "not in the conversation"
        step = finder.context_of(*quote)
        if step is not None:
            why = f"in step {step.no}, of the {step.turn.role}"
        lines.append(f"{number}. {inert(json.dumps(named, ensure_ascii=False))} ({why})")
    asked = words.say("conversation_excerpts", excerpts="\n".join(lines))
    return f"\n{asked}\n"
