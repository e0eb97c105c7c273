"""What the bot keeps in SQLite: its journal, people's hashed ids, server settings and voters."""
