"""Accepting goals: who may ask, with which options, how many at once, and the waiting queue."""
