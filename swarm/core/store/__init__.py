"""The records that a peer holds, and the limits that bound them."""
