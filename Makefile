# Three commands do everything on a fresh machine with Python 3.11 or newer and make:
#   make demo     the main job on the samples that come with the project
#   make studio   the studio, in your browser
#   make test     ruff, mypy and all tests
SHELL := /bin/sh
PYTHON ?= $(shell for p in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
OUT ?= demo-out
WORKERS ?= auto
# uv is used if it is on PATH, because it is faster; it is never required.
UV := $(shell command -v uv 2>/dev/null)
ifeq ($(UV),)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
else
INSTALL = $(UV) pip install --quiet --python $(BIN)/python
endif

.PHONY: help demo studio test browser lint types blender-extension test-clients clients faults fuzz soak mutate paper figures test-pythons benchmark docs test-docs wheel wheel-test test-container sbom audit lock clean

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "freshtake needs Python 3.11 or newer on PATH (or: make PYTHON=/path/to/python3.12)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

# Stamps: a changed requirement file or pyproject.toml installs again.
$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/runtime.txt
	$(INSTALL) --no-deps -e .
	@touch $@

$(VENV)/.test: requirements/test.txt pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/test.txt
	$(INSTALL) --no-deps -e .
	@touch $@ $(VENV)/.runtime

$(VENV)/.docs: requirements/docs.txt | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/docs.txt
	@touch $@

$(VENV)/.studio: requirements/studio.txt pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/studio.txt
	$(INSTALL) --no-deps -e .
	@touch $@ $(VENV)/.runtime

studio: $(VENV)/.studio
	$(BIN)/freshtake studio

demo: $(VENV)/.runtime
	$(BIN)/freshtake demo -o $(OUT) --force

test: $(VENV)/.test browser lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --max-worker-restart 3 -q

# Tests of pages use Debian's chromium; if it cannot be installed, they are skipped with a note.
browser:
	@command -v chromium >/dev/null 2>&1 || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null 2>&1 \
	  && { apt-get -qq update && apt-get -qq -y install --no-install-recommends chromium; } >/dev/null 2>&1; } \
	  || echo "no chromium, and it cannot be installed here: the tests of pages are skipped"

lint: $(VENV)/.test
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .

types: $(VENV)/.test
	$(BIN)/mypy

# Blender's Python module (GPL, large; 5.0, 4.5 and 4.2 for Python 3.11, 5.2 for 3.13), OpenSim, MuJoCo and programs for node
# are installed into separate environments.
CLIENT_PYTHON ?= $(shell for p in python3.11 $(PYTHON) python3 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && echo $$p && break; done)
# A shim of pyenv for a version that is not active is on PATH but does not run.
NEWER_PYTHON ?= $(shell p=$$(command -v python3.13 2>/dev/null) && $$p -c '' 2>/dev/null && echo $$p)
clients: .clients/.ready

.clients/.blender: tests/clients/requirements.txt
	@test -n "$(CLIENT_PYTHON)" || { echo "Blender's module needs Python 3.11 on PATH (or: make clients CLIENT_PYTHON=/path/to/python3.11)"; exit 2; }
	$(CLIENT_PYTHON) -m venv .clients/venv
	.clients/venv/bin/python -m pip install --quiet --disable-pip-version-check -r tests/clients/requirements.txt
	@touch $@

.clients/.ready: .clients/.blender tests/clients/requirements-blender42.txt tests/clients/requirements-blender45.txt tests/clients/requirements-blender52.txt tests/clients/requirements-science.txt tests/clients/package.json
	@set -e; for version in 42 45; do $(CLIENT_PYTHON) -m venv .clients/blender$$version; \
	  .clients/blender$$version/bin/python -m pip install --quiet --disable-pip-version-check -r tests/clients/requirements-blender$$version.txt; done
	@test -z "$(NEWER_PYTHON)" || { $(NEWER_PYTHON) -m venv .clients/blender52 \
	  && .clients/blender52/bin/python -m pip install --quiet --disable-pip-version-check -r tests/clients/requirements-blender52.txt; }
	$(CLIENT_PYTHON) -m venv .clients/science
	.clients/science/bin/python -m pip install --quiet --disable-pip-version-check -r tests/clients/requirements-science.txt
	cp tests/clients/package.json .clients/package.json
	cd .clients && npm install --silent --no-audit --no-fund
	@touch $@

# Writes dist/freshtake-*.zip, for this platform or PLATFORMS="linux-x64 windows-x64 macos-arm64", and has Blender validate it.
# BLENDER=.clients/blender52/bin/python is for Blender 5.1 and 5.2, which have another Python.
BLENDER ?= .clients/venv/bin/python
blender-extension: .clients/.blender
	$(BLENDER) integrations/build_blender.py --blender $(BLENDER) $(if $(PLATFORMS),--platforms $(PLATFORMS))

test-clients: $(VENV)/.test clients
	$(BIN)/python -m pytest -q -o faulthandler_timeout=0 tests/clients

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),3600)

# Kills every command that writes, the studio and the agents' server at random moments (KILLS=1000) and at every flush; full and
# small disks, wrong clocks, first compilations at the same time; minutes.
faults: $(VENV)/.test
	$(BIN)/python -m tests.faults --kills $(or $(KILLS),300)

# Streams every method for HOURS in all, at most FRAMES each, and sends live motion; prints a table. ONLY="live" for one stream.
soak: $(VENV)/.test
	$(BIN)/python -m tests.soak --hours $(or $(HOURS),1) --frames $(or $(FRAMES),5000000) $(foreach name,$(ONLY),--only $(name))

# Runs the suite, or TESTS="tests/numeric ...", under every Python of this machine; for other versions, checks that all wheels exist.
test-pythons: $(BIN)/python
	$(BIN)/python -m tests.pythons $(TESTS)

# Breaks the numeric core on purpose and lists mutations that no test notices; METHODS="style density" and MOST=5 for fewer;
# CONSTANTS=1 changes only named constants, all of them.
mutate: $(VENV)/.test
	$(BIN)/python -m tests.mutation.mutate $(METHODS) --most $(or $(MOST),12) $(if $(CONSTANTS),--constants)

# Draws the figures of Lau 2009, from its own method and the default method; FRESHTAKE_DATA names a folder of recorded takes.
paper: $(VENV)/.test
	$(BIN)/freshtake paper figures -o $(or $(FIGURES),paper-figures) --force

# Remakes the tables of docs/results and the pictures of the manual, from the takes of FRESHTAKE_DATA; without it, from samples into
# figures-of-samples. ONLY="amounts style" for some tables, pages or pictures; about an hour for all of them on two free cores.
figures: $(VENV)/.test
	$(BIN)/python -m benchmarks.figures $(if $(ONLY),--only $(ONLY))

benchmark: $(VENV)/.test
	$(BIN)/python -m benchmarks

docs: $(VENV)/.test $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Runs all commands and code that the manual prints, and all examples; minutes.
test-docs: $(VENV)/.test
	FRESHTAKE_DOCS=1 $(BIN)/python -m pytest -n $(WORKERS) -q tests/test_printed_blocks.py tests/test_examples.py

# Writes dist/freshtake-*.whl: one with machine code for this Python and platform, and the pure wheel; minutes.
wheel:
	rm -rf dist/freshtake-*.whl
	$(PYTHON) integrations/build_wheel.py

# Proves that nothing is compiled after the wheel with machine code is installed; then
# builds sdist and wheel, installs the wheel (built from the sdist) into a new environment outside the tree, runs the demo there.
WHEEL_DIR ?= /tmp/freshtake-wheel-test
wheel-test: wheel
	$(PYTHON) integrations/try_wheel.py dist/freshtake-*-manylinux*.whl
	rm -rf $(WHEEL_DIR) && mkdir -p $(WHEEL_DIR)
	$(PYTHON) -m venv $(WHEEL_DIR)/build
	$(WHEEL_DIR)/build/bin/python -m pip install --quiet --disable-pip-version-check build
	$(WHEEL_DIR)/build/bin/python -m build --outdir $(WHEEL_DIR)/dist .
	$(PYTHON) -m venv $(WHEEL_DIR)/venv
	$(WHEEL_DIR)/venv/bin/python -m pip install --quiet --disable-pip-version-check $(WHEEL_DIR)/dist/*.whl
	cd $(WHEEL_DIR) && venv/bin/freshtake demo -o demo && venv/bin/freshtake --version

# Lists all parts of an installation with versions, hashes and licences (CycloneDX): dist/freshtake.cdx.json
sbom: $(VENV)/.studio
	$(BIN)/python integrations/sbom.py

# Looks up known vulnerabilities of all locked packages (pip-audit, in a separate environment); exit code 2 if the database
# cannot be reached.
audit: $(BIN)/python
	@test -x .audit/bin/pip-audit || { $(BIN)/python -m venv .audit && .audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	@$(BIN)/python integrations/audit.py .audit/bin/pip-audit

# Runs the steps of the Dockerfile without a container, and learns a model with the result; minutes.
test-container: $(VENV)/.test
	FRESHTAKE_CONTAINER=1 $(BIN)/python -m pytest -q -o faulthandler_timeout=0 tests/test_container.py

# Needs uv. Writes one hashed requirement file per group, without the name of any host.
COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
lock:
	$(COMPILE) --upgrade --extra alembic --extra c3d --extra crowd --extra mcp --extra plots --extra robot --extra studio --extra usd --group test pyproject.toml -o requirements/test.txt
	$(COMPILE) --upgrade -c requirements/test.txt pyproject.toml -o requirements/runtime.txt
	$(COMPILE) --upgrade -c requirements/test.txt --extra studio pyproject.toml -o requirements/studio.txt
	$(COMPILE) --upgrade -c requirements/test.txt --group docs -o requirements/docs.txt

clean:
	rm -rf $(VENV) .clients .pythons .audit $(OUT) figures-of-samples .mypy_cache .ruff_cache .pytest_cache site
