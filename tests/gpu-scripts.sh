#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packaging/bundle/test-gpu and bench-gpu on programs that pass, fail, hang, deny SIGTERM or find no GPU: what is measured is there
# at once and stays, whoever is killed; nothing takes longer than its limit; what failed is not tried again; and the table of what
# they measured. Real programs of tests/gpu behind these scripts need a GPU, or minutes of the CPU in its place.
set -u
cd "$(dirname "$0")/.." || exit 70
command -v jq >/dev/null || { echo "skipped: jq is absent"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts=$PWD/packaging/bundle build=$(realpath "${BUILD:-build}") source=$PWD/tests/bench table=$PWD/tests/bench/gpu_table.sh

# In a folder of its own, which holds every program, passing: BIN, TESTS and BENCH in one.
fail() { echo "$*" >>faults; }
program() { # NAME BODY
    printf '#!/bin/bash\n[ "${1:-}" = -c ] && exit 1\necho >>"$0.runs"\n%s\n' "$2" >"bin/$1" && chmod +x "bin/$1"
}
hangs="trap '' TERM; while :; do sleep 0.1; done"
begin() {
    export BIN=$PWD/bin TESTS=$PWD/bin BENCH=$PWD/bin KETLINE_PYTHON=$PWD/bin/python TMPDIR=$PWD PATH=$PWD/bin:$PATH PARTS='gpu features files peer'
    local name
    mkdir bin
    for name in circuit mlp gan windows chains pulse features head memory; do program $name 'echo "cuda: card 0123456789abcdef"'; done
    for name in extract-features qtrain qeval sgld; do
        program $name 'while [ "$1" != -o ]; do shift; done; echo "$2: done"; echo bytes >"$2"'
    done
    program nvidia-smi 'exit 9'
    program gpu 'echo "card One"; echo "bench a/gpu 0.25 s"; echo "words of a"; echo "bench b/gpu 2e-05 s"'
    program gpu_features 'echo "card One"; echo "bench c/gpu 3 s"'
    program python 'echo "card One"; echo "bench a/torch 4.5 s scaled"'
}
says() { grep -qxE "$1" out || fail "no line '$1' in: $(cat out)"; }
ran() { [ "$(cat "bin/$1.runs" 2>/dev/null | wc -l)" = "$2" ] || fail "$1 ran $(cat "bin/$1.runs" | wc -l) times, not $2"; }
ends() { # STATUS COMMAND...
    local expected=$1 status
    shift
    "$@" >out 2>err
    status=$?
    [ $status = "$expected" ] || fail "$*: status $status, not $expected: $(cat out err)"
}
holds() { jq -e --argjson all "$2" '. == $all' "$1" >/dev/null || fail "$1 is $(cat "$1"), not $2"; }

gone() { # the program that hung
    local left=100 pid
    pid=$(cat pid)
    while [ $((left -= 1)) -gt 0 ] && [ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status"; do sleep 0.1; done
    [ $left -gt 0 ] || { fail "what hung still runs"; kill -KILL "-$(ps -o pgid= -p "$pid" | tr -d ' ')"; }
}

passing() {
    ends 0 "$scripts/test-gpu"
    [ "$(sed -n 's/^passed \([a-z]*\): .*card.*/\1/p' out | tr '\n' ' ')" = "circuit mlp gan windows chains pulse features head memory " ] || fail "the order: $(cat out)"
    says 'passed circuit: cuda: card 0123456789abcdef \([0-9.]+ s\)'
    says 'passed circuit: the same bits again'
    says 'passed extract-features --precision fp16: done \([0-9.]+ s\)'
    says 'passed qtrain --qrng --device cuda: the same bytes again'
    says 'passed sgld sample --device cuda: the same bytes again'
    says '[0-9]+ passed, 0 failed'
    ran circuit 2
    PROGRAMS=gan ends 0 "$scripts/test-gpu"
    says '3 passed, 0 failed'
    ends 0 "$scripts/bench-gpu" all.json
    files() { sed -n "s/^gpu-features-60000-28x28-$1-file-to-file.gpu *\([0-9.]*\) s $/\1/p" out; }
    holds all.json '{"card":"One","scaled":["a/torch"],"a/gpu":0.25,"b/gpu":0.00002,"c/gpu":3,
        "gpu-features-60000-28x28-fp32-file-to-file/gpu":'"$(files fp32)"',
        "gpu-features-60000-28x28-tf32-file-to-file/gpu":'"$(files tf32)"',"a/torch":4.5}'
    says 'a/torch +4.5 s scaled'
    echo "of another run" >less.json
    PEER_LIMIT=0 PARTS="features peer" ends 0 "$scripts/bench-gpu" less.json
    holds less.json '{"card":"One","c/gpu":3}'
    PARTS=files ends 0 "$scripts/bench-gpu" files.json
    [ "$(jq -r .card files.json)" = "" ] || fail "a card: $(cat files.json)"
    program nvidia-smi 'case "$*" in *driver_version*) echo 580.1 ;; *) exit 9 ;; esac'
    PARTS=features ends 0 "$scripts/bench-gpu" driver.json
    holds driver.json '{"card":"One","driver":"580.1","date":"'"$(date -u +%F)"'","c/gpu":3}'
    program nvidia-smi 'exit 9'
    program python 'echo "card Two"; echo "bench a/torch 4.5 s scaled"; echo "bench b/torch 5 s scaled"'
    PARTS="features peer" ends 0 "$scripts/bench-gpu" two.json
    holds two.json '{"card":"One and Two","scaled":["a/torch","b/torch"],"c/gpu":3,"a/torch":4.5,"b/torch":5}'
}
failing() {
    program circuit 'echo $$ >pid; '"$hangs"
    program mlp 'echo "one fault"; exit 3'
    program gan 'wc -l <"$0.runs"'
    program features 'kill -SEGV $$'
    program head 'echo "cuda: card 0123"; wc -l <"$0.runs"' # another second line
    program qtrain 'exit 75'
    LIMIT=1 ends 1 "$scripts/test-gpu"
    grep -q cmp: err && fail "compares what is not there: $(cat err)"
    says 'FAILED circuit: \(stopped after 1 s\)'
    says 'FAILED mlp: one fault \(status 3, [0-9.]+ s\)'
    says 'FAILED gan: the same bits again'
    says 'FAILED features: \(status 139, [0-9.]+ s\)'
    says 'FAILED qtrain --device cuda: \(status 75, [0-9.]+ s\)'
    says 'FAILED head: the same bits again'
    ran circuit 1; ran mlp 1; ran gan 2; ran features 1
    gone
    [ -z "$(find . -name 'tmp.*')" ] || fail "left behind: $(find . -name 'tmp.*')"
}
hanging() { # every precision would
    program extract-features 'case "$*" in *cuda*) '"$hangs"' ;; esac; exit 2'
    LIMIT=1 PROGRAMS=tools ends 1 "$scripts/test-gpu"
    says 'FAILED extract-features --precision fp32: \(stopped after 1 s\)'
    says 'FAILED extract-features on the CPU: \(status 2, [0-9.]+ s\)'
    ran extract-features 2
}
no_gpu() {
    program circuit 'echo "skipped: no GPU (no library)"; exit 77'
    program gpu 'echo "no GPU (no library)"; exit 77'
    program extract-features 'exit 75'
    if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
        ends 0 "$scripts/test-gpu"
        says 'skipped: no GPU \(no library\)'
        [ "$(wc -l <out)" = 1 ] || fail "more than that: $(cat out)"
        PROGRAMS=tools ends 0 "$scripts/test-gpu"
        says 'skipped: no GPU'
        ends 0 "$scripts/bench-gpu" none.json
        says 'skipped: no GPU'
        [ ! -e none.json ] || fail "none.json"
    fi
    program nvidia-smi 'echo "GPU 0: Great Card (UUID: GPU-1)"'
    PROGRAMS="circuit tools" ends 1 "$scripts/test-gpu"
    says 'FAILED circuit: skipped: no GPU \(no library\); but here is (GPU 0: Great Card|/dev/nvidia.*)'
    says 'FAILED extract-features --precision fp32: status 75; but here is .*'
    PARTS=gpu ends 1 "$scripts/bench-gpu" none.json
    says 'no GPU \(no library\)'
    says 'FAILED gpu: status 77, [0-9.]+ s; but here is .*'
}
sanitizers() {
    program compute-sanitizer '[ $# -gt 1 ] || { echo "--kernel-name --report-api-errors"; exit; }
        echo "$*" >>sanitized; echo "========= begins"; "${!#}"; status=$?; echo "========= ends"; exit $status'
    program mlp 'exit 1'
    PROGRAMS="circuit features mlp tools" ends 1 "$scripts/test-gpu" --sanitize-only
    says 'passed features under memcheck: cuda: card 0123456789abcdef \([0-9.]+ s\)'
    says 'FAILED mlp under synccheck: \(status 1, [0-9.]+ s\)'
    says '8 passed, 4 failed'
    grep -q '^=' out || fail "what the sanitizer says is not there: $(cat out)"
    [ "$(awk '{ print $2 }' sanitized | uniq | tr '\n' ' ')" = "memcheck synccheck racecheck initcheck " ] || fail "$(cat sanitized)"
    [ "$(grep -c 'report-api-errors no .*/features$' sanitized)" = 4 ] && [ "$(grep -c report-api sanitized)" = 4 ] || fail "$(cat sanitized)"
    program compute-sanitizer 'echo "========= ERROR SUMMARY: 0 errors"' # and has run nothing
    PROGRAMS=circuit SANITIZERS=memcheck ends 1 "$scripts/test-gpu" --sanitize-only
    says 'FAILED circuit under memcheck: .*'
}
together() { # AT_ONCE: lines of each program in the order of programs, whichever ends first; memory alone
    local name left=100
    for name in circuit mlp gan windows chains pulse features head; do
        program $name 'exec 9>>busy; flock -s 9; echo 1 >>count; sleep 0.$((RANDOM % 2 + 2)); echo -1 >>count; echo "cuda: card 0123456789abcdef"'
    done
    program circuit 'sleep 1; echo "cuda: card 0123456789abcdef"'
    program memory 'exec 9>>busy; flock -xn 9 || exit 1; echo "cuda: card 0123456789abcdef"'
    program mlp 'echo "one fault"; exit 3'
    program compute-sanitizer '[ $# -gt 1 ] || exit 0
        echo "========= begins"; echo "$KETLINE_SMALL $2" >>small; "${!#}"'
    AT_ONCE=3 ends 1 "$scripts/test-gpu" --sanitize
    awk '{ n += $1; if (n > most) most = n } END { exit most != 2 && most != 3 }' count || fail "at once: $(tr '\n' ' ' <count)"
    [ "$(sed -n 's/^\(passed\|FAILED\) \([a-z]*\): [^t].*/\2/p' out | tr '\n' ' ')" = "circuit mlp gan windows chains pulse features head memory " ] || fail "the order: $(cat out)"
    [ "$(sed -n 's/^\(passed\|FAILED\) \([a-z]* under [a-z]*\): .*/\2/p' out | awk '{ print $3 }' | uniq | tr '\n' ' ')" = "memcheck synccheck racecheck initcheck " ] || fail "the sanitizers: $(cat out)"
    says 'FAILED mlp: one fault \(status 3, [0-9.]+ s\)'
    says 'passed qtrain --qrng --device cuda: the same bytes again'
    says 'passed head under racecheck: cuda: card 0123456789abcdef \([0-9.]+ s\)'
    [ "$(sort -u small)" = "$(printf '1 %s\n' initcheck memcheck synccheck; echo 2 racecheck)" ] || fail "sizes: $(cat small)"
    [ "$(tail -1 out)" = "$(grep -c ^passed out) passed, $(grep -c ^FAILED out) failed" ] || fail "not the sum: $(cat out)"
    ran circuit 6; ran mlp 5; ran memory 2
    program circuit 'echo $$ >pid; '"$hangs"
    PROGRAMS="gan circuit head" AT_ONCE=3 "$scripts/test-gpu" >out 2>err &
    until grep -q '^passed gan: the same' out && [ -e bin/head.runs ] && [ "$(wc -l <bin/head.runs)" = 8 ] || [ $((left -= 1)) = 0 ]; do sleep 0.1; done
    sleep 0.5
    kill $!
    wait $! 2>/dev/null
    [ $? = 143 ] || fail "killed"
    says 'passed head: the same bits again'
    says '6 passed, 0 failed'
    gone
    if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
        for name in circuit gan features; do program $name 'echo "skipped: no GPU (no library)"; exit 77'; done
        PROGRAMS="circuit gan features" AT_ONCE=2 ends 0 "$scripts/test-gpu"
        [ "$(cat out)" = "skipped: no GPU (no library)" ] || fail "more than that: $(cat out)"
    fi
    [ -z "$(find . -name 'tmp.*')" ] || fail "left behind: $(find . -name 'tmp.*')"
    program circuit 'kill -KILL $PPID $(ps -o ppid= -p $PPID); sleep 1'
    PROGRAMS="circuit head" AT_ONCE=2 ends 1 "$scripts/test-gpu"
    says 'FAILED circuit: ended, and has not said how'
    says '3 passed, 1 failed'
}
limits() { # of bench-gpu
    program gpu_features 'echo "card One"; echo "bench c/gpu 3 s"; echo "out of memory" >&2; exit 1'
    program extract-features "$hangs"
    program python 'echo "bench a/torch 4.5 s scaled"; sleep 60'
    LIMIT=1 PEER_LIMIT=1 ends 1 "$scripts/bench-gpu" all.json
    says 'FAILED features: status 1, [0-9.]+ s'
    says 'FAILED files in fp32: stopped after 1 s'
    grep -q tf32 out && fail "tried again: $(cat out)"
    says 'peer: stopped after 1 s'
    ran extract-features 1
    holds all.json '{"card":"One","scaled":["a/torch"],"a/gpu":0.25,"b/gpu":0.00002,"c/gpu":3,"a/torch":4.5}'
}
killed() { # SIGNAL
    program gpu 'echo "card One"; echo "bench a/gpu 0.25 s"; echo "bench b/gpu 0.5 s"; echo $$ >pid; '"$hangs"
    local left=100
    : >out
    "$scripts/bench-gpu" all.json >out 2>err &
    until grep -q '^b/gpu ' out || [ $((left -= 1)) = 0 ]; do sleep 0.1; done
    kill "-$1" $!
    wait $! 2>/dev/null
    [ $? = $((128 + $(kill -l "$1"))) ] || fail "killed by $1"
    says 'a/gpu +0.25 s '
    says 'b/gpu +0.5 s '
    holds all.json '{"card":"One","a/gpu":0.25,"b/gpu":0.5}'
    [ "$1" != KILL ] || kill -KILL "-$(ps -o pgid= -p "$(cat pid)" | tr -d ' ')"
    gone
}

table() { # of bench-gpu's numbers, in docs/benchmarks.md, beside what was asked
    printf 'before\n<!-- gpu -->\nnothing\n<!-- gpu end -->\nafter\n' >doc.md
    echo '{"card":"One","gpu-256-heads-50-epochs/gpu":60,"gpu-head-50-epochs/gpu":9,"gpu-ry-ring-4/gpu":2e-5,"gpu-ry-ring-4/cpu-2-threads":1e-3,"gpu-16384-qubit-gradients-float32/gpu":5e-5,"gpu-16384-qubit-gradients-float32/cpu-2-threads":8e-4,"gpu-hydra-8-epoch/gpu":0.02,"gpu-classical-hydra-replicas-epoch/gpu":0.05}' >a.json
    echo '{"card":"One","scaled":["gpu-head-50-epochs/torch"],"gpu-features-60000-28x28-tf32-file-to-file/gpu":0.9,
        "gpu-features-60000-224x224-fp16/gpu":3,"gpu-features-60000-224x224-fp16/torchvision":3.9,
        "gpu-features-60000-224x224-fp16/torchvision-max-autotune":3.3,"gpu-head-50-epochs/torch":90}' >b.json
    DOC=$PWD/doc.md ends 0 "$table" "$PWD/a.json" "$PWD/b.json"
    cp doc.md out
    [ "$(sed -n '1,3p; /gpu end/,$p' out | tr '\n' ' ')" = "before <!-- gpu --> Card: One. <!-- gpu end --> after " ] || fail "$(cat out)"
    says '\| the same, 256 heads at once \| 60 s \(aim 20 s\) \|'
    says '\| 50 epochs of the default head, .* \| 9 s \(\*\*most 8 s\*\*\) \|'
    says '\| features of 60,000 images of 28x28, .* \| 900 ms \|'
    says '\| `qseq train --fold all`, Hydra, 8 qubits, .* \| 20 ms \|'
    says '\| the same, ten replicas of a fold, a replica \| 50 ms \|'
    says '\| `ry-ring`, .* \| 20 us \| cpu-2-threads, 1 ms \| 50x \(aim 100x\) \|'
    says '\| one-qubit gradient, 16,384 tasks x 60 segments, float32, .* \| 50 us \| cpu-2-threads, 800 us \| 16x \(\*\*least 20x\*\*\) \|'
    says '\| features at 224x224, FP16 \(best peer\) \| 3 s \| torchvision-max-autotune, 3.3 s \| 1.1x \(\*\*least 1.2x\*\*\) \|'
    says '\| 50 epochs of the default head \(best peer\) \| 9 s \| torch, 90 s \(scaled\) \| 10x \|'
    grep -q "^Not judged" out && fail "judged, and said not to be: $(cat out)"
    echo '{"card":"One","driver":"580.1","date":"2026-01-02"}' >dated.json
    DOC=$PWD/doc.md ends 0 "$table" "$PWD/a.json" "$PWD/dated.json"
    cp doc.md out
    says 'Card: One; driver 580.1, 2026-01-02.'
    grep -q 'date\|2e-05 | driver' <(grep '^| ' out) && fail "the day among the numbers: $(cat out)"
    jq 'with_entries(select(.key | endswith("max-autotune") | not))' b.json >eager.json # the eager peer alone
    DOC=$PWD/doc.md ends 0 "$table" "$PWD/a.json" "$PWD/eager.json"
    cp doc.md out
    says '\| features at 224x224, FP16 \(best peer\) \| 3 s \| torchvision, 3.9 s \| 1.3x \|'
    says 'Not judged: features at 224x224 against torchvision, of which no compiled form was measured.'
    cp doc.md was.md
    echo '{"card":"Two"}' >c.json
    DOC=$PWD/doc.md ends 65 "$table" "$PWD/a.json" "$PWD/c.json"
    grep -qx "gpu_table.sh: $PWD/c.json: card 'Two', where $PWD/a.json has 'One'; expected one card in all files" err || fail "$(cat err)"
    local nameless
    for nameless in '{"card":"","c/gpu":3}' '{"c/gpu":3}' '{"card":"One and Two"}'; do # not named, or two in one run
        echo "$nameless" >c.json
        DOC=$PWD/doc.md ends 65 "$table" "$PWD/a.json" "$PWD/c.json"
        DOC=$PWD/doc.md ends 65 "$table" "$PWD/c.json" "$PWD/a.json"
        DOC=$PWD/doc.md ends 65 "$table" "$PWD/c.json"
    done
    echo '{"card":' >d.json
    DOC=$PWD/doc.md ends 65 "$table" "$PWD/d.json"
    cmp was.md doc.md || fail "the table went"
}

rehearsed() { # the stages' commands themselves, of tiny sizes, on the CPU in a GPU's place
    local emulated=$build/tests/cuda/libketline-cuda.so name
    [ -e "$emulated" ] || { fail "no $emulated"; return; }
    PATH=${PATH#*:} BIN=$build/bin KETLINE_CUDA=$emulated KETLINE_SMALL=1 PARTS=stages ends 0 "$scripts/bench-gpu" all.json
    for name in hydra-2-epoch hydra-2-replicas-epoch classical-{mamba,hydra}-{,replicas-}epoch paper-mnist-step synth-1000-chains-epoch open-x-1024-starts; do
        says "gpu-$name/gpu +-?[0-9][0-9.e-]* s "
    done
    says 'card cuda: emulated'
    [ "$(wc -l <out)" = 10 ] || fail "more than that: $(cat out)"
    [ "$(jq -r '.card, .["gpu-open-x-1024-starts/gpu"] > 0' all.json | tr '\n' ' ')" = "cuda: emulated true " ] || fail "$(cat all.json)"
    KETLINE_CUDA=$emulated ends 0 "$build/bench/gpu" --quick gpu-16384
    for name in float{32,64}{,-copies}; do
        says "bench gpu-16384-qubit-gradients-$name/gpu [0-9.e-]+ s"
        says "bench gpu-16384-qubit-gradients-$name/cpu-2-threads [0-9.e-]+ s"
    done
}

peer() { # gpu_peer.py itself, with mocks in the place of PyTorch: the order of its lines, each measured
    command -v python3 >/dev/null || return
    cat >peer.py <<-'END'
	import runpy, sys
	from unittest.mock import MagicMock
	class Module:
	    def register_buffer(self, *_): pass
	    def to(self, *_): return MagicMock()
	torch = sys.modules["torch"] = MagicMock(__spec__=None)
	for name in ("torchvision", "torch._inductor"):
	    sys.modules[name] = MagicMock(__spec__=None)
	torch.nn.Module = Module
	torch.cuda.get_device_name.return_value = "One"
	runpy.run_path(sys.argv[1])
	torch.cuda.Stream.return_value.wait_stream.assert_called_once_with(torch.cuda.current_stream())
	print([call.kwargs["mode"] for call in torch.compile.call_args_list])
	END
    ends 0 python3 peer.py "$source/gpu_peer.py"
    cut -d' ' -f 1,2,5 out >lines
    printf '%s\n' "card cuda:" "bench gpu-features-60000-224x224-fp16/torchvision scaled" \
        "bench gpu-features-60000-224x224-fp16/torchvision-reduce-overhead scaled" "bench gpu-head-50-epochs/torch scaled" \
        "bench gpu-head-50-epochs/torch-graph scaled" "bench gpu-ry-ring-4/torch" "bench gpu-ry-ring-10/torch" \
        "bench gpu-features-60000-224x224-fp16/torchvision-max-autotune scaled" "['reduce-overhead', 'max-autotune']" >expected
    cmp -s lines expected || fail "the peer's lines: $(cat out)"
    says 'card cuda: One'
}

for each in rehearsed peer table passing failing hanging no_gpu sanitizers together limits "killed TERM" "killed KILL"; do
    (mkdir "$work/$each" && cd "$work/$each" && begin && $each; [ ! -e faults ] || sed "s/^/$each: /" faults >"$work/faults.$each") &
done
wait
cat "$work"/faults.* 2>/dev/null && exit 1
exit 0
