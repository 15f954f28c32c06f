"""Measurements on demand: a grid of tests, the run, the tables, and what the machine can do at best."""
