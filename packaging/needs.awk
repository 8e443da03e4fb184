# SPDX-License-Identifier: MIT
# What each program links: from lines FILE:#include "HEADER" of all sources a make rule for each program (a .c file of
# tools/ or tests/): `$(BUILD)/PROGRAM.needs: archives`. A room of lib/ is an archive, as is a family of kernels/ (x.h,
# x.c, cpu/x.c, cpu/x_*.c); a program needs those of the headers that it includes, and what they need. plot is one with its rooms.
function node(file, slash) {
    if (file ~ /^lib\/plot\//) return "lib/plot"
    if (file ~ /^lib\//) { sub(/\/[^\/]*$/, "", file); return file }
    if (file ~ /^kernels\/inline\//) return file
    if (file ~ /^kernels\/cu/ && file !~ /^kernels\/cpu\//) return ""
    if (file ~ /^kernels\//) { sub(/^kernels\/(cpu\/)?/, "", file); sub(/\..*$/, "", file); return "kernels/" family(file) }
    return file
}
function family(name) { while (!("kernels/" name ".h" in known) && sub(/_[^_]*$/, "", name)); return name }
function folder(file) { sub(/[^\/]*$/, "", file); return file }
{
    at = index($0, ":"); file = substr($0, 1, at - 1)
    split($0, quoted, "\""); header = quoted[2]
    files[NR] = file; headers[NR] = header
    if (file ~ /^kernels\/[^\/]*\.h$/) known[file]
    if (header ~ /^kernels\//) known[header]
    seen[file]
}
END {
    for (i = 1; i <= NR; i++) {
        header = headers[i]
        if ((folder(files[i]) header) in seen || header !~ /\//) header = folder(files[i]) header
        else if (header !~ /^(kernels|tests)\//) header = "lib/" header
        from = node(files[i]); to = node(header)
        if (to != "" && from != to) edges[from] = edges[from] " " to
    }
    for (file in seen) if (file ~ /^(tools|tests)\/.*\.c$/) {
        split("", reached); list[n = 1] = file; line = ""
        for (i = 1; i <= n; i++) {
            if (list[i] ~ /^(lib|kernels)\// && list[i] !~ /\.h$/) line = line " $(BUILD)/" list[i] ".a"
            m = split(edges[list[i]], next_nodes, " ")
            for (j = 1; j <= m; j++) if (!(next_nodes[j] in reached)) { reached[next_nodes[j]]; list[++n] = next_nodes[j] }
        }
        sub(/\.c$/, "", file)
        print "NEEDS_" file " :=" line
    }
}
