"""The three charts beside the conversation, the context gauge and the status line."""
