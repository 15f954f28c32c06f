"""The downloads in the models window."""
