"""The bench window: what to measure, how far it is, results as table and charts, earlier ones side by side."""
