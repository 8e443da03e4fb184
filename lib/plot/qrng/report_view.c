/* SPDX-License-Identifier: MIT
   A report on device classifiers, as its figure needs it. */
#include "plot/qrng/report_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "store/store.h"

static int number(double *value, struct kl_file *file, const char *model, const char *end,
                  struct kl_error *err)
{
    char name[80];
    snprintf(name, sizeof name, "%.40s_%s", model, end);
    return kl_store_file_number(value, file, "", name, err);
}

/* A row of accuracies; its mean and interval are the file's. */
static int add_row(struct kl_report_view *v, struct kl_file *file, const char *dataset, const char *name,
                   struct kl_error *err)
{
    const struct kl_dataset *set;
    if (v->n_rows == KL_REPORT_ROWS) return KL_OK;
    int code = kl_store_file_expect(&set, file, dataset, KL_TYPE_F64, 1, err);
    if (code) return code;
    struct kl_accuracies *row = &v->rows[v->n_rows++];
    *row = (struct kl_accuracies){ .n = set->dims[0], .low = NAN, .high = NAN };
    snprintf(row->name, sizeof row->name, "%.20s", name);
    code = kl_store_file_load((void **)&row->values, file, set, err);
    if (!code) row->mean = kl_stats_mean(row->values, row->n);
    return code;
}

static int add_model(struct kl_report_view *v, struct kl_file *file, const char *model,
                     struct kl_error *err)
{
    char name[80];
    const size_t before = v->n_rows;
    snprintf(name, sizeof name, "%.40s/accuracy", model);
    int code = add_row(v, file, name, model, err);
    if (code || v->n_rows == before) return code; /* or there is no room for another */
    struct kl_accuracies *row = &v->rows[before];
    code = number(&row->mean, file, model, "accuracy", err);
    if (!code) code = number(&row->low, file, model, "accuracy_low", err);
    return code ? code : number(&row->high, file, model, "accuracy_high", err);
}

/* The other models: those groups whose accuracy has an interval. */
static int add_others(struct kl_report_view *v, struct kl_file *file, const char *chosen,
                      struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < kl_store_file_n_datasets(file) && !code; i++) {
        char model[24] = "", low[40];
        const char *name = kl_store_file_dataset(file, i)->name, *slash = strchr(name, '/');
        if (!slash || strcmp(slash, "/accuracy") != 0 || slash - name >= (ptrdiff_t)sizeof model)
            continue;
        memcpy(model, name, (size_t)(slash - name));
        snprintf(low, sizeof low, "%s_accuracy_low", model);
        if (strcmp(model, chosen) != 0 && kl_store_file_has_attribute(file, "", low) &&
            v->n_rows < KL_REPORT_ROWS - 2)
            code = add_model(v, file, model, err);
    }
    if (!code && kl_store_file_find(file, "reference/last_epoch_accuracy"))
        code = add_row(v, file, "reference/last_epoch_accuracy", "last epoch", err);
    if (!code && kl_store_file_find(file, "null/accuracy"))
        code = add_row(v, file, "null/accuracy", "shuffled", err);
    return code;
}

static int load(void **data, struct kl_file *file, const char *model, const char *what,
                enum kl_type type, const size_t dims[3], struct kl_error *err)
{
    char name[80];
    const struct kl_dataset *set;
    snprintf(name, sizeof name, "%.40s/%s", model, what);
    const int code = kl_store_file_expect(&set, file, name, type, dims[1] ? 3 : 1, err);
    if (code) return code;
    for (int i = 0; i < set->rank; i++)
        if (set->dims[i] != dims[i])
            return kl_fail(err, KL_EDATA, "%s: %s: its shape does not fit the splits and devices",
                           kl_store_file_path(file), name);
    return kl_store_file_load(data, file, set, err);
}

static int load_chosen(struct kl_report_view *v, struct kl_file *file, const char *model,
                       struct kl_error *err)
{
    char name[80];
    const struct kl_dataset *bins;
    const size_t s = v->n_splits, c = v->n_devices;
    snprintf(name, sizeof name, "%.40s/calibration", model);
    int code = kl_store_file_expect(&bins, file, name, KL_TYPE_F64, 3, err);
    if (code) return code;
    v->n_bins = bins->dims[1];
    const size_t square[] = { s, c, c }, rates[] = { s, c, KL_REPORT_RATES },
                 of_bins[] = { s, v->n_bins, 3 }, one[] = { s, 0, 0 };
    code = load((void **)&v->confusion, file, model, "confusion", KL_TYPE_I64, square, err);
    if (!code) code = load((void **)&v->per_class, file, model, "per_class", KL_TYPE_F64, rates, err);
    if (!code)
        code = load((void **)&v->calibration, file, model, "calibration", KL_TYPE_F64, of_bins, err);
    if (!code)
        code =
            load((void **)&v->errors, file, model, "expected_calibration_error", KL_TYPE_F64, one, err);
    return code;
}

int kl_plot_report_view_load(struct kl_report_view *v, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *names;
    char *chosen = NULL;
    *v = (struct kl_report_view){ .limit = NAN };
    int code = kl_store_file_load_named((void **)&v->names, &names, file, "device_names", KL_TYPE_STRING,
                                        1, err);
    if (!code) v->n_devices = names->dims[0], v->name_size = names->item_size;
    if (!code) code = kl_store_file_text(&chosen, file, "", "model", err);
    if (!code) code = add_model(v, file, chosen, err);
    if (!code) v->n_splits = v->rows[0].n;
    if (!code) code = load_chosen(v, file, chosen, err);
    if (!code) code = add_others(v, file, chosen, err);
    if (!code && kl_store_file_has_attribute(file, "", "limit_accuracy"))
        code = kl_store_file_number(&v->limit, file, "", "limit_accuracy", err);
    if (!code && (!v->n_splits || !v->n_devices))
        code = kl_fail(err, KL_EDATA, "%s: holds no splits or no devices", kl_store_file_path(file));
    free(chosen);
    return code;
}

void kl_plot_report_view_free(struct kl_report_view *v)
{
    for (size_t i = 0; i < v->n_rows; i++) free(v->rows[i].values);
    free(v->names), free(v->confusion), free(v->per_class), free(v->calibration), free(v->errors);
}
