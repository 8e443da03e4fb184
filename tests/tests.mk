# SPDX-License-Identifier: MIT
# Test and bench programs, found by wildcard: adding a file adds a test. Each has its own main and exits 0, 1 or 77 (skipped).
TEST_DIRS := $(wildcard tests/unit/*) tests/golden tests/faults tests/kernels
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
