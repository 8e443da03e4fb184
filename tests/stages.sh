#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each folder of tests/stages is a stage made from docs/adding-a-stage.md, in under 200 lines: it trains, resumes after a signal to
# the same bytes, gives the same bytes for any number of threads, sweeps, shows itself, and has what is made from its table. means.c
# trains nothing: what stands around its work is the same.
set -u
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
cd "$JOBS" || exit 70
for folder in "$ROOT"/tests/stages/*/; do
    name=$(basename "$folder") tool=$BUILD/tests/stages/$(basename "$folder")
    lines=$(cat "$folder"/*.[ch] | wc -l)
    check "$name: $lines lines, expected fewer than 200" [ "$lines" -lt 200 ]
    mkdir "$name"
    line() { "$tool/$name" features.h5 "$@"; }
    show() { "$tool/cache" "$@"; }
    check "$name: does not train" line -q --epochs 30 -o "$name/a.h5"
    check "$name: is not up to date" grep -q "^$name/a.h5: up to date: .* epoch" <(line --epochs 30 -o "$name/a.h5")
    line -q --epochs 30 --replicas 3 --threads 1 --no-provenance -o "$name/one.h5"
    line -q --epochs 30 --replicas 3 --threads 2 --no-provenance -o "$name/two.h5"
    check "$name: two threads give other bytes than one" cmp "$name/one.h5" "$name/two.h5"
    line -q --epochs 30 --threads 1 --no-provenance -o "$name/alone.h5"
    line -q --epochs 30 --threads 2 --no-provenance -o "$name/shared.h5"
    check "$name: shared steps give other bytes" cmp "$name/alone.h5" "$name/shared.h5"

    line -q --epochs 3000 --no-provenance -o "$name/whole.h5"
    "$tool/$name" features.h5 -q --epochs 3000 --no-provenance --checkpoint-every 1 -o "$name/stopped.h5" &
    until [ -e "$name/.stopped.h5.checkpoint" ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
    kill -TERM $!
    wait $! 2>/dev/null
    check "$name: a signal did not stop it" [ $? = 143 ]
    line --epochs 3000 --no-provenance --progress none -o "$name/stopped.h5" >said 2>&1
    check "$name: does not resume: $(cat said)" grep -q "found .*checkpoint: [1-9]" said
    check "$name: a resumed training gives other bytes" cmp "$name/whole.h5" "$name/stopped.h5"
    check "$name: left behind: $(beside "$name")" [ -z "$(ls -A "$name" | grep checkpoint)" ]

    grid="lr=1e-3,1e-2 epochs=5,10"
    check "$name: does not sweep" "$tool/$name" sweep features.h5 -q --grid "$grid" --replicas 2 -o "$name/s.h5"
    check "$name: a sweep is not up to date" grep -q 'up to date; 4 points of 2' <("$tool/$name" sweep features.h5 --grid "$grid" --replicas 2 -o "$name/s.h5")
    line -q --lr 1e-2 --epochs 10 --replicas 2 -o "$name/point.h5"
    check "$name: a point of a sweep has another key than alone" test \
        "$(line --lr 1e-2 --epochs 10 --replicas 2 --key)" = "$(show show --json "$name/s-${name}s/lr=1e-2_epochs=10.h5" | jq -r .key)"
    check "$name: a point of a sweep has other numbers than alone" test \
        "$(show show --json "$name/point.h5" | jq -r .content)" = "$(show show --json "$name/s-${name}s/lr=1e-2_epochs=10.h5" | jq -r .content)"
    check "$name: --halving" "$tool/$name" sweep features.h5 -q --grid "lr=1e-3,1e-2,1e-1" --epochs 8 --halving -o "$name/h.h5"
    check "$name: cache show has no table of a sweep" grep -q '^point .*parameters' <(show show "$name/s.h5")

    check "$name: cache show has no history" grep -q 'epoch .*loss' <(show show "$name/a.h5")
    check "$name: cache log does not name it" grep -q "$name features.h5" <(show log "$name/a.h5")
    check "$name: history: $(line --epochs 30 --history - -o "$name/a.h5" | head -1)" \
        test "$(line --epochs 30 --history - -o "$name/a.h5" | grep -c '^{"replica":0,"epoch":')" = 30
    check "$name: --dry-run does not say how long" grep -q 'would take about' <(line --epochs 5000 --dry-run -o "$name/b.h5")
    check "$name: --json" jq -e '.status == "computed" and .epochs == 3' <(line --epochs 3 --json -o "$name/c.h5")
    for form in man bash zsh fish schema; do
        check "$name: --emit $form" grep -q epochs <("$tool/$name" --emit $form)
    done
    check "$name: --help" grep -q -- "^Usage: $name" <("$tool/$name" --help)
done

means() { "$BUILD/tests/stages/means" "$@"; }
check "means: does not compute" [ "$(means features.h5 -o means.h5)" = "means.h5: means of 10 classes" ]
check "means: is not up to date" grep -q "^means.h5: up to date: " <(means features.h5 -o means.h5)
check "means: an option is not in the key" [ "$(means features.h5 --key)" != "$(means features.h5 --power 2 --key)" ]
check "means: --key is another than the file's" [ "$(means features.h5 --key)" = "$(cache show --json means.h5 | jq -r .key)" ]
check "means: its input is not its parent" grep -q "means features.h5" <(cache log means.h5)
check "means: --json" jq -e '.status == "computed" and .classes == 10 and .cautions == []' <(means features.h5 -f --json -o means.h5)
check "means: --dry-run" grep -q "^miss: the target has another key" <(means features.h5 --power 2 --dry-run -o means.h5)
check "means: no output" grep -qx "means: no output; give -o MEANS.h5" <(means features.h5 2>&1)
check "means: two inputs" grep -q "^means: 2 inputs, expected FEATURES.h5; 'b.h5' is too many" <(means features.h5 b.h5 -o c.h5 2>&1)
check "means: the store has not what it made" grep -q "fetched from the shared store" \
    <(means features.h5 -f --store store -o d.h5; rm d.h5; means features.h5 --store store -o d.h5)
conclude
