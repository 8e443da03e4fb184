/* SPDX-License-Identifier: MIT
   What mitigation was worth, in words and numbers. */
#include <stdlib.h>

#include "base/base.h"
#include "head/mitigate.h"
#include "store/store.h"

/* In the order of struct kl_mitigated. */
enum { NUMBERS = 4 };
static const char *const names[NUMBERS] = { "unmitigated_accuracy", "unmitigated_log_loss",
                                            "unmitigated_output_error", "output_error" };

static double number(const struct kl_mitigated *m, int i)
{
    const double numbers[NUMBERS] = { m->accuracy, m->log_loss, m->error, m->error_mitigated };
    return numbers[i];
}

static double mean(const struct kl_mitigated *m, size_t n, int i)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++) sum += number(&m[r], i);
    return sum / (double)n;
}

size_t kl_head_mitigation_pairs(struct kl_json_pair pairs[KL_MITIGATION_PAIRS],
                                const struct kl_mitigation *how, const struct kl_mitigated *m, size_t n)
{
    if (!kl_head_mitigates(how)) return 0;
    pairs[0] = (struct kl_json_pair){ "mitigation", KL_JSON_TEXT, how->label, 0 };
    for (int i = 0; i < NUMBERS; i++)
        pairs[1 + i] = (struct kl_json_pair){ names[i], KL_JSON_NUMBER, NULL, mean(m, n, i) };
    return 1 + NUMBERS;
}

void kl_head_mitigation_write(FILE *to, const struct kl_mitigation *how, const struct kl_mitigated *m,
                              size_t n)
{
    if (!kl_head_mitigates(how)) return;
    fprintf(
        to,
        "  mitigated (%s): outputs are off by %.4f; without it by %.4f, accuracy %.4f, log loss %.4f\n",
        how->label, mean(m, n, 3), mean(m, n, 2), mean(m, n, 0), mean(m, n, 1));
}

int kl_head_mitigation_save(struct kl_writer *w, const struct kl_mitigation *how,
                            const struct kl_mitigated *m, size_t n, struct kl_error *err)
{
    if (!kl_head_mitigates(how)) return KL_OK;
    double *values = malloc(n * sizeof *values);
    int code = values ? kl_store_writer_text(w, "", "mitigation", how->label, err)
                      : kl_fail_memory(err, n * sizeof *values);
    for (int i = 0; i < NUMBERS && code >= 0; i++) {
        char name[64];
        snprintf(name, sizeof name, "replicas/%s", names[i]);
        for (size_t r = 0; r < n; r++) values[r] = number(&m[r], i);
        code = kl_store_writer_number(w, "", names[i], mean(m, n, i), err);
        if (code >= 0) code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, values, err);
    }
    free(values);
    return code < 0 ? code : KL_OK;
}
