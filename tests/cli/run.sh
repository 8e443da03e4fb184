#!/usr/bin/env bash
# One test of a tool: tests/cli/run.sh [--accept] FILE.t. The format is in tests/cli/README.md.
set -u
accept=false
[ "$1" = --accept ] && { accept=true; shift; }
file=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
project=${KETLINE_PROJECT:-$(cd "$(dirname "$0")/../.." && pwd)}
bin=${KETLINE_BIN:-$project/build/bin}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run" "$scratch/home"
export PATH=$bin:$PATH DATA=$project/data SHARED=${KETLINE_SHARED:-$project/../shared} HOME=$scratch/home LC_ALL=C
cd "$scratch/run" || exit 2

grep -q '^needs shared$' "$file" && [ ! -d "$SHARED/data" ] && { echo "skipped: $SHARED is absent"; exit 77; }

actual=$scratch/actual
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        '$ '*)
            printf '%s\n' "$line"
            bash -c "${line#\$ }" >"$scratch/out" 2>"$scratch/err" </dev/null
            status=$?
            sed 's/^/> /' "$scratch/out"
            sed 's/^/! /' "$scratch/err"
            [ $status -eq 0 ] || printf '? %s\n' "$status"
            ;;
        '> '* | '! '* | '? '* | '>' | '!') ;; # expectations: made anew
        *) printf '%s\n' "$line" ;;
    esac
done <"$file" >"$actual"

$accept && { cp "$actual" "$file"; exit 0; }
# "<*>" in an expected line matches anything.
mapfile -t want <"$file"
mapfile -t got <"$actual"
for ((i = 0; i < ${#want[@]} || i < ${#got[@]}; i++)); do
    pattern=${want[i]-}
    pattern=$(printf '%s' "$pattern" | sed 's/[][\\*?]/\\&/g; s/<\\\*>/*/g')
    # shellcheck disable=SC2053
    if [[ ${got[i]-} != $pattern ]]; then
        echo "$file:$((i + 1)): expected: ${want[i]-(nothing)}"
        echo "$file:$((i + 1)): found:    ${got[i]-(nothing)}"
        exit 1
    fi
done
