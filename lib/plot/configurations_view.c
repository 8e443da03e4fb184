/* SPDX-License-Identifier: MIT
   How classifiers of devices were trained, as their reports have it. */
#include "plot/configurations_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

/* NaN: there is none. */
static double number(const struct kl_file *f, const char *name)
{
    double value = NAN;
    if (kl_file_has_attribute(f, "", name) && kl_file_number(&value, f, "", name, NULL)) return NAN;
    return value;
}

static void text(char *to, size_t size, const struct kl_file *f, const char *name)
{
    char *value = NULL;
    if (!kl_file_has_attribute(f, "", name) || kl_file_text(&value, f, "", name, NULL))
        snprintf(to, size, "-");
    else snprintf(to, size, "%s", value);
    free(value);
}

/* The file's name without its folder and its end. */
static void name_line(char name[KL_SETTING], const struct kl_file *f)
{
    const char *slash = strrchr(kl_file_path(f), '/');
    snprintf(name, KL_SETTING, "%.*s", KL_SETTING - 1, slash ? slash + 1 : kl_file_path(f));
    char *dot = strrchr(name, '.');
    if (dot && dot > name) *dot = '\0';
}

static void describe_training(struct kl_configuration *l, const struct kl_file *f)
{
    const double epochs = number(f, "epochs"), l1 = number(f, "l1"), decay = number(f, "weight_decay");
    char keep[KL_SETTING];
    text(keep, sizeof keep, f, "keep");
    text(l->layers, sizeof l->layers, f, "layers");
    if (isfinite(epochs)) snprintf(l->epochs, sizeof l->epochs, "%.0f, %.9s", epochs, keep);
    if (l1 > 0 && decay > 0) snprintf(l->penalty, sizeof l->penalty, "L1 %g, L2 %g", l1, decay);
    else if (l1 > 0) snprintf(l->penalty, sizeof l->penalty, "L1 %g", l1);
    else if (decay > 0) snprintf(l->penalty, sizeof l->penalty, "decay %g", decay);
    l->batch = number(f, "batch_size"), l->dropout = number(f, "dropout");
}

/* A row of the report: the chosen model, or a yardstick, which is trained on the same splits. */
static void add_line(struct kl_configurations *c, const struct kl_file *f,
                     const struct kl_report_view *v, const struct kl_accuracies *row, bool chosen)
{
    char attribute[48], protocol[KL_SETTING];
    struct kl_configuration *l = &c->line[c->n++];
    *l = (struct kl_configuration){
        .layers = "-", .epochs = "-", .penalty = "-", .batch = NAN, .dropout = NAN
    };
    snprintf(attribute, sizeof attribute, "%.23s_collapsed", row->name);
    const double collapsed = number(f, attribute);
    snprintf(l->splits, sizeof l->splits, collapsed > 0 ? "%zu, %.0f" : "%zu", v->n_splits, collapsed);
    snprintf(attribute, sizeof attribute, "%.23s_parameters", row->name);
    text(protocol, sizeof protocol, f, "protocol");
    l->parameters = number(f, attribute), l->test = number(f, "test");
    if (strcmp(protocol, "folds") == 0) l->test = 1 / number(f, "folds");
    l->chance = 1 / (double)v->n_devices;
    l->mean = row->mean, l->low = row->low, l->high = row->high;
    if (chosen) name_line(l->name, f), describe_training(l, f);
    else snprintf(l->name, sizeof l->name, "%s", row->name);
}

static int load_file(struct kl_configurations *c, struct kl_file *f, bool yardsticks,
                     struct kl_error *err)
{
    struct kl_report_view v;
    const int code = kl_report_view_load(&v, f, err);
    if (!code && !yardsticks) add_line(c, f, &v, &v.rows[0], true);
    for (size_t i = 1; !code && yardsticks && i < v.n_rows; i++)
        if (isfinite(v.rows[i].low)) add_line(c, f, &v, &v.rows[i], false);
    kl_report_view_free(&v);
    return code;
}

int kl_configurations_load(struct kl_configurations *c, const struct kl_figure_inputs *inputs,
                           struct kl_error *err)
{
    int code = inputs->n_files ? KL_OK : load_file(c, inputs->file, false, err);
    for (size_t i = 0; i < inputs->n_files && !code; i++) {
        if (strcmp(kl_file_kind(inputs->files[i]), "device-report") != 0) continue;
        if (c->n == KL_CONFIGURATIONS)
            return kl_fail(err, KL_EUSAGE,
                           "%s: is one report too many; a figure of configurations has %d",
                           kl_file_path(inputs->files[i]), (int)KL_CONFIGURATIONS);
        code = load_file(c, inputs->files[i], false, err);
    }
    return code ? code : load_file(c, inputs->file, true, err);
}
