"""The dialogue in which a model sorts one response into the four buckets.

A generator: it yields prompts and is sent replies, so that asking again is plain code and a test
sends strings. The words are in prompt.toml beside this file. Every instruction must be answered by
its number; a reply that does less is not a judgment.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Literal

from appellate.core.trace import Trace
from appellate.traits.metric.evidence import Finder
from appellate.traits.metric.spec import MetricRubricTrait

TRIES = 3
"""How often a cell is asked in all before its replies count as unreadable."""
ROOM, ROOM_PER_ANSWER, MOST_ROOM = 4096, 256, 32_768
"""Tokens that a reply may take, at first and when replies are cut."""
MOST_REPAIRED = 200_000
"""Replies longer than this (codepoints) are read as they are or not at all."""

Why = Literal["first", "unreadable", "incomplete", "cut", "excerpts"]
Of = Literal["tp", "tn", "fp"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request: a strict JSON schema, the tokens that a reply may take (`room`), and why it is asked."""

    system: str
    user: str
    schema: Mapping[str, Any]
    room: int
    why: Why = "first"

    @property
    def sha256(self) -> str:
        whole = json.dumps([self.system, self.user, self.schema], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(whole.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; `cut` where the token limit ended it."""

    text: str
    cut: bool = False


class Unreadable(Exception):
    """No usable reply within the tries; `raw` is the last one."""

    def __init__(self, reason: str, raw: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.raw = raw


class _Unusable(Exception):
    """One reply that is no answer, and how to say so to the model."""

    def __init__(self, why: Why, fault: str) -> None:
        super().__init__(fault)
        self.why = why
        self.fault = fault


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The answer to one instruction; no excerpt means missing or absent."""

    number: int
    excerpts: tuple[str, ...]
    rationale: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A passage given as a wrong candidate, and what it was linked to."""

    excerpt: str
    of: Of | None
    number: int | None
    rationale: str


@dataclass(frozen=True, slots=True)
class _Answer:
    tp: tuple[_Verdict, ...]
    tn: tuple[_Verdict, ...]
    wrong: tuple[_Candidate, ...]


def dialogue(
    trait: MetricRubricTrait, trace: Trace, found: Callable[[str], bool] | None = None
) -> Generator[Prompt, Reply, dict[str, Any]]:
    """Asks until every instruction is answered; returns the judge's table of SPEC 5.

    `found` tells whether an excerpt stands in the response. Raises Unreadable.
    """
    found = found or _finder(trace.response)
    prompt = opening(trait, trace)
    answer = yield from _answered(trait, prompt)
    answer = yield from _verified(prompt, answer, found)
    return _table(trait, answer)


def _finder(response: str) -> Callable[[str], bool]:
    finder = Finder(response)
    return lambda text: bool(finder.find_parts(text))


# -- the prompt -----------------------------------------------------------------------------------


@cache
def _words() -> dict[str, Template]:
    text = files("appellate.traits.metric").joinpath("prompt.toml").read_text("utf-8")
    return {name: Template(part) for name, part in tomllib.loads(text).items()}


def _say(part: str, /, **values: str) -> str:
    return _words()[part].substitute(values)


def opening(trait: MetricRubricTrait, trace: Trace) -> Prompt:
    """The first prompt about a cell; the same for the same cell."""
    material = {"question": trace.question, "reference": _reference(trace), "response": trace.response}
    given = {name: _inert(text or "") for name, text in material.items() if text or name == "response"}
    checklist = readable(_checklist(trait))
    nonce = _nonce(given.values(), checklist)
    parts = [_say(name, nonce=nonce, **{name: text}) for name, text in given.items()]
    room = min(max(ROOM, ROOM_PER_ANSWER * _expected(trait)), MOST_ROOM // 2)
    return Prompt(_say("system").strip(), "\n".join([*parts, checklist]).strip(), schema(trait), room)


def _reference(trace: Trace) -> str:
    return "\n".join(trace.reference) if isinstance(trace.reference, list) else trace.reference or ""


def _expected(trait: MetricRubricTrait) -> int:
    return len(trait.instructions("tp")) + len(trait.instructions("tn"))


def _nonce(material: Iterable[str], checklist: str) -> str:
    """A code, the same for the same material, that occurs nowhere in it: no text can forge a tag with it."""
    whole = "\0".join(material)
    digest = hashlib.sha256(whole.encode())
    while digest.hexdigest()[:16] in whole + checklist:
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def _checklist(trait: MetricRubricTrait) -> str:
    hints, overlooked = trait.instructions("fp"), trait.fn_instructions
    parts = [_say("trait", name=_line(trait.name))]
    parts += [_say("description", description=trait.description)] if trait.description else []
    parts += [_say("tp", tp=_numbered(trait.instructions("tp")))]
    parts += [_say("fn", fn="\n".join(f"- {_line(text)}" for text in overlooked))] if overlooked else []
    parts += [_say("tn", tn=_numbered(trait.instructions("tn")))] if trait.full else []
    parts += [_say("fp", fp=_numbered(hints))] if hints else []
    parts += [_say("hint")] if trait.full and hints else []
    parts += [] if trait.full else [_say("wrong")]
    parts += [_say("wrong_hint")] if hints and not trait.full else []
    return "\n".join([*parts, _say("shape", shape=_shape(trait))])


def _numbered(instructions: Sequence[str]) -> str:
    return "\n".join(f"{number}. {_line(text)}" for number, text in enumerate(instructions, 1))


def _line(text: str) -> str:
    return " ".join(text.split())


_MARKER = re.compile(r"(<)(?=[|｜]|<?/?SYS>|/?s>|(?:start|end)_of_turn>)|(\[)(?=/?INST\])")
_JOINER = "\u2060"


def _inert(text: str) -> str:
    """The text with chat-template markers broken by an invisible character: servers obey them anywhere."""
    return _MARKER.sub(lambda match: match.group() + _JOINER, readable(text))


def readable(text: str) -> str:
    """The text as encodable Unicode: each lone surrogate is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# -- the schema -----------------------------------------------------------------------------------

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}


def schema(trait: MetricRubricTrait) -> dict[str, Any]:
    """The shape of a reply, in the part of JSON Schema that every strict server knows."""
    lists = {"tp_answers": _verdicts("found", "missing")}
    if trait.full:
        lists["tn_answers"] = _verdicts("present", "absent")
    if _wants_wrong(trait):
        lists["wrong_candidates"] = _array(_wrong_fields(trait))
    return _object(lists)


def _wants_wrong(trait: MetricRubricTrait) -> bool:
    return bool(not trait.full or trait.instructions("fp"))


def _wrong_fields(trait: MetricRubricTrait) -> dict[str, Any]:
    number_or_null = {"anyOf": [_NUMBER, {"type": "null"}]}
    fields: dict[str, Any] = {"excerpt": _TEXT}
    fields |= {} if trait.full else {"tp_instruction": number_or_null}
    fields |= {"hint": _NUMBER if trait.full else number_or_null} if trait.instructions("fp") else {}
    return fields | {"rationale": _TEXT}


def _verdicts(yes: str, no: str) -> dict[str, Any]:
    verdict = {"type": "string", "enum": [yes, no]}
    excerpts = {"type": "array", "items": _TEXT}
    return _array({"instruction": _NUMBER, "rationale": _TEXT, "excerpts": excerpts, "verdict": verdict})


def _array(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(fields)}


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


_EXCERPTS_SCHEMA = _object({"excerpts": _array({"number": _NUMBER, "text": _TEXT})})


def _shape(trait: MetricRubricTrait) -> str:
    """The schema as an example, for models whose server does not show it to them."""
    verdict = '{"instruction": 1, "rationale": "...", "excerpts": ["..."], "verdict": '
    lists = [f'"tp_answers": [{verdict}"found" or "missing"}}]']
    lists += [f'"tn_answers": [{verdict}"present" or "absent"}}]'] if trait.full else []
    fields = {"excerpt": '"..."', "tp_instruction": "1 or null", "hint": "1 or null", "rationale": '"..."'}
    if trait.full:
        fields["hint"] = "1"
    wrong = ", ".join(f'"{name}": {fields[name]}' for name in _wrong_fields(trait))
    lists += [f'"wrong_candidates": [{{{wrong}}}]'] if _wants_wrong(trait) else []
    return "{" + ", ".join(lists) + "}"


# -- asking ---------------------------------------------------------------------------------------


def _answered(trait: MetricRubricTrait, first: Prompt) -> Generator[Prompt, Reply, _Answer]:
    prompt, text, fault = first, "", ""
    for _ in range(TRIES):
        text, room = yield from _uncut(prompt)
        try:
            return _read(trait, text)
        except _Unusable as unusable:
            fault = unusable.fault
            user = f"{first.user}\n{_say('again', fault=fault)}".rstrip()
            prompt = replace(first, user=user, room=room, why=unusable.why)
    raise Unreadable(f"The judge gave no usable reply in {TRIES} tries: {fault}", text)


def _uncut(prompt: Prompt) -> Generator[Prompt, Reply, tuple[str, int]]:
    """A whole reply and the room it took: one cut by the token limit is asked again with twice as much."""
    reply = yield prompt
    while reply.cut:
        if prompt.room >= MOST_ROOM:
            reason = f"The reply was cut by the token limit, even with room for {prompt.room} tokens."
            raise Unreadable(reason, readable(reply.text))
        prompt = replace(prompt, room=min(2 * prompt.room, MOST_ROOM), why="cut")
        reply = yield prompt
    return readable(reply.text), prompt.room


def _verified(prompt: Prompt, answer: _Answer, found: Callable[[str], bool]) -> Generator[Prompt, Reply, _Answer]:
    """Asks once more for the excerpts that do not stand in the response; what is still not found stays."""
    answer = _reworded(answer, lambda text: _restored(text, found))
    astray = [text for text in dict.fromkeys(_excerpts(answer)) if not found(text)]
    if not astray:
        return answer
    lines = "\n".join(f"{n}. {_inert(json.dumps(text, ensure_ascii=False))}" for n, text in enumerate(astray, 1))
    user = f"{prompt.user}\n{_say('excerpts', excerpts=lines)}".rstrip()
    reply = yield replace(prompt, user=user, schema=_EXCERPTS_SCHEMA, why="excerpts")
    offered = {} if reply.cut else _offered(readable(reply.text), astray)
    restored = {text: _restored(better, found) for text, better in offered.items()}
    better = {text: words for text, words in restored.items() if found(words)}
    return _reworded(answer, lambda text: better.get(text, text))


def _excerpts(answer: _Answer) -> Iterable[str]:
    for verdict in (*answer.tp, *answer.tn):
        yield from verdict.excerpts
    for candidate in answer.wrong:
        yield candidate.excerpt


def _restored(text: str, found: Callable[[str], bool]) -> str:
    """The excerpt without the characters that `_inert` put into the response."""
    return text if _JOINER not in text or found(text) else text.replace(_JOINER, "")


def _reworded(answer: _Answer, word: Callable[[str], str]) -> _Answer:
    return _Answer(
        tuple(replace(verdict, excerpts=tuple(map(word, verdict.excerpts))) for verdict in answer.tp),
        tuple(replace(verdict, excerpts=tuple(map(word, verdict.excerpts))) for verdict in answer.tn),
        tuple(replace(candidate, excerpt=word(candidate.excerpt)) for candidate in answer.wrong),
    )


def _offered(text: str, astray: Sequence[str]) -> dict[str, str]:
    try:
        rows = _load(text).get("excerpts")
    except _Unusable:
        return {}
    pairs = [(_whole(row.get("number")), row.get("text")) for row in _rows(rows)]
    return {
        astray[number - 1]: words
        for number, words in pairs
        if number is not None and 1 <= number <= len(astray) and isinstance(words, str) and words.strip()
    }


# -- reading a reply ------------------------------------------------------------------------------


def _read(trait: MetricRubricTrait, text: str) -> _Answer:
    """What a reply answers; raises _Unusable with everything that is wrong with it."""
    reply = _load(text)
    faults: list[str] = []
    answer = _Answer(
        _judged(reply, "tp", len(trait.instructions("tp")), ("found", "missing"), faults),
        _judged(reply, "tn", len(trait.instructions("tn")), ("present", "absent"), faults),
        _candidates(reply, trait, faults),
    )
    if faults:
        more = f"; and {len(faults) - 8} more" if len(faults) > 8 else ""  # noqa: PLR2004 - enough to see the pattern
        raise _Unusable("incomplete", "; ".join(faults[:8]) + more + ".")
    return answer


def _judged(
    reply: Mapping[str, Any], of: str, expected: int, words: tuple[str, str], faults: list[str]
) -> tuple[_Verdict, ...]:
    """The verdicts on one list in the order of the instructions, each answered exactly once."""
    if not expected:
        return ()
    rows = _rows(reply.get(f"{of}_answers"))
    verdicts: dict[int, _Verdict] = {}
    for row in rows:
        number = _whole(row.get("instruction"))
        if number is None or not 1 <= number <= expected:
            faults.append(f"there is no {of.upper()} instruction {_quoted(row.get('instruction'))}")
        elif number in verdicts:
            faults.append(f"{of.upper()} instruction {number} is answered more than once")
        else:
            verdicts[number] = _verdict(row, f"{of.upper()} instruction {number}", number, words, faults)
    absent = [str(number) for number in range(1, expected + 1) if number not in verdicts]
    if absent:
        more = f" and {len(absent) - 20} more" if len(absent) > 20 else ""  # noqa: PLR2004 - likewise
        faults.append(f"{of.upper()} instruction {', '.join(absent[:20])}{more} is not answered")
    return tuple(verdicts[number] for number in sorted(verdicts))


def _verdict(row: Mapping[str, Any], place: str, number: int, words: tuple[str, str], faults: list[str]) -> _Verdict:
    """One row's verdict; "missing" and "absent" rule over excerpts given with them."""
    yes, no = words
    word = row.get("verdict")
    said = word.strip().casefold() if isinstance(word, str) else ""
    given = row.get("excerpts")
    texts = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    excerpts = tuple(readable(text) for text in texts if isinstance(text, str) and text.strip())
    if said not in words:
        faults.append(f'the verdict on {place} is {_quoted(word)}, not "{yes}" or "{no}"')
    elif said == yes and not excerpts:
        faults.append(f'{place} is "{yes}" without an excerpt')
    return _Verdict(number, excerpts if said == yes else (), _rationale(row))


def _candidates(reply: Mapping[str, Any], trait: MetricRubricTrait, faults: list[str]) -> tuple[_Candidate, ...]:
    if not _wants_wrong(trait):
        return ()
    if not isinstance(reply.get("wrong_candidates"), list):
        faults.append('"wrong_candidates" is not there (it is an empty list where there are none)')
    return tuple(_candidate(row, trait, faults) for row in _rows(reply.get("wrong_candidates")))


def _candidate(row: Mapping[str, Any], trait: MetricRubricTrait, faults: list[str]) -> _Candidate:
    """One wrong candidate; the link to a hint goes before the link to a TP instruction."""
    excerpt = row.get("excerpt")
    text = readable(excerpt) if isinstance(excerpt, str) else ""
    if not text.strip():
        faults.append("a wrong candidate has no excerpt")
    hint = _link(row.get("hint"), len(trait.instructions("fp")), "hint", faults)
    wanted = None if trait.full else row.get("tp_instruction")
    number = _link(wanted, len(trait.instructions("tp")), "TP instruction", faults)
    if trait.full and hint is None:
        faults.append("a wrong candidate has no hint")
    if hint is not None:
        return _Candidate(text, "fp", hint, _rationale(row))
    return _Candidate(text, None if number is None else "tp", number, _rationale(row))


def _link(value: Any, most: int, what: str, faults: list[str]) -> int | None:
    if value is None or not most:
        return None
    number = _whole(value)
    if number is None or not 1 <= number <= most:
        faults.append(f"there is no {what} {_quoted(value)}")
        return None
    return number


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row if isinstance(row, dict) else {} for row in value] if isinstance(value, list) else []


def _rationale(row: Mapping[str, Any]) -> str:
    said = row.get("rationale")
    return readable(said).strip() if isinstance(said, str) else ""


_DIGITS = re.compile(r"[0-9]{1,9}")


def _whole(value: Any) -> int | None:
    """The whole number that a model meant: 3, 3.0 or "3"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        return int(value.strip()) if _DIGITS.fullmatch(value.strip()) else None
    return value if isinstance(value, int) else None


_LONGEST_QUOTE = 40
_HUGE = 10**_LONGEST_QUOTE


def _quoted(value: Any) -> str:
    """A short piece of the reply, for a sentence about it."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return {type(None): "null", list: "a list", dict: "an object"}.get(type(value), "of that kind")
    text = readable(value) if isinstance(value, str) else f"{value:x}" if abs(value) > _HUGE else str(value)
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


# -- JSON as models write it ----------------------------------------------------------------------


def _load(text: str) -> dict[str, Any]:
    """The JSON object in a reply."""
    if not text.strip():
        raise _Unusable("unreadable", "it was empty.")
    value = next((value for value in _readings(text) if isinstance(value, dict)), None)
    if value is None:
        raise _Unusable("unreadable", "it is not one whole JSON object.")
    if not value:
        raise _Unusable("incomplete", "the object was empty.")
    return value


def _readings(text: str) -> Iterable[Any]:
    """The reply as it stands, without its wrapping, and repaired; later ones only when asked for."""
    bare = _unwrapped(text)
    yield _strict(text)
    yield _strict(bare)
    yield _repaired(bare)


def _strict(text: str) -> Any:
    """The JSON value, raw control characters in strings allowed; None if it is no JSON."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrapped(text: str) -> str:
    """From the first brace to the last: no code fences, no talk, nothing that a model thinks aloud."""
    after = text.rpartition("</think>")[2]
    spoken = after if "{" in after else text
    first, last = spoken.find("{"), spoken.rfind("}")
    return spoken[first : last + 1] if 0 <= first < last else ""


def _repaired(text: str) -> Any:
    """The object that damaged JSON stands for; None where its end is missing: repair would hide that."""
    if not _ended(text) or len(text) > MOST_REPAIRED:
        return None
    import json_repair

    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _ended(text: str) -> bool:
    """Whether the text ends as every complete reply does: with a list, then the object."""
    return text.endswith("}") and text[:-1].rstrip().rstrip(",").rstrip().endswith("]")


# -- the table ------------------------------------------------------------------------------------


def _table(trait: MetricRubricTrait, answer: _Answer) -> dict[str, Any]:
    """The answer as SPEC 5's judge table: excerpts in TP and FP, instructions in FN and TN."""
    table: dict[str, Any] = {"tp": [], "fn": [], "fp": [], "tn": [], "items": []}
    for verdict in answer.tp:
        for text in verdict.excerpts or (trait.instructions("tp")[verdict.number - 1],):
            _put(table, "tp" if verdict.excerpts else "fn", text, "tp", verdict.number, verdict.rationale)
    for verdict in answer.tn:
        for text in verdict.excerpts or (trait.instructions("tn")[verdict.number - 1],):
            _put(table, "fp" if verdict.excerpts else "tn", text, "tn", verdict.number, verdict.rationale)
    for candidate in answer.wrong:
        _put(table, "fp", candidate.excerpt, candidate.of, candidate.number, candidate.rationale)
    return table


def _put(table: dict[str, Any], bucket: str, text: str, of: Of | None, number: int | None, rationale: str) -> None:
    link = {} if of is None else {"instruction": number, "of": of}
    detail = link | ({"rationale": rationale} if rationale else {})
    if detail:
        table["items"].append({"bucket": bucket, "index": len(table[bucket]), **detail})
    table[bucket].append(text)
