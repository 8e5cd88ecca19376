"""Samples that are drawn, and what is planted in them."""
