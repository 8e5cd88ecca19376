"""Ruling where two reviewers differ."""
