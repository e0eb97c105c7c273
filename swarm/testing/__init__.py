"""Scripted stand-ins for a language model, for tests, demos and the simulator."""
