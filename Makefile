# Two commands do everything on a machine that has python3, pip, make and git:
#   make run     the server with its page, and the line to paste into a client
#   make test    installs what the tests need, and runs them
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ADDRESS ?= 127.0.0.1:8765
# Two workers for each core of a small machine: a third of the tests' time is waiting for servers and browsers.
WORKERS ?= 4
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Modules are compiled once, also where the environment forbids to keep the result: tests start hundreds of programs.
unexport PYTHONDONTWRITEBYTECODE
QUICK := tests/api tests/text tests/read tests/net tests/tools tests/index tests/archive tests/store tests/limit tests/sandbox \
	tests/extract tests/test_architecture.py tests/test_docs.py tests/test_errors.py tests/test_settings.py tests/test_trace.py

.PHONY: help run install test quick check docs screenshots bench scorecard conformance constraints clean
help: ## show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: install ## start the server over HTTP and print the client line
	@exec $(BIN)/mcp-web serve --http $(ADDRESS)

install: $(VENV)/.installed ## leave .venv/bin/mcp-web
$(VENV)/.installed: pyproject.toml constraints.txt
	@scripts/install "$(PYTHON)" $(VENV)
	@touch $@

$(VENV)/.dev: $(VENV)/.installed constraints-dev.txt
	@scripts/install "$(PYTHON)" $(VENV) dev
	@touch $@

test: $(VENV)/.dev ## install what the tests need and run them
	@scripts/system-parts
	$(PYTEST) tests $(ARGS)

quick: $(VENV)/.dev ## the fast part of the tests, about a minute: no browser, no servers of others, no big data
	$(PYTEST) $(QUICK) $(ARGS)

check: $(VENV)/.dev ## ruff, mypy strict, architecture
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/ruff format --check src tests bench scripts
	$(BIN)/mypy src bench
	$(BIN)/python -m pytest -q tests/test_architecture.py

docs: $(VENV)/.dev ## build the documentation into site/
	$(BIN)/python scripts/reference.py
	$(BIN)/mkdocs build --strict --quiet

$(VENV)/.bench: $(VENV)/.dev constraints-bench.txt
	@scripts/install "$(PYTHON)" $(VENV) bench
	@touch $@

screenshots: $(VENV)/.dev ## take the pictures in docs/pictures again
	$(BIN)/python scripts/screenshots.py

bench: $(VENV)/.bench ## side-by-side figures against peers
	$(BIN)/python -m bench $(ARGS)

scorecard: $(VENV)/.bench ## measure every claim beside its peers and write docs/scorecard.md; at most half an hour
	@scripts/system-parts
	$(BIN)/python -m bench.scorecard $(ARGS)

conformance: $(VENV)/.dev ## the official MCP conformance suite against this server
	$(BIN)/python -m pytest tests/surface/test_conformance.py

constraints: ## pin the versions again, with hashes
	@scripts/pin "$(PYTHON)" constraints.txt

clean: ## remove what the targets made
	rm -rf $(VENV) .cache site dist build
