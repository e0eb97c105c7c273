"""Measurements, one command each. Machines are noisy: look at medians and ratios."""
