"""Scripts that maintain the project itself; nothing of the product imports them."""
