"""The swarm peer inside the bot: trio as a guest of asyncio, and what the bot needs of the peer."""
