# SPDX-License-Identifier: MIT
# What each program links: from the names of all sources, then lines FILE:#include "HEADER" of them, for each program (a .c
# file of tools/ or tests/) NEEDS_<its name> := archives. A room of lib/ is an archive, as is a family of kernels/ (x.h,
# x.c, cpu/x.c, cpu/x_*.c, cpu/x/*.c); a program needs those of the headers that it includes, and what they need. plot is one with its rooms.
function node(file, slash) {
    if (file ~ /^lib\/plot\//) return "lib/plot"
    if (file ~ /^lib\//) { sub(/\/[^\/]*$/, "", file); return file }
    if (file ~ /^kernels\/inline\//) return file
    if (file ~ /^kernels\/cu/ && file !~ /^kernels\/cpu\//) return ""
    if (file ~ /^kernels\//) { sub(/^kernels\/(cpu\/([^\/]*\/)?)?/, "", file); sub(/\..*$/, "", file); return "kernels/" family(file) }
    return file
}
function family(name) { while (!("kernels/" name ".h" in known) && sub(/_[^_]*$/, "", name)); return name }
function beside(file, header) {
    sub(/[^\/]*$/, "", file)
    file = file header
    while (sub(/[^\/]+\/\.\.\//, "", file));
    return file
}
!/:/ { exists[$0]; if (/^kernels\/[^\/]*\.h$/) known[$0]; next }
{
    split($0, quoted, "\"")
    files[++lines] = substr($0, 1, index($0, ":") - 1)
    headers[lines] = quoted[2]
}
END {
    for (i = 1; i <= lines; i++) {
        header = beside(files[i], headers[i])
        if (!(header in exists)) header = headers[i] ~ /^(kernels|tests)\// ? headers[i] : "lib/" headers[i]
        from = node(files[i]); to = node(header)
        if (to != "" && from != to) edges[from] = edges[from] " " to
    }
    for (file in exists) if (file ~ /^(tools|tests)\/.*\.c$/) {
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
