"""Tests of the project itself: what it installs, what it imports, what its documents promise."""
