"""The cells in their order, and going through them."""
