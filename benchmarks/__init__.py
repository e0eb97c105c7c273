"""Measurements, one command each. Machines are noisy, so look at medians and ratios."""
