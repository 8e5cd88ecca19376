"""Reports of small audits, word for word."""

import pytest
from report_stage import compared, lived
from sampled_stage import sampled

from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from golden import golden
from panels import panel_audit, ruled, votes

__all__ = ["golden"]


@pytest.mark.parametrize("form", [markdown, html])
def test_a_small_audit_is_told_word_for_word(form, tmp_path, golden):
    golden(f"report_{form.__name__}", form(report(lived(tmp_path))))


SAMPLES = {
    "blind": (sampled, ""),
    "sighted": (
        lambda: sampled(160, 80, 80, blind=False, looks=False, right=0.8),
        "model",
    ),
    "panel": (lambda: panel_audit([ruled(one, True) for one in votes()]), ""),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_and_a_panel_are_told_word_for_word(name, golden):
    audit, by = SAMPLES[name]
    golden(f"report_{name}", markdown(report(audit(), by)))


def test_groups_and_epochs_are_told_word_for_word(tmp_path, golden):
    reducers = ("mean", "at_least_1>=0.7")
    golden("report_groups", markdown(report(compared(tmp_path), "model", reducers)))
