"""Appellate: check an LLM judge item by item, in a terminal."""
