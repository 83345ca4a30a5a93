# Everything a newcomer or CI runs. Set-up needs Python 3.11 with pip, and nothing else.
PYTHON ?= python3
BIN := .venv/bin
DEMO ?= demo
PIP := pip==26.3
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	--constraint constraints.txt --build-constraint constraints.txt
# The packages of one tier are installed again only when what it asks for changes.
STAMP = $(shell cat pyproject.toml constraints.txt | sha256sum | cut -c1-16)

.PHONY: help demo install test test-real test-latest check format docs site clean

help:            ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/  /'

.venv/base-$(STAMP):
	@# Without ensurepip, which Debian packages apart: the pip at hand puts one in.
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python $(BIN)/python install --quiet $(PIP)
	$(INSTALL) --editable .
	@touch $@

.venv/all-$(STAMP): .venv/base-$(STAMP)
	$(INSTALL) --group dev --editable '.[hub,label-studio]'
	@touch $@

.venv/site-$(STAMP): .venv/all-$(STAMP)
	$(INSTALL) --group docs
	@touch $@

install: .venv/all-$(STAMP)   ## everything that development and the fast tests need
	@echo "Ready: $(BIN)/pairwright --help"

# Stops where the folder of the demo holds what these targets did not write.
define keep_edited_demo
@if [ -z "$(FORCE)" ] && [ -e "$(DEMO)" ]; then \
	if [ -d "$(DEMO)/.as-written" ]; then \
		changes=$$(diff -rq -x run -x release -x .as-written "$(DEMO)/.as-written" "$(DEMO)"); \
	else \
		changes="This version of make demo did not write it."; \
	fi; \
	if [ -n "$$changes" ]; then \
		printf '%s\n' "$(DEMO) would be deleted, and a person changed it:" "$$changes" \
			"Nothing was done. Keep it: make demo DEMO=another-folder. Delete it: make $@ FORCE=1" >&2; \
		exit 2; \
	fi; \
fi
endef

# Shows a command and what it prints, up to what it would have a person do next.
define show
@echo '$$ $(BIN)/pairwright $(1)'
@said=$$($(BIN)/pairwright $(1)) || exit; printf '%s\n' "$$said" | sed '/^Next/,$$d'
endef

demo: .venv/base-$(STAMP)     ## build, verify with simulated annotators, release and audit the example
	$(keep_edited_demo)
	@rm -rf $(DEMO)
	@$(BIN)/pairwright init $(DEMO) >/dev/null
	@$(BIN)/pairwright init $(DEMO)/.as-written >/dev/null
	@printf '%s\n' "1  Build pairs for 21 fictional users. Model replies are replayed from a file: no key, no network."
	$(call show,build $(DEMO)/pairwright.toml --run $(DEMO)/run)
	@printf '\n%s\n' "2  Write tasks for annotators. Then a program plays the annotators, in two rounds."
	$(call show,human export $(DEMO)/run --seed 0)
	@$(BIN)/pairwright human simulate $(DEMO)/run >/dev/null
	@$(BIN)/pairwright human adjudicate $(DEMO)/run >/dev/null
	@$(BIN)/pairwright human simulate $(DEMO)/run >/dev/null
	@printf '\n%s\n' "3  Decide from the answers of both rounds"
	$(call show,human report $(DEMO)/run)
	@printf '\n%s\n' "4  Release and audit"
	$(call show,release $(DEMO)/run --out $(DEMO)/release --version 0.1.0 --trial)
	@printf '%s\n' "" "Open:" "  $(DEMO)/release/audit/report.html   every pair, and whether its label can be guessed" \
		"  $(DEMO)/run/human/report.html   what the annotators decided, and why" \
		"Next:" "  $(BIN)/pairwright show $(DEMO)/run twin:cooking-01   # a whole twin" \
		"  $(BIN)/pairwright evaluate $(DEMO)/release --out results   # score the baselines" \
		"  docs/tour.md explains this output. For your own data, start at docs/index.md."

test: .venv/all-$(STAMP)      ## the fast tests
	@# The compiled tests are kept, also where Python is told to keep none: every process needs them.
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -m 'not real' --numprocesses auto --maxprocesses 4 --dist loadfile --durations=5

test-real: .venv/site-$(STAMP) ## the tiers with real components
	$(BIN)/pytest -m real --numprocesses 2 --dist loadfile --durations=10

test-latest:     ## the fast tests with the newest release of every dependency
	$(PYTHON) -m venv --clear --without-pip .venv-latest
	$(PYTHON) -m pip --python .venv-latest/bin/python install --quiet pip
	.venv-latest/bin/python -m pip install --quiet --group dev --editable '.[hub,label-studio]'
	.venv-latest/bin/pytest -m 'not real'

check: .venv/all-$(STAMP)     ## format, lint, types, plain English, import contracts, licences of what is installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q -p no:cacheprovider tests/docs/test_words.py
	$(BIN)/lint-imports
	$(BIN)/pip-licenses --python $(BIN)/python >/dev/null

format: .venv/all-$(STAMP)    ## put the code into its form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/all-$(STAMP)      ## write the reference pages of docs/ from the code, and what commands on the pages print
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/tutorial.py

site: .venv/site-$(STAMP)     ## make the pages of docs/ a site in site/; a warning fails it
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --doctree-dir site/.doctrees docs site
	@echo "Open: site/index.html"

clean:           ## remove what these targets made here
	$(keep_edited_demo)
	rm -rf .venv .venv-latest $(DEMO) site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
