"""The fold: a goal's records in, one plan out, the same at every peer."""
