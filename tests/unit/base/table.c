/* SPDX-License-Identifier: MIT
   Tables of texts: set for people, and for LaTeX as LaTeX takes them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tests/unit/check.h"

static bool gives(const struct kl_table *t, bool latex, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    bool same = to && kl_table_write(to, t, latex, NULL) == KL_OK;
    if (to) fclose(to);
    same = same && strcmp(text, expected) == 0;
    if (!same) printf("found:\n%s", text ? text : "");
    free(text);
    return same;
}

int main(void)
{
    struct kl_table t = { 0 };
    kl_table_column(&t, 0, "head"), kl_table_column(&t, 6, "loss"), kl_table_column(&t, 0, "95 %");
    kl_table_cell(&t, "%s", "a_b~1.h5"), kl_table_number(&t, "%.2g", -1.2e-5, "-");
    kl_table_interval(&t, "%+.1f to %+.1f", -1, 2);
    kl_table_cell(&t, "%s", "1e5"), kl_table_number(&t, "%.2f", INFINITY, "-");
    kl_table_interval(&t, "%+.1f to %+.1f", 1, 1);
    kl_table_cell(&t, "%s", "c - d"), kl_table_number(&t, "%.2f", NAN, "none");
    kl_table_cell(&t, "%s", "-5 to 1e+10");
    CHECK(gives(&t, false,
                "head         loss         95 %\n"
                "a_b~1.h5 -1.2e-05 -1.0 to +2.0\n"
                "1e5           inf    all equal\n"
                "c - d        none  -5 to 1e+10\n"));
    CHECK(gives(&t, true,
                KL_TABLE_LATEX
                "lrr}\n\\toprule\n"
                "head & loss & 95 \\% \\\\\n\\midrule\n"
                "a\\_b\\textasciitilde{}1.h5 & $-1.2\\times10^{-5}$ & $-1.0$ to $+2.0$ \\\\\n"
                "1e5 & inf & all equal \\\\\n"
                "c $-$ d & none & $-5$ to $1\\times10^{10}$ \\\\\n"
                "\\bottomrule\n\\end{tabular}\n"));
    kl_table_free(&t);
    return failures != 0;
}
