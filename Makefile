# Every command sets up what it needs; `make setup` is quick when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
STAMP := $(VENV)/.setup
FRAMEWORKS := langchain,llama-index,pydantic-ai,agno
EXTRAS := offline,multilingual,static,http,fast,graph,notebooks,$(FRAMEWORKS),providers,dev

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lowest format bench docs proof clean

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

# No model and no provider's SDK there: tests that need one are left out.
LOWEST_TESTS := tests/core/augmentation tests/core/moving tests/core/retrieval tests/core/stores tests/properties \
	tests/langchain tests/llamaindex tests/pydantic_ai tests/agno \
	--ignore tests/core/retrieval/test_person.py --ignore tests/pydantic_ai/test_typing.py \
	--deselect tests/core/retrieval/test_relevance.py::test_the_multilingual_embedder_answers_in_chinese

lowest: $(LOWEST)/.setup ## the tests of the core and the frameworks with the lowest versions that we claim
	$(LOWEST)/bin/python -m pytest -p no:cacheprovider $(LOWEST_TESTS) $(ARGS)

$(LOWEST)/.setup: pyproject.toml constraints-lowest.txt
	@test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install -qq --disable-pip-version-check -c constraints-lowest.txt \
		-e ".[http,classic,$(FRAMEWORKS),partners]" hypothesis pytest pytest-timeout
	@touch $@

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
	rm -rf $(VENV) $(LOWEST) build dist site .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
