# SPDX-License-Identifier: MIT
# Test and bench programs, found by wildcard: adding a file adds a test. Each has its own main and exits 0, 1 or 77 (skipped).
TEST_DIRS := $(wildcard tests/unit/*) tests/golden tests/faults tests/fuzz tests/kernels tests/gpu
TEST_C := $(filter-out tests/faults/faults.c,$(wildcard $(TEST_DIRS:%=%/*.c)))
TEST_PROGRAMS := $(TEST_C:%.c=$(BUILD)/%)
BENCH_PROGRAMS := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))

# Programs in tests/faults meet failing allocations, writes, fsyncs and renames: see tests/faults/faults.h.
empty :=
comma := ,
WRAPPED := malloc calloc realloc aligned_alloc posix_memalign strdup strndup \
  asprintf vasprintf realpath fopen open_memstream opendir readdir scandir fork pthread_create \
  write pwrite fsync close rename renameat unlink unlinkat lseek ferror fclose ftruncate posix_fallocate read pread fstat poll waitpid \
  open fcntl dup pipe2 memfd_create mkostemp getrandom \
  EVP_MD_CTX_new XXH3_createState yaml_parser_initialize yaml_parser_parse inflateInit2_ inflate gzdopen gzfread gzerror H5Fclose \
  $(shell sed -n 's/^WRAP.[a-z_]*, \([A-Za-z0-9_]*\),.*/\1/p' tests/faults/calls/hdf5.c)
FAULT_OBJS := $(patsubst %.c,$(BUILD)/%.o,tests/faults/faults.c $(wildcard tests/faults/calls/*.c))
WRAP_FLAGS := $(subst $(empty) $(empty),,-Wl $(WRAPPED:%=$(comma)--wrap=%))

# Stages that prove docs/adding-a-stage.md: of each folder of tests/stages, which trains, a tool, and a `cache` that draws its files;
# means, which does not.
STAGES := $(patsubst tests/stages/%/,%,$(wildcard tests/stages/*/))
STAGE_PROGRAMS := $(foreach s,$(STAGES),$(BUILD)/tests/stages/$(s)/$(s) $(BUILD)/tests/stages/$(s)/cache)
define STAGE
$(BUILD)/tests/stages/$(1)/$(1): $(BUILD)/tests/stages/run.o
$(BUILD)/tests/stages/$(1)/cache: $(BUILD)/tests/stages/cache.o
$(BUILD)/tests/stages/$(1)/$(1) $(BUILD)/tests/stages/$(1)/cache: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/stages/$(1)/*.c)) \
  $(call needs,$(basename $(wildcard tests/stages/$(1)/*.c)) tests/stages/run tests/stages/cache)
	$$(call SAY,LD)
	$$(call LINK)
endef
$(foreach s,$(STAGES),$(eval $(call STAGE,$(s))))
STAGE_PROGRAMS += $(BUILD)/tests/stages/means
$(BUILD)/tests/stages/means: $(BUILD)/tests/stages/means.o $(call needs,tests/stages/means)
	$(call SAY,LD)
	$(call LINK)

.PHONY: test-programs bench-programs
test-programs: $(BUILD)/corpus/made $(TEST_PROGRAMS) $(STAGE_PROGRAMS) $(BUILD)/tests/checkkernels $(BUILD)/tests/cuda/cudnn/lib/libcudnn.so.9 \
  $(BUILD)/tests/cuda/libketline-cuda.so $(BUILD)/tests/cuda/without-cudnn/libketline-cuda.so
bench-programs: $(BENCH_PROGRAMS)

$(BUILD)/tests/faults/%: $(BUILD)/tests/faults/%.o $(FAULT_OBJS) $$(call needs,tests/faults/$$* $(FAULT_OBJS:$(BUILD)/%.o=%))
	$(call SAY,LD)
	$(call LINK,$(WRAP_FLAGS))

# Those named after a tool hold the tool as well, in a frame of their own: see tests/faults/whole/whole.h.
WHOLE := $(filter $(patsubst tools/%.c,tests/faults/%,$(wildcard tools/*.c)),$(TEST_C:%.c=%))
$(WHOLE:%=$(BUILD)/%): $(BUILD)/tests/faults/%: $(BUILD)/tests/faults/%.o $(BUILD)/tools/%.o \
  $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/faults/whole/*.c)) $(FAULT_OBJS) \
  $$(call needs,tests/faults/$$* tools/$$* $(basename $(wildcard tests/faults/whole/*.c)) $(FAULT_OBJS:$(BUILD)/%.o=%))
	$(call SAY,LD)
	$(call LINK,$(WRAP_FLAGS)$(comma)--wrap=main)

# gcc 12 for arm64 breaks off on it.
ifneq ($(filter aarch64%,$(shell $(CC) -dumpmachine)),)
$(BUILD)/tests/unit/sequence/hydra.o: override OPT += -fno-tree-vectorize
endif

# Small files of every format, right and wrong ones (NumPy and h5py of the system's Python write some).
$(BUILD)/corpus/made: tests/fuzz/make_corpus.py $(wildcard tests/fuzz/corpus/*.py) tests/golden/jpeg.h5
	$(call SAY,CORPUS)
	@rm -rf $(@D)
	$(Q)/usr/bin/python3 -BW ignore tests/fuzz/make_corpus.py $(@D)
	@touch $@

FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
$(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%): $(BUILD)/tests/fuzz/frame/frame.o
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $$(call needs,tests/fuzz/$$* tests/fuzz/frame/frame)
	$(call SAY,LD)
	$(call LINK)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $$(call needs,tests/$$*)
	$(call SAY,LD)
	$(call LINK)

test-programs: $(BUILD)/bench/gpu # tests/gpu-scripts.sh rehearses it
$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $$(call needs,tests/bench/$$*)
	$(call SAY,LD)
	$(call LINK)

# All kernel families, one after another: build/tests/checkkernels [--bench] [FAMILY...]
$(BUILD)/tests/checkkernels: tests/checkkernels.in $(patsubst %.c,$(BUILD)/%,$(wildcard tests/kernels/*.c))
	@mkdir -p $(@D)
	@install -m 755 $< $@

.SECONDARY: # keep all objects

# tests/fuzz/NAME.c twice: among the tests it replays its corpus, $(BUILD)/corpus/NAME; here it looks for more, with libFuzzer
# (clang). What a finding was lies in $(BUILD)/fuzz, and belongs into tests/fuzz/corpus once it is mended. The rooms that read what
# others wrote are built anew with sanitizers and counters; clang has no __SANITIZE_ADDRESS__ of its own.
FUZZ_FLAGS := -std=c17 -D_GNU_SOURCE -DKL_FUZZ -D__SANITIZE_ADDRESS__ -O1 -g -I. -Ilib $(PKG_CFLAGS) -fno-sanitize-recover=all \
  -fprofile-instr-generate -fcoverage-mapping
FUZZED := lib/backbone/table.c $(filter-out $(REAL),$(wildcard $(addprefix lib/,$(addsuffix /*.c,base store ingest weights circuit control/model control/pulse sampling/ladder sequence/recording qrng/bits))))
FUZZED_OBJS := $(FUZZED:%.c=$(BUILD)/fuzz/%.o)
SECONDS ?= 60

$(BUILD)/fuzz/%.o: %.c
	$(call SAY,FUZZ)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<
-include $(FUZZED_OBJS:.o=.d)

$(BUILD)/fuzz/libfuzzed.a: $(FUZZED_OBJS)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(FUZZ_TARGETS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/frame/frame.c $(wildcard tests/fuzz/frame/*.h) \
  $(BUILD)/fuzz/libfuzzed.a $(BUILD)/libketline.a
	$(call SAY,FUZZ)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.c %.a,$^) $(LDLIBS)

## make fuzz-NAME    bytes against one reader (tests/fuzz/NAME.c) for SECONDS=60, with clang, one core; make fuzz: all
.PHONY: fuzz
fuzz: $(FUZZ_TARGETS:%=fuzz-%)
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: $(BUILD)/fuzz/% $(BUILD)/corpus/made
	@mkdir -p $(BUILD)/fuzz/corpus/$*
	@LLVM_PROFILE_FILE=$(BUILD)/fuzz/$*.profraw nice -n 19 $< -max_total_time=$(SECONDS) -timeout=20 -rss_limit_mb=1024 \
	    -malloc_limit_mb=256 -max_len=4096 $(patsubst %,-dict=%,$(wildcard tests/fuzz/$*.dict)) \
	    -artifact_prefix=$(BUILD)/fuzz/$*- -print_final_stats=1 $(BUILD)/fuzz/corpus/$* $(BUILD)/corpus/$* \
	    >$(BUILD)/fuzz/$*.log 2>&1 || { tail -n 40 $(BUILD)/fuzz/$*.log; exit 1; }
	@grep -E '^(Done|stat::number_of|stat::peak)' $(BUILD)/fuzz/$*.log

## make fuzz-long    all of them in turns for MINUTES=60, from where the last call stopped; what all calls did is summed up
.PHONY: fuzz-long
MINUTES ?= 60
fuzz-long: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%) $(BUILD)/corpus/made
	@CORPUS=$(BUILD)/corpus FUZZ=$(BUILD)/fuzz tests/fuzz/long.sh $(MINUTES)

# Branches that ran of what reads other people's bytes, and of what publishes and recovers files: with clang's counters,
# which are in the file itself (%c), so that children and killed processes count as well. Each test has a folder of its own
# (%t, its TMPDIR): process numbers come again.
READERS := $(wildcard lib/ingest/*.c lib/weights/*.c lib/qrng/bits/*.c lib/circuit/noise*.c lib/circuit/observables.c lib/circuit/qasm*.c) \
  $(addprefix lib/base/,config.c grid.c json.c read_text.c)
RECOVERERS := $(wildcard lib/store/*.c)
BRANCH_TESTS := fuzz/ unit/base unit/ingest unit/weights unit/store unit/qrng/bits unit/circuit/qasm unit/circuit/noise unit/circuit/texts \
  faults/store faults/base faults/ingest faults/bits faults/weights faults/texts faults/places faults/circuit_memory faults/qconvert faults/cache faults/extract cli/extract cli/qconvert cli/cache cli/circuit cli/driver cli/qsweep cli/qtrain/resume cli/qtrain/qrng.t cli/qgan/resume faults/qtrain faults/qgan
BRANCH_PROGRAMS := $(foreach p,$(TEST_C:%.c=%),$(if $(strip $(foreach w,$(BRANCH_TESTS),$(findstring $(w),$(p)))),$(p)))
BRANCH_OBJECTS := $(addprefix $(BUILD)/branches/,$(addprefix bin/,extract-features qsweep circuit qconvert cache qtrain qgan) tests/fuzz/bits)
BRANCH_REPORT = $(firstword $(BRANCH_OBJECTS)) $(patsubst %,-object %,$(wordlist 2,99,$(BRANCH_OBJECTS))) \
  -instr-profile $(BUILD)/branches/profile $(READERS) $(RECOVERERS)

# Only what is counted has counters: the rest is built as ever, and so are its results.
ifdef COUNTED
$(COUNTED:%.c=$(BUILD)/%.o): SAN := -fprofile-instr-generate -fcoverage-mapping -w -mllvm -runtime-counter-relocation=true
LDFLAGS += -fprofile-instr-generate
endif

## make branches     tests of readers and of the store with clang's counters; lines and branches that ran, by file
.PHONY: branches
branches: deps-test
	@rm -rf $(BUILD)/branches/profiles
	@$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD)/branches CC=clang OPT="-O1 -w" COUNTED="$(READERS) $(RECOVERERS)" \
	    all $(BRANCH_PROGRAMS:%=$(BUILD)/branches/%)
	-@LLVM_PROFILE_FILE=$(abspath $(BUILD))/branches/profiles%t/%c%p.profraw KETLINE_PYTHON="$(TEST_PYTHON)" BUILD=$(BUILD)/branches \
	    tests/run.sh $(BRANCH_TESTS)
	@llvm-profdata merge -o $(BUILD)/branches/profile $(BUILD)/branches/profiles
	@llvm-cov export $(BRANCH_REPORT) | jq -r -f tests/branches.jq >$(BUILD)/branches/left
	@llvm-cov report $(BRANCH_REPORT) | awk -f tests/branches.awk
	@echo "what did not run: $(BUILD)/branches/left"
