#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What every tool prints with --json is what docs/schema says, member by member; the schemas themselves are of one
# form, and one is there for each tool. Every form of a schema is met at least once.
set -u
cd "$(dirname "$0")/.." || exit 70
command -v jq >/dev/null || { echo "skipped: jq is absent"; exit 77; }
root=$PWD
. tests/jobs.inc
prepare || exit 1
cd "$JOBS" || exit 70
# printed TOOL ARGUMENT...: what it prints is right, whatever its status; which form it has is kept
printed() {
    local tool=$1 line
    "$@" --json >out 2>err
    [ -s out ] || fail "$*: printed nothing; $(cat err)"
    while IFS= read -r line; do
        check "$*: $(jq -r --slurpfile schema "$root/docs/schema/$tool.json" -f "$root/tests/schema.jq" <<<"$line")" \
            test -z "$(jq -r --slurpfile schema "$root/docs/schema/$tool.json" -f "$root/tests/schema.jq" <<<"$line")"
        jq -r --argjson value "$line" '.anyOf[] | select(($value | type == "array") == (.type == "array")
            and ((.required // []) - ($value | if type == "object" then keys else [] end) == [])
            and ([.properties.status.const | select(.)] | all(. == $value.status))) | .title' "$root/docs/schema/$tool.json" |
            sed "s/^/$tool: /" | head -1 >>forms
    done <out
}
stage() { # TOOL ARGUMENT... -o FILE, which is not there yet
    printed "$@" --key
    printed "$@" --dry-run
    printed "$@"
    printed "$@"
    # A file without a record does not say what was found.
    grep -q '"nothing to do"' "$root/docs/schema/$1.json" && ! grep -qx "$1: nothing to do" forms || return 0
    "$@" -q --force --no-provenance >/dev/null 2>&1
    printed "$@"
}
stage extract-features "$digits_test" --resize 28 --limit 20 --store shared -o f.h5
stage qtrain features.h5 --epochs 2 --reduction 8 -o h.h5
printed qtrain features.h5 --reduction 8 --check-gradients
printed qtrain features.h5 --reduction 8 --profile
printed qtrain features.h5 --reduction 8 --core none --check-gradients
stage qeval h.h5 test.h5 -o r.h5
stage qeval --predict h.h5 test.h5 -o classes.h5
printed qtrain features.h5 --epochs 1 --reduction 8 --replicas 2 -o h2.h5
printed qeval h2.h5 test.h5 -o r3.h5
printed qeval h.h5 h2.h5 test.h5
printed qeval h.h5 test.h5 --noise depolarizing=0.01 --zne 1,3 -o r4.h5
printed qeval h.h5 test.h5 --noise depolarizing=0.01 --trajectories 2 -o r5.h5
echo '{"schema":1,"claims":[{"claim":"a","file":"r.h5","attribute":"accuracy","low":0,"high":1}]}' >claims.json
printed qeval --verify claims.json
printed qeval h.h5 test.h5 --compare head.h5 --shots 10 -o r2.h5
stage sgld head features.h5 --head h.h5 --parameters tail --rungs 3 --warmup 4 --draws 4 --chains 2 --leapfrogs 2 --keep 2 -o hc.h5
printed sgld head features.h5 --head h.h5 --compare --rungs 3 --warmup 2 --draws 10 --chains 2 --leapfrogs 1 -o hc2.h5
stage sgld export hc.h5 --draw 1 -o drawn.h5
printed qeval hc.h5 test.h5 -o r6.h5
qseq generate people -q --people 2 --channels 8 --trials 2 --short -o people
printed qseq generate people --people 1 --channels 8 --trials 1 -o one
printed qseq inspect people/S001R04.edf features.h5
stage qseq windows people/S001R04.edf people/S001R12.edf people/S002R04.edf --exclude S002 --store shared -o windows.h5
stage qsweep features.h5 --grid lr=1e-2,3e-2 --reduction 8 --epochs 1 --replicas 2 -o s.h5
stage qsweep features.h5 --grid lr=1e-2,3e-2 --reduction 8 --epochs 1 --shard 0/2 -o s0.h5
stage qsweep features.h5 --grid weight-decay=1000,999 --optimizer adamw --lr 1 --epochs 40 -o s1.h5 # both diverge
stage qconvert head.safetensors --features features.h5 -o again.h5
printed qconvert h.h5 -o w.npz
printed figures h.h5 r.h5 --format svg -o drawn
printed figures h.h5 --report page.html
mkdir -p pulses
qcontrol optimize -S 4 -s 2 --store pulses -q -o pulse.h5
printed qcontrol lookup -S 4 --store pulses
printed qcontrol budget pulse.h5 --sigma detuning=0.01
printed qcontrol noise
printed qcontrol noise -A 0 -m standard
stage qcontrol optimize --starts 1 --iterations 5 --segments 8 -o pulse.h5
printed qcontrol optimize --segments 8 --check-gradients
printed qcontrol export pulse.h5 -o pulse.csv
printed qcontrol export pulse.h5 --tau 0.1 --tolerate 0 -o pulse.json
printed qcontrol score pulse.csv --pulse pulse.h5
printed qcontrol score pulse.h5 --set detuning=0.1
printed qcontrol bench --seconds 0 --iterations 10
printed qcontrol bench pulse.h5 --seconds 0 --integrator rk4 --dt 0.1
stage sgld sample -p classic --test-mode -o chains.h5
printed sgld sample --test-mode -o chains2.h5
stage qcontrol train -i 10 --hidden-dim 8 --n-segments 5 -o policy.h5
stage qcontrol import "$root/tests/golden/weights/maml.pt" -o maml.h5
printed qcontrol regret policy.h5 --tasks 5 --steps 3 --starts 2 --scales 3 -o regret.h5
printed qcontrol regret policy.h5 --tasks 5 --steps 3 --starts 2 --scales 3
printed cache show policy.h5
"$BUILD/tests/unit/sampling/chains_file" chains.h5 && printed sgld diagnose chains.h5
printed qseq inspect "$CORPUS/edf/gap" "$CORPUS/edf/fault-comma"
printed qseq generate people --people 1 --channels 8 --trials 2 -o people
stage qseq forrelation --pairs 20 --reference -o pairs.h5
stage qseq train S001.h5 S002.h5 --split within -m means --epochs 2 -o net.h5
printed qseq train S001.h5 S002.h5 --split within -m means --epochs 2 --val-fraction 0 -o net2.h5
printed qseq train S001.h5 S002.h5 --split within -m means --epochs 2 --judge accuracy -o net3.h5
stage qseq sweep S001.h5 S002.h5 --split within -m means --epochs 1 --grid lr=1e-2,3e-2 -o nets.h5
printed qseq sweep S001.h5 S002.h5 --split within -m means --epochs 1 --grid lr=1e-2,3e-2 --shard 0/2 -o nets0.h5
printed qseq sweep S001.h5 S002.h5 --split loro --val-fraction 0.3 -m means --epochs 1 --grid lr=1e-2,3e-2 --fold all -o nested.h5
stage qseq eval net.h5 S001.h5 S002.h5 -o judged.h5
printed qseq predict net.h5 S001.h5 S002.h5 -o named.h5
qseq generate people -q --people 3 --channels 8 --trials 6 -o three && qseq windows -q three/*.edf -o three.h5
stage qseq fit three.h5 --split loso -o fit.h5
printed qseq fit three.h5 --split loso --fold all -o folds.h5
printed qseq fit three.h5 --split loso --align subject -o own.h5
printed qseq eval own.h5 three.h5 -o own.report.h5
for m in csp-lda mdm; do
    qseq fit three.h5 -q -m $m --split loso --fold 1 -o $m.h5 && qseq eval $m.h5 three.h5 -q -o $m.report.h5
done
printed qseq compare csp-lda.report.h5 mdm.report.h5
stage qseq compare csp-lda.report.h5 mdm.report.h5 -o compared.h5
printed qseq bench three.h5 --grid "model=means batch-size=8" --seconds 0.01 -j 2
printed circuit stats
printed circuit stats --embedding amplitude
stage circuit plateau --qubits 2 --layers 1 -o p.h5
printed circuit plateau --qubits 2 --layers 1
stage extract-features --qrng bits.txt --symbol-bits 2 -o b.h5
stage extract-features "$DATA/wine/wine.csv" --label cultivar -o w.h5
stage tournament bits.txt --null 10 -o t.h5
stage tournament --synthetic 3 --rows 9 --only-bits -o t3.h5
stage tournament --synthetic 4 --rows 60 --null 20 --trials 1 -o t2.h5
stage tournament --nist bits.txt --permutations 10 -o t4.h5
printed tournament --extract von-neumann bits.txt -o v.bin
sed -n '1p; /^a,true/p' "$CORPUS/sampling_csv/several" >ladder.csv
stage sgld bounds ladder.csv --scale unit -o bounds.h5
printed sgld bounds ladder.csv -F prior-loss
stage qgan devices.txt -m 2 --epochs 2 -o g.h5
stage qtrain --qrng bits.txt --epochs 1 -o study.h5
stage qeval --qrng study.h5 bits.txt -o verdict.h5
printed cache list .
for f in h.h5 r.h5 s.h5 p.h5 b.h5 t.h5 t2.h5 t4.h5 g.h5 study.h5 verdict.h5 bounds.h5; do printed cache show "$f"; done
printed cache log r.h5
printed cache diff h.h5 head.h5
printed cache verify h.h5 f.h5
printed cache merge shard0.h5 shard1.h5 shard2.h5 -o merged.h5
printed cache push copies --store shared
: >.f.h5.0-1-1.abcdefgh.ketline-tmp && touch -d '3 days ago' .f.h5.0-1-1.abcdefgh.ketline-tmp
printed cache gc .
printed doctor --no-bench
printed doctor
for c in "$root"/tools/*.c; do
    tool=$(basename "$c" .c) schema=$root/docs/schema/$(basename "$c" .c).json
    check "$tool has no docs/schema/$tool.json" test -s "$schema"
    check "$schema: \$id" test "$(jq -r '."$id" | test("^urn:ketline:json:'"$tool"':[1-9][0-9]*$")' "$schema")" = true
    jq -r '.anyOf[].title' "$schema" | sort -u | sed "s/^/$tool: /"
done >wanted
sort -u forms | diff wanted - >difference || fail "forms of the schemas that were not met (<): $(cat difference)"
# The check itself: what is wrong is found.
for bad in '{}' '{"equal":1,"differences":""}' '{"equal":true,"differences":"","more":1}' '{"path":"a","whole":true}' 3; do
    [ -n "$(jq -r --slurpfile schema "$root/docs/schema/cache.json" -f "$root/tests/schema.jq" <<<"$bad")" ] || fail "$bad is taken for right"
done
conclude
