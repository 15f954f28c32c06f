"""The models window: what is on this machine, what the hub has, and what is being downloaded."""
