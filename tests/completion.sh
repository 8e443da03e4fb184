#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What bash, zsh and fish themselves offer for each tool is what its table holds: every option that the schema of the
# configuration and --help know, the choices of each, the first words; behind the word that selects a mode, the mode's. Shells that are absent are named and left out.
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
    timeout 60 zsh -f offer.zsh "$folder/zsh" "$*" | sed 's/\x1b\[[0-9;?]*[A-Za-z]/\n/g; s/\r/\n/g' |
        sed 's/ -- .*//; s/ /\n/g' | grep -xE -e "${OFFERS:?}"
}
same() { # WHAT EXPECTED-FILE, offers on stdin
    sort -u | grep . | diff "$2" - >difference || { echo "$1: table <, shell >"; cat difference; touch failed; }
}
modes() { "$1" --help | sed -n 's/^Modes, .*: //p' | tr -d ,; } # TOOL
check() { # SHELL TOOL [MODE]: the mode's word, given once, need not be offered again
    local shell=$1 tool=$2 mode=${3-} value name choices
    shift
    "$@" --emit schema >schema
    value=$(jq -r --arg name "${mode#--}" '.properties[$name] // {} | select(.type != "boolean") | .default // .enum[0]' schema)
    {
        "$@" --help -v | grep -oE '^  (-.,|   ) --[A-Za-z0-9-]+' | grep -oE -e '--[A-Za-z0-9-]+$'
        [ -n "$mode" ] || modes "$tool" | tr ' ' '\n' | grep -e '^--'
    } | grep -vxF -e "$mode" | sort -u >options
    jq -r '.properties | to_entries[] | select(.value.enum and .value.description) |
        "\(.key) \(.value.enum | join(" "))"' schema >choices
    [ -z "$value" ] || set -- "$@" "$value"
    OFFERS='--[A-Za-z0-9-]+' offer_"$shell" "$@" -- | grep -vxF -e "$mode" | same "$shell: $*" options
    while read -r name choices; do
        tr ' ' '\n' <<<"$choices" | sort >words
        [ "--$name" != "$mode" ] || set -- "$tool"
        OFFERS=$(paste -sd '|' words) offer_"$shell" "$@" "--$name" '' | same "$shell: $* --$name" words
        [ "--$name" != "$mode" ] || set -- "$tool" "$mode" "$value"
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
        for mode in $(modes "$tool"); do check $shell "$tool" "$mode"; done
    done
    printf '%s\n' list show log diff verify merge gc fsck push pull | sort >words
    OFFERS=$(paste -sd '|' words) offer_$shell cache '' | grep -xFf words | same "$shell: cache" words
    if [ $shell = fish ]; then # a page is a file
        touch page.html
        offer_fish figures head.h5 --report '' | grep -qx page.html || { echo "fish: figures --report names no file"; touch failed; }
    fi
done
[ ! -e failed ]
