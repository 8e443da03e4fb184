# SPDX-License-Identifier: MIT
# Test and bench programs, found by wildcard: adding a file adds a test. Each has its own main and exits 0, 1 or 77 (skipped).
TEST_DIRS := $(wildcard tests/unit/*) tests/golden tests/faults tests/fuzz tests/kernels
TEST_C := $(filter-out tests/faults/faults.c,$(wildcard $(TEST_DIRS:%=%/*.c)))
TEST_PROGRAMS := $(TEST_C:%.c=$(BUILD)/%)
BENCH_PROGRAMS := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))

# Programs in tests/faults meet failing allocations, writes, fsyncs and renames: see tests/faults/faults.h.
empty :=
comma := ,
WRAPPED := malloc calloc realloc aligned_alloc posix_memalign strdup strndup \
  asprintf vasprintf realpath fopen open_memstream opendir scandir fork pthread_create \
  write pwrite fsync rename ftruncate posix_fallocate
WRAP_FLAGS := $(subst $(empty) $(empty),,-Wl $(WRAPPED:%=$(comma)--wrap=%))

.PHONY: test-programs bench-programs
test-programs: $(TEST_PROGRAMS) $(BUILD)/tests/checkkernels
bench-programs: $(BENCH_PROGRAMS)

$(BUILD)/tests/faults/%: $(BUILD)/tests/faults/%.o $(BUILD)/tests/faults/faults.o $(BUILD)/libketline.a
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(WRAP_FLAGS) -o $@ $^ $(LDLIBS)

# Those named after a tool hold the tool as well, in a frame of their own: see tests/faults/whole/whole.h.
WHOLE := $(filter $(patsubst tools/%.c,tests/faults/%,$(wildcard tools/*.c)),$(TEST_C:%.c=%))
$(WHOLE:%=$(BUILD)/%): $(BUILD)/tests/faults/%: $(BUILD)/tests/faults/%.o $(BUILD)/tools/%.o \
  $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/faults/whole/*.c) tests/faults/faults.c) $(BUILD)/libketline.a
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(WRAP_FLAGS),--wrap=main -o $@ $^ $(LDLIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libketline.a
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libketline.a
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# All kernel families, one after another: build/tests/checkkernels [--bench] [FAMILY...]
$(BUILD)/tests/checkkernels: tests/checkkernels.in $(patsubst %.c,$(BUILD)/%,$(wildcard tests/kernels/*.c))
	@mkdir -p $(@D)
	@install -m 755 $< $@

.SECONDARY: # keep all objects

# tests/fuzz/qasm.c twice: among the tests it replays its corpus; here it looks for more, with libFuzzer (clang), in what
# reads OpenQASM. What it finds lies in $(BUILD)/fuzz.
## make fuzz-qasm    bytes against the reader of OpenQASM for SECONDS=60, with clang, one core; coverage at the end
SECONDS ?= 60
FUZZED := $(wildcard lib/circuit/qasm*.c) lib/circuit/circuit.c lib/base/error.c
$(BUILD)/fuzz/qasm: tests/fuzz/qasm.c $(FUZZED) $(BUILD)/libketline.a
	$(call SAY,FUZZ)
	@mkdir -p $(@D)/corpus
	$(Q)clang -std=c17 -D_GNU_SOURCE -DKL_FUZZ -O1 -g -I. -Ilib -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    -fprofile-instr-generate -fcoverage-mapping $(PKG_CFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: fuzz-qasm
fuzz-qasm: $(BUILD)/fuzz/qasm
	@LLVM_PROFILE_FILE=$(BUILD)/fuzz/qasm.profraw nice -n 19 $< -max_total_time=$(SECONDS) -timeout=5 -max_len=4096 \
	    -dict=tests/fuzz/qasm.dict -artifact_prefix=$(BUILD)/fuzz/ -print_final_stats=1 $(BUILD)/fuzz/corpus tests/fuzz/qasm \
	    >$(BUILD)/fuzz/log 2>&1 || { tail -n 40 $(BUILD)/fuzz/log; exit 1; }
	@grep -E '^(Done|stat::)' $(BUILD)/fuzz/log
	@llvm-profdata merge -o $(BUILD)/fuzz/qasm.profdata $(BUILD)/fuzz/qasm.profraw && \
	    llvm-cov report $< -instr-profile $(BUILD)/fuzz/qasm.profdata $(filter lib/circuit/qasm%,$(FUZZED))
