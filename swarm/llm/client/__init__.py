"""The client side of a language model: prompts, requests, parsing and checks."""
