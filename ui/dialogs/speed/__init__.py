"""Speed explained: the machine's limits, a turn's timeline, all turns so far, and what each number is."""
