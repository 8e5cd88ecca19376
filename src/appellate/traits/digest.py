"""A part of a rubric, and the fingerprint by which an audit knows it again."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict


def digest(table: Mapping[str, object]) -> str:
    """SHA-256 of the canonical JSON of `table`: sorted keys, no spaces, UTF-8."""
    canonical = json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class RubricPart(BaseModel):
    """What a rubric file has a table of."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def to_file(self) -> dict[str, Any]:
        """The table as a rubric file writes it: only what differs from the defaults."""
        return self.model_dump(exclude_defaults=True)

    def sha256(self) -> str:
        return digest(self.to_file())
