"""The preview of a summary, in which it is looked at, changed and accepted."""
