"""Dialogs: load settings, preferences, summarise, about the numbers."""
