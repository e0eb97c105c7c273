"""The embedded model: weights, engine, and the local server that speaks the API of Ollama."""
