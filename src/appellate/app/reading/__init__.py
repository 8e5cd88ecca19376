"""What a cell is read against: prompt, response, documents."""
