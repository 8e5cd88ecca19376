"""The digest of a sample: twelve letters, to be kept where nobody edits the audit.

It covers the draws, withdrawals and plans of an audit, what the judge had said at the draw, and the
texts of the traces. Whoever edits the file so that it agrees with itself cannot make it have the
digest that was kept. What comes after the draw it does not cover: verdicts, and later rounds.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from appellate.core.design_facts import (
    DesignFact,
    LooksPlanned,
    Sampled,
    Withdrawn,
    to_body,
    wave_name,
)
from appellate.store.samples.drawn_over import DrawnOver, encoded

LENGTH = 12
_DIGEST = re.compile(f"[a-z2-7]{{{LENGTH}}}")


class SampleDigest(NamedTuple):
    """The digest of a sample as it was after one of its draws or plans."""

    letters: str
    last: DesignFact
    """The draw or the plan that came last then."""
    later: int = 0
    """How many judgments of the traces came after their draw; the digest does not cover them."""


def read_digest(text: str) -> str:
    """Return the letters of a digest, in lower case, without the blanks and hyphens people write.

    Raises ValueError for a text that is no digest.
    """
    letters = re.sub(r"[\s-]", "", text).lower()
    if not _DIGEST.fullmatch(letters):
        raise ValueError(f"a digest is {LENGTH} letters a to z and digits 2 to 7")
    return letters


def sample_digests(
    design: Sequence[DesignFact],
    drawn_over: Mapping[int, DrawnOver],
) -> list[SampleDigest]:
    """Return the digest after each draw and each plan of the current sample, the latest last.

    `drawn_over` has the fingerprints of its draws, by their fact numbers. After a draw that it does
    not have there is no digest. One of a sample in waves covers what each wave was drawn over.
    """
    digests: list[SampleDigest] = []
    waves: list[_DigestedWave] = []
    draws: list[object] = []
    plans: list[object] = []
    for fact in design:
        act, body = to_body(fact.what)
        row = [fact.n, fact.at, fact.by, act, body]
        match fact.what:
            case Sampled():
                draws.append(row)
                name = wave_name(fact.what)
                if not waves or waves[-1].name != name:
                    waves.append(_DigestedWave(name, len(digests)))
                waves[-1].drawn_over = drawn_over.get(fact.n)
            case Withdrawn():
                draws.append(row)
                if waves:
                    del digests[waves.pop().digests_before :]
            case LooksPlanned():
                plans.append(row)
            case _:
                continue
        fingerprints = waves[-1].drawn_over if waves else None
        if fingerprints is None:
            continue
        material: dict[str, object] = {
            "design": draws,
            "plan": plans,
            "judged": fingerprints.judged_sha256,
            "texts": fingerprints.texts_sha256,
        }
        if len(waves) > 1:
            material["earlier_waves"] = [wave.sha256s for wave in waves[:-1]]
        known = [wave.drawn_over for wave in waves if wave.drawn_over is not None]
        later = sum(each.later for each in known)
        letters = digest_letters(encoded(material))
        digests.append(SampleDigest(letters, fact, later))
    return digests


class _DigestedWave(Struct):
    """A wave that digests cover."""

    name: str
    digests_before: int
    """How many digests there were before it was drawn."""
    drawn_over: DrawnOver | None = None
    """The present fingerprints of what its last draw was drawn over."""

    @property
    def sha256s(self) -> list[str]:
        """The fingerprints of what judges had said and of the texts; empty if not known."""
        if self.drawn_over is None:
            return []
        return [self.drawn_over.judged_sha256, self.drawn_over.texts_sha256]


def digest_letters(material: bytes) -> str:
    """Return the digest of some bytes: the first `LENGTH` letters of their SHA-256 in base 32."""
    sha256 = hashlib.sha256(material).digest()
    return base64.b32encode(sha256).decode("ascii").lower()[:LENGTH]
