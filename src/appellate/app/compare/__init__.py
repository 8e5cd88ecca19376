"""Answers beside each other, to compare them row by row."""
