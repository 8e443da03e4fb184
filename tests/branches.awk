# SPDX-License-Identifier: MIT
# Reads `llvm-cov report`: lines and branches that ran, by file, then by group (the table of docs/reliability.md).
function group(file) {
    if (file ~ /^base\//) return "1 JSON, YAML, grids"
    if (file ~ /^ingest\/|^store\/foreign/) return "2 IDX, PNG, JPEG, folders, HDF5 of others"
    if (file ~ /^weights\//) return "3 archives and pickles, .npy, safetensors"
    if (file ~ /^circuit\/qasm/) return "5 OpenQASM"
    if (file ~ /^circuit\//) return "4 noise, observables"
    if (file ~ /^qrng\//) return "6 bits"
    if (file ~ /^store\/(envelope|read|rows|h5|driver|digest)/) return "7 envelope, profile, reading"
    if (file ~ /^store\/(declare|publish|seal|io|target)/) return "8 publishing"
    return "9 recovering"
}
function row(name, n) {
    printf "%-42s %5d lines %5.1f %% %5d branches %5.1f %% %4d left\n", name, lines[n], 100 * (1 - line_left[n] / lines[n]),
        branches[n], 100 * (1 - left[n] / branches[n]), left[n]
}
function add(n) {
    lines[n] += $8; line_left[n] += $9; branches[n] += $11; left[n] += $12
}
NF == 13 && $8 ~ /^[0-9]+$/ && $1 != "TOTAL" && $11 > 0 {
    add($1); row($1, $1)
    name = group($1)
    add(name); groups[substr(name, 1, 1)] = name; add("all")
}
END {
    for (i = 1; i <= 9; i++) row(substr(groups[i], 3), groups[i])
    row("all", "all")
}
