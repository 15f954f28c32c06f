"""The load dialog: settings on one side, what they take of each device on the other."""
