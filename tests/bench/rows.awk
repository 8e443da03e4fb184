# SPDX-License-Identifier: MIT
# Lines `NAME VALUE UNIT`, and rows of the tables of docs/benchmarks.md made of them. Of several lines of a name the best counts.
function better(name, v) { return unit[name] == "images/s" ? v > value[name] : v < value[name] }
function show(name,   v, u) {
    v = value[name]; u = unit[name]
    if (u == "s" && v < 1e-3) { v *= 1e6; u = "us" } else if (u == "s" && v < 1) { v *= 1e3; u = "ms" }
    return sprintf((v >= 100 ? "%.0f %s%s" : "%.3g %s%s"), v, u, scaled[name])
}
# What was asked, where it was missed: the aim, or in bold the least. `more`: more is better.
function missed(v, least, aim, u, more) {
    if (aim == "" || (more ? v >= aim : v <= aim)) return ""
    if (least != "" && (more ? v >= least : v <= least)) return " (aim " aim u ")"
    return " (**" (more ? "least " : "most ") (least == "" ? aim : least) u "**)"
}
# A row: ratio of the peer to ours (for rates: of ours to the peer).
function row(title, work, peer, least, aim,   ours, theirs, r) {
    ours = work "/ketline"; theirs = work "/" peer
    if (!(ours in value) || !(theirs in value)) return
    r = unit[ours] == "images/s" ? value[ours] / value[theirs] : value[theirs] / value[ours]
    printf "| %s | %s | %s, %s | %sx%s |\n", title, show(ours), peer, show(theirs), sprintf((r >= 100 ? "%.0f" : "%.3g"), r), missed(r, least, aim, "x", 1)
}
# A row: how many times longer `work` takes than `unit_work`.
function itself(title, work, unit_work, most, aim,   r) {
    if (!(work in value) || !(unit_work in value)) return
    r = value[work] / value[unit_work]
    printf "| %s | %.2fx%s |\n", title, r, missed(r, most, aim, "x")
}
# The best of the peers of a piece of work.
function best(work,   n, p, found) {
    for (n in value) {
        split(n, p, "/")
        if (p[1] != work || p[2] == "ketline") continue
        if (found == "" || (unit[n] == "images/s" ? value[n] > value[work "/" found] : value[n] < value[work "/" found])) found = p[2]
    }
    return found
}
{ if (!($1 in value)) { value[$1] = $2; unit[$1] = $3; scaled[$1] = $4 == "" ? "" : " (" $4 ")" } else if (better($1, $2)) value[$1] = $2 }
