"""Runs `swarm` commands on a machine whose clock is wrong, as far as the command can see.

`python -m tests.e2e.shifted SECONDS ARGUMENT...` shifts what `time.time` shows and runs the
command. The product has no switch for this.
"""

from __future__ import annotations

import sys
import time

shift, real = float(sys.argv.pop(1)), time.time
time.time = lambda: real() + shift

if __name__ == "__main__":
    from swarm.__main__ import main

    main()
