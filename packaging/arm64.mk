# SPDX-License-Identifier: MIT
# arm64 from another machine: Debian's cross-compiler, against arm64 libraries in a folder of their own (arm64.sh), in build/arm64. What is
# linked is NAME.elf, and NAME runs it under qemu: tests and pipelines take them as they are. On arm64 itself `make` is enough.
ARM64 := build/arm64
ARM64_CC ?= aarch64-linux-gnu-gcc
ARM64_SYSTEM := $(abspath $(ARM64))/debian/sys
ARM64_LIB := $(ARM64_SYSTEM)/usr/lib/aarch64-linux-gnu
ARM64_PROGRAMS ?= all
ARM64_LIBRARIES = packaging/arm64.sh $(ARM64)/debian libc6-dev libgcc-s1 $(filter-out build-essential pkg-config,$(DEPS))
DEPS_ARM64 := gcc-aarch64-linux-gnu qemu-user-static

.PHONY: arm64 arm64-deps arm64-programs
## make arm64        the tools for arm64, crosswise, in build/arm64; each runs under qemu here (tests/arm64.sh all)
arm64: arm64-deps
	@$(MAKE) --no-print-directory arm64-programs
arm64-deps:
	$(call INSTALL_MISSING,$(DEPS_ARM64))
	@$(ARM64_LIBRARIES)
arm64-programs:
	@PKG_CONFIG_LIBDIR=$(ARM64_LIB)/pkgconfig:$(ARM64_SYSTEM)/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(ARM64_SYSTEM) \
	LDFLAGS="--sysroot=$(ARM64_SYSTEM) -Wl,-rpath-link,$(ARM64_LIB)" $(MAKE) --no-print-directory $(JOBS) BUILD=$(ARM64) \
	    CC="$(ARM64_CC) --sysroot=$(ARM64_SYSTEM)" EMULATOR="qemu-aarch64-static -L $(ARM64_SYSTEM)" $(ARM64_PROGRAMS)
