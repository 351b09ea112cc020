# Works with GNU make 3.81 or newer and a POSIX shell; the only other need is a Python >= 3.11 (with venv).
# Choose the interpreter with PYTHON: make test PYTHON=python3.12

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/lock.txt
UV := uv==0.13.9

PYTHON ?=
CANDIDATES := $(if $(PYTHON),$(PYTHON),python3.13 python3.12 python3.11 python3 python)
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

# Two stamps keyed by content: a new lock (or a moved checkout) rebuilds the environment, a new pyproject.toml
# installs the package anew, and without either a second run starts at once.
DEPENDENCIES := $(VENV)/dependencies-$(shell (pwd; cat $(LOCK)) | cksum | tr -d ' ')
READY := $(VENV)/package-$(shell cat $(LOCK) pyproject.toml | cksum | tr -d ' ')

# One thread per kernel and worker: parallel BLAS pools only get into each other's way.
export OMP_NUM_THREADS := 1

# Prints the first candidate that runs, is new enough and can make an environment; shims that fail are passed over.
define FIND_PYTHON
chosen=''; bare=''; \
for candidate in $(CANDIDATES); do \
    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
        if "$$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then chosen="$$candidate"; break; fi; \
        bare="$${bare:-$$candidate}"; \
    fi; \
done; \
if [ -z "$$chosen" ] && [ -n "$$bare" ]; then \
    echo "make: $$bare is new enough but has no venv with ensurepip." >&2; \
    echo "      Install it (Debian, Ubuntu: apt install python3-venv) or name another interpreter: make PYTHON=/path/to/python" >&2; \
    exit 1; \
fi; \
if [ -z "$$chosen" ]; then \
    echo "make: found no Python >= 3.11 among: $(CANDIDATES)." >&2; \
    echo "      Install one, or name it: make PYTHON=/path/to/python" >&2; \
    exit 1; \
fi
endef

.DEFAULT_GOAL := help
.PHONY: help setup reproduce test lint format notebooks bench lock names clean rebuild

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "make %-10s %s\n", $$1, $$2 }'

setup: $(READY) ## make .venv with the locked packages and this checkout in it

reproduce: $(READY) ## execute the notebooks on the offline backbone (smoke profile), write figures/
	$(BIN)/proactmem reproduce --profile smoke
	@echo "Results: tables and figures in figures/, runs and executed notebooks in data/runs/."

# The notebooks run one after the other: they share runs, and the first to need one makes it for the rest.
test: lint ## every check: lint, types, import contracts, tests, doctests, notebooks
	$(BIN)/python -m pytest -n auto
	$(BIN)/python -m pytest --nbval --nbval-current-env notebooks

lint: $(READY) ## ruff, mypy --strict and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## let ruff mend and format what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

notebooks: $(READY) ## execute the notebooks again and store the outputs that are committed
	$(BIN)/python -m tests.contracts.outputs

bench: $(READY) ## run the benchmarks
	@set -e; for file in benchmarks/*.py; do echo "$$file"; $(BIN)/python "$$file"; done

names: $(READY) ## write the list of public names after an intended change
	$(BIN)/python -m tests.contracts.names

lock: ## resolve requirements/lock.txt again (UPGRADE=1 moves to the newest versions)
	@set -e; $(FIND_PYTHON); rm -rf .venv-lock; "$$chosen" -m venv .venv-lock; \
	.venv-lock/bin/python -m pip --disable-pip-version-check --no-input install --quiet $(UV); \
	.venv-lock/bin/uv pip compile pyproject.toml --extra notebooks --extra dev --universal --python-version 3.11 \
	    --fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	    --custom-compile-command "make lock" --quiet $(if $(UPGRADE),--upgrade) --output-file $(LOCK); \
	rm -rf .venv-lock

clean: ## remove .venv, caches and build products (never data/ or figures/)
	rm -rf $(VENV) .venv-lock build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find proactmem tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# An interpreter named on the command line that is not the one .venv was made with makes it anew.
ifneq ($(PYTHON),)
ifneq ($(PYTHON),$(shell cat $(VENV)/interpreter 2>/dev/null))
$(DEPENDENCIES): rebuild
endif
endif

$(DEPENDENCIES):
	@set -e; $(FIND_PYTHON); echo "Setting up $(VENV) with $$chosen (once; a minute or two) ..."; \
	rm -rf $(VENV); "$$chosen" -m venv $(VENV); \
	$(PIP) install --quiet --require-hashes -r $(LOCK); \
	echo "$$chosen" > $(VENV)/interpreter; touch $@

$(READY): $(DEPENDENCIES)
	@set -e; rm -f $(VENV)/package-*; $(PIP) install --quiet --no-deps --no-build-isolation --editable .; touch $@
