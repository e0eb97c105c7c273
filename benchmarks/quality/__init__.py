"""How good are the plans? Goals whose demands code can check, and three ways to have them planned.

- `goals`: the generator of goals, with `wording` (five languages) and `gazetteer` (places).
- `checks`: a check in code for each demand, with `reading`, `lexicon` and `matching`.
- `perfect`: plans that keep everything, for tests; `obedient`: a model server that writes them.
- `arms`: one call, one agent, the swarm; all through the counting cache of `cache`.
- `results`, `table`: what was found, kept as lines of JSON, and the table for the document.

The checks know the truth of the generator and share no code with the product's own checks.
"""
