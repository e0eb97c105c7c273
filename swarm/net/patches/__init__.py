"""Changes to internals of libp2p, one file for each part. Each names what upstream must change."""
