#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGKILL at random moments of what kill.sh leaves: resumed runs, `cache gc`, `fsck --repair`, push and pull, figures, pages,
# drawings, extracted bits, exported weights and the trials of doctor. Each file is the old one or the new one, or lies
# where it was or where it was to go; a rerun leaves what an undisturbed run leaves.
#   KILLS=500 KILLED="gc fsck" bash tests/kill-more.sh
. "$(dirname "$0")/jobs.inc"
KILLS=${KILLS:-4} # a round of these takes seconds
. "$ROOT/tests/kill.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
dir=$JOBS/dir # of the job that is killed
mkdir "$dir"
fresh() { rm -rf "$dir" && mkdir "$dir"; }
# What lies below a folder: digest and name, without .damaged at its end.
listing() { (cd "$1" && find . -type f ! -name '.*' -print0 | xargs -0r sha256sum | sed 's/\.damaged$//' | sort -k2); }
nothing_else() { [ -z "$(find "$1" -name '.*' -type f)" ]; }

# ---- outputs that are no HDF5: one file, the old one or the new one ----
plain() { # NAME END: makes the functions that blows wants from make_NAME OUT
    make_$1 "$JOBS/want.$2" >/dev/null || { fail "$1: the undisturbed run failed"; return; }
    eval "before_$1() { fresh; [ \$((i % 2)) = 1 ] || old_$1 >\"$dir/$1.$2\"; }
        act_$1() { make_$1 \"$dir/$1.$2\"; }
        sound_$1() { { [ \$((i % 2)) = 1 ] && [ ! -e \"$dir/$1.$2\" ]; } || same \"$dir/$1.$2\" \"$JOBS/want.$2\" || [ \"\$(cat \"$dir/$1.$2\")\" = \"\$(old_$1)\" ]; }
        whole_$1() { same \"$dir/$1.$2\" \"$JOBS/want.$2\" && [ \"\$(ls -A \"$dir\")\" = $1.$2 ]; }"
    blows "$1"
}
old_extract() { echo old; }
make_extract() { tournament -q --extract von-neumann "$JOBS/bits.txt" --symbol-bits 2 --force -o "$1"; }
old_export() { echo old; }
make_export() { qconvert -q "$JOBS/head.h5" --force -o "$1"; }
old_draw() { echo '<svg>old'; }
make_draw() { circuit draw --qubits 8 --layers 10 -o "$1"; }

# ---- figures: a folder, each file of which is old or new; a page ----
before_figures() { fresh; [ $((i % 2)) = 1 ] || echo '<svg>old' | tee "$dir/pca.svg" >"$dir/curves.svg"; }
act_figures() {
    figures -q "$JOBS/head.h5" "$JOBS/report.h5" "$JOBS/test.h5" --images "$digits_test" --format svg -o "$dir"
}
sound_figures() {
    local file
    [ $((i % 2)) = 1 ] || { [ -e "$dir/pca.svg" ] && [ -e "$dir/curves.svg" ]; } || return 1
    for file in "$dir"/*; do
        [ ! -e "$file" ] || same "$file" "$JOBS/figures.want/${file##*/}" || [ "$(cat "$file")" = '<svg>old' ] || return 1
    done
}
whole_figures() { # of the undisturbed run: this is what all others must come to
    [ -d "$JOBS/figures.want" ] || cp -r "$dir" "$JOBS/figures.want"
    diff -rq "$dir" "$JOBS/figures.want"
}
before_page() { fresh; [ $((i % 2)) = 1 ] || echo '<!doctype html>old' >"$dir/page.html"; }
act_page() { figures -q "$JOBS/head.h5" "$JOBS/report.h5" --force --report "$dir/page.html"; }
sound_page() { # the time is in it
    { [ $((i % 2)) = 1 ] && [ ! -e "$dir/page.html" ]; } || [ "$(cat "$dir/page.html")" = '<!doctype html>old' ] || [ "$(tail -c 8 "$dir/page.html")" = '</html>' ]
}
whole_page() { [ "$(tail -c 8 "$dir/page.html")" = '</html>' ] && [ "$(ls -A "$dir")" = page.html ]; }

# ---- cache gc: an old file is there whole or gone; those in use, and those of others, stay ----
aged=$JOBS/aged.h5
age() { touch -d '9 days ago' "$dir/old/notes.h5" "$aged"; } # comparing them was using them
before_gc() { # 60 links to one file
    local k
    [ $((i % 3)) = 1 ] && [ -e "$dir/old/60.h5" ] && return # what the last kill left
    fresh
    mkdir "$dir/keep" "$dir/old"
    cp "$JOBS/report.h5" "$dir/keep/new.h5"
    echo "not ours" >"$dir/old/notes.h5"
    for k in $(seq 60); do ln "$aged" "$dir/old/$k.h5"; done
    age
}
act_gc() { cache gc "$dir" --older-than 7 --apply -q; }
sound_gc() {
    same "$aged" "$JOBS/report.h5" && same "$dir/keep/new.h5" "$JOBS/report.h5" && [ "$(cat "$dir/old/notes.h5")" = "not ours" ]
    local status=$?
    age
    return $status
}
whole_gc() { [ "$(ls -A "$dir/old")" = notes.h5 ]; }

# ---- a store of 20 files; 14 of them damaged ----
make_store() {
    local k
    for k in $(seq 20); do
        extract-features -q "$digits_test" --resize 28 --limit $k --store "$JOBS/store" --force --no-provenance -o "$JOBS/any.h5" || return
    done
    cp -r "$JOBS/store" "$JOBS/damaged"
    find "$JOBS/damaged" -name '*.h5' | sort | head -14 | while read -r k; do printf damaged! | dd of="$k" bs=1 seek=1500 conv=notrunc status=none; done
    listing "$JOBS/store" >"$JOBS/store.list"
    listing "$JOBS/damaged" >"$JOBS/damaged.list"
}
# ---- fsck --repair: a damaged file lies under its name or beside it; whole ones stay ----
before_fsck() { fresh && cp -r "$JOBS/damaged/." "$dir"; }
act_fsck() { cache fsck "$dir" --repair -q 2>/dev/null || [ $? = 1 ]; }
sound_fsck() { same <(listing "$dir") "$JOBS/damaged.list"; }
whole_fsck() { sound_fsck && [ "$(find "$dir" -name '*.damaged' | wc -l)" = 14 ]; }

# ---- push and, every second time, pull: what is there is whole ----
before_push() { fresh; }
act_push() { if [ $((i % 2)) = 0 ]; then cache push "$dir" --store "$JOBS/store" -q; else cache pull "$JOBS/store" --store "$dir" -q; fi; }
sound_push() { [ -z "$(comm -13 <(sort "$JOBS/store.list") <(listing "$dir" | sort))" ]; }
whole_push() { same <(listing "$dir") "$JOBS/store.list" && nothing_else "$dir"; }

# ---- a run that goes on from what a stopped one left; every second time it writes checkpoints ----
leaves_checkpoint() { # NAME: it is stopped until it does
    for _ in $(seq 50); do stop "$dir/out.h5" job "$1" "$dir/out.h5" --no-provenance && return; done
    return 1
}
goes_on() { # NAME: the functions of the resumed job NAME
    local from=$(now_ms) span
    job "$1" "$JOBS/resume-$1.want" --no-provenance >/dev/null || { fail "resume-$1: the undisturbed run failed"; return; }
    span=$(($(now_ms) - from + 1))
    fresh
    leaves_checkpoint "$1" || { fail "resume-$1: was never stopped with a checkpoint"; return; }
    cp "$dir/.out.h5.checkpoint" "$JOBS/$1.checkpoint"
    eval "before_resume-$1() { fresh; cp '$JOBS/$1.checkpoint' '$dir/.out.h5.checkpoint'; }
        act_resume-$1() { job $1 '$dir/out.h5' --no-provenance \$([ $1 != qtrain ] || [ \$((i % 2)) = 1 ] || echo --checkpoint-every 3); }
        sound_resume-$1() { [ ! -e '$dir/out.h5' ] || same '$dir/out.h5' '$JOBS/resume-$1.want'; }
        whole_resume-$1() { same '$dir/out.h5' '$JOBS/resume-$1.want' && [ \"\$(ls -A '$dir')\" = out.h5 ]; }"
    blows "resume-$1"
}

# ---- doctor tries the store's folder: nothing of that stays behind the next run ----
before_doctor() { [ $((i % 2)) = 1 ] || fresh; }
act_doctor() { doctor -q --no-bench --store "$dir"; }
sound_doctor() { [ -z "$(ls -A "$dir" | grep -v '^\.doctor\..*\.ketline-tmp$')" ]; }
whole_doctor() { [ -z "$(ls -A "$dir")" ]; }

cp "$JOBS/report.h5" "$aged"
make_store || { echo "the store could not be made"; exit 1; }
for name in figures page gc fsck push doctor; do ! wanted $name || blows $name; done
for name in extract:bin export:safetensors draw:svg; do ! wanted ${name%:*} || plain ${name%:*} ${name#*:}; done
for name in qtrain qgan; do ! wanted resume-$name || goes_on $name; done
conclude
