/* SPDX-License-Identifier: MIT
   A pulse as the first start of a search: a stored one, or a table of samples, one's own or as
   `qcontrol export` writes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_int.h"
#include "store/store.h"

enum { MOST_BYTES = 1 << 24 };

static bool is_table(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".tsv") == 0);
}

/* The samples [samples][controls] must be what is free. */
static int check_form(const struct kl_control_setup *setup, struct kl_error *err)
{
    const struct kl_control_waveform *form = &setup->waveform;
    bool piecewise = form->functions == KL_CONTROL_PIECEWISE;
    for (int k = 0; k < form->controls; k++) piecewise &= !form->constant[k];
    if (piecewise) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--start: a start is made of segments; found --functions or --constant, leave "
                   "them out");
}

static int fail_size(const char *path, int samples, int controls, const char *of,
                     const struct kl_control_setup *setup, struct kl_error *err)
{
    const struct kl_control_waveform *form = &setup->waveform;
    return kl_fail(err, KL_EUSAGE,
                   "--start %s: found %d segments of %d controls of %s, expected %d of %d of %s%s", path,
                   samples, controls, of, form->samples, form->controls, setup->system.name,
                   samples == form->samples ? "" : "; -S gives their number");
}

/* ---- a table: a column for each control by its name, in radians per unit of time; `time`, where the
   segment begins, may stand beside them ---- */
struct table {
    struct kl_csv csv;
    int column[KL_CONTROL_MAX_CONTROLS], time; /* -1: there is none */
};

/* "x, y" */
static void control_names(char text[160], const struct kl_control_system *s)
{
    size_t used = 0;
    for (int k = 0; k < s->n_controls && used < 120; k++)
        used += (size_t)snprintf(text + used, 160 - used, "%s%.30s", k ? ", " : "", s->controls[k].name);
}

static int read_header(struct table *t, const struct kl_control_system *system, struct kl_error *err)
{
    bool more;
    char names[160] = "";
    const int code = kl_csv_row(&t->csv, &more, err);
    if (code) return code;
    t->time = -1;
    for (int k = 0; k < system->n_controls; k++) t->column[k] = -1;
    for (size_t i = 0; more && i < t->csv.n; i++) {
        const int k = kl_control_system_control(system, t->csv.fields[i]);
        if (strcmp(t->csv.fields[i], "time") == 0) t->time = (int)i;
        else if (k >= 0 && t->column[k] < 0) t->column[k] = (int)i;
        else {
            control_names(names, system);
            return kl_fail(err, KL_EDATA,
                           "%s: line %zu: found the column '%.24s', expected time and the controls of "
                           "%s (%s), each once",
                           t->csv.path, t->csv.line, t->csv.fields[i], system->name, names);
        }
    }
    for (int k = 0; k < system->n_controls; k++)
        if (t->column[k] < 0)
            return kl_fail(err, KL_EDATA, "%s: no column of the control %s of %s", t->csv.path,
                           system->controls[k].name, system->name);
    return KL_OK;
}

static int read_row(double *u, struct table *t, int i, const struct kl_control_setup *setup,
                    struct kl_error *err)
{
    const int controls = setup->system.n_controls;
    const double step = setup->problem.duration / setup->waveform.samples;
    double time = i * step;
    const size_t columns = (size_t)(controls + (t->time >= 0));
    if (t->csv.n != columns)
        return kl_fail(err, KL_EDATA, "%s: line %zu: found %zu columns, expected %zu", t->csv.path,
                       t->csv.line, t->csv.n, columns);
    int code = t->time < 0 ? KL_OK : kl_csv_number(&time, &t->csv, (size_t)t->time, "time", err);
    if (!code && !(fabs(time - i * step) <= 1e-6 * step))
        return kl_fail(err, KL_EDATA,
                       "%s: line %zu: found the time %g, expected %g: %d segments last %g", t->csv.path,
                       t->csv.line, time, i * step, setup->waveform.samples, setup->problem.duration);
    for (int k = 0; !code && k < controls; k++)
        code = kl_csv_number(&u[k], &t->csv, (size_t)t->column[k], setup->system.controls[k].name, err);
    return code;
}

static int read_plain(double *u, char *text, size_t n, const char *path,
                      const struct kl_control_setup *setup, struct kl_error *err)
{
    const int samples = setup->waveform.samples, controls = setup->system.n_controls;
    struct table t;
    bool more = true;
    int rows = 0, code = kl_csv_open(&t.csv, path, text, n, 1, err);
    if (!code) code = read_header(&t, &setup->system, err);
    while (!code && !(code = kl_csv_row(&t.csv, &more, err)) && more) {
        if (t.csv.n == 0) continue;
        if (rows < samples) code = read_row(u + rows * controls, &t, rows, setup, err);
        rows++;
    }
    return code || rows == samples ? code
                                   : fail_size(path, rows, controls, setup->system.name, setup, err);
}

/* What export wrote: H itself, of a pair I and Q. */
static int read_exported(double *u, const char *text, size_t n, const char *path,
                         const struct kl_control_setup *setup, struct kl_error *err)
{
    const int samples = setup->waveform.samples, controls = setup->system.n_controls;
    struct kl_control_samples s;
    int code = kl_control_samples_read(&s, &setup->system, (const unsigned char *)text, n, path, err);
    if (!code && s.n != samples) code = fail_size(path, s.n, controls, setup->system.name, setup, err);
    if (!code && !(fabs(s.rate * setup->problem.duration - samples) <= 1e-6 * samples))
        code = kl_fail(err, KL_EUSAGE, "--start %s: its samples last %g, expected %g", path,
                       s.n / s.rate, setup->problem.duration);
    for (int j = 0; !code && j < controls; j++) {
        const struct kl_control_output *o = &s.outputs[j];
        if (s.mixed && o->frequency != 0)
            code = kl_fail(err, KL_EUSAGE, "--start %s: %s is at the frequency %g, expected 0", path,
                           setup->system.controls[o->control].name, o->frequency);
        for (int i = 0; !code && i < samples; i++)
            u[i * controls + o->control] = s.values[i * controls + j] * (o->is_q ? s.sign : 1);
    }
    kl_control_samples_free(&s);
    return code;
}

static int read_table(double *u, const char *path, const struct kl_control_setup *setup,
                      struct kl_error *err)
{
    const char *mark = kl_control_samples_mark(KL_CONTROL_CSV);
    char *text = NULL;
    size_t n = 0;
    int code = kl_read_text(&text, &n, path, MOST_BYTES, "a table of samples", err);
    if (!code)
        code = strncmp(text, mark, strlen(mark)) == 0 ? read_exported(u, text, n, path, setup, err)
                                                      : read_plain(u, text, n, path, setup, err);
    free(text);
    return code;
}

/* ---- a stored pulse ---- */
static int copy_stored(double *u, const struct kl_control_stored *from, const char *path,
                       const struct kl_control_setup *setup, struct kl_error *err)
{
    const int controls = setup->system.n_controls, samples = from->setup.waveform.samples;
    bool same = samples == setup->waveform.samples && from->setup.system.n_controls == controls;
    for (int k = 0; same && k < controls; k++)
        same = strcmp(from->setup.system.controls[k].name, setup->system.controls[k].name) == 0;
    if (!same)
        return fail_size(path, samples, from->setup.system.n_controls, from->setup.system.name, setup,
                         err);
    memcpy(u, from->samples ? from->samples : from->u, (size_t)(samples * controls) * sizeof *u);
    return KL_OK;
}

static int read_stored(double *u, struct kl_file **file, const char *path,
                       const struct kl_control_setup *setup, struct kl_error *err)
{
    struct kl_control_stored from = { 0 };
    int code = kl_store_file_open_kind(file, path, &kl_control_pulse_kind, err);
    if (code == KL_EDATA) {
        const struct kl_error why = *err;
        return kl_fail(err, code, "%s; or a table, .csv or .tsv", why.text);
    }
    if (!code) code = kl_control_pulse_load(&from, *file, err);
    if (!code) code = copy_stored(u, &from, path, setup, err);
    kl_control_stored_close(&from);
    return code;
}

/* ---- either ---- */
/* Controls u become the free numbers. */
static void take_samples(double *first, double *u, const struct kl_control_setup *setup)
{
    const struct kl_control_waveform *form = &setup->waveform;
    const int controls = form->controls;
    const bool plain = kl_control_waveform_plain(form); /* then the point is [segment][control] */
    for (int i = 0; i < form->samples * controls; i++) u[i] /= setup->problem.limit[i % controls];
    kl_control_waveform_unplay(u, form);
    for (int s = 0; s < form->samples; s++)
        for (int k = 0; k < controls; k++)
            first[plain ? s * controls + k : form->first[k] + s] = u[s * controls + k];
}

/* Samples beyond the limits are cut by whoever begins there; a table with nothing else, or with one ten
   times beyond, is of other numbers. */
static int say_cut(const double *u, const char *path, const struct kl_control_setup *setup,
                   const struct kl_log *log, struct kl_error *err)
{
    const int controls = setup->system.n_controls, n = setup->waveform.samples * controls;
    int beyond = 0, far = 0;
    for (int i = 0; i < n; i++) {
        const struct kl_control_entry *c = &setup->system.controls[i % controls];
        beyond += u[i] > c->high + 1e-9 * fabs(c->high) || u[i] < c->low - 1e-9 * fabs(c->low);
        far += fabs(u[i]) > 10 * fmax(fabs(c->high), fabs(c->low));
    }
    if ((far || beyond == n) && is_table(path))
        return kl_fail(
            err, KL_EDATA,
            "--start %s: %d of %d numbers lie beyond the limits%s: codes of a generator, or of "
            "another unit? expected radians per unit of time",
            path, beyond, n, far ? ", more than ten times" : "");
    if (beyond)
        kl_note(log, 1, "--start %s: %d of its numbers lie beyond the limits, and are cut there", path,
                beyond);
    return KL_OK;
}

int kl_control_start_open(double **first, struct kl_file **file, const char *path,
                          const struct kl_control_setup *setup, const struct kl_log *log,
                          struct kl_error *err)
{
    const size_t n = (size_t)setup->waveform.n,
                 numbers = (size_t)(setup->waveform.samples * setup->waveform.controls);
    int code = check_form(setup, err);
    if (code) return code;
    double *u = calloc(numbers, sizeof *u);
    *first = malloc(n * sizeof **first);
    if (!u || !*first) code = kl_fail_memory(err, n * sizeof **first);
    if (!code)
        code = is_table(path) ? read_table(u, path, setup, err) : read_stored(u, file, path, setup, err);
    if (!code) code = say_cut(u, path, setup, log, err);
    if (!code) take_samples(*first, u, setup);
    free(u);
    return code;
}
