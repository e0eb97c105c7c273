"""Pure renderings of a plan for a chat: tree, splits, history, document and picture."""
