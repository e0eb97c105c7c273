"""libp2p's gossip made safe: no frame ends the process, and every queue is bounded and fair."""
