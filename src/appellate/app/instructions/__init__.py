"""One instruction at a time, over all its cells."""
