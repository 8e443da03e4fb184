/* SPDX-License-Identifier: MIT
   A pulse's file as its figures take it. */
#include "plot/control/pulse_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

int kl_plot_pulse_numbers(double **values, const struct kl_dataset **set, struct kl_file *file,
                          const char *name, int rank, struct kl_error *err)
{
    size_t n = 1;
    int code = kl_store_file_expect(set, file, name, KL_TYPE_F64, rank, err);
    if (!code) code = kl_store_file_load((void **)values, file, *set, err);
    if (code) return code;
    for (int i = 0; i < rank; i++) n *= (*set)->dims[i];
    for (size_t i = 0; i < n; i++)
        if (!isfinite((*values)[i]))
            return kl_fail(err, KL_EDATA, "%s: %s: number %zu is not finite", kl_store_file_path(file),
                           name, i);
    return n ? KL_OK
             : kl_fail(err, KL_EDATA, "%s: %s: found no number, expected some", kl_store_file_path(file),
                       name);
}

static int load_words(struct kl_pulse_view *v, struct kl_file *file, struct kl_error *err)
{
    char *system = NULL, *gate = NULL, *objective = NULL, *unit = NULL;
    int code = kl_store_file_text(&system, file, "", "system", err);
    if (!code) code = kl_store_file_text(&gate, file, "", "gate", err);
    if (!code) code = kl_store_file_text(&objective, file, "", "objective", err);
    if (!code) code = kl_store_file_text(&unit, file, "", "time_unit", err);
    if (!code) code = kl_store_file_number(&v->duration, file, "", "duration", err);
    if (!code) code = kl_store_file_number(&v->loss, file, "", "loss", err);
    if (!code && !(v->duration > 0 && isfinite(v->duration)))
        code = kl_fail(err, KL_EDATA, "%s: attribute duration: found %g, expected more than 0",
                       kl_store_file_path(file), v->duration);
    if (!code)
        snprintf(v->title, sizeof v->title, "%.30s of %.30s, loss %.3g (%.60s)", gate, system, v->loss,
                 objective);
    if (!code && strcmp(unit, "1") != 0) snprintf(v->unit, sizeof v->unit, "%.16s", unit);
    free(system), free(gate), free(objective), free(unit);
    return code;
}

static int load_shape(const struct kl_pulse_view *v, const struct kl_dataset *set, size_t columns,
                      struct kl_file *file, struct kl_error *err)
{
    return columns == v->controls ? KL_OK
                                  : kl_fail(err, KL_EDATA, "%s: %s: found %zu controls, expected %zu",
                                            kl_store_file_path(file), set->name, columns, v->controls);
}

int kl_plot_pulse_view_load(struct kl_pulse_view *v, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    *v = (struct kl_pulse_view){ 0 };
    int code = load_words(v, file, err);
    if (!code) code = kl_plot_pulse_numbers(&v->u, &set, file, "controls", 2, err);
    if (!code) v->segments = set->dims[0], v->controls = set->dims[1];
    if (!code) code = kl_plot_pulse_numbers(&v->limits, &set, file, "limits", 1, err);
    if (!code) code = load_shape(v, set, set->dims[0], file, err);
    for (int i = 0; !code && i < 2; i++) {
        const char *name = i ? "upper_limits" : "lower_limits";
        if (!kl_store_file_find(file, name)) continue;
        code = kl_plot_pulse_numbers(i ? &v->high : &v->low, &set, file, name, 1, err);
        if (!code) code = load_shape(v, set, set->dims[0], file, err);
    }
    if (!code && kl_store_file_find(file, "samples")) {
        code = kl_plot_pulse_numbers(&v->samples, &set, file, "samples", 2, err);
        if (!code) v->n_samples = set->dims[0];
        if (!code) code = load_shape(v, set, set->dims[1], file, err);
    }
    if (!code) code = kl_store_file_expect(&set, file, "control_names", KL_TYPE_STRING, 1, err);
    if (!code) code = load_shape(v, set, set->dims[0], file, err);
    if (!code) code = kl_store_file_load((void **)&v->names, file, set, err);
    if (!code) v->name_size = set->item_size;
    return code;
}

void kl_plot_pulse_view_free(struct kl_pulse_view *v)
{
    free(v->u), free(v->samples), free(v->limits), free(v->names), free(v->low), free(v->high);
}

void kl_plot_pulse_time(char text[KL_PULSE_LABEL], const struct kl_pulse_view *v)
{
    snprintf(text, KL_PULSE_LABEL, *v->unit ? "time, %s" : "time", v->unit);
}

void kl_plot_pulse_frequency(char text[KL_PULSE_LABEL], const char *name, const struct kl_pulse_view *v)
{
    snprintf(text, KL_PULSE_LABEL, *v->unit ? "%.30s, rad/%s" : "%.30s", name, v->unit);
}
