"""Coverage-guided fuzzing of everything that reads untrusted input.

A target (`targets.TARGETS`) is a function of bytes: it feeds them to one decoder and asserts what
the decoder promises. `python -m fuzz.run TARGET --seconds N` runs one with atheris, which is not a
dependency of the project (see `run`). `corpus/TARGET/` keeps a few inputs that
reach most of the code, and every input that ever broke something; `tests/hostile` replays them.
"""
