#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What bash, zsh and fish themselves offer for each tool is what its table holds: every option that the schema of the
# configuration and --help know, the choices of each, the first words. Shells that are absent are named and left out.
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/completion.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 70
command -v jq >/dev/null || { echo "skipped: jq is absent"; exit 77; }
offer_bash() { # TOOL WORD...: one offer a line
    (
        # shellcheck disable=SC1090
        source "$folder/bash/$1"
        compopt() { :; } # bash knows it only while it completes
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "_ketline_${1//-/_}"
        printf '%s\n' "${COMPREPLY[@]}"
    )
}
offer_fish() { fish --private -c "source $folder/fish/$1.fish; complete -C'$*'" | cut -f 1; }
cat >offer.zsh <<'E2'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $1/.dump; LISTMAX=10000
  stty columns 300 lines 300; bindkey '^I' list-choices; PS1=REA''DY"
zpty -r z out '*READY*' # the prompt: now the line's editor reads the keys
zpty -n -w z "$2"$'\t\x15'"print EN''D"$'\n'
zpty -r z out '*END*'
print -r -- $out
E2
offer_zsh() { # the first word of what is listed below the line
    timeout 60 zsh -f offer.zsh "$folder/zsh" "$*" | sed 's/\x1b\[[0-9;?]*[A-Za-z]/\n/g; s/[\r ]/\n/g' |
        grep -xE -e "${OFFERS:?}"
}
same() { # WHAT EXPECTED-FILE, offers on stdin
    sort -u | grep . | diff "$2" - >difference || { echo "$1: table <, shell >"; cat difference; touch failed; }
}
check() { # SHELL TOOL [COMMAND]
    local shell=$1 name choices
    shift
    "$@" --help -v | grep -oE '^  (-.,|   ) --[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+$' | sort >options
    OFFERS='--[a-z0-9-]+' offer_"$shell" "$@" -- | same "$shell: $*" options
    "$@" --emit schema | jq -r '.properties | to_entries[] | select(.value.enum and .value.description) |
        "\(.key) \(.value.enum | join(" "))"' >choices
    while read -r name choices; do
        tr ' ' '\n' <<<"$choices" | sort >words
        OFFERS=$(paste -sd '|' words) offer_"$shell" "$@" "--$name" '' | same "$shell: $* --$name" words
    done <choices
}
for shell in bash zsh fish; do
    command -v $shell >/dev/null || { echo "left out: $shell is absent"; continue; }
    mkdir $shell
    for tool in "$ROOT"/tools/*.c; do
        tool=$(basename "$tool" .c)
        case $shell in zsh) file=zsh/_$tool ;; fish) file=fish/$tool.fish ;; *) file=bash/$tool ;; esac
        $tool --emit $shell >$file && $shell -n $file || { echo "$file: $shell refuses it"; touch failed; }
    done
    for tool in "$ROOT"/tools/*.c; do
        tool=$(basename "$tool" .c)
        check $shell "$tool"
        for part in $($tool --emit man | sed -n "s/^\.Xr $tool-\([a-z]*\) 1$/\1/p"); do check $shell "$tool" "$part"; done
    done
    printf '%s\n' list show log diff verify merge gc fsck | sort >words
    OFFERS=$(paste -sd '|' words) offer_$shell cache '' | grep -xFf words | same "$shell: cache" words
done
[ ! -e failed ]
