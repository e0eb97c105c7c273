"""Settings for all tests of the network."""

from hypothesis import settings

# Two cores are shared with other suites: how long an example takes says nothing there.
settings.register_profile("net", deadline=None)
settings.load_profile("net")
