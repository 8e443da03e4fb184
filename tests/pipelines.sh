#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pipelines as Make sees them, from another folder: touching every input reruns nothing, changing an option reruns
# just what depends on it. Before them the Makefile of docs/pipelines.md.
. "$(dirname "$0")/jobs.inc"
cd "$JOBS" || exit 70
pipelines=$ROOT/pipelines
mkdir own && cp "$DATA"/digits/*-ubyte own || exit 70
sed -n '/^```make$/,/^```$/p' "$ROOT/docs/pipelines.md" | grep -v '^```' >own/Makefile
own() { # WHAT FILES ARGUMENT...: make with these arguments makes just these files anew
    local before made
    before=$(stat -c '%n %y %i' own/*.h5 2>/dev/null)
    make --no-print-directory -C own "${@:3}" >log 2>&1 || fail "$1: $(tail -5 log)"
    made=$(stat -c '%n %y %i' own/*.h5 | grep -vxF "$before" | sed 's|own/\([^ ]*\) .*|\1|' | xargs)
    check "$1 made '$made'" [ "$made" = "$2" ]
}
own "a first make" "head.h5 report.h5 test.h5 train.h5"
own "a second make" ""
own "make LAYERS=1" "head.h5 report.h5" LAYERS=1
touch own/*-ubyte
own "touching the images" "" LAYERS=1
printf '\377' | dd of=own/test-images-idx3-ubyte bs=1 seek=20 conv=notrunc status=none
touch -d 2001-01-01 own/test-images-idx3-ubyte
own "a changed pixel" "report.h5 test.h5" LAYERS=1

cp -r "$DATA/digits" "$JOBS/digits"
# run NAME ARGUMENT...: pipelines/NAME.mk with the tools alone that its demo builds (make demo...), nothing else of ours in PATH
run() {
    local tools=$JOBS/tools/$1 tool
    mkdir -p "$tools/bin"
    for tool in $(sed -n "s/.*call DEMO,$1,\(.*\))/\1/p" "$ROOT/Makefile"); do ln -sf "$BUILD/bin/$tool" "$tools/bin"; done
    PATH=${PATH//"$BUILD/bin:"/} make --no-print-directory -f "$pipelines/$1.mk" BUILD="$tools" "${@:2}"
}
demo() {
    run demo OUT="$JOBS/out" TRAIN="$JOBS/digits/train-images-idx3-ubyte" \
        TEST="$JOBS/digits/test-images-idx3-ubyte" EPOCHS=3 REPLICAS=2 EXTRACT="--resize 28 --limit 200" "$@" >"$JOBS/log" 2>&1 ||
        fail "make $*: $(tail -5 "$JOBS/log")"
}
state() { # time and inode of each result, one a line
    (cd "$JOBS/out" && stat -c '%n %y %i' ./*.h5 && find figures -type f -exec stat -c '%n %y %i' {} + | sort)
}
changed() { # files that differ between two states, on one line
    diff <(echo "$1") <(echo "$2") | sed -n 's/^> \([^ ]*\) .*/\1/p' | grep '\.h5$' | sort -u | tr '\n' ' '
}
demo
before=$(state)
check "the pipeline made no figures" [ -n "$(ls "$JOBS/out/figures" 2>/dev/null)" ]

demo
check "a second run changed files" [ "$(state)" = "$before" ]
check "a stage did not say up to date: $(cat "$JOBS/log")" [ "$(grep -c 'up to date' "$JOBS/log")" -ge 4 ]

find "$JOBS/digits" -type f -exec touch {} +
demo
check "touching every input changed files" [ "$(state)" = "$before" ]

demo QTRAIN="--batch-size 32 --epochs 3 --dropout 0.1"
after=$(state)
check "another dropout reran '$(changed "$before" "$after")'" [ "$(changed "$before" "$after")" = "./heads.h5 ./report.h5 " ]

demo QTRAIN="--batch-size 32 --epochs 3 --dropout 0.1" EXTRACT="--resize 28 --limit 150"
check "fewer images did not rerun all" [ "$(changed "$after" "$(state)")" = "./heads.h5 ./report.h5 ./test.h5 ./train.h5 " ]

# One pixel changed: the key knows, whatever the file's time says.
before=$(state)
printf '\377' | dd of="$JOBS/digits/test-images-idx3-ubyte" bs=1 seek=20 conv=notrunc status=none
touch -d 2001-01-01 "$JOBS/digits/test-images-idx3-ubyte"
demo QTRAIN="--batch-size 32 --epochs 3 --dropout 0.1" EXTRACT="--resize 28 --limit 150"
check "a changed pixel reran the wrong stages" [ "$(changed "$before" "$(state)")" = "./report.h5 ./test.h5 " ]

# Compressed images, as MNIST comes, to the last stage; a folder that is not there is said, and nothing fetched into it.
mkdir "$JOBS/mnist"
for f in images-idx3 labels-idx1; do
    gzip -c "$DATA/digits/train-$f-ubyte" >"$JOBS/mnist/train-$f-ubyte.gz"
    gzip -c "$DATA/digits/test-$f-ubyte" >"$JOBS/mnist/t10k-$f-ubyte.gz"
done
mnist() {
    make --no-print-directory -f "$pipelines"/mnist.mk BUILD="$BUILD" OUT="$JOBS/mnist-out" EPOCHS=1 REPLICAS=1 \
        EXTRACT="--resize 28 --limit 150" "$@" >"$JOBS/log" 2>&1
}
mnist MNIST="$JOBS/mnist" || fail "mnist.mk: $(tail -5 "$JOBS/log")"
check "mnist.mk made no picture of samples" [ -s "$JOBS/mnist-out/figures/samples.svg" ]
make --no-print-directory -f "$pipelines"/fashion.mk BUILD="$BUILD" FASHION="$JOBS/mnist" OUT="$JOBS/fashion-out" EPOCHS=1 REPLICAS=1 \
    EXTRACT="--resize 28 --limit 150" >"$JOBS/log" 2>&1 || fail "fashion.mk: $(tail -5 "$JOBS/log")"
check "fashion.mk made other features than mnist.mk" [ "$(content "$JOBS/fashion-out/train.h5")" = "$(content "$JOBS/mnist-out/train.h5")" ]
if mnist MNIST="$JOBS/nowhere"; then fail "mnist.mk took a folder that is not there"; fi
check "mnist.mk did not say what is missing: $(cat "$JOBS/log")" grep -q "MNIST=$JOBS/nowhere: no such folder" "$JOBS/log"
check "mnist.mk made a folder" [ ! -e "$JOBS/nowhere" ]

# hybrid.mk by itself: what it needs is said, and `clean` removes its own folder, not all of out/.
said=$(make --no-print-directory -f "$pipelines"/hybrid.mk BUILD="$BUILD" TEST=x 2>&1) && fail "hybrid.mk ran without TRAIN"
check "hybrid.mk without TRAIN: $said" grep -q 'give TRAIN=IMAGES TEST=IMAGES' <<<"$said"
for mk in "hybrid.mk TRAIN=x TEST=x" "qrng.mk" "qrng-lineups.mk BITS=x" "control.mk" "langevin.mk"; do
    # shellcheck disable=SC2086 # words
    said=$(make --no-print-directory -f "$pipelines"/$mk BUILD="$BUILD" OUT="$JOBS/a b" 2>&1) && fail "$mk ran with a blank in OUT"
    check "$mk with a blank in OUT: $said" [ "$(grep -c . <<<"$said")$(grep -c 'a b: expected a name without spaces' <<<"$said")" = 11 ]
done
check "hybrid.mk's clean: $(make -n -f "$pipelines"/hybrid.mk clean)" [ "$(make -n -f "$pipelines"/hybrid.mk clean)" = "rm -rf out/hybrid" ]

for f in "$pipelines"/*.mk; do check "$f is over 60 lines" [ "$(wc -l <"$f")" -le 60 ]; done
# Random-number devices, made here: figures and a page; a second run changes nothing. A claim on other data is not run.
qrng() {
    run qrng OUT="$JOBS/qrng" "$@" >"$JOBS/log" 2>&1 || fail "qrng.mk: $(tail -5 "$JOBS/log")"
}
qrng
check "qrng.mk made no page" [ -s "$JOBS/qrng/run.html" ]
before=$(cd "$JOBS/qrng" && stat -c '%n %y %i' ./*.h5 run.html figures/*)
qrng
check "a second qrng.mk changed files" [ "$(cd "$JOBS/qrng" && stat -c '%n %y %i' ./*.h5 run.html figures/*)" = "$before" ]
cp "$pipelines"/qrng-claims.json "$JOBS/qrng/claims.json"
check "claims on the study's rows were held against made ones" [ "$(qeval --verify "$JOBS/qrng/claims.json" --json | jq -cS .counts)" = \
    "{\"fail\":0,\"not_run\":$(jq '.claims | length' "$pipelines"/qrng-claims.json),\"pass\":0}" ]

# A file a device, raw bytes; a width is what is declared: by SYMBOL_BITS, else by a file of ours, else 1.
head -c 400 /dev/urandom >"$JOBS/a.bin"; head -c 400 /dev/urandom >"$JOBS/b.bin"
read_as() { qrng OUT="$JOBS/read" "$@" "$JOBS/read/bits.h5" && cache show "$JOBS/read/bits.h5" --json | jq -c '[.attributes.n_rows, .attributes.symbol_bits]'; }
check "qrng.mk: two files of packed bytes" [ "$(read_as BITS="$JOBS/a.bin $JOBS/b.bin" BITS_OPTIONS='--packed --bits 40')" = "[160,1]" ]
check "qrng.mk: SYMBOL_BITS" [ "$(read_as BITS="$JOBS/a.bin" BITS_OPTIONS='--packed --bits 40' SYMBOL_BITS=4)" = "[80,4]" ]
mv "$JOBS/read/bits.h5" "$JOBS/four.h5"
check "qrng.mk: the width of a file of ours" [ "$(read_as BITS="$JOBS/four.h5")" = "[80,4]" ]
tournament --synthetic 3 --source pairs --rows 60 --only-bits -q -o "$JOBS/few.h5"
check "qrng-lineups.mk: its seven classifiers in one figure" \
    make --no-print-directory -s -f "$pipelines"/qrng-lineups.mk BUILD="$BUILD" BITS="$JOBS/few.h5" OUT="$JOBS/lineups" RUNS=2
check "qrng-lineups.mk made no figure" [ -s "$JOBS/lineups/configurations.svg" ]

# Quantum control: the robust pulse is the better one, its file for hardware is as good; a second run changes nothing.
control() {
    run control OUT="$JOBS/control" "$@" >"$JOBS/log" 2>&1 || fail "control.mk: $(tail -5 "$JOBS/log")"
}
control
check "control.mk made no page" [ -s "$JOBS/control/run.html" ]
check "control.mk's words: $(sed -n '/^What was found/,$p' "$JOBS/log")" grep -qE 'loses [1-9][.0-9]* % in the mean; the robust pulse 0\.0[0-9]* %, [0-9]+ times less, and [1-9][.0-9]* % at its worst' "$JOBS/log"
check "control.mk's words on CZ" grep -q 'CZ of two qubits: average gate fidelity 0\.9' "$JOBS/log"
check "control.mk's words on adapting" grep -q 'detuning it is not told? adapting pays' "$JOBS/log"
before=$(cd "$JOBS/control" && stat -c '%n %y %i' ./*.h5 robust.csv run.html figures/*/*)
control
check "a second control.mk changed files" [ "$(cd "$JOBS/control" && stat -c '%n %y %i' ./*.h5 robust.csv run.html figures/*/*)" = "$before" ]

# Langevin sampling, in test mode: bounds of both sets, a page; a second run changes nothing.
langevin() {
    run langevin OUT="$JOBS/langevin" SYNTH="--data synth --test-mode" \
        DIGITS="--data images --groups 01234/56789 --train-size 60 --test-mode" >"$JOBS/log" 2>&1 || fail "langevin.mk: $(tail -5 "$JOBS/log")"
}
langevin
check "langevin.mk made no page" [ -s "$JOBS/langevin/run.html" ]
check "langevin.mk's words: $(sed -n '/^What was found/,$p' "$JOBS/log")" [ "$(grep -c 'the best bound, at beta [0-9.]*, whose test error is [0-9.]* %, is [0-9.]* % (guessing: 50 %), and holds with 99 %' "$JOBS/log")" = 2 ]
before=$(cd "$JOBS/langevin" && stat -c '%n %y %i' ./*.h5 run.html)
langevin
check "a second langevin.mk changed files" [ "$(cd "$JOBS/langevin" && stat -c '%n %y %i' ./*.h5 run.html)" = "$before" ]

# The study's rows: all but what its network scores in 20 runs.
rows=${KETLINE_SHARED:-$ROOT/../shared}/data/qrng/AI_2qubits_training_data.txt
if [ -e "$rows" ]; then
    qrng BITS="$rows" STUDY=1 OUT="$JOBS/study" RUNS=1 "$JOBS/study/figures" "$JOBS/study/figures-reference" "$JOBS/study/run.html"
    jq 'del(.options["report-reference.h5"]) | .claims |= map(select(.phase != "classifier"))' "$pipelines"/qrng-claims.json >"$JOBS/study/claims.json"
    check "of the study's numbers: $(qeval --verify "$JOBS/study/claims.json" 2>&1 | grep -v ^pass)" qeval --verify "$JOBS/study/claims.json" --strict -q
    cp "$pipelines"/qrng-thirty-claims.json "$JOBS/study"
    check "of the thirty devices' numbers: $(qeval --verify "$JOBS/study/qrng-thirty-claims.json" 2>&1 | grep -v ^pass)" \
        qeval --verify "$JOBS/study/qrng-thirty-claims.json" --strict -q
else
    echo "skipped in part: no rows of the QRNG study (KETLINE_SHARED)"
fi

# Sequence models: people left out in turn; the page and the table; what has changed since PhysioNet is refused.
eeg() { run eeg OUT="$JOBS/eeg-out" NETS=means FITS=csp-lda "$@" >"$JOBS/log" 2>&1; }
eeg || fail "eeg.mk: $(tail -5 "$JOBS/log")"
check "eeg.mk: $(cat "$JOBS/eeg-out/compared.txt")" grep -q '^means - csp-lda' "$JOBS/eeg-out/compared.txt"
check "eeg.mk made no page" [ -s "$JOBS/eeg-out/run.html" ]
eeg || fail "eeg.mk again: $(tail -5 "$JOBS/log")"
check "eeg.mk trained again" [ "$(grep -c 'up to date' "$JOBS/log")" -ge 25 ]
mkdir "$JOBS/recordings"
for run in 04 08 12; do cp "$JOBS/eeg-out/people/S001R$run.edf" "$JOBS/recordings"; done
if eeg EEG="$JOBS/recordings" OUT="$JOBS/eeg-refused"; then fail "eeg.mk took recordings that PhysioNet does not have"; fi
check "eeg.mk did not say which: $(cat "$JOBS/log")" grep -q 'S001R04.edf is not that of eegmmidb' "$JOBS/log"
if eeg EEG="$JOBS/nowhere"; then fail "eeg.mk took a folder that is not there"; fi
check "eeg.mk did not say what is missing: $(cat "$JOBS/log")" grep -q "EEG=$JOBS/nowhere: no S001R04.edf" "$JOBS/log"

# Sequences of DNA that differ in their bases: what a rate's choice trains, and that nothing is trained again.
awk 'BEGIN { srand(1); for (i = 0; i < 24; i++) { s = ""; for (b = 0; b < 57; b++) s = s substr(i % 2 ? "acgt" : "aatt", 1 + int(4 * rand()), 1)
    print (i % 2 ? "-" : "+") ",S" i ",\t" s } }' >"$JOBS/promoters.data"
data() { make --no-print-directory -f "$pipelines"/sequence-data.mk BUILD="$BUILD" OUT="$JOBS/data-1" DNA="$JOBS/promoters.data" BARE=mamba NETS= RATES="1e-3 1e-2" SEEDS=1 >"$JOBS/log" 2>&1; }
data || fail "sequence-data.mk: $(tail -5 "$JOBS/log")"
check "sequence-data.mk: $(cat "$JOBS/data-1/dna/mamba.txt")" grep -q '^mamba - mamba-twin' "$JOBS/data-1/dna/mamba.txt"
report=$JOBS/data-1/dna/means.report.h5
chosen=$(h5dump -d chosen/point "$report" | grep -o 'lr=[0-9e-]*' | tr '\n' ' ')
best=$(for fold in 0 1 2 3 4 5; do cache show "$report.folds/$fold.h5" | awk '/^lr=/ { print $1; exit }'; done | tr '\n' ' ')
check "sequence-data.mk: folds chose $chosen, the best of their tables are $best" [ "$(wc -w <<<"$chosen") $chosen" = "6 $best" ]
data || fail "sequence-data.mk again: $(tail -5 "$JOBS/log")"
check "sequence-data.mk trained again: $(cat "$JOBS/log")" [ "$(cat "$JOBS/log" "$JOBS"/data-1/dna/*.report.txt | grep -c 'up to date')" -ge 5 ]

conclude
