"""Overrides of libp2p internals, one file a patched part, each with its upstream issue."""
