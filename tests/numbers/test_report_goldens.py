"""The Markdown and the HTML of a small audit, word for word."""

import pytest
from report_stage import lived

from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from golden import golden

__all__ = ["golden"]


@pytest.mark.parametrize("form", [markdown, html])
def test_a_small_audit_is_told_word_for_word(form, tmp_path, golden):
    golden(f"report_{form.__name__}", form(report(lived(tmp_path))))
