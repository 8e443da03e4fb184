/* SPDX-License-Identifier: MIT
   The report page on a file of heads, or of other models: their best epochs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

int kl_plot_page_best(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *best, *d[2];
    static const char *const names[2] = { "history/train_loss", "history/val_accuracy" };
    int64_t *epochs = NULL;
    double *values[2] = { NULL, NULL };
    int code = KL_OK;
    if (!kl_store_file_find(file, "replicas/best_epoch") || !kl_store_file_find(file, names[0]))
        return KL_OK;
    code = kl_store_file_expect(&best, file, "replicas/best_epoch", KL_TYPE_I64, 1, err);
    if (!code) code = kl_store_file_load((void **)&epochs, file, best, err);
    for (int k = 0; k < 2 && !code; k++) {
        code = kl_store_file_expect(&d[k], file, names[k], KL_TYPE_F64, 2, err);
        if (!code) code = kl_store_file_load((void **)&values[k], file, d[k], err);
    }
    if (!code) {
        const bool heads = strcmp(kl_store_file_kind(file), "head") == 0;
        kl_plot_html_caption(to,
                             heads ? "Each head at its best epoch" : "Each replica at its best epoch");
        fprintf(to,
                "<th class=\"n\">%s</th><th class=\"n\">epoch</th><th class=\"n\">training loss</th>"
                "<th class=\"n\">validation accuracy</th>",
                heads ? "head" : "replica");
    }
    for (size_t r = 0; !code && r < best->rows; r++) {
        fprintf(to, "</tr>\n<tr><td class=\"n\">%zu</td><td class=\"n\">%lld</td>", r,
                (long long)epochs[r] + 1);
        for (int k = 0; k < 2; k++) {
            const bool known = r < d[k]->rows && epochs[r] >= 0 && (size_t)epochs[r] < d[k]->dims[1];
            kl_plot_html_number(to, known ? values[k][r * d[k]->dims[1] + (size_t)epochs[r]] : NAN,
                                "%.4f");
        }
    }
    if (!code) fputs("</tr>\n</table></div>\n", to);
    free(epochs);
    free(values[0]);
    free(values[1]);
    return code;
}
