"""How peers find addresses: multicast DNS, the address book of this machine, and peer exchange."""
