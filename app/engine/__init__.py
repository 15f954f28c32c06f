"""Running a model: one protocol, in this process or in a child, that answers with a stream of events."""
