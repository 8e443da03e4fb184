#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make bench: every program of tests/bench and every peer, one after another on this machine, then the table in docs/benchmarks.md.
# tests/bench/run.sh [--quick] [WORD...]: only the pieces with a WORD in their name; then the table goes to standard output.
# The format of the lines is in tests/bench/README.md.
set -u
cd "$(dirname "$0")/../.." || exit 70
: "${BUILD:=build}" "${KETLINE_SHARED:=../shared}" "${KETLINE_PYTHON:=python3}"
export BUILD KETLINE_SHARED PATH=$PWD/$BUILD/bin:$PATH
case $BUILD in /*) PATH=$BUILD/bin:$PATH ;; esac
quick=
[ "${1:-}" = --quick ] && { quick=--quick; shift; }
words=("$@")
chosen() {
    [ ${#words[@]} = 0 ] && return 0
    local w
    for w in "${words[@]}"; do case $1 in *"$w"*) return 0 ;; esac; done
    return 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
results=$work/results
: >"$results"
: >"$work/skipped"
keep() { tee -a "$work/all" | sed -n 's/^bench //p' >>"$results"; }
piece() { # NAME COMMAND...
    local name=$1 status
    shift
    chosen "$name" || return 0
    echo "bench: $name" >&2
    "$BUILD/bench/measure" "$name" "$@" >"$work/out"
    status=$?
    [ $status = 77 ] && { echo "$name: $(grep -v '^bench ' "$work/out" | tail -1)" >>"$work/skipped"; return 0; }
    [ $status = 0 ] || { echo "$name: failed with status $status" >>"$work/skipped"; return 0; }
    keep <"$work/out"
}
best_wall() { # NAME ROUNDS COMMAND...: the wall time of the fastest round
    local name=$1 rounds=$2 i
    shift 2
    for i in $(seq "$rounds"); do "$BUILD/bench/measure" "$name" "$@" 2>/dev/null || return; done | grep wall | sort -gk3 | head -1 |
        awk '{ print $3 }'
}

for c in tests/bench/*.c; do
    name=$(basename "$c" .c)
    [ "$name" = measure ] || piece "$name" "$BUILD/bench/$name" $quick
done
for py in tests/bench/peer_*.py; do
    [ -e "$py" ] && piece "$(basename "$py" .py)" "$KETLINE_PYTHON" -W ignore "$py" $quick
done

if chosen plateau; then
    sizes="--qubits 2-12 --layers 1,2,4,8,16,32,64" scan=plateau
    [ -n "$quick" ] && sizes="--qubits 2,4,8 --layers 1,2,4,8,16,32,64" scan=plateau-quick
    echo "bench: plateau" >&2
    t=$(best_wall plateau 3 circuit plateau -f -q $sizes -o "$work/p.h5")
    [ -n "$t" ] && echo "bench $scan/ketline $t s" | keep
fi

# Whole stages, from the images' file to the published one.
images=$KETLINE_SHARED/data/mnist/train-images-idx3-ubyte.gz
[ -e "$images" ] || images=/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
if chosen stages && [ -e "$images" ]; then
    n=60000
    [ -n "$quick" ] && n=6000
    echo "bench: stages" >&2
    gzip -dc "$images" >"$work/train-images-idx3-ubyte"
    "$BUILD/bench/measure" extract-features extract-features -q "$work/train-images-idx3-ubyte" --labels none --limit $n \
        -o "$work/f.h5" >"$work/out" && keep <"$work/out" &&
        awk -v n=$n '/wall/ { print "bench features28/ketline", n / $3, "images/s" }' "$work/out" | keep
    m=500
    [ -n "$quick" ] && m=60
    "$BUILD/bench/measure" extract-features-224 extract-features -q "$work/train-images-idx3-ubyte" --labels none --limit $m \
        --resize 224 -o "$work/g.h5" >"$work/out" && keep <"$work/out" &&
        awk -v n=$m '/wall/ { print "bench features224/ketline", n / $3, "images/s" }' "$work/out" | keep
    t=$(best_wall up-to-date 20 extract-features -q "$work/train-images-idx3-ubyte" --labels none --limit $n -o "$work/f.h5")
    [ -n "$t" ] && echo "bench uptodate/ketline $t s" | keep
elif chosen stages; then
    echo "stages: no 60,000 images here (KETLINE_SHARED, or the package dataset-fashion-mnist)" >>"$work/skipped"
fi

# A sweep of 24 heads for one epoch, and the same heads by qtrain one after another.
labelled=$KETLINE_SHARED/data/mnist/train-images-idx3-ubyte.gz
if chosen sweep && [ -e "$labelled" ]; then
    echo "bench: sweep" >&2
    n=60000 runs=24
    [ -n "$quick" ] && n=6000
    extract-features -q "$labelled" --limit $n -o "$work/s.h5"
    singly() {
        local lr p o
        for lr in 1e-3 3e-3 1e-2 3e-2; do
            for p in 0.1 0.2 0.3; do
                for o in adam adamw; do
                    qtrain -f -q "$work/s.h5" --no-controls --epochs 1 --lr $lr --dropout $p --optimizer $o -o "$work/one.h5" || return
                done
            done
        done
    }
    export -f singly
    export work
    for i in 1 2 3; do
        t=$(best_wall sweep 1 qsweep -f -q "$work/s.h5" --epochs 1 --heads "$work/heads" -o "$work/sweep.h5" \
            --grid "lr=1e-3,3e-3,1e-2,3e-2 dropout=0.1,0.2,0.3 optimizer=adam,adamw")
        [ -n "$t" ] && echo "bench sweep$runs/ketline $t s" | keep
        t=$(best_wall singly 1 bash -c singly)
        [ -n "$t" ] && echo "bench singly$runs/ketline $t s" | keep
    done
elif chosen sweep; then
    echo "sweep: no labelled images here (KETLINE_SHARED)" >>"$work/skipped"
fi

# What two processes, or two threads, gain: qseq bench's own tables.
scaling() {
    local grid="qubits=6,8,10 batch-size=8,32,128" seconds=1.5 i
    [ -n "$quick" ] && grid="qubits=6,8 batch-size=8,32" seconds=0.1
    make -s mpi >&2 && cd "$work" && qseq generate people -q --people 6 --trials 15 -o people && qseq windows -q people/*.edf -o windows.h5 || return
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        mpirun -n 2 qseq bench windows.h5 -g "$grid" --seconds $seconds --threads 1 --ranks auto --progress none -o scaling.h5 || return
    qseq bench windows.h5 -g "$grid" --seconds $seconds --threads 2 --progress none
}
if chosen scaling; then
    echo "bench: scaling" >&2
    (scaling) >"$work/scaling" || echo "scaling: failed" >>"$work/skipped"
fi

table() {
    echo "Processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) of its cores;" \
        "kernels: $(grep -qw avx512bw /proc/cpuinfo && echo avx512 || { grep -qw avx2 /proc/cpuinfo && echo avx2 || echo base; })" \
        "(${KETLINE_ISA:+KETLINE_ISA=$KETLINE_ISA, }$(gcc --version | sed -n 1p))."
    "$KETLINE_PYTHON" - 2>/dev/null <<'PY'
from importlib.metadata import version, PackageNotFoundError
found = []
for name in ("torch", "torchvision", "pennylane", "pennylane-lightning", "torchquantum", "qulacs", "jax",
             "scipy", "dynamiqs", "qutip", "qutip-qtrl", "filter_functions", "blackjax", "mne"):
    try: found.append(f"{name} {version(name)}")
    except PackageNotFoundError: pass
if found: print("Peers: " + ", ".join(found) + ".")
PY
    echo
    awk -f tests/bench/rows.awk -f tests/bench/table.awk "$results"
    if [ -s "$work/scaling" ]; then
        echo
        echo "A step of training by ranks, threads, batch and qubits (qseq bench):"
        echo
        sed 's/^/    /' "$work/scaling"
    fi
    grep ' does not run here: ' "$work/all" | sort -u >>"$work/skipped" # the best peer may be among them
    [ -s "$work/skipped" ] && { echo; echo "Not measured in this run:"; echo; sed 's/ (.*//; s/^/- /' "$work/skipped"; }
}
table >"$work/table"
cat "$work/table"
grep 'GFLOP/s' "$work/all" | sed 's/^#* */    /' # against what one core can do, multiply-adds on registers alone
cp "$results" "$BUILD/bench/numbers" && echo "every number: $BUILD/bench/numbers" >&2
if [ ${#words[@]} = 0 ] && [ -z "$quick" ] && grep -q '^peer_' "$work/skipped"; then
    echo "docs/benchmarks.md stays as it is: not all peers are here; tests/bench/README.md says how to install them" >&2
elif [ ${#words[@]} = 0 ] && [ -z "$quick" ] && [ -e docs/benchmarks.md ]; then
    awk -v from="$work/table" '/<!-- table -->/ { print; while ((getline line < from) > 0) print line; skip = 1 }
        /<!-- end -->/ { skip = 0 } !skip || /<!-- end/ { if (!/<!-- table -->/) print }' docs/benchmarks.md >"$work/new" &&
        cp "$work/new" docs/benchmarks.md && echo "written to docs/benchmarks.md" >&2
fi
