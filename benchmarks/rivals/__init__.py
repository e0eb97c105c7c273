"""The same work by what people would use instead; each runs in a separate environment."""
