"""The same work by what people would use instead; each runs in an environment of its own."""
