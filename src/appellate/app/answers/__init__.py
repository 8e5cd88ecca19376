"""Two answers of one question, side by side."""
