"""What the simulator plays: scenarios, and the faults and attackers they are made of."""
