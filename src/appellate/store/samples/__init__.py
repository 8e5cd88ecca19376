"""Samples that are drawn."""
