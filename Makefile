# ketline: make demo | make test | make bench | make help
# SPDX-License-Identifier: MIT
BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
DESTDIR ?=
SAN ?=
OPT ?= -O3
KETLINE_SHARED ?= ../shared
export KETLINE_SHARED

LIBS := hdf5 libpng cairo jansson yaml-0.1 libcrypto libxxhash libzip zlib
PKG_CFLAGS := $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(LIBS) 2>/dev/null)
CFLAGS += -std=c17 -D_GNU_SOURCE $(OPT) -g -Wall -Wextra -Werror -fno-math-errno -fno-trapping-math -ffp-contract=fast \
  -pthread -I. -Ilib -I$(BUILD) $(PKG_CFLAGS) $(SAN)
LDLIBS += $(PKG_LIBS) -pthread -lm
LDFLAGS += $(SAN)
ISA_base :=
ISA_avx2 := -mavx2 -mfma -mf16c -mtune=haswell
ISA_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mprefer-vector-width=512 -mtune=skylake-avx512

TOOLS := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
# Files that include kernels/inline/real.h are compiled in float and in double.
REAL := $(shell grep -l 'inline/real.h' lib/*/*.c kernels/*.c 2>/dev/null)
ONCE := $(filter-out $(REAL),$(wildcard lib/*/*.c kernels/*.c))
CPU := $(wildcard kernels/cpu/*.c)
OBJS := $(ONCE:%.c=$(BUILD)/%.o) $(foreach p,f32 f64,$(REAL:%.c=$(BUILD)/%.$(p).o)) \
  $(foreach p,f32 f64,$(foreach i,base avx2 avx512,$(CPU:%.c=$(BUILD)/%.$(p).$(i).o)))
BINS := $(TOOLS:%=$(BUILD)/bin/%)

.PHONY: all help
all: $(BINS)

help:
	@sed -n 's/^##* *\(make [a-z-]*:.*\)/\1/p' Makefile

$(BUILD)/libketline.a: $(OBJS)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/bin/%: $(BUILD)/tools/%.o $(BUILD)/libketline.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

define REAL_RULE
$(BUILD)/%.$(1).o: %.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) -DKL_F64=$(2) -MMD -MP -c -o $$@ $$<
endef
$(eval $(call REAL_RULE,f32,0))
$(eval $(call REAL_RULE,f64,1))

define ISA_RULE
$(BUILD)/kernels/cpu/%.$(1).$(3).o: kernels/cpu/%.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(ISA_$(3)) -DKL_F64=$(2) -DKL_ISA=$(3) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,base avx2 avx512,$(eval $(call ISA_RULE,f32,0,$(i)))$(eval $(call ISA_RULE,f64,1,$(i))))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
include tests/tests.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
