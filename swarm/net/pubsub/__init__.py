"""libp2p's GossipSub made safe: no frame ends the process, and every queue is bounded and fair."""
