"""The hub in the models window: search, one model, its files and what fits."""
