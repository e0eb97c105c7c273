"""Identities and owned swarms: who grants which role, and how a grant reaches another machine.

`identity` keeps a peer's key. `grants` is the file of grants and revocations on this machine.
`owner` issues them, `invite` encodes one for another machine, and `folder` creates the folder that
holds it all. `membership` is what a peer reads of this when it starts. Which record counts is not
decided here but in `swarm.core.roster`.
"""
