"""What tests of several kinds are held against."""

import gzip
import json

import pytest


@pytest.fixture(scope="session")
def oracle(shared):
    """Karenina's own results."""
    return json.loads(
        gzip.decompress((shared / "oracle" / "karenina.json.gz").read_bytes()),
    )
