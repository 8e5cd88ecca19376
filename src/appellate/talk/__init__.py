"""What is said to a model and heard from it: dialogues, JSON as models write it, the shapes of replies."""
