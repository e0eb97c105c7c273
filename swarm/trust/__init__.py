"""Identities, and owned swarms: who grants which role, and how a grant reaches another machine."""
