# The two main commands are `make run` and `make test`. Use `make check` while you edit. `make` lists all targets.
#
#   MPI=openmpi|mpich   which MPI (default openmpi); each has its own build tree and Python environment
#   ENGINE=ducc0        run the tests with the second FFT engine
#   TIER=gate|both|all  which tests (default gate): both: those that depend on the MPI library; all: also the nightly's
#   PART=name           one part of `make nightly`; `tools/nightly list` names them
#   WERROR=ON           warnings are errors (the default where CI is set)
#   JOBS=n              processes of a build
#   UNITY=OFF           compile each source alone: faster where single sources change, half as fast from nothing
#   PYTEST_JOBS=n       files of Python tests at a time (default 2; 0: serially)
#   MPICXX, WEFT_FFTW_LIBRARY   your own MPI and FFTW
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

MPI ?= openmpi
JOBS ?= $(shell nproc)
ENGINE ?=
WERROR ?= $(if $(CI),ON)
UNITY ?= ON
TIER ?= gate
CTEST_ARGS ?=
PYTEST_ARGS ?=
# Two files at a time, because tests spend much time starting Python and waiting, and each starts a few ranks itself.
PYTEST_JOBS ?= 2

ifeq ($(filter $(MPI),openmpi mpich),)
$(error MPI must be openmpi or mpich; given '$(MPI)')
endif
ifeq ($(filter $(ENGINE),fftw ducc0),)
ifneq ($(ENGINE),)
$(error ENGINE must be fftw or ducc0; given '$(ENGINE)')
endif
endif

ifeq ($(filter $(TIER),gate both all),)
$(error TIER must be gate, both or all; given '$(TIER)')
endif

BUILD := build/$(MPI)
VENV := $(if $(filter openmpi,$(MPI)),.venv,.venv-$(MPI))
PYTHON_BIN := $(VENV)/bin/python
# The user's MPI wins over the distribution's. The variable is expanded when used, because set-up may install the MPI.
WRAPPER = $(or $(MPICXX),$(shell command -v mpicxx.$(MPI)))
CMAKE_FLAGS = -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEFT_MPI=ON -DWEFT_TESTS=ON -DWEFT_UNITY=$(UNITY) \
    $(if $(WRAPPER),-DMPI_CXX_COMPILER=$(WRAPPER)) $(if $(MPICXX),,-DWEFT_EXPECTED_MPI=$(MPI)) \
    $(if $(WERROR),-DWEFT_WERROR=$(WERROR)) $(if $(FIRST_NANOBIND),-Dnanobind_ROOT=$(FIRST_NANOBIND))
# The second MPI takes nanobind from the first one's environment: compilations are equal only if all paths are.
FIRST_NANOBIND = $(if $(filter-out openmpi,$(MPI)),$(shell .venv/bin/python -m nanobind --cmake_dir 2>/dev/null))
# Some containers set PYTHONDONTWRITEBYTECODE. Every Python would compile all that it imports again, for a second.
unexport PYTHONDONTWRITEBYTECODE
# With ccache build trees share equal compilations. CMake reads the launcher when it first configures.
export CCACHE_DIR ?= $(CURDIR)/build/ccache
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
# Build trees share compilations only if their own paths are relative.
export CCACHE_BASEDIR ?= $(CURDIR)
export CMAKE_CXX_COMPILER_LAUNCHER = $(shell command -v ccache)
TEST_ENVIRONMENT = CTEST_OUTPUT_ON_FAILURE=1 $(if $(ENGINE),WEFT_ENGINE=$(ENGINE))
CXX_FILES = $(shell find src include apps python/src tests examples tools lab -name '*.[ch]pp' -o -name '*.[ch]' 2>/dev/null)

.PHONY: help setup setup-test setup-lint build build-all build-tests run check test nightly fftw test-asan test-tsan \
    tidy lint lint-changed format clean distclean

help:  ## this list
	@echo "make TARGET [MPI=openmpi|mpich] [ENGINE=ducc0]"
	@sed -nE 's/^([a-z0-9-]+):.*  ## (.*)/  \1\t\2/p' Makefile | expand -t 16

setup:  ## install what building and running need, if it is missing
	@tools/setup system $(MPI) run
	@tools/setup python $(MPI) run

setup-test:
	@tools/setup system $(MPI) test
	@tools/setup python $(MPI) test

setup-lint:
	@tools/setup system $(MPI) lint
	@tools/setup python $(MPI) lint

# Configures only if a flag differs, because configuring again takes seconds.
define configure
	@flags='$(CMAKE_FLAGS) -DWEFT_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON_BIN)'; \
	if [ ! -f $(BUILD)/build.ninja ] || [ "$$(cat $(BUILD)/.weft-flags 2>/dev/null)" != "$$flags" ]; then \
	    rm -f $(BUILD)/.weft-flags $(BUILD)/CMakeCache.txt; \
	    cmake -S . -B $(BUILD) $$flags; \
	    echo "$$flags" >$(BUILD)/.weft-flags; \
	fi
endef

build: setup  ## build the library and the Python package in release mode
	$(configure)
	@cmake --build $(BUILD) -j $(JOBS) --target weft_python
	@$(PYTHON_BIN) tools/develop.py $(BUILD)

build-all: setup-test
	$(configure)
	@cmake --build $(BUILD) -j $(JOBS)
	@$(PYTHON_BIN) tools/develop.py $(BUILD)

# Builds only the programs of the tier.
build-tests: setup-test
	$(configure)
	@cmake --build $(BUILD) -j $(JOBS) --target $(TEST_TARGETS)
	@$(PYTHON_BIN) tools/develop.py $(BUILD)
TEST_TARGETS = weft_python weft_mpi_tests $(if $(filter check,$(TIER)),weft_unit_tests,weft_faults)

fftw: setup  ## FFTW 3.3.8 with AVX2 in build/deps, for comparisons with FFTW at its best (some minutes)
	@tools/setup fftw $(MPI)

run: build  ## the main job: real data and 256^3 on 2 ranks, verified
	@$(PYTHON_BIN) tools/run_main_job.py

check: TIER = check
check: build-tests tidy  ## while you edit, 3 minutes: unit tests, 3 ranks, ruff, tidy
	@tools/setup python $(MPI) lint
	@$(PYTHON_BIN) -m ruff check --quiet . && $(PYTHON_BIN) -m ruff format --quiet --check .
	@$(TEST_ENVIRONMENT) ctest --test-dir $(BUILD) -j $(JOBS) --no-tests=error -L check $(CTEST_ARGS)

# The whole gate needs all programs; the tier `both` needs three.
test: $(if $(filter both,$(TIER)),build-tests,build-all) tidy  ## the gate: C++, MPI on 1 to 8 ranks, Python, doctests, README
	@echo "== ctest ($(MPI)$(if $(ENGINE),$(comma) $(ENGINE)), $(TIER))"
	@$(TEST_ENVIRONMENT) ctest --test-dir $(BUILD) -j $(JOBS) --no-tests=error $(if $(filter all,$(TIER)),,-L $(TIER)) \
	    --output-junit $(CURDIR)/build/ctest-$(MPI).xml $(CTEST_ARGS)
	@echo "== pytest ($(MPI)$(if $(ENGINE),$(comma) $(ENGINE)), $(TIER))"
	@$(TEST_ENVIRONMENT) $(PYTHON_BIN) -m pytest --tier $(TIER) -n $(PYTEST_JOBS) --dist loadfile --durations 25 \
	    --junit-xml build/pytest-$(MPI).xml --doctest-modules tests/python lab/tests $(BUILD)/python/weft $(PYTEST_ARGS)

nightly:  ## everything else, with fresh seeds: all parts (hours), or PART=name (less than one)
	@tools/nightly $(or $(PART),all)

comma := ,

# Compiles each source alone, which also shows that it includes all that it uses.
test-asan: setup-test  ## C++ unit and MPI tests under the address and undefined behaviour sanitizers
	@cmake -S . -B build/asan $(CMAKE_FLAGS) \
	    -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g" -DWEFT_SANITIZE=ON -DWEFT_UNITY=OFF -DWEFT_PYTHON=OFF
	@cmake --build build/asan -j $(JOBS)
	@ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:quarantine_size_mb=1 \
	    LSAN_OPTIONS=suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1 WEFT_TEST_TIMEOUT_S=850 \
	    $(TEST_ENVIRONMENT) ctest --test-dir build/asan --no-tests=error -R '^(unit|mpi_|example_)' $(CTEST_ARGS)

test-tsan: setup-test  ## shared exchanges, with threads as ranks, under the thread sanitizer
	@cmake -S . -B build/tsan $(CMAKE_FLAGS) \
	    -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g" -DWEFT_SANITIZE_THREADS=ON -DWEFT_PYTHON=OFF
	@cmake --build build/tsan -j $(JOBS) --target weft_unit_tests weft_thread_tests
	@build/tsan/tests/weft_unit_tests --gtest_brief=1 --gtest_filter='*HandOver*'
	@build/tsan/tests/weft_thread_tests --gtest_brief=1

tidy:  ## include directions, sizes, leftovers, names
	@python3 tools/tidy.py
	@python3 tools/names.py

# Takes minutes instead of the half hour of `make lint`: clang-tidy reads only the files of the last day's commits.
lint-changed: setup-lint  ## clang-format, ruff, mypy; clang-tidy on files that changed
	$(configure)
	@cmake --build $(BUILD) -j $(JOBS) --target weft_python
	@clang-format --dry-run -Werror $(CXX_FILES)
	$(PYTHON_BIN) -m ruff check .
	$(PYTHON_BIN) -m ruff format --check .
	MYPYPATH=$(BUILD)/python $(PYTHON_BIN) -m mypy
	tools/clang_tidy $(BUILD) $(JOBS)

lint: setup-lint  ## clang-format, clang-tidy, ruff, mypy
	$(configure)
	@cmake --build $(BUILD) -j $(JOBS) --target weft_python
	@clang-format --dry-run -Werror $(CXX_FILES)
	@WEFT_LINT_FILES=all tools/clang_tidy $(BUILD) $(JOBS)
	$(PYTHON_BIN) -m ruff check .
	$(PYTHON_BIN) -m ruff format --check .
	MYPYPATH=$(BUILD)/python $(PYTHON_BIN) -m mypy

format:  ## reformat the sources
	clang-format -i $(CXX_FILES)
	$(PYTHON_BIN) -m ruff format .

clean:  ## remove what was built
	rm -rf build/openmpi build/mpich build/asan build/tsan build/data build/ccache

distclean: clean  ## remove what was fetched as well
	rm -rf build .venv .venv-mpich
