#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/arm64.sh [all]: tests of the arm64 build (packaging/arm64.mk) under qemu, in $BUILD/arm64: a share of the kernels, of the
# units, of the golden values and of the command lines that takes a minute; all: all of these four but what qemu cannot do (a signal that
# ends its process, a driver of this machine).
set -u
cd "$(dirname "$0")/.." || exit 70
: "${BUILD:=build}"
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null ||
    { echo "skipped: aarch64-linux-gnu-gcc or qemu-aarch64-static is absent"; exit 77; }
[ -e "$BUILD/arm64/debian/packages" ] || { echo "skipped: no arm64 libraries; make arm64-deps"; exit 77; }
if [ "${1:-}" = all ]; then
    tests=$(ls tests/kernels/*.c tests/unit/*/*.c tests/golden/*.c tests/cli/*/*.t | grep -vxE 'tests/unit/(base/messages|device/device).c')
else
    tests='tests/kernels/act.c tests/kernels/conv.c tests/kernels/gemm.c tests/kernels/scan.c tests/kernels/mlp.c tests/kernels/layers.c
        tests/unit/base/hash.c tests/unit/store/roundtrip.c tests/golden/control_filter.c tests/cli/circuit/draw.t'
fi
programs=$(printf '%s\n' $tests | sed -n "s|\(.*\)\.c$|$BUILD/arm64/\1|p")
make -s arm64-programs BUILD="$BUILD" ARM64_PROGRAMS="$programs $BUILD/arm64/bin/circuit" >/dev/null || exit 1
BUILD=$BUILD/arm64 tests/run.sh -j "$(nproc)" ${tests//.c/}
