"""What is said to a model and heard from it.

Dialogues, JSON as models write it, the shapes of replies.
"""
