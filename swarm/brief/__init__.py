"""What a goal demands, and whether a split and a text keep it: pure code, no model, no I/O.

A small model loses what a person asked for; code does not. `read` reads a brief from a goal's text,
`skeleton` gives each part of a split its days, place, share of the budget and demands, `gate`
refuses splits and texts that cannot be meant for the goal, `checks` finds what a text lacks, `mend`
repairs what code can, `costs` adds up money, and `report` says how the plan meets each demand.

This room knows the types of `swarm.core` and nothing above it. Models and agents use it.
"""
