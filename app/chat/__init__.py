"""Conversations and their summaries, the model's chat template, its thinking, and what fits into a context."""
