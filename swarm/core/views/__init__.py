"""Views of a plan: one for programs, and its history in human-readable form."""
