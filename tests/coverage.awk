# SPDX-License-Identifier: MIT
# Reads `gcov -t`; a line counts as run if any of its compilations (float, double) ran it. Files first, the whole of lib/ last.
{ n = split($0, part, ":") }
part[2] + 0 == 0 && part[3] == "Source" { source = part[4]; next }
source !~ /^lib\// { next }
part[2] + 0 > 0 && part[1] !~ /-/ {
    id = source ":" (part[2] + 0)
    if (!(id in seen)) { seen[id] = 1; lines[source]++; all++ }
    if (part[1] !~ /[#=]/ && !(id in ran)) { ran[id] = 1; hit[source]++; done++ }
}
END {
    for (s in lines) printf "%5.1f %% %5d of %5d lines  %s\n", 100 * hit[s] / lines[s], hit[s], lines[s], s | "sort -n"
    close("sort -n")
    printf "lib: %d of %d lines ran, %.1f %%\n", done, all, all ? 100 * done / all : 0
}
