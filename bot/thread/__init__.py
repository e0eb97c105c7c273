"""What a thread shows: a pure story per goal, and the relay that keeps Discord in line with it."""
