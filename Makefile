# ketline: make demo | make test | make bench | make help
# SPDX-License-Identifier: MIT
BUILD ?= build
# Also where tests name it from the root: objects and their .d files have one name.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
ifeq ($(origin CC),default)
CC := gcc
endif
# The kernels are where the time goes; what is around them compiles sooner. DEBUG=-g: for a debugger. STRICT=1: warnings are
# errors, as in continuous integration.
OPT ?= -O2
OPT_KERNELS ?= -O3
DEBUG ?=
STRICT ?=
SAN ?=
MAKEFLAGS += -r
KETLINE_SHARED ?= ../shared
export KETLINE_SHARED

# Debian packages: for the build (libopenblas0 is loaded by qseq, when it needs eigenvalues), then for the tests.
DEPS := build-essential pkg-config libhdf5-dev libpng-dev libjpeg-dev libcairo2-dev libjansson-dev libyaml-dev libssl-dev \
  libxxhash-dev zlib1g-dev libbz2-dev libopenblas0
DEPS_TEST := chromium poppler-utils clang jq mandoc zsh fish hdf5-tools rclone slurm-wlm munge libopenmpi-dev mpich libmpich-dev snakemake python3 python3-venv python3-numpy python3-h5py
LIBS := hdf5 libpng libjpeg cairo jansson yaml-0.1 libcrypto libxxhash zlib
PKG_CFLAGS := $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(LIBS) 2>/dev/null)
CFLAGS += -std=c17 -D_GNU_SOURCE $(DEBUG) -Wall -Wextra -Wpointer-arith $(if $(STRICT),-Werror) -fno-math-errno -fno-trapping-math -ffp-contract=fast \
  -pthread -I. -Ilib -I$(BUILD) $(PKG_CFLAGS) $(SAN)
LDLIBS += $(PKG_LIBS) -lbz2 -pthread -lm -ldl
# Gold takes a third of the time of ld.
LDFLAGS += $(if $(shell command -v ld.gold),-fuse-ld=gold) $(SAN)
# Vectors of 32 bytes are arguments within one file alone: gcc need not say how it passes them.
ISA_base := -Wno-psabi
ISA_avx2 := -mavx2 -mfma -mf16c -mtune=haswell
ISA_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mprefer-vector-width=512 -mtune=skylake-avx512

# Which of them are built; ISAS=base: none but the first.
ISAS := base $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),avx2 avx512)
CFLAGS += -DKL_ISAS_BUILT=$(words $(ISAS))

TOOLS := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
# A room is a folder of lib/; some have rooms of their own.
ROOMS := $(patsubst %/,%,$(wildcard lib/*/ lib/*/*/))
# Files that include kernels/inline/real.h are compiled in float and in double.
REAL := $(shell grep -l 'inline/real.h' $(ROOMS:%=%/*.c) kernels/*.c 2>/dev/null)
ONCE := $(filter-out $(REAL),$(wildcard $(ROOMS:%=%/*.c) kernels/*.c))
CPU := $(wildcard kernels/cpu/*.c kernels/cpu/*/*.c)
OBJS := $(ONCE:%.c=$(BUILD)/%.o) $(foreach p,f32 f64,$(REAL:%.c=$(BUILD)/%.$(p).o)) \
  $(foreach p,f32 f64,$(foreach i,$(ISAS),$(CPU:%.c=$(BUILD)/%.$(p).$(i).o)))
BINS := $(TOOLS:%=$(BUILD)/bin/%)

.PHONY: all help
all: $(BINS)
	@:

# One short line a file; make V=1 shows the commands.
Q := $(if $(V),,@)
SAY = $(if $(V),,@echo "  $(1)" $@)

# The text of `make help` is the lines that begin with two signs.
help:
	@sed -n 's/^## //p' Makefile tests/tests.mk packaging/install.mk kernels/cuda/cuda.mk packaging/bundle.mk packaging/arm64.mk

# A room is an archive, and so is a family of kernels (x.h, x.c, cpu/x.c, cpu/x_*.c, cpu/x/*.c). A program links those whose headers it
# includes, and what they need in turn: NEEDS_tools/qtrain is the list. So what is asked for is built, and no more.
FAMILIES := $(filter-out cuda%,$(patsubst kernels/%.h,%,$(wildcard kernels/*.h)))
ARCHIVES := $(patsubst %,$(BUILD)/%.a,$(filter-out lib/plot/%,$(ROOMS)) $(FAMILIES:%=kernels/%))
$(foreach r,$(ROOMS),$(eval $(BUILD)/$(r).a: $(filter $(BUILD)/$(r)/%,$(OBJS))))
$(foreach f,$(FAMILIES),$(eval $(BUILD)/kernels/$(f).a: $(filter $(foreach n,$(f) cpu/$(f),$(BUILD)/kernels/$(n).%o $(BUILD)/kernels/$(n)_%o $(BUILD)/kernels/$(n)/%.o),$(OBJS))))
$(ARCHIVES) $(BUILD)/libketline.a:
	$(call SAY,AR)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcs$(if $(filter %/libketline.a,$@),,T) $@ $^
$(BUILD)/libketline.a: $(OBJS)

SOURCES := $(wildcard $(ROOMS:%=%/*.[ch]) kernels/*.[ch] kernels/*/*.[ch] kernels/*/*/*.[ch] tools/*.c tests/*.h tests/*/*.[ch] tests/*/*/*.[ch])
$(BUILD)/needs.mk: packaging/needs.awk $(SOURCES)
	@mkdir -p $(@D)
	@{ printf '%s\n' $(SOURCES); grep -H '^ *# *include "' $(SOURCES); } | awk -f $< >$@
-include $(BUILD)/needs.mk
# The archives of programs by their sources' names.
needs = $(sort $(foreach p,$(1),$(NEEDS_$(p))))
LINK = $(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) $(1) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS)$(FOREIGN)
# What is built for another machine: the program is NAME.elf, and NAME runs it by EMULATOR.
HASH := \#
FOREIGN = $(if $(EMULATOR), && mv $@ $@.elf && printf '$(HASH)!/bin/sh\nexec $(EMULATOR) -0 "$$0" $(abspath $@).elf "$$@"\n' >$@ && chmod +x $@)

.SECONDEXPANSION:
$(BUILD)/bin/%: $(BUILD)/tools/%.o $$(call needs,tools/$$*)
	$(call SAY,LD)
	$(call LINK)

$(BUILD)/%.o: %.c Makefile
	$(call SAY,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(OPT) -MMD -MP -c -o $@ $<

define REAL_RULE
$(BUILD)/%.$(1).o: %.c Makefile
	$$(call SAY,CC)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(OPT) -DKL_F64=$(2) -MMD -MP -c -o $$@ $$<
endef
$(eval $(call REAL_RULE,f32,0))
$(eval $(call REAL_RULE,f64,1))

define ISA_RULE
$(BUILD)/kernels/cpu/%.$(1).$(3).o: kernels/cpu/%.c Makefile
	$$(call SAY,CC)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(OPT_KERNELS) $$(ISA_$(3)) -DKL_F64=$(2) -DKL_ISA=$(3) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call ISA_RULE,f32,0,$(i)))$(eval $(call ISA_RULE,f64,1,$(i))))

ifeq ($(PKG_LIBS),)
ifneq ($(filter all install test-programs,$(or $(MAKECMDGOALS),all)),)
$(error pkg-config does not find all of: $(LIBS). On Debian `make deps` installs what is missing, elsewhere: $(DEPS))
endif
endif

include tests/tests.mk packaging/install.mk kernels/cuda/cuda.mk packaging/bundle.mk packaging/arm64.mk
-include $(OBJS:.o=.d) $(patsubst %.c,$(BUILD)/%.d,$(TOOLS:%=tools/%.c) $(TEST_C) \
  $(wildcard tests/bench/*.c tests/faults/*.c tests/faults/whole/*.c tests/fuzz/frame/*.c tests/stages/*.c tests/stages/*/*.c))

# Recursive calls of make, because the libraries' flags are looked up anew once `deps` has installed them.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: deps deps-test demo demo-qrng demo-control demo-sgld demo-seq test check bench sanitize coverage clean
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
define INSTALL_MISSING
	@command -v dpkg-query >/dev/null || { echo "not Debian: provide these by hand: $(1)"; exit 0; }; \
	missing=$$(for p in $(1); do \
	    dpkg-query -W -f '$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || echo $$p; done); \
	[ -z "$$missing" ] || { echo "installing" $$missing; $(SUDO) apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends $$missing >/dev/null; }
endef

## make              build all tools into build/bin
## make deps         install by name the Debian packages that are missing
deps:
	$(call INSTALL_MISSING,$(DEPS))

deps-test:
	$(call INSTALL_MISSING,$(DEPS) $(DEPS_TEST) $(DEPS_ARM64))
	@$(ARM64_LIBRARIES) || echo "no arm64 libraries: tests/arm64.sh is skipped"

## make demo         dependencies, the tools that it runs, then the main job on the digits of data/: out/demo
demo: deps
	$(call DEMO,demo,extract-features qtrain qeval figures)

## make demo-qrng    the same for random-number devices, three that are made: out/demo-qrng
demo-qrng: deps
	$(call DEMO,qrng,extract-features qtrain qeval qgan tournament figures)

## make demo-control the same for quantum control: pulses that flip a noisy qubit, what they are worth: out/demo-control
demo-control: deps
	$(call DEMO,control,qcontrol figures cache)

## make demo-sgld    the same for Langevin sampling: chains on SYNTH and the digits, bounds on the test error: out/demo-sgld
demo-sgld: deps
	$(call DEMO,langevin,sgld figures)

## make demo-seq     the same for sequence models: synthetic people, each left out in turn, quantum models beside their controls: out/demo-seq
demo-seq: deps
	$(call DEMO,eeg,qseq figures cache)

define DEMO
	@$(MAKE) --no-print-directory $(JOBS) $(2:%=$(BUILD)/bin/%)
	@$(MAKE) --no-print-directory $(JOBS) -O -f pipelines/$(1).mk BUILD=$(BUILD) OUT=out/$@
	@$(MAKE) -q --no-print-directory $(BINS) 2>/dev/null || echo "The other tools: make (two minutes)"
endef

# clang.sh reads the bench programs.
## make test         dependencies, build, all tests; ONLY='store qtrain': those with these words in the name
test: deps-test
	@$(MAKE) --no-print-directory $(JOBS) all test-programs test-python
	@KETLINE_PYTHON="$(TEST_PYTHON)" BUILD=$(BUILD) tests/run.sh $(ONLY)

## make check        unit, golden and command-line tests that take less than two seconds each, nothing installed; T=tests/unit/store: all of a folder or file
CHECKED := $(or $(T:%.c=%),tests/unit/ tests/golden/ tests/cli/)
check:
	@$(MAKE) --no-print-directory $(JOBS) all $(filter $(CHECKED:%=$(BUILD)/%%),$(TEST_PROGRAMS))
	@$(MAKE) --no-print-directory $(BUILD)/corpus/made || echo "no NumPy or h5py: tests of other people's files are skipped"
	@BUILD=$(BUILD) tests/run.sh $(if $(T),,--quick) $(CHECKED)

# The packages mlflow, qiskit and safetensors must read what the tools write; where they cannot be had, their tests are
# skipped.
TEST_PYTHON := $(or $(KETLINE_PYTHON),$(abspath $(BUILD))/python/bin/python)
.PHONY: test-python
test-python:
ifndef KETLINE_PYTHON
	@[ -x $(BUILD)/python/bin/python ] || /usr/bin/python3 -m venv --system-site-packages $(BUILD)/python
	@$(BUILD)/python/bin/python -c 'import arviz, h5netcdf, mlflow, qiskit_qasm3_import, safetensors' 2>/dev/null || \
	    $(BUILD)/python/bin/python -m pip install -q --disable-pip-version-check --no-warn-conflicts mlflow-skinny 'numpy<2' qiskit \
	    qiskit-qasm3-import safetensors 'arviz<1' h5netcdf || \
	    echo "arviz, mlflow, qiskit and safetensors cannot be installed: their tests are skipped"
endif

## make mpi          libketline-mpi.so beside the tools, for --ranks under mpirun or srun; MPICC=mpicc.mpich: of another MPI
MPICC ?= mpicc
MPI ?= $(BUILD)/bin/libketline-mpi.so
.PHONY: mpi FORCE
mpi: $(MPI)
$(MPI): FORCE # by whichever MPICC is named now
	$(call SAY,MPICC)
	@mkdir -p $(@D)
	@command -v $(firstword $(MPICC)) >/dev/null || { echo "no $(MPICC); install an MPI (Debian: libopenmpi-dev or libmpich-dev), or name its compiler: make mpi MPICC=/path/to/mpicc"; exit 2; }
	$(Q)$(MPICC) -std=c17 $(DEBUG) -O2 -Wall -Wextra $(if $(STRICT),-Werror) -Ilib -fPIC -shared -o $@ mpi/mpi.c

## make bench        the speed table, docs/benchmarks.md; the peers run in the python that KETLINE_PYTHON names
bench: deps
	@$(MAKE) --no-print-directory $(JOBS) all bench-programs
	@BUILD=$(BUILD) tests/bench/run.sh

# Contracts a * b + c as -O3 does: the bits of some tests depend on it.
INSTRUMENTED = OPT="-O1 -fexpensive-optimizations" OPT_KERNELS="-O1 -fexpensive-optimizations" DEBUG=-g

## make sanitize     all tests with AddressSanitizer and UBSan, in build/sanitize
# (-w: instrumented code confuses gcc's warnings; the plain build has them all)
sanitize: deps-test test-python
	@ACCURACY=digits KILLS=5 STOP_SECONDS=60 TEST_TIMEOUT=3600 $(MAKE) --no-print-directory test BUILD=$(BUILD)/sanitize $(INSTRUMENTED) \
	    SAN="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -w" \
	    KETLINE_PYTHON="$(TEST_PYTHON)"

## make coverage     all tests with gcov; the last line is the share of the lines of lib/ that ran
coverage: deps-test test-python
	@find $(BUILD)/coverage -name '*.gcda' -delete 2>/dev/null || true
	-@ACCURACY=digits KILLS=5 TEST_TIMEOUT=3600 $(MAKE) --no-print-directory test BUILD=$(BUILD)/coverage $(INSTRUMENTED) \
	    SAN="--coverage -fprofile-update=atomic -w" \
	    KETLINE_PYTHON="$(TEST_PYTHON)"
	@find $(BUILD)/coverage/lib -name '*.gcda' -print0 | xargs -0 gcov -t 2>/dev/null | awk -f tests/coverage.awk

## make clean        remove the build folder (and V=1 anywhere: show the commands)
clean:
	rm -rf $(BUILD)
