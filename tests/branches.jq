# SPDX-License-Identifier: MIT
# Reads `llvm-cov export`: the outcomes of conditions that never came, one a line, by file, line and column.
.data[0].files[] | .filename as $file | .branches[] | select(.[4] == 0 or .[5] == 0)
| "\($file | sub("^.*/lib/"; "lib/")):\(.[0]):\(.[1]): never" + if .[4] > 0 then " false" elif .[5] > 0 then " true" else "" end
