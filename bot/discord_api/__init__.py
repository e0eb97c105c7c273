"""Everything that is particular to Discord: sending, rate limits, permissions and components."""
