"""The plan for readers: one view for programs, and its history for people."""
