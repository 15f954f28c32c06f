"""The models on this machine: a table, and what can be done with one of them."""
