"""The fingerprint by which an audit knows that a rubric or a trait is still the one that was
reviewed.
"""

import hashlib
import json
from collections.abc import Mapping


def digest(table: Mapping[str, object]) -> str:
    """SHA-256 of the canonical JSON of `table`: sorted keys, no spaces, UTF-8."""
    canonical = json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
