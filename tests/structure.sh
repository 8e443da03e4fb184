#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The structure that docs/architecture.md promises. Fails on what must not be; prints, without
# failing, what is over the sizes.
set -u
cd "$(dirname "$0")/.." || exit 70
failed=0
faults=()
fail() { faults+=("structure: $*"); failed=1; }
code() { # a C file without comments, strings and literals, so that words in messages do not count
    gcc -x c -fpreprocessed -dD -E -P "$1" 2>/dev/null | sed 's/"\([^"\\]\|\\.\)*"/""/g'
}

# 1. The library neither prints nor exits.
for f in $(grep -rlE '\<(exit|abort|v?printf|puts|putchar|perror) *\(|\<std(out|err)\>' lib kernels --include='*.c' --include='*.h' --include='*.cu' | sort); do
    # Streams that the caller gives, or open_memstream, may be written; the process's own may not be
    # named.
    words='(exit|abort|printf|vprintf|puts|putchar|perror) *\(|(stdout|stderr)\b'
    case $f in lib/base/log.c | lib/base/progress.c) words='(exit|abort) *\(' ;; esac
    found=$(code "$f" | grep -nE "(^|[^A-Za-z0-9_.>])($words)" | grep -v '__attribute__' | head -3)
    [ -z "$found" ] || fail "$f prints or ends the process: $found"
done

# 2. Rooms in order; each includes what stands before it. Stage rooms include none of their kind. qrng, control, sampling and sequence have
# rooms of their own: which of them each includes. plot has rooms beside what all its figures share.
order=(base store claims device ingest weights stats nn train circuit)
stages=" cache doctor backbone head qrng control sequence sampling plateau plot "
declare -A ranks
for i in "${!order[@]}"; do ranks[${order[$i]}]=$i; done
for i in $stages; do ranks[$i]=100; done
declare -A inner_rooms=([qrng/bits]="" [qrng/classify]=bits [qrng/pairs]=bits [qrng/nist]=bits [qrng/gan]=bits
    [qrng/extractor]="bits nist" [qrng/synthetic]="bits classify pairs"
    [control/model]="" [control/noise]=model [control/pulse]="model noise" [control/meta]="model noise pulse"
    [control/stored]="model noise pulse"
    [sampling/data]="" [sampling/model]=data [sampling/diagnose]="" [sampling/chain]="data model diagnose"
    [sampling/ladder]=diagnose [sampling/ensemble]="" [sampling/heads]="data model diagnose ladder chain ensemble"
    [sequence/recording]="" [sequence/signal]="" [sequence/windows]="recording signal" [sequence/synthetic]="recording windows"
    [sequence/model]="" [sequence/covariance]="" [sequence/learn]="windows model covariance"
    [sequence/report]="windows model covariance learn"
    [plot/page]="" [plot/head]="" [plot/qrng]="" [plot/control]="" [plot/sampling]="" [plot/sequence]="")
for f in $(find lib -name '*.c' -o -name '*.h' | sort); do
    room=${f#lib/} room=${room%%/*} mine=${ranks[$room]--1}
    [ "$mine" -ge 0 ] || fail "$f: the room $room is not in docs/architecture.md"
    folder=${f#lib/} folder=${folder%/*} inner=${folder#*/}
    case $folder in
        qrng/* | control/* | sampling/* | sequence/* | plot/*) [ -n "${inner_rooms[$folder]+known}" ] || fail "$f: the room $folder is not in docs/architecture.md" ;;
        */* | qrng | control | sampling | sequence) fail "$f stands in no room" ;;
    esac
    for header in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$f"); do
        other=${header%%/*}
        case $header in
            kernels/*) [ "$mine" -gt "${ranks[device]}" ] ||
                fail "$f includes $header: no room up to device knows kernels; kernels include device" ;;
            */*_int.h) [ "${header%/*}" = "$folder" ] ||
                fail "$f includes $header, which is private to ${header%/*}" ;;
            qrng/*/* | control/*/* | sampling/*/* | sequence/*/* | plot/*/*) theirs=${header#*/} theirs=${theirs%%/*} known=
                [ "$room" = "$other" ] && known=" $inner ${inner_rooms[$folder]-} "
                [[ $known == *" $theirs "* ]] || fail "$f includes $header against the tiers" ;;
            head/features.h) [[ $room = head || $room = sampling ]] || fail "$f includes $header against the tiers" ;; # caches are read by both
            # What is sampled there are heads: two rooms of sampling know them, the others know targets alone.
            head/*) [ "$room" = head ] || [[ $folder = sampling/heads || $folder = sampling/ensemble ]] || fail "$f includes $header against the tiers" ;;
            */*) theirs=${ranks[$other]--1}
                [ "$other" = "$room" ] || { [ "$theirs" -ge 0 ] && [ "$theirs" -lt "$mine" ]; } ||
                    fail "$f includes $header against the tiers" ;;
        esac
    done
done
for f in $(find kernels -name '*.c' -o -name '*.h' -o -name '*.cu' | sort); do
    for header in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$f"); do
        case $header in
            kernels/* | base/* | device/*) ;;
            */*) fail "$f includes $header: kernels include base and device only" ;;
        esac
    done
done

# 3. HDF5 is called in the store alone.
for f in $(grep -lE '# *include *[<"]hdf5(_hl)?\.h' -r lib kernels tools); do
    case $f in lib/store/*) ;; *) fail "$f includes hdf5.h" ;; esac
done

# 4. A device is a table and a pointer.
for f in $(grep -E '^ *# *(if|ifdef|ifndef|elif).*(CUDA|NVCC)' -r lib kernels tools |
    grep -vE '#ifndef KL_[A-Z_]*_(CU)?H$' | cut -d: -f1 | sort -u); do
    case $f in kernels/inline/*) ;; *) fail "$f chooses CUDA by #if" ;; esac
done

# 5. A kernel family has a CPU file, and a CUDA twin or a reason in its header's first lines.
for header in kernels/*.h; do
    family=$(basename "$header" .h)
    case $family in isa | device | cuda | cuda_*) continue ;; esac
    [ -e "kernels/cpu/$family.c" ] || [ -e "kernels/cpu/$family/$family.c" ] || fail "$header has no kernels/cpu/$family.c"
    [ -e "tests/kernels/$family.c" ] || fail "$header has no tests/kernels/$family.c"
    [ -e "kernels/cuda/$family.cu" ] || head -12 "$header" | grep -qi cuda ||
        fail "$header has no CUDA twin and its first lines do not say why"
done

# 6. What every tool's main does stands once, in store/mode.c. Every tool is tested; every file names its
# licence; lines fit.
for f in $(grep -lwE 'kl_(options_answer|note_variables|report|finish|end)' -r lib tools); do
    case $f in lib/base/* | lib/store/mode.c) ;; *) fail "$f does a part of kl_store_mode_main by hand" ;; esac
done
for f in tools/*.c; do
    grep -qE '\<kl_store_modes?_main\(' "$f" || fail "$f does not go through kl_store_mode_main"
    [ -n "$(ls "tests/cli/$(basename "$f" .c)"/*.t 2>/dev/null)" ] || fail "$f has no tests in tests/cli/$(basename "$f" .c)/"
done
for f in $(git ls-files '*.c' '*.h' '*.cu' '*.sh' '*.py' '*.mk' Makefile 2>/dev/null); do
    [ -e "$f" ] || continue
    head -3 "$f" | grep -q 'SPDX-License-Identifier: MIT' || fail "$f: no SPDX line"
done

# A .c file says at its head what it is.
for f in lib/*/*.c lib/*/*/*.c kernels/*.c tools/*.c; do
    ! sed -n 1p "$f" | grep -q '\*/' || fail "$f: no words at its head"
done

# 7. Messages quote in one way: what was found, 'like this'.
for place in $(awk '/kl_(fail|fail_errno|note|circuit_qasm_fail|store_h5_failed)\(/ { text = ""; within = 1 }
    within { text = text $0 }
    within && /;$/ { within = 0; if (text ~ /\\"/) print FILENAME ":" FNR }' $(find lib tools -name '*.c')); do
    fail "$place: a message with double quotes; what was found stands in single ones"
done

# 8. A struct tag means one thing.
for tag in $(grep -rhoE '^struct kl_[a-z0-9_]+ \{' lib kernels tools | sort | uniq -d | cut -d' ' -f2); do
    fail "struct $tag is defined twice: $(grep -rlE "^struct $tag \{" lib kernels tools | tr '\n' ' ')"
done

# 9. The device is `gpu`, its interface `cuda`; no file and no identifier says `card`.
card='(^|[^a-z])cards?([^a-z]|$)'
for f in $(find lib kernels tools | grep -iE "$card"); do fail "$f: the device is called gpu"; done
for f in $(grep -rliE "$card" --include='*.[ch]' --include='*.cu' --include='*.cuh' lib kernels tools | sort); do
    found=$(code "$f" | grep -iE "$card" | head -1)
    [ -z "$found" ] || fail "$f: the device is called gpu: $found"
done

# 10. The store knows no stage. What files of a kind show is a table of the room that writes them
# (lib/store/kind.h), in the list of tools/cache.c; no kind is named in lib/store but its own, the checkpoint.
tables=$(awk '/^const struct kl_kind kl_[a-z0-9_]+_kind = \{/ { table = $4 }
    table && match($0, /\.name = "[^"]+"/) { print table, substr($0, RSTART + 9, RLENGTH - 10); table = "" }' $(find lib -name '*.c'))
[ -n "$tables" ] || fail "no table of a kind is found in lib"
store=$(for f in lib/store/*.[ch]; do gcc -fpreprocessed -dD -E -P "$f" 2>/dev/null | sed "s,^,$f: ,"; done)
while read -r table kind; do
    grep -qE "&$table\b" tools/cache.c || fail "tools/cache.c does not list $table"
    [ "$kind" = checkpoint ] && continue
    found=$(grep -E "\"$kind[\"/]|\b$table\b" <<<"$store" | head -1)
    [ -z "$found" ] || fail "${found%%: *} names the kind '$kind'; its table belongs to the room that writes it"
done <<<"$tables"

# 11. A function that a room's headers declare carries the room: kl_store_..., kl_nn_..., kl_pairs_... (of qrng's rooms
# the inner one, of those of control, sampling, sequence and plot the outer one). lib/base, the foundation, has kl_ and a noun.
for f in $(find lib -name '*.h' | sort); do
    room=${f%/*} room=${room##*/}
    [ "$room" = base ] && continue
    case $f in lib/control/*) room=control ;; lib/sampling/*) room=sampling ;; lib/sequence/*) room=sequence ;; lib/plot/*) room=plot ;; esac
    for name in $(code "$f" | sed 's/__attribute__((.*)) //' |
        grep -oE '^([a-z][^(=]*)?\<kl_[a-z0-9_]+\(|\<kl_[a-z0-9_]+_##p\(' | grep -oE 'kl_[a-z0-9_]+(##p)?\($'); do
        case $name in kl_"$room"_*) ;; *) fail "$f declares ${name%(} without its room's prefix kl_${room}_" ;; esac
    done
done

# 12. What is compiled in both precisions is defined and called by its plain name, which its header makes a macro.
for place in $(grep -nE '\<KL_NAME\(' -r lib kernels tools --include='*.[ch]' | grep -vE '\.h:[0-9]+:#define (kl_[a-z0-9_]+) KL_NAME\(\1\)|real\.h:' | cut -d: -f1,2); do
    fail "$place: KL_NAME stands in its header's #define lines alone (kernels/inline/real.h)"
done

# 13. A folder has at most 30 .c files.
for folder in $(find lib kernels tools -type d); do
    n=$(find "$folder" -maxdepth 1 -name '*.c' -o -maxdepth 1 -name '*.cu' | wc -l)
    [ "$n" -le 30 ] || fail "$folder has $n .c files, expected at most 30"
done

# 14. Which epoch is best, and when a training stops early, is decided in lib/train alone.
for f in $(grep -lE '(stale|best_epoch|stopped_epoch)(\+\+| = )' -r lib tools --include='*.[ch]' | sort); do
    case $f in lib/train/*) ;; *) fail "$f decides which epoch is best, or the last, by itself" ;; esac
done

# The list of slow tests names tests.
while read -r t; do [ -e "$t" ] || [ -e "$t.c" ] || [ -e "${t%-emulated}.c" ] || fail "tests/slow names $t, which is not there"; done <tests/slow

# Sizes, said without failing.
long() { # limit, files...
    local limit=$1 f n
    shift
    for f; do n=$(wc -l <"$f"); [ "$n" -le "$limit" ] || echo "size: $f has $n lines, seldom over $limit"; done
}
long 250 tools/*.c
long 600 $(find lib kernels -name '*.c' -o -name '*.cu')
long 300 $(find lib -name '*.h') Makefile
long 120 kernels/*.h
awk 'FNR == 1 { start = 0 }
    /^[A-Za-z_].*[A-Za-z0-9_]\(.*[^;]$/ && !/^(else|typedef|#|struct [a-z_]+ \{)/ { if (!start) { start = FNR; name = $0 } }
    /^[{]/ { inside = start }
    /^}/ { if (inside && FNR - inside > 100) printf "size: %s:%d %d lines: %s\n", FILENAME, inside, FNR - inside + 1, name; start = inside = 0 }
    /;$/ && !inside { start = 0 }' $(find lib kernels tools -name '*.c' -o -name '*.cu')
awk 'length > 110 { n[FILENAME]++ } END { for (f in n) printf "size: %s has %d lines over 110 columns\n", f, n[f] }' \
    $(find lib kernels tools tests -name '*.[ch]' -o -name '*.cu') | sort
# Public functions without a word: nothing above, nothing behind, no group they stand in.
awk 'FNR == 1 { said = 0; open = 0 }
    { comment = /\/\*/ || /\*\// || /^   / && open }
    /\/\*/ && !/\*\// { open = 1 } /\*\// { open = 0 }
    /^[a-z].*[a-z0-9_]\(/ && !/\/\*/ && !said { printf "comment: %s:%d: %s\n", FILENAME, FNR, $0 }
    { said = comment || open || (said && !/^$/) }' $(find lib -name '[a-z]*.h' | sort) kernels/*.h | grep -v '_int\.h' | grep -vE 'static inline|: typedef'
[ $failed = 0 ] && echo "structure: as it should be" || printf '%s\n' "${faults[@]}"
exit $failed
