"""What the judge and the reviewers come to."""
