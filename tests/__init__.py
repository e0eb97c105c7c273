"""The tests; they mirror the tree, beside suites by theme (e2e, hostile, hosts, project)."""

import swarm.net  # noqa: F401  some tests import libp2p themselves, which this must come before
