"""The simulated world: virtual clock, wire, disks, and peers around the real code."""
