"""What is asked of a model, and how its replies are read: dialogues, schemas, JSON."""
