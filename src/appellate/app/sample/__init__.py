"""Drawing a sample to rule blind."""
