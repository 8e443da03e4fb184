/* SPDX-License-Identifier: MIT
   A file of kind `bounds`: what was computed of a ladder, a dataset a number, and what `cache show`
   tells of it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "sampling/ladder/ladder.h"
#include "store/kind.h"
#include "store/store.h"

#define OF(member) offsetof(struct kl_sampling_rung_bounds, member)
/* Numbers of each rung, by their place in the record. */
static const struct {
    const char *name;
    size_t at;
} columns[] = {
    { "integral_left", OF(raw.left) },
    { "integral_right", OF(raw.right) },
    { "integral_trapezoid", OF(raw.trapezoid) },
    { "integral_hermite", OF(raw.hermite) },
    { "integral_left_mcse", OF(raw.left_se) },
    { "integral_right_mcse", OF(raw.right_se) },
    { "integral_trapezoid_mcse", OF(raw.trapezoid_se) },
    { "kl_low", OF(raw.kl_low) },
    { "kl_high", OF(raw.gamma) },
    { "gamma", OF(gamma) },
    { "gamma_mcse", OF(gamma_se) },
    { "budget", OF(budget) },
    { "bound", OF(bound) },
    { "bound_mcse", OF(bound_se) },
    { "bound_upper", OF(bound_upper) },
    { "bound_calibrated", OF(calibrated) },
    { "path_kl", OF(path_kl) },
    { "path_kl_upper", OF(path_kl_upper) },
    { "path_bound", OF(path_bound) },
    { "path_train01", OF(path_train) },
    { "path_test01", OF(path_test) },
    { "test_clopper", OF(test_clopper) },
    { "test_chernoff", OF(test_chernoff) },
    { "llc", OF(llc) },
    { "llc_mcse", OF(llc_se) },
};

/* Left out where no rung but the prior's has the number. */
static int put(struct kl_writer *w, const char *name, const double *values, size_t n,
               struct kl_error *err)
{
    bool any = false;
    for (size_t k = 1; k < n; k++) any |= !isnan(values[k]);
    return any ? kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, values, err) : KL_OK;
}

static int put_columns(struct kl_writer *w, const struct kl_sampling_bounds *b, struct kl_error *err)
{
    const size_t n = b->n_rungs;
    double *values = malloc(n * sizeof *values);
    int code = values ? KL_OK : kl_fail_memory(err, n * sizeof *values);
    for (size_t i = 0; code >= 0 && i < sizeof columns / sizeof *columns; i++) {
        for (size_t k = 0; k < n; k++)
            values[k] = *(const double *)((const char *)&b->rungs[k] + columns[i].at);
        code = put(w, columns[i].name, values, n, err);
    }
    free(values);
    return code;
}

static int put_ladder(struct kl_writer *w, const struct kl_sampling_ladder *l, struct kl_error *err)
{
    const struct {
        const char *name;
        const double *values;
    } sets[] = {
        { "beta", l->beta },           { "loss", l->loss },       { "loss_mcse", l->loss_mcse },
        { "loss_var", l->variance },   { "train01", l->train01 }, { "train01_mcse", l->train01_mcse },
        { "test_loss", l->test_loss }, { "test01", l->test01 },   { "test01_mcse", l->test01_mcse }
    };
    int code = KL_OK;
    for (size_t i = 0; code >= 0 && i < sizeof sets / sizeof *sets; i++)
        code = put(w, sets[i].name, sets[i].values, l->n_rungs, err);
    return code;
}

int kl_sampling_bounds_write(struct kl_writer *w, const struct kl_sampling_bounds *b,
                             struct kl_error *err)
{
    const struct kl_sampling_ladder *l = b->ladder;
    const size_t one = 1;
    const struct kl_sampling_rung_bounds *last = &b->rungs[b->n_rungs - 1];
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "delta", b->options.delta },
                    { "factor", b->options.factor },
                    { "log_constant", b->options.log_constant },
                    { "calibration_factor", b->factor },
                    { "loss_low", l->low },
                    { "loss_high", l->high },
                    { "chance", l->chance },
                    { "last_bound", last->bound },
                    { "last_calibrated", last->calibrated },
                    { "last_test", last->test },
                    { "wbic", b->wbic.value },
                    { "wbic_error", b->wbic.se },
                    { "wbic_beta", b->wbic.beta },
                    { "last_llc", last->llc },
                    { "last_llc_error", last->llc_se },
                    { "least_loss", b->least },
                    { "next_beta", b->gap.beta } };
    int code = put_ladder(w, l, err);
    if (code >= 0) code = put_columns(w, b, err);
    if (code >= 0 && !isnan(b->factor))
        code = kl_store_writer_put(w, "factor", KL_TYPE_F64, 0, 1, &one, &b->factor, err);
    for (size_t i = 0; code >= 0 && i < sizeof numbers / sizeof *numbers; i++)
        if (isfinite(numbers[i].value))
            code = kl_store_writer_number(w, "", numbers[i].name, numbers[i].value, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "n", l->n, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "m", l->m, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "ladder", l->name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "loss_name", l->loss_name, err);
    if (code >= 0)
        code = kl_store_writer_text(w, "", "scale", l->scale == KL_SAMPLING_UNIT ? "unit" : "raw", err);
    if (code >= 0)
        code = kl_store_writer_text(w, "", "bound_of", b->options.unit_loss ? "unit" : "zero-one", err);
    return code < 0 ? code : KL_OK;
}

static const struct kl_kind_heading headings[] = { { "", "ladder" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "n", .title = "records", .format = "%.0f" },
    { .attribute = "delta", .title = "delta", .format = "%g" },
    { .attribute = "last_bound", .title = "last bound", .format = "%.4f" },
    { .attribute = "last_calibrated", .title = "calibrated", .format = "%.4f" },
    { .attribute = "calibration_factor", .title = "factor", .format = "%.4f" },
    { .attribute = "last_test", .title = "test", .format = "%.4f" },
    { .attribute = "calibrated_by", .title = "calibration" },
    { .attribute = "wbic", .title = "WBIC", .format = "%.6g" },
    { .attribute = "wbic_error", .title = "its error", .format = "%.2g" },
    { .attribute = "last_llc", .title = "learning coefficient", .format = "%.4g" },
    { .attribute = "last_llc_error", .title = "its error", .format = "%.2g" },
    { .attribute = NULL },
};
static const struct kl_kind_table tables[] = {
    { .name = "bounds",
      .axes = { { "beta", "beta" } },
      .columns = { KL_KIND_COLUMN("loss", "loss", "loss", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("train01", "train01", "train", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("test01", "test01", "test", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("gamma", "gamma", "Gamma", "%.5g", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("bound", "bound", "bound", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("bound_upper", "bound_upper", "upper", "%.4f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("bound_calibrated", "bound_calibrated", "calibrated", "%.4f",
                                  .cell = KL_CELL_AT) } },
    { .name = NULL },
};
const struct kl_kind kl_sampling_bounds_kind = {
    .name = "bounds", .maker = "sgld bounds", .headings = headings, .numbers = numbers, .tables = tables
};
