"""The swarm peer inside the bot: trio as a guest of asyncio, and the interface the bot needs."""
