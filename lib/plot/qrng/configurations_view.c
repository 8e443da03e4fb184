/* SPDX-License-Identifier: MIT
   How classifiers of devices were trained, as their reports have it. */
#include "plot/qrng/configurations_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

/* NaN: there is none. */
static int number(double *value, const struct kl_file *f, const char *name, struct kl_error *err)
{
    *value = NAN;
    return kl_store_file_has_attribute(f, "", name) ? kl_store_file_number(value, f, "", name, err)
                                                    : KL_OK;
}

/* "-": there is none. */
static int text(char to[KL_SETTING], const struct kl_file *f, const char *name, struct kl_error *err)
{
    char *value = NULL;
    int code = KL_OK;
    if (kl_store_file_has_attribute(f, "", name)) code = kl_store_file_text(&value, f, "", name, err);
    snprintf(to, KL_SETTING, "%s", value ? value : "-");
    free(value);
    return code;
}

/* The file's name without its folder and its end. */
static void name_file(char name[KL_SETTING], const struct kl_file *f)
{
    const char *slash = strrchr(kl_store_file_path(f), '/');
    snprintf(name, KL_SETTING, "%.*s", KL_SETTING - 1, slash ? slash + 1 : kl_store_file_path(f));
    char *dot = strrchr(name, '.');
    if (dot && dot > name) *dot = '\0';
}

static int describe_training(struct kl_configuration *l, const struct kl_file *f, struct kl_error *err)
{
    double epochs = NAN, l1 = NAN, decay = NAN;
    char keep[KL_SETTING];
    int code = text(l->layers, f, "layers", err);
    if (!code) code = text(keep, f, "keep", err);
    if (!code) code = number(&epochs, f, "epochs", err);
    if (!code) code = number(&l1, f, "l1", err);
    if (!code) code = number(&decay, f, "weight_decay", err);
    if (!code) code = number(&l->batch, f, "batch_size", err);
    if (!code) code = number(&l->dropout, f, "dropout", err);
    if (code) return code;
    if (isfinite(epochs)) snprintf(l->epochs, KL_SETTING, "%.0f, %.9s", epochs, keep);
    if (l1 > 0 && decay > 0) snprintf(l->penalty, KL_SETTING, "L1 %g, L2 %g", l1, decay);
    else if (l1 > 0) snprintf(l->penalty, KL_SETTING, "L1 %g", l1);
    else if (decay > 0) snprintf(l->penalty, KL_SETTING, "decay %g", decay);
    return KL_OK;
}

/* The share of the test rows: of folds one is the test. */
static int find_test(double *test, const struct kl_file *f, struct kl_error *err)
{
    char protocol[KL_SETTING];
    int code = text(protocol, f, "protocol", err);
    const bool folds = strcmp(protocol, "folds") == 0;
    if (!code) code = number(test, f, folds ? "folds" : "test", err);
    if (folds) *test = 1 / *test;
    return code;
}

/* A row by its model; of several reports the chosen models by their files, and a yardstick, which is
   that of one of them alone, by both. */
static void name_line(struct kl_configuration *l, const struct kl_file *f, const char *model,
                      bool chosen, bool alone)
{
    char file[KL_SETTING];
    name_file(file, f);
    l->named = !chosen || alone;
    if (alone) snprintf(l->name, sizeof l->name, "%.*s", KL_SETTING - 1, model);
    else if (chosen) snprintf(l->name, sizeof l->name, "%s", file);
    else snprintf(l->name, sizeof l->name, "%.*s of %s", KL_SETTING / 2, model, file);
}

/* A row of the report: the chosen model, or a yardstick, which is trained on the same splits. */
static int add_line(struct kl_configurations *c, const struct kl_file *f, const struct kl_report_view *v,
                    const struct kl_accuracies *row, bool chosen, struct kl_error *err)
{
    char attribute[48];
    double collapsed;
    struct kl_configuration *l = &c->line[c->n++];
    *l = (struct kl_configuration){
        .layers = "-", .epochs = "-", .penalty = "-", .batch = NAN, .dropout = NAN
    };
    l->chance = 1 / (double)v->n_devices;
    l->mean = row->mean, l->low = row->low, l->high = row->high;
    snprintf(attribute, sizeof attribute, "%.23s_collapsed", row->name);
    int code = number(&collapsed, f, attribute, err);
    snprintf(attribute, sizeof attribute, "%.23s_parameters", row->name);
    if (!code) code = number(&l->parameters, f, attribute, err);
    if (!code) code = find_test(&l->test, f, err);
    snprintf(l->splits, KL_SETTING, collapsed > 0 ? "%zu, %.0f" : "%zu", v->n_splits, collapsed);
    name_line(l, f, row->name, chosen, c->alone);
    return code || !chosen ? code : describe_training(l, f, err);
}

static int load_file(struct kl_configurations *c, struct kl_file *f, bool yardsticks,
                     struct kl_error *err)
{
    struct kl_report_view v;
    int code = kl_plot_report_view_load(&v, f, err);
    if (!code && !yardsticks) code = add_line(c, f, &v, &v.rows[0], true, err);
    for (size_t i = 1; !code && yardsticks && i < v.n_rows; i++)
        if (isfinite(v.rows[i].low)) code = add_line(c, f, &v, &v.rows[i], false, err);
    kl_plot_report_view_free(&v);
    return code;
}

static size_t count_reports(const struct kl_figure_inputs *inputs)
{
    size_t n = 0;
    for (size_t i = 0; i < inputs->n_files; i++)
        n += strcmp(kl_store_file_kind(inputs->files[i]), "device-report") == 0;
    return n;
}

int kl_plot_configurations_load(struct kl_configurations *c, const struct kl_figure_inputs *inputs,
                                struct kl_error *err)
{
    c->alone = count_reports(inputs) < 2;
    int code = inputs->n_files ? KL_OK : load_file(c, inputs->file, false, err);
    for (size_t i = 0; i < inputs->n_files && !code; i++) {
        if (strcmp(kl_store_file_kind(inputs->files[i]), "device-report") != 0) continue;
        if (c->n == KL_CONFIGURATIONS)
            return kl_fail(err, KL_EUSAGE,
                           "%s: is one report too many; a figure of configurations has %d",
                           kl_store_file_path(inputs->files[i]), (int)KL_CONFIGURATIONS);
        code = load_file(c, inputs->files[i], false, err);
    }
    return code ? code : load_file(c, inputs->file, true, err);
}
