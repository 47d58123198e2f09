# Every command sets up what it needs; `make setup` is quick when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup
FRAMEWORKS := langchain,llama-index,pydantic-ai,agno
EXTRAS := offline,multilingual,static,http,fast,graph,notebooks,$(FRAMEWORKS),providers,dev

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench docs proof clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

setup: $(STAMP) ## the virtual environment, with what development needs

# The stamp is written last: a set-up that was interrupted starts again.
$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

demo: setup ## the main job, offline (DATA=path/to/locomo10.json for a real conversation)
	$(BIN)/memori demo $(if $(DATA),--data $(DATA))

test: setup ## the tests that take less than 30 seconds each
	$(BIN)/python -m pytest $(ARGS)

check: setup ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: setup ## put the code in the form that `make check` asks for
	$(BIN)/ruff check --fix --exit-zero -q .
	$(BIN)/ruff format .

bench: setup ## recall at 1,000 to 100,000 facts
	$(BIN)/memori bench recall --sizes 1000,10000,100000 $(if $(JSON),--json $(JSON))

docs: setup ## the documentation site, in site/
	$(BIN)/mkdocs build --strict -q -f docs/mkdocs.yml

proof: setup ## the slow tests: packaging against the registry, real data sets, figures
	$(BIN)/python -m pytest -m slow --timeout 3600 $(ARGS)

clean: ## everything that was made, .venv included
	rm -rf $(VENV) build dist site .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
