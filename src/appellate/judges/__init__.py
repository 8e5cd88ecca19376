"""What proposes labels for a cell, and what asks for many of them at once."""
