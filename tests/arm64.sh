#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/arm64.sh [all]: tests of the arm64 build (packaging/arm64.mk) under qemu: a share of the kernels, of the
# units, of the golden values and of the command lines that takes a minute; all: all of these four but what qemu cannot do (a signal that
# ends its process, a driver of this machine).
set -u
cd "$(dirname "$0")/.." || exit 70
[ "$(realpath "${BUILD:-build}")" = "$PWD/build" ] || { echo "skipped: once is enough, in build/"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null ||
    { echo "skipped: aarch64-linux-gnu-gcc or qemu-aarch64-static is absent"; exit 77; }
[ -e build/arm64/debian/packages ] || { echo "skipped: no arm64 libraries; make arm64-deps"; exit 77; }
named() { printf "tests/$1/%s\n" ${2}; }
if [ "${1:-}" = all ]; then
    tools=all
    tests=$(ls tests/kernels/*.c tests/unit/*/*.c tests/golden/*.c tests/cli/*/*.t | sed 's/\.c$//' | grep -vxE 'tests/unit/(base/messages|device/device)')
else
    tools=build/arm64/bin/circuit
    tests="$(named kernels 'act bits conv conv_product depthwise gan gan_cells gemm layers mlp scan shallow temporal')
        $(named golden 'control_filter control_integrators noise sampling_ladders sampling_steps sequence_circuits streams')
        $(named unit 'base/half base/hash store/roundtrip') tests/cli/circuit/observables.t"
fi
export CORPUS=${CORPUS:-$PWD/build/corpus}
make -s build/corpus/made && make -s arm64-programs ARM64_PROGRAMS="$tools $(printf '%s\n' $tests | grep -v '\.t$' | sed 's|^|build/arm64/|' | tr '\n' ' ')" >/dev/null || exit 1
BUILD=build/arm64 tests/run.sh -j "$(nproc)" $tests
