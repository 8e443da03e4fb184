# SPDX-License-Identifier: MIT
# What differs from run to run, taken out of both streams before they are compared (sed -E). @NAMES@
# are filled in by `case`.
s|@WORK@|WORK|g
s|@TMP@|TMP|g
s|@SHARED@|SHARED|g
s|@ROOT@|ROOT|g
s/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(Z| UTC)?/DATE/g
s/\b[0-9a-f]{64}\b/HEX64/g
s/\(key [0-9a-f]{12}\)/(key HEX12)/g
s/\b[0-9]+(\.[0-9]+)?(e-?[0-9]+)? (ms|s|min)\b/# s/g
s/\b[0-9][0-9,]*(\.[0-9]+)? (images|samples|epochs)\/s\b/# \2\/s/g
s/; run [0-9a-f]{8}$/; run ID/
s/"(seconds|rate)": ?[0-9.e+-]+/"\1": #/g
s/\b[0-9]+(\.[0-9]+)? [kKMG]B\b/# bytes/g
