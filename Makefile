# Two commands matter: `make run` and `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
GOAL ?=

.DEFAULT_GOAL := help
.PHONY: help setup run test coverage test-slow test-litellm lint types check lock upgrade fuzz bench bench-quality clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The Pythons for which every dependency has a wheel; pyproject.toml and tools/wheels.py say the same.
SUPPORTED := (3, 11) <= sys.version_info[:2] <= (3, 13)
PIP := $(PY) -m pip --disable-pip-version-check --no-input
# Everything is locked, with hashes: pip resolves nothing and builds with what is installed already.
LOCKED := install --no-deps --no-build-isolation --use-pep517

# The stamp is written last, so an installation that was cut short is never taken for a whole one.
$(STAMP): requirements/build.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not $(SUPPORTED))' || { \
	  echo "Leaderless runs on Python 3.11, 3.12 and 3.13; $(PYTHON) is $$($(PYTHON) --version 2>&1 || true)."; \
	  echo "To use another, name it: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@rm -f $(STAMP)
	@$(PY) -c 'import sys, pip; sys.exit(not $(SUPPORTED))' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV) || { \
	  echo "Python could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv"; exit 2; }
	@echo "Installing the locked dependencies into $(VENV); this takes a minute or two ..."
	@$(PIP) $(LOCKED) -q --require-hashes -r requirements/build.txt && \
	 $(PIP) $(LOCKED) -q --require-hashes --progress-bar on -r requirements/dev.txt && \
	 $(PIP) $(LOCKED) -q -e . || { \
	  echo "The dependencies could not be installed: pip's message above says why."; \
	  echo "If it could not reach its package index, check the network, then run this again; nothing is lost."; exit 2; }
	@touch $(STAMP)

setup: $(STAMP) ## make the virtual environment with everything in it

run: $(STAMP) ## start a local swarm and the bot in the playground; GOAL="..." asks for a plan and prints it
	@$(PY) -m bot playground --with-swarm $(if $(GOAL),--goal "$(GOAL)",|| [ $$? -eq 130 ]) # 130: Ctrl-C

# Tests of timing between real processes have the machine to themselves; all others run two at a time.
ALONE := tests/cli tests/e2e tests/hosts tests/hostile tests/net tests/processes

test: $(STAMP) ## run the test suite
	@$(PY) -m pytest tests $(ALONE:%=--ignore=%) -n 2 --dist loadfile
	@$(PY) -m pytest $(ALONE)

# A report, not a gate. Tracing makes tests twice as slow, so the tests of timing are not among them.
coverage: $(STAMP) ## print how much of the code the tests run, those of timing between processes left out
	@rm -rf .coverage
	@$(VENV)/bin/coverage run -m pytest tests $(ALONE:%=--ignore=%) -n 2 --dist loadfile || echo "Not every test passed while traced."
	@$(VENV)/bin/coverage combine -q && $(VENV)/bin/coverage report

test-slow: $(STAMP) ## run the tests that take longer than the main suite's budget, real weights included
	@$(VENV)/bin/swarm model fetch smollm2-135m || echo "Without weights the smoke test of the embedded model is skipped."
	@$(PY) -m pytest -m slow

LITELLM := $(or $(TMPDIR),/tmp)/leaderless-litellm

test-litellm: $(STAMP) ## run the tests with real servers of OpenAI's API; LiteLLM gets an environment of its own
	@test -x $(LITELLM)/bin/litellm || { $(PYTHON) -m venv $(LITELLM) && \
	  $(LITELLM)/bin/python -m pip install --disable-pip-version-check -q 'litellm[proxy]==1.108.7'; }
	@$(VENV)/bin/swarm model fetch smollm2-135m
	@LEADERLESS_TEST_LITELLM=$(LITELLM)/bin/litellm $(PY) -m pytest -m slow tests/llm/client/test_real_servers.py

lint: $(STAMP) ## ruff, the layers (import-linter), spelling
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check .
	@$(VENV)/bin/lint-imports --no-logo
	@$(VENV)/bin/codespell

types: $(STAMP) ## mypy, strict
	@$(VENV)/bin/mypy

check: test lint types ## what CI runs

COMPILE := $(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --no-header
LOCK := $(COMPILE) --generate-hashes

lock: $(STAMP) ## lock the dependencies again, changing only what pyproject.toml asks for
	@$(LOCK) pyproject.toml --group dev -o requirements/dev.txt
	@$(LOCK) pyproject.toml -c requirements/dev.txt -o requirements/run.txt
	@$(LOCK) --group build -c requirements/dev.txt -o requirements/build.txt
	@$(COMPILE) --format pylock.toml pyproject.toml --group dev -c requirements/dev.txt -o $(VENV)/pylock.toml
	@$(PY) -m tools.wheels $(VENV)/pylock.toml > requirements/wheels.txt

upgrade: $(STAMP) ## lock the newest versions that pyproject.toml allows
	@$(LOCK) --upgrade pyproject.toml --group dev -o requirements/dev.txt
	@$(MAKE) lock

FUZZ := $(or $(TMPDIR),/tmp)/leaderless-fuzz
SECONDS_EACH ?= 120

fuzz: $(STAMP) ## fuzz every decoder, SECONDS_EACH seconds each, in an environment of its own
	@test -x $(FUZZ)/venv/bin/python || $(PYTHON) -m venv $(FUZZ)/venv
	@$(FUZZ)/venv/bin/python -m pip install --disable-pip-version-check -q atheris==3.0.0
	@$(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$($(FUZZ)/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
	@nice -n 15 $(FUZZ)/venv/bin/python -m fuzz.run all --seconds $(SECONDS_EACH) --work $(FUZZ)/work

bench: $(STAMP) ## measure everything and write it into docs/measurements.md: a quarter of an hour, on a quiet machine
	@$(PY) -m benchmarks

QUALITY_GOALS ?= 16

bench-quality: $(STAMP) ## compare plans of one call, one agent and the swarm on QUALITY_GOALS goals: hours with the embedded model
	@$(PY) -m benchmarks.quality --seeds report --goals $(QUALITY_GOALS)

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .coverage .pytest_cache .hypothesis
