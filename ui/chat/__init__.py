"""The conversation view and the composer."""
