"""Conversations, the model's chat template, and what fits into a context."""
