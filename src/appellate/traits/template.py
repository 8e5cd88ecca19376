"""Fills in the prompts of all kinds: their parts, the tags around texts of others, and what follows
a reply.

The words are those of a kind's prompt.toml, or of parts that replace them, with $names. What a part
must have is checked before anything is sent. A recorded response may say anything: nothing in it
can end its tag or pass for a turn of the chat.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

import tomli

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
    """The names that a part of a prompt has to contain, and those that it may."""

    needed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    spare: bool = False
    """Whether an empty text leaves the part out."""

    @property
    def texts_of_others(self) -> tuple[str, ...]:
        """The needed names that stand for texts of others.

        They are all but "nonce" in a part that has tags with that code. Empty for a part without
        it.
        """
        if "nonce" not in self.needed:
            return ()
        return tuple(name for name in self.needed if name != "nonce")


_ORDER = Slots(("trait", "examples", "material", "reminder"))
ORDER = "order"
CONVERSATION_ORDER = "conversation_order"
"""The order of a prompt about a whole conversation, which is first, so that it is the same for all
traits.
"""
OPENING: Mapping[str, Slots] = {
    "system": Slots(),
    ORDER: _ORDER,
    "examples": Slots(("examples",)),
    "example": Slots(("nonce", "material", "reply"), ("number",)),
    "question": Slots(("nonce", "question"), spare=True),
    "reference": Slots(("nonce", "reference"), spare=True),
    "response": Slots(("nonce", "response")),
}
"""The parts that every kind's template begins with: rules, the order of the rest, examples, the
material.
"""
CLOSING: Mapping[str, Slots] = {
    "shape": Slots(("shape",)),
    "reminder": Slots((), ("name",), spare=True),
    "again": Slots(("fault",)),
    "excerpts": Slots(("excerpts",)),
}
"""The parts that every kind's template ends with: the shape of a reply, a reminder, and what
follows a reply.
"""
EARLIER: Mapping[str, Slots] = {"earlier": Slots(("nonce", "earlier"), spare=True)}
"""The part for what stands before the response, for kinds whose judges read it."""
CONVERSATION: Mapping[str, Slots] = {
    CONVERSATION_ORDER: _ORDER,
    "conversation": Slots(("nonce", "conversation")),
    "conversation_excerpts": Slots(("excerpts",)),
}
"""The parts of kinds that may read a conversation. They are the order of the prompt, what
replaces question and response, and the question about excerpts that are not the assistant's.
"""


class PromptWording:
    """A whole template, and the hash of all its words."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        """Take the texts of all parts by their names, and hash them.

        Line breaks at the ends of a text are not part of what is said, but of the hash.
        """
        self._templates = {
            name: Template(text.strip("\n")) for name, text in parts.items()
        }
        self.sha256 = digest(parts)

    def say(self, part: str, /, **values: str) -> str:
        """Return a part with its names filled in.

        The values are taken as they are, with any $ in them. Raises KeyError if there is no such
        part, or if a name in it has no value.
        """
        return self._templates[part].substitute(values)

    @property
    def templates(self) -> str:
        """All parts as they are written, with their $names."""
        return "\n".join(template.template for template in self._templates.values())

    def fenced(self, part: str, text: str, nonce: str) -> str:
        """Return a text between the tags of the part of its name, which contain the code `nonce`.

        The text is put in as it is: it must be inert already. `part` is such as "question" or
        "response". Raises KeyError if there is no such part.
        """
        return self.say(part, nonce=nonce, **{part: text})

    def order(self, part: str) -> list[str]:
        """Return the names in a part that gives an order, in that order.

        A part "$question $response" has ["question", "response"]; words without a $ do not count.
        Raises KeyError if there is no such part.
        """
        return names_in(self._templates[part])

    def put_in_order(self, texts: Mapping[str, str], part: str) -> str:
        """Return a part that gives an order, with the texts filled in for its names.

        An empty text leaves no gap. Raises KeyError if there is no such part, or if `texts` lacks
        one of the names.
        """
        template = self._templates[part].template
        for name, text in texts.items():
            if not text:
                template = re.sub(rf"\$(?:{name}\b|{{{name}}})\s*", "", template)
        return Template(template).substitute(texts).strip()


class PromptTemplate:
    """The template of one kind: its prompt.toml, and the names in each part."""

    def __init__(self, package: str, own: Mapping[str, Slots]) -> None:
        self._package = package
        self.parts: Mapping[str, Slots] = {**OPENING, **own, **CLOSING}

    @lru_cache(16)  # noqa: B019 - there is one template a kind
    def _wording(self, parts: frozenset[tuple[str, str]]) -> PromptWording:
        """Return the template with these parts replaced, cached."""
        return PromptWording({**self.shipped(), **dict(parts)})

    def wording(self, parts: Mapping[str, str]) -> PromptWording:
        """Return the shipped prompt with these parts in place of its own."""
        return self._wording(frozenset(parts.items()))

    def shipped(self) -> dict[str, str]:
        """Return the texts of the parts of the kind's prompt.toml, by their names."""
        return tomli.loads(self.shipped_text())

    def shipped_text(self) -> str:
        """Return prompt.toml as it is, as a start for one's own template."""
        return files(self._package).joinpath("prompt.toml").read_text("utf-8")

    def faults(self, parts: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Yield what keeps parts from being used: the part's name, and what is wrong with it.

        For example ("task", "lacks $response"). A fault is an unknown name, a value that is not
        text, a wrong $name in the text, or an empty part that is needed. Yields nothing for parts
        that can be used.
        """
        for name, text in parts.items():
            if name not in self.parts:
                wrong = f"there is no part {quoted(name)} of a prompt"
                suggestion = closest(name, self.parts)
                if suggestion:
                    yield name, f"{wrong}; did you mean {quoted(suggestion)}?"
                else:
                    part_names = ", ".join(self.parts)
                    yield name, f"{wrong}; parts are {part_names}"
            elif not isinstance(text, str):
                yield name, "must be text in quotes"
            elif text.strip():
                for wrong in _part_faults(name, self.parts[name], text):
                    yield name, wrong
            elif not self.parts[name].spare:
                yield name, "must not be empty: a judge cannot do without it"


# -- what a part may be ----------------------------------------------------------------------------


def _part_faults(part: str, slots: Slots, text: str) -> Iterator[str]:
    """Yield what is wrong with the text of a part, which is not empty; nothing if it is right.

    Each fault is a clause about the part, such as "lacks $response" or "holds $response more than
    once". A $ must begin a name. `slots` has the names that it needs and may have; no others are
    allowed. A part that gives an order must have each name once. A part for texts of others must
    have its code on both sides. Order and code are checked only if no name is missing.
    """
    template = Template(text)
    if not template.is_valid():
        yield "holds a $ that begins no name: write $$ for a dollar sign"
        return
    names_there = template.get_identifiers()
    known_names = (*slots.needed, *slots.allowed)
    right = "nothing is: write $$ for a dollar sign"
    if known_names:
        right = "only $" + ", $".join(known_names)
    for name in names_there:
        if name not in known_names:
            yield f"holds ${name}, which is not filled in here; {right}"
    missing = [name for name in slots.needed if name not in names_there]
    if missing:
        yield "lacks $" + " and $".join(missing)
        return
    names = names_in(template)
    must_be_once = slots.texts_of_others
    if part in (ORDER, CONVERSATION_ORDER):
        must_be_once = slots.needed
    for name in must_be_once:
        index = names.index(name)
        if names.count(name) > 1:
            yield f"holds ${name} more than once"
        elif name in slots.texts_of_others and not _has_nonce_on_both_sides(
            names,
            index,
        ):
            reason = "without it, text of others could forge the end of itself"
            yield f"must hold $nonce before and after ${name}: {reason}"


def _has_nonce_on_both_sides(names: Sequence[str], index: int) -> bool:
    """Return whether "nonce" is among some names both before the one at an index and after it."""
    return "nonce" in names[:index] and "nonce" in names[index + 1 :]


def names_in(template: Template) -> list[str]:
    """Return the names in a template, without their $, in order, each as often as it occurs.

    "$name asks ${question}" has ["name", "question"].
    """
    matches = template.pattern.finditer(template.template)
    return [name for match in matches if (name := match["named"] or match["braced"])]


Shown = tuple[Mapping[str, str], str]
"""An example: its material by part, and the reply that would have been right."""

CORRECTED = table({"excerpts": list_of(table({"number": NUMBER, "text": TEXT}))})
"""The shape of the reply to the question about excerpts that were not found."""
CORRECTED_STEPS = table(
    {"excerpts": list_of(table({"number": NUMBER, "step": NUMBER, "text": TEXT}))},
)
"""The shape of that reply for a conversation."""


class Quote(NamedTuple):
    """An excerpt as a judge gives it."""

    text: str
    step_no: int | None = None
    """The step of a conversation that the judge names, or None."""


def excerpt_schema(trait: Any) -> Schema:
    """Return the JSON schema of an excerpt: of a text alone, {"type": "string"}.

    For a trait that reads conversations it is that of an object such as {"step": 3, "text": "…"}.
    """
    if not reads_conversation(trait):
        return TEXT
    return table({"step": NUMBER, "text": TEXT})


def excerpt_reply(trait: Any, quote: Quote) -> str | dict[str, Any]:
    """Return an excerpt as a reply has it: its text alone.

    For a trait that reads conversations it is an object of a step's number and the text; an unknown
    step is 0.
    """
    if not reads_conversation(trait):
        return quote.text
    return {"step": quote.step_no or 0, "text": quote.text}


def quotes_of(trait: Any, value: object) -> list[Quote]:
    """Return the excerpts in a value of a reply, with their blanks, but none that is blank.

    The value may be a list, or a single excerpt. An excerpt is a text or an object with a `text`:
    ["it rains", {"text": "no", "step": 3}] has `Quote("it rains")` and `Quote("no", 3)`. Any other
    entry is left out. Only in a trait that reads conversations does the object's `step` count; it
    is None if it is no whole number.
    """
    values = value if isinstance(value, list) else [value]
    quotes: list[Quote] = []
    for entry in values:
        text = text_of(entry)
        step_no = None
        if isinstance(entry, dict):
            text = text_of(entry.get("text"))
            if reads_conversation(trait):
                step_no = whole_number(entry.get("step"))
        if text.strip():
            quotes.append(Quote(text, step_no))
    return quotes


def quote_of(trait: Any, value: object) -> Quote:
    """Return the first excerpt that `quotes_of` finds in a value; `Quote("")` if there is none."""
    return next(iter(quotes_of(trait, value)), Quote(""))


def material(trace: Trace, names: Collection[str]) -> dict[str, str]:
    """Return what a trace has for a request, by the part that holds it, made inert.

    There is always a `response`; `earlier` (the turns before it), `question` and `reference` come
    with it if they are in `names` (`core.trace`) and the trace has them. A conversation has its
    transcript as `conversation` in place of turns, question and response. Several references are
    one text, each on a line. Anything else, such as documents, a kind adds itself.
    """
    reference: dict[str, str] = {}
    expected = trace.reference
    if isinstance(expected, list):
        expected = "\n".join(expected)
    if REFERENCE in names and expected:
        reference["reference"] = inert(expected)
    if trace.transcript is not None:
        return {"conversation": inert(trace.text), **reference}

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
    return {**texts, **reference, "response": inert(trace.response)}


def example_material(
    trace: Trace,
    names: Materials,
    evidence: Iterable[Span],
) -> dict[str, str]:
    """Return the material of a trace that is shown as an example, by the part that holds it.

    Earlier turns are left out. Of a conversation it has only the steps with evidence, else the
    response, and two steps around each.
    """
    texts = material(trace, names - {EARLIER_TURNS})
    if trace.transcript is not None:
        texts["conversation"] = inert(
            around(trace.transcript, [span[:2] for span in evidence]),
        )
    return texts


def user_text(
    words: PromptWording,
    materials: Mapping[str, str],
    examples: Sequence[Shown],
    trait: str,
    reminder: str,
) -> str:
    """Return the user's message: trait, examples, material and reminder, in the wording's order.

    All texts must be inert already, as `material` makes them. `materials` has them by their parts'
    names, as {"question": "...", "response": "..."}. Each stands between tags whose code depends on
    what it contains and what is before it. So requests begin alike as far as their contents do, and
    nobody can predict the code of a response that is not written yet. Requests about one
    conversation begin with it.
    """
    order = CONVERSATION_ORDER if "conversation" in materials else ORDER
    example_texts: list[str] = []
    for texts_of_example, reply in examples:
        example_texts.extend(texts_of_example.values())
        example_texts.append(reply)
    all_texts = [trait, reminder, *materials.values(), *example_texts]
    texts = {"trait": trait, "reminder": reminder}
    before = ""
    for name in words.order(order):
        if name == "examples":
            nonce = nonce_for([before, *example_texts], all_texts)
            texts[name] = _examples(words, examples, nonce)
        elif name == "material":
            # each text is between tags with a code of its own
            fenced_texts: list[str] = []
            for part, text in materials.items():
                nonce = nonce_for([before, *fenced_texts, text], all_texts)
                fenced_texts.append(words.fenced(part, text, nonce))
            texts[name] = joined(fenced_texts)
        before += texts[name]
    return words.put_in_order(texts, order)


def _examples(words: PromptWording, examples: Sequence[Shown], nonce: str) -> str:
    """Return the part with all examples, numbered from 1, or "" if there are none.

    `nonce` is the code of their tags.
    """
    if not examples:
        return ""
    texts = []
    for number, (materials, reply) in enumerate(examples, 1):
        fenced_texts = [
            words.fenced(name, text, nonce) for name, text in materials.items()
        ]
        slot_values = {
            "number": str(number),
            "nonce": nonce,
            "material": joined(fenced_texts),
            "reply": reply,
        }
        texts.append(words.say("example", **slot_values))
    return words.say("examples", examples=joined(texts))


def joined(parts: Iterable[str]) -> str:
    """Return texts with an empty line between them, in order; an empty text leaves no gap."""
    return "\n\n".join(filter(None, parts))


def one_line(text: str) -> str:
    """Return a text in one line, with single blanks for its runs of blanks and line breaks.

    It has none at its ends.
    """
    return " ".join(text.split())


def nonce_for(texts: Iterable[str], others: Iterable[str]) -> str:
    """Return a code of 16 hexadecimal digits that is in none of the texts, so no tag can be forged.

    It is made from `texts`, in their order, and is the same for the same texts. `others` are
    further texts in which it must not occur.
    """
    joined_texts = "\0".join(texts)
    digest = hashlib.sha256(joined_texts.encode())
    everything = "\0".join([joined_texts, *others])
    while digest.hexdigest()[:16] in everything:
        digest.update(b"\0")
    return digest.hexdigest()[:16]


# -- inert text ------------------------------------------------------------------------------------

_MARKER = re.compile(
    r"(<)(?=[|｜]|\w{2,20}\|>|/?(?:turn|start_of_|end_of_|bos|eos|sop|eop|eoh|eoa|think|tool_call|"
    r"system|reserved_|extra_id_)|<?/?SYS>|/?s>)|"
    r"(\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK)\])",
)
_JOINER = "\u2060"


def inert(text: str) -> str:
    """Return a text with chat-template markers broken, which servers would obey: "<|" for instance.

    After the bracket that opens a marker comes a word joiner (U+2060), which is invisible. Lone
    surrogates become U+FFFD.
    """
    return _MARKER.sub(lambda match: match.group() + _JOINER, readable(text))


def restored(text: str, response: str) -> str:
    """Return an excerpt without the word joiners (U+2060) that `inert` put in.

    It is returned unchanged if the response has exactly these words.
    """
    if _JOINER not in text or text in response:
        return text
    return text.replace(_JOINER, "")


_SHORTEST_OWN = 12
"""Characters of an excerpt that is in the prompt by no coincidence."""


class Quotable:
    """The response that excerpts are copied from, distinguished from the prompt's own words."""

    def __init__(self, trace: Trace | None = None, own: str = "") -> None:
        """Take a trace whose text excerpts are copied from, and the prompt's own words as `own`.

        Without a trace, no response is known.
        """
        self.response = ""
        self._response = Finder("")
        if trace is not None:
            self.response = trace.text
            self._response = Finder.of(trace)
        self._own = Finder(own)

    def is_own(self, excerpt: str) -> bool:
        """Return whether an excerpt is from the prompt's own words and not from the response.

        Small models repeat a line of the request instead of evidence. Always False for fewer than
        twelve characters, which may be in the prompt by coincidence.
        """
        if len(excerpt.strip()) < _SHORTEST_OWN:
            return False
        return self._own.find(excerpt) is not None and not self._response.is_found(
            excerpt,
        )


ANYWHERE = Quotable()
"""For replies that are read without their prompt: no excerpt counts as the prompt's own."""


def quotable(
    words: PromptWording,
    prompt: Prompt,
    reminder: str,
    trace: Trace,
) -> Quotable:
    """Return what excerpts are copied from: the trace's text, as opposed to the prompt's own words.

    `reminder` is the last part of the prompt, filled in. The checklist does not count as the
    prompt's own words, since responses often say the same.
    """
    return Quotable(trace, "\n".join([words.templates, reminder, shape(prompt.schema)]))


# -- after a reply ---------------------------------------------------------------------------------


def retry_text(words: PromptWording, fault: str) -> str:
    """Return the text that is added to a prompt to ask again, with a line break at either end.

    `fault` says what is wrong with the last reply.
    """
    text = words.say("again", fault=fault)
    return f"\n{text}\n"


def excerpts_question(words: PromptWording, excerpts: Sequence[str]) -> str:
    """Return the text that is added to the prompt to ask about excerpts not in the response.

    They are listed with numbers and in quotes, as `1. "Paris"`. The text begins and ends with a
    line break.
    """
    lines: list[str] = []
    for number, text in enumerate(excerpts, 1):
        in_quotes = json.dumps(text, ensure_ascii=False)
        lines.append(f"{number}. {inert(in_quotes)}")
    question = words.say("excerpts", excerpts="\n".join(lines))
    return f"\n{question}\n"


def corrected_quotes(
    words: PromptWording,
    prompt: Prompt,
    quotes: Iterable[Quote],
    trace: Trace,
) -> Dialogue[dict[Quote, Quote]]:
    """Return every excerpt with the words to be kept, by the excerpt as it was given.

    Yields a prompt that asks the model about excerpts that are not in the response, and in a
    conversation about those from a user or the system; is sent the reply. The new words replace an
    excerpt if they are in the response and show more. All others, also after a reply of no use,
    only lose the invisible characters of `inert`. Nothing is yielded if there is nothing to ask
    about.
    """
    finder = Finder.of(trace)
    better_quotes: dict[Quote, Quote] = {}
    for quote in quotes:
        better_quotes[quote] = quote._replace(text=restored(quote.text, trace.text))
    doubtful_quotes: list[Quote] = []
    for quote in dict.fromkeys(better_quotes.values()):
        is_lost = not finder.is_found(quote.text)
        if is_lost or finder.context_of(*quote) is not None:
            doubtful_quotes.append(quote)
    if not doubtful_quotes:
        return better_quotes
    schema = CORRECTED
    question = excerpts_question(words, [quote.text for quote in doubtful_quotes])
    if trace.transcript is not None:
        schema = CORRECTED_STEPS
        question = _conversation_excerpts_question(words, doubtful_quotes, finder)
    reply = yield prompt.with_text(question).as_further_question(schema)
    new_quotes = _new_quotes_in(reply, doubtful_quotes, trace)
    for quote, restored_quote in better_quotes.items():
        new_quote = new_quotes.get(restored_quote)
        if new_quote is None or not finder.is_found(new_quote.text):
            continue
        if (
            finder.is_found(restored_quote.text)
            and finder.context_of(*new_quote) is not None
        ):
            continue  # other words of a user show no more than these
        better_quotes[quote] = new_quote
    return better_quotes


def _new_quotes_in(
    reply: Reply,
    doubtful_quotes: Sequence[Quote],
    trace: Trace,
) -> dict[Quote, Quote]:
    """Return the new excerpts in a reply, by the doubtful ones that they replace.

    The reply is such as {"excerpts": [{"number": 1, "text": "…"}]}, with the number (from 1) of the
    excerpt that it replaces, and in a conversation with a "step". Those with another number, or
    without text, are left out; of two with one number the last counts. Invisible characters of
    `inert` are taken out of a text. A reply that cannot be read, or was cut short, offers none.
    """
    reply_rows: list[dict[str, Any]] = []
    with suppress(NoAnswer):
        if not reply.cut:
            reply_rows = rows(
                object_in(readable(reply.text), trace.text).get("excerpts"),
            )
    new_quotes: dict[Quote, Quote] = {}
    for row in reply_rows:
        number = whole_number(row.get("number"))
        wording = text_of(row.get("text"))
        if number is None or not 1 <= number <= len(doubtful_quotes):
            continue
        if not wording.strip():
            continue
        step_no = None
        if trace.transcript is not None:
            step_no = whole_number(row.get("step"))
        text = restored(wording, trace.text)
        new_quotes[doubtful_quotes[number - 1]] = Quote(text, step_no)
    return new_quotes


def _conversation_excerpts_question(
    words: PromptWording,
    quotes: Sequence[Quote],
    finder: Finder,
) -> str:
    """Return the text that is added to the prompt to ask about excerpts of a conversation.

    Each is on a line with a number from 1 and what is wrong: '1. {"step": 2, "text": "…"} (not in
    the conversation)', or "in step 2, of the user" instead. An excerpt without a step lacks that
    key. The text begins and ends with a line break.
    """
    lines: list[str] = []
    for number, quote in enumerate(quotes, 1):
        shown_quote: dict[str, Any] = {"text": quote.text}
        if quote.step_no is not None:
            shown_quote = {"step": quote.step_no, **shown_quote}
        reason = "not in the conversation"
        step = finder.context_of(*quote)
        if step is not None:
            reason = f"in step {step.no}, of the {step.turn.role}"
        as_json = json.dumps(shown_quote, ensure_ascii=False)
        lines.append(f"{number}. {inert(as_json)} ({reason})")
    question = words.say("conversation_excerpts", excerpts="\n".join(lines))
    return f"\n{question}\n"
