/* SPDX-License-Identifier: MIT
   `sgld bounds`: integrals, evidence and generalisation bounds of a ladder of temperatures, from chains
   or from published means, calibrated by a ladder of random labels; a file of kind `bounds`, tables. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampling/diagnose/verdict.h"
#include "sampling/ladder/ladder.h"
#include "store/mode.h"

enum {
    NUMERICAL_VERSION = 2,
    SCHEMA = 1
}; /* 2: WBIC between rungs; the minimum of the learning coefficient */

struct values {
    struct kl_common common;
    double delta, factor, share, threshold, chance, l_max, least;
    const char *form, *constant, *bound_of;
    const char *calibrate_on, *calibrate_labels;
    const char *set, *labels, *scale, *loss;
    int64_t chain_seed, n, m;
    const char *csv, *csv_scale, *report;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "delta", 'd', KL_OPT_FLOAT, AT(delta), "X", 1e-12, 0.5, true,
      "the bound may fail with this probability", "Bounds", NULL },
    { "form", 'F', KL_OPT_CHOICE, AT(form), KL_SAMPLING_FORMS, 0, 0, true, "of the bound", NULL, NULL },
    { "constant", 0, KL_OPT_CHOICE, AT(constant), "xi|2sqrt", 0, 0, true,
      "of the kl inequality: the exact xi(n), or 2 sqrt(n)", NULL, NULL },
    { "bound-of", 0, KL_OPT_CHOICE, AT(bound_of), "zero-one|unit", 0, 0, true,
      "0-1 error, or unit-interval loss", NULL, NULL },
    { "share", 0, KL_OPT_FLOAT, AT(share), "X", 1e-6, 0.999, true,
      "of delta, for Monte Carlo's error in the upper bound", NULL, NULL },
    { "factor", 0, KL_OPT_FLOAT, AT(factor), "X", 1e-9, 1e9, true,
      "on Gamma of the raw loss, for a calibrated bound", "Calibration (a heuristic)", NULL },
    { "calibrate-on", 0, KL_OPT_STRING, AT(calibrate_on), "FILE", 0, 0, false,
      "ladder of random labels: its bounds choose the factor", NULL, NULL },
    { "calibrate-labels", 0, KL_OPT_STRING, AT(calibrate_labels), "WORD", 0, 0, true,
      "which of several ladders in that file", NULL, NULL },
    { "threshold", 0, KL_OPT_FLOAT, AT(threshold), "X", 0, 0.999, true,
      "that the bounds of random labels reach; 0: chance", NULL, NULL },
    { "set", 0, KL_OPT_STRING, AT(set), "NAME", 0, 0, true, "of several ladders in a CSV",
      "Which ladder, and of what", NULL },
    { "labels", 0, KL_OPT_STRING, AT(labels), "WORD", 0, 0, true, "the same: true, random", NULL, NULL },
    { "chain-seed", 0, KL_OPT_INT, AT(chain_seed), "N", 0, 1e12, true,
      "the same; 0: any, if there is one", NULL, NULL },
    { "scale", 0, KL_OPT_CHOICE, AT(scale), "auto|raw|unit", 0, 0, true, "of a CSV's losses", NULL,
      NULL },
    { "loss", 0, KL_OPT_CHOICE, AT(loss), "auto|bbce|bce|savage|tangent|ce|square", 0, 0, true,
      "that moved a CSV's chains", NULL, NULL },
    { "l-max", 0, KL_OPT_FLOAT, AT(l_max), "X", 0, 600, true, "of bbce; 0: as the file says, or 4", NULL,
      NULL },
    { "n", 0, KL_OPT_INT, AT(n), "N", 0, 1e12, true, "training records; 0: as the file says", NULL,
      NULL },
    { "m", 0, KL_OPT_INT, AT(m), "N", 0, 1e12, true, "test records; 0: as the file says", NULL, NULL },
    { "chance", 0, KL_OPT_FLOAT, AT(chance), "X", 0, 0.9999999, true,
      "error of a guess; 0: as the file says", NULL, NULL },
    { "least-loss", 0, KL_OPT_FLOAT, AT(least), "X", -1, 1e9, true,
      "raw, for the learning coefficient; -1: that of the file", NULL, NULL },
    { "csv", 0, KL_OPT_STRING, AT(csv), "FILE|-", 0, 0, false,
      "the ladder as the reference's CSV; -: on the screen", "Further files", NULL },
    { "csv-scale", 0, KL_OPT_CHOICE, AT(csv_scale), "same|raw|unit", 0, 0, false, "of its losses", NULL,
      NULL },
    { "report", 0, KL_OPT_STRING, AT(report), "FILE|-", 0, 0, false,
      "the ladder as the classic text report", NULL, NULL },
};
const struct kl_tool kl_sampling_bounds_tool = {
    .name = "sgld",
    .summary = "Says what the mean losses of a ladder of temperatures prove: integrals, evidence, "
               "bounds on the test error",
    .arguments = "bounds LADDER.{h5,csv} [-o BOUNDS.h5]",
    .example = "sgld bounds true.h5 --calibrate-on random.h5 -o bounds.h5\n"
               "  sgld bounds ladders.csv --set mnist-lenet5 --labels true",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "seed threads device progress",
    .chosen_by = "bounds",
};

struct work {
    struct kl_mode_run *run;
    const struct values *v;
    struct kl_file *files[2]; /* the ladder's, the random one's; NULL: a CSV */
    struct kl_sampling_ladder ladder, random;
    struct kl_sampling_bound_options o;
    struct kl_sampling_calibration calibration;
    double factor, bisected;
    bool bisects;
    struct kl_sampling_bounds bounds;
};

static void defaults(void *values)
{
    struct values *v = values;
    v->delta = 0.01, v->factor = 1, v->share = 0.1, v->least = -1;
    v->form = "kl", v->constant = "xi", v->bound_of = "zero-one", v->scale = v->loss = "auto";
    v->calibrate_labels = "random", v->csv_scale = "same";
}

/* ---- inputs ---- */
/* Is it a file of HDF5? What is no plain file is taken for a CSV, but standard input. */
static bool is_h5(const char *path)
{
    struct stat st;
    char first[8] = "";
    if (strcmp(path, "-") == 0) return true;
    const int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return false;
    const bool is = read(fd, first, sizeof first) == (ssize_t)sizeof first &&
                    memcmp(first, "\x89HDF\r\n\x1a\n", 8) == 0;
    close(fd);
    return is;
}

static int read_ladder(struct work *w, int which, const char *path, struct kl_error *err)
{
    const struct values *v = w->v;
    struct kl_sampling_ladder *to = which ? &w->random : &w->ladder;
    struct kl_sampling_ladder_source source = { .set = v->set,
                                                .labels = which ? v->calibrate_labels : v->labels,
                                                .seed = v->chain_seed,
                                                .scale = v->scale,
                                                .l_max = v->l_max,
                                                .n = v->n,
                                                .m = v->m,
                                                .chance = v->chance };
    if (strcmp(v->loss, "auto") != 0) source.loss = v->loss;
    if (!is_h5(path)) return kl_sampling_ladder_read_csv(to, path, &source, err);
    int code = kl_store_file_open(&w->files[which], path, err);
    if (!code) code = kl_sampling_ladder_read_chains(to, w->files[which], err);
    if (code) return code;
    if (v->n) to->n = v->n;
    if (v->m) to->m = v->m;
    if (v->chance > 0) to->chance = v->chance;
    return KL_OK;
}

static int identify(struct work *w, struct kl_key *key, int which, const char *path,
                    struct kl_error *err)
{
    char hex[65];
    const char *role = which ? "random" : "ladder";
    if (w->files[which])
        return kl_store_key_input(key, role, kl_store_file_content(w->files[which]), err);
    int code = kl_store_input_content(hex, path, err);
    if (!code) code = kl_store_key_input(key, role, hex, err);
    return code ? code : kl_store_input_record(w->run->raw_inputs, role, path, hex, err);
}

static int open_ladders(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = w->v = run->values;
    w->run = run, w->factor = NAN;
    if (v->calibrate_on && v->factor != 1)
        return kl_fail(err, KL_EUSAGE, "--factor: --calibrate-on chooses it; give one of them");
    int code = kl_store_mode_text_check(run, "csv", v->csv, KL_SAMPLING_TITLES, err);
    if (!code)
        code = kl_store_mode_text_check(run, "report", v->report,
                                        "Results of " KL_STORE_VARIES " temperatures, " KL_STORE_VARIES
                                        " training records, " KL_STORE_VARIES " test records\nLoss: ",
                                        err);
    const char *const written[] = { v->common.output, v->csv, v->report };
    for (int i = 0; i < 3 && !code && v->calibrate_on; i++)
        if (written[i]) code = kl_store_target_no_input(written[i], &v->calibrate_on, 1, err);
    if (!code) code = read_ladder(w, 0, *run->stage.inputs, err);
    if (!code && v->calibrate_on) code = read_ladder(w, 1, v->calibrate_on, err);
    for (int i = 0; i < 2; i++)
        if (w->files[i]) run->few[run->n_parents++] = w->files[i];
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    struct work *w = run->state;
    const int code = identify(w, key, 0, *run->stage.inputs, err);
    return code || !w->v->calibrate_on ? code : identify(w, key, 1, w->v->calibrate_on, err);
}

/* Whether the chains behind the ladder may be believed. */
static int warn_of_chains(struct work *w, struct kl_error *err)
{
    const char *path = w->run->stage.inputs[0];
    struct kl_sampling_chains chains = { 0 };
    struct kl_sampling_verdict *verdicts = NULL;
    if (!w->files[0] || strcmp(path, "-") == 0) return KL_OK;
    int code = kl_sampling_chains_open(&chains, path, err);
    if (!code) code = kl_sampling_verdicts(&verdicts, &chains, "posterior/train_loss", NULL, err);
    if (!code)
        kl_sampling_warn(w->run->stage.log, verdicts, chains.n_betas, "", "the training loss", NULL);
    kl_sampling_chains_close(&chains);
    free(verdicts);
    return code;
}

/* ---- what is computed ---- */
static double log_constant(const struct values *v, int64_t n)
{
    return strcmp(v->constant, "xi") == 0 ? kl_sampling_log_xi(n) : log(2 * sqrt((double)n));
}

static int calibrate(struct work *w, struct kl_error *err)
{
    struct kl_sampling_bound_options o = w->o;
    struct kl_sampling_bounds b;
    const struct kl_sampling_ladder *l = &w->random;
    if (o.form != KL_SAMPLING_FORM_KL && o.form != KL_SAMPLING_FORM_PRIOR_LOSS)
        return kl_fail(err, KL_EUSAGE,
                       "--calibrate-on: the closed form is that of --form kl and prior-loss");
    o.log_constant = log_constant(w->v, l->n);
    if (strcmp(l->labels, "true") == 0)
        kl_caution(w->run->stage.log, "--calibrate-on: that ladder's labels are true ones, not random");
    if (l->n != w->ladder.n)
        kl_caution(w->run->stage.log, "calibrated on %lld records, the bounds are of %lld",
                   (long long)l->n, (long long)w->ladder.n);
    int code = kl_sampling_bounds_calibrate(&w->calibration, l, &o, err);
    if (!code) code = kl_sampling_bounds_make(&b, l, &o, NAN, NAN, err);
    if (code) return code;
    double *p = malloc(2 * l->n_rungs * sizeof *p);
    const double width = kl_sampling_ladder_width(l);
    for (size_t k = 0; p && k < l->n_rungs; k++)
        p[k] = b.rungs[k].train, p[l->n_rungs + k] = b.rungs[k].gamma / width;
    if (p)
        w->bisects =
            kl_sampling_calibrate_bisect(&w->bisected, p, p + l->n_rungs, l->n_rungs, l->n, &b.options);
    w->bisected /= width;
    if (w->calibration.exists && w->calibration.factor > 0) w->factor = w->calibration.factor;
    else if (w->calibration.exists)
        kl_caution(
            w->run->stage.log,
            "the calibration is empty: with %lld records the bounds of random labels reach chance "
            "by the term of delta alone, whatever the chains; no calibrated bound is given",
            (long long)l->n);
    else
        kl_caution(w->run->stage.log,
                   "no factor exists: at beta %g of the random labels Gamma is %.4g, and more of it "
                   "lowers the bound",
                   l->beta[w->calibration.at], b.rungs[w->calibration.at].gamma);
    kl_sampling_bounds_free(&b);
    free(p);
    return p ? KL_OK : kl_fail_memory(err, 2 * l->n_rungs * sizeof *p);
}

static int compute(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = w->v;
    kl_sampling_bound_options_default(&w->o, w->ladder.n);
    w->o.form = (enum kl_sampling_form)kl_choice(KL_SAMPLING_FORMS, v->form);
    w->o.delta = v->delta, w->o.share = v->share, w->o.log_constant = log_constant(v, w->ladder.n);
    w->o.unit_loss = strcmp(v->bound_of, "unit") == 0;
    w->o.threshold = v->threshold > 0 ? v->threshold : NAN;
    w->factor = v->factor != 1 ? v->factor : NAN;
    int code = v->calibrate_on ? calibrate(w, err) : KL_OK;
    if (!code)
        code = kl_sampling_bounds_make(&w->bounds, &w->ladder, &w->o, w->factor,
                                       v->least < 0 ? NAN : v->least, err);
    if (!code) kl_sampling_bounds_cautions(&w->bounds, w->run->stage.log);
    if (!code) code = warn_of_chains(w, err);
    return code;
}

static const char *no_factor(const struct work *w)
{
    return w->calibration.exists ? "too few records" : "no factor exists";
}

/* ---- what is written ---- */
static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    char by[48] = "random labels";
    const int code = kl_sampling_bounds_write(writer, &w->bounds, err);
    if (code || !w->v->calibrate_on) return code;
    if (isnan(w->factor)) snprintf(by, sizeof by, "nothing: %s", no_factor(w));
    return kl_store_writer_text(writer, "", "calibrated_by", by, err);
}

static int put_ladder(FILE *to, const void *context, struct kl_error *err)
{
    const struct work *w = context;
    const char *as = w->v->csv_scale;
    const enum kl_sampling_scale scale = strcmp(as, "same") == 0   ? w->ladder.scale
                                         : strcmp(as, "unit") == 0 ? KL_SAMPLING_UNIT
                                                                   : KL_SAMPLING_RAW;
    return kl_sampling_csv_write(to, &w->ladder, scale, w->ladder.name, err);
}

static int put_report(FILE *to, const void *context, struct kl_error *err)
{
    (void)err;
    kl_sampling_classic_report(to, &((const struct work *)context)->ladder);
    return KL_OK;
}

static int further_files(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    const int code = kl_store_mode_text_write(run, v->csv, put_ladder, run->state, err);
    return code ? code : kl_store_mode_text_write(run, v->report, put_report, run->state, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    json_t *value = NULL;
    const int code = kl_sampling_bounds_json(&value, &w->bounds, err);
    if (code) return code;
    const bool asked = w->v->calibrate_on;
    json_t *closed = asked && !isnan(w->factor) ? json_real(w->factor) : json_null(),
           *search = asked && w->bisects ? json_real(w->bisected) : json_null();
    if (json_object_set_new(value, "calibration", closed) ||
        json_object_set_new(value, "calibration_bisected", search) ||
        json_object_set_new(value, "calibrated", json_boolean(asked)))
        return json_decref(value), kl_fail_memory(err, 256);
    return kl_store_mode_json_object(run, to, value, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    kl_sampling_bounds_tell(&w->bounds, to);
    if (w->v->calibrate_on) {
        if (!isnan(w->factor))
            fprintf(to, "calibration: factor %.4f, by that ladder at beta %g", w->factor,
                    w->random.beta[w->calibration.at]);
        else fprintf(to, "calibration: none, %s", no_factor(w));
        if (w->bisects) fprintf(to, "; the reference's bisection: %.4f\n", w->bisected);
        else fprintf(to, "; the reference's bisection never ends\n");
    }
    if (!w->v->common.output) return;
    fprintf(to, "%s: ", w->v->common.output);
    kl_sampling_bounds_tell_best(&w->bounds, to);
    fputc('\n', to);
}

static void close_ladders(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sampling_bounds_free(&w->bounds);
    kl_sampling_ladder_free(&w->ladder), kl_sampling_ladder_free(&w->random);
    for (int i = 0; i < 2; i++) kl_store_file_close(&w->files[i]);
}

static const struct kl_file_stage stage = { .kind = &kl_sampling_bounds_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "sgld bounds",
                                            .state_size = sizeof(struct work),
                                            .open = open_ladders,
                                            .key = key,
                                            .compute = compute,
                                            .save = save,
                                            .after = further_files,
                                            .json = json,
                                            .words = words,
                                            .close = close_ladders };
const struct kl_mode kl_sampling_mode_bounds = { .tool = &kl_sampling_bounds_tool,
                                                 .defaults = defaults,
                                                 .stage = &stage };
