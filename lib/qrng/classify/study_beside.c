/* SPDX-License-Identifier: MIT
   What stands beside the models of a study: shuffled labels, the limit. */
#include <math.h>
#include <stdlib.h>

#include "qrng/classify/study_int.h"

int kl_judge_null(struct kl_study_report *r, struct kl_judge *j, struct kl_error *err)
{
    int rc = KL_OK;
    size_t as_good = 1;
    r->n_null = j->study->n_runs - r->n_splits;
    r->null_p = NAN;
    if (!r->n_null) return KL_OK;
    r->null = calloc(r->n_null, sizeof *r->null);
    if (!r->null) return kl_fail_memory(err, r->n_null * sizeof *r->null);
    for (size_t i = 0; i < r->n_null && !rc; i++) {
        size_t right = 0;
        rc = kl_judge_apply(&right, j, r->models[0].model, r->n_splits + i, err);
        r->null[i] = (double)right / (double)(j->count ? j->count : 1);
        as_good += r->null[i] >= r->models[0].accuracy[0];
    }
    if (rc) return rc;
    r->null_p = (double)as_good / (double)(r->n_null + 1);
    rc = kl_judge_put(j, "null", "accuracy", r->null, r->n_null, err);
    return rc ? rc : kl_store_writer_number(j->w, "", "null_p", r->null_p, err);
}

/* Are there as many rows of each device? Those of others have another limit. */
static bool are_even(const size_t *rows, size_t classes, size_t n)
{
    for (size_t k = 0; k < classes; k++)
        if (!(fabs((double)rows[k] * (double)classes / (double)n - 1) < 0.02)) return false;
    return true;
}

/* Of symbols as the bits declare them. */
static void find_limit(struct kl_study_report *r, const struct kl_study *study, size_t classes)
{
    const struct kl_bits *b = study->bits;
    const size_t *rows = study->device_rows;
    enum { LONGEST = 150 }; /* symbols of a row: of four kinds 6 10^5 vectors of counts */
    _Static_assert((int)KL_NETWORK_CLASSES <= (int)KL_LIMIT_CLASSES,
                   "devices that the limit has no room for");
    const size_t kinds = (size_t)1 << b->symbol_bits, symbols = b->n_bits / (size_t)b->symbol_bits;
    double p[KL_LIMIT_SYMBOLS * KL_NETWORK_CLASSES] = { 0 }, n[KL_NETWORK_CLASSES];
    r->no_limit = kinds > KL_LIMIT_SYMBOLS ? "symbols have more than 2 bits"
                  : symbols > (kinds > 2 ? LONGEST : (size_t)KL_LIMIT_ROW) ? "rows are too long for it"
                  : !are_even(rows, classes, b->n_rows) ? "devices have unequal numbers of rows"
                                                        : NULL;
    if (r->no_limit) return;
    for (size_t i = 0; i < b->n_rows; i++)
        for (size_t k = 0; k < symbols; k++)
            p[kinds * (size_t)b->device[i] + kl_bits_symbol(kl_bits_row(b, i), k, b->symbol_bits)]++;
    for (size_t k = 0; k < classes; k++) {
        n[k] = (double)rows[k] * (double)symbols;
        for (size_t s = 0; s < kinds; s++) p[kinds * k + s] /= n[k];
    }
    r->limit = kl_symbol_limit(NULL, p, n, classes, kinds, symbols);
}

int kl_judge_limit(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_bits *b = j->study->bits;
    r->symbol_bits = b->symbol_bits;
    find_limit(r, j->study, j->c);
    int rc = kl_dependence_find(&r->dependence, b, b->symbol_bits, err);
    if (!rc) rc = kl_store_writer_integer(j->w, "", "symbol_bits", b->symbol_bits, err);
    if (!rc) rc = kl_dependence_put(j->w, &r->dependence, b->names, err);
    if (rc || r->no_limit) return rc;
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "limit_accuracy", r->limit.accuracy },
                    { "limit_accuracy_error", r->limit.accuracy_error },
                    { "limit_information_bits", r->limit.information },
                    { "limit_information_bits_error", r->limit.information_error } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++)
        rc = kl_store_writer_number(j->w, "", numbers[i].name, numbers[i].value, err);
    return rc;
}
