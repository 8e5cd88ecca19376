"""What people are told of the digest of a sample, and whether one that they kept still holds."""

from collections.abc import Sequence

from msgspec import Struct

from appellate.core.describe import describe_design
from appellate.core.problem import many
from appellate.numbers.formatting import when
from appellate.store.samples.drawn_as import SampleDigest


class DigestCheck(Struct, frozen=True):
    """Whether a digest that somebody kept is one of a sample."""

    letters: str
    holds: bool
    text: str
    """The answer in a sentence."""


def digest_text(digests: Sequence[SampleDigest], audit: str) -> str:
    """Return the latest digest of a sample in sentences, and what it is for; "" for no digests.

    They have the command that checks it later. `audit` is the name of its file, as a shell reads
    it.
    """
    if not digests:
        return ""
    letters = digests[-1].letters
    return (
        f"Digest: {letters}. Keep it where nobody edits the audit, in a commit or a mail:"
        f" `appellate check {audit} --drawn-as {letters}` says later whether draw, plan, texts and"
        " the judge's labels are still these."
    )


def short_digest_text(digests: Sequence[SampleDigest]) -> str:
    """Return the latest digest of a sample for the screen, in one sentence; "" for no digests.

    It says to keep it elsewhere, and which commands check it.
    """
    if not digests:
        return ""
    return (
        f"Digest {digests[-1].letters}: keep it elsewhere, and check, gate and report say with"
        " --drawn-as whether the sample is still this one."
    )


def check_digest(digests: Sequence[SampleDigest], letters: str) -> DigestCheck:
    """Return whether a digest is that of the sample now, or as it was before later draws and plans.

    `letters` are compared as they are, so the case counts, and a part of a digest does not hold.
    `digests` are those after each draw and plan of the sample, the latest last; without any, none
    holds. The result has a sentence that says so. For a digest that holds it also names later draws
    and plans, and counts later judgments, that the digest does not cover.
    """
    for index, digest in enumerate(digests):
        if digest.letters != letters:
            continue
        text = (
            f"The digest {letters} holds: the judge's labels and the texts are as they were at the"
            f" draw, and draw and plan as of {when(digest.last.at)}."
        )
        later = digests[index + 1 :]
        if later:
            acts_in_words: list[str] = []
            for later_digest in later:
                acts_in_words.append(describe_design(later_digest.last.what))
            acts = "; ".join(acts_in_words)
            count = many(len(later), "later act is", "later acts are")
            text += f" {count} not in it: {acts}."
        if digest.later:
            judgments = many(digest.later, "later judgment is", "later judgments are")
            text += f" {judgments} not in it"
            text += " either." if later else "."
        return DigestCheck(letters, holds=True, text=text)
    text = (
        f"The digest {letters} does not hold: the draw, the plan, the judge's labels or the texts"
        " of this file are not those it was printed for. Compare it with an earlier copy."
    )
    if not digests:
        text = f"The digest {letters} does not hold: there is no sample in this file."
    return DigestCheck(letters, holds=False, text=text)
