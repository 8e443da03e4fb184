/* SPDX-License-Identifier: MIT
   A ladder from the traces of a file of kind `chains`: (chain, draw, rung), float32, NaN where there is
   no draw. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/diagnose/diagnose.h"
#include "sampling/ladder/ladder.h"
#include "store/store.h"

struct reader {
    struct kl_file *file;
    size_t chains, draws, rungs;
    int64_t *count; /* (rungs) draws of the longest chain */
    double *x;      /* (chains, draws) of one rung, packed */
    float *trace;   /* what is being read */
    double sampled; /* the least loss of all draws */
    struct kl_sampling_ladder *to;
};

/* The draws of one rung that are there, packed, of each chain as many as the shortest one has: *have;
 *most: of the longest one. */
static int pack(size_t *have, size_t *most, const struct reader *t, size_t k, const char *name,
                struct kl_error *err)
{
    *have = t->draws, *most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < t->chains; c++) {
            size_t own = 0;
            for (size_t d = 0; d < t->draws; d++) {
                const double v = (double)t->trace[(c * t->draws + d) * t->rungs + k];
                if (isnan(v)) continue;
                if (isinf(v))
                    return kl_fail(err, KL_EDATA,
                                   "%s: %s: chain %zu, draw %zu, temperature %zu is infinite",
                                   kl_store_file_path(t->file), name, c, d, k);
                if (pass && own < *have) t->x[c * *have + own] = v;
                own++;
            }
            if (!pass && own < *have) *have = own;
            if (own > *most) *most = own;
        }
    return KL_OK;
}

/* Mean and its error; NaN where a chain has no draw, the error also of chains that do not vary. */
static int rung_mean(double *mean, double *mcse, bool *still, size_t *have, size_t *most,
                     const struct reader *t, size_t k, const char *name, struct kl_error *err)
{
    struct kl_sampling_traces *traces = NULL;
    *mean = NAN, *mcse = NAN, *still = false;
    int code = pack(have, most, t, k, name, err);
    if (code || *have == 0) return code;
    code = kl_sampling_traces_open(&traces, t->chains, *have, err);
    if (!code) {
        kl_sampling_traces_take(traces, t->x);
        *mean = kl_sampling_mean(traces), *mcse = kl_sampling_mcse_mean(traces);
        *still = kl_sampling_still(traces) == t->chains;
    }
    kl_sampling_traces_close(&traces);
    return code;
}

/* Of the draws in x: variance about the mean, chains' means, the last draw of the first
 * chain. */
static void rung_rest(struct reader *t, size_t k, size_t have)
{
    struct kl_sampling_ladder *l = t->to;
    const size_t n = t->chains * have;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (t->x[i] - l->loss[k]) * (t->x[i] - l->loss[k]);
        t->sampled = isnan(t->sampled) ? t->x[i] : fmin(t->sampled, t->x[i]);
    }
    l->variance[k] = n > 1 ? squares / (double)(n - 1) : NAN;
    for (size_t c = 0; c < t->chains; c++) {
        double sum = 0;
        for (size_t d = 0; d < have; d++) sum += t->x[c * have + d];
        l->loss_of[c * t->rungs + k] = sum / (double)have;
    }
    l->drawn_loss[k] = t->x[have - 1], l->draws[k] = (double)have;
}

static int load_trace(struct reader *t, const char *name, bool needed, struct kl_error *err)
{
    const size_t dims[3] = { t->chains, t->draws, t->rungs };
    void *data = NULL;
    free(t->trace), t->trace = NULL;
    if (!needed && !kl_store_file_find(t->file, name)) return KL_OK;
    const int code = kl_store_file_load_shape(&data, t->file, name, KL_TYPE_F32, 3, dims, err);
    if (!code) t->trace = data;
    return code;
}

static int read_losses(struct reader *t, struct kl_error *err)
{
    static const char name[] = "posterior/train_loss";
    struct kl_sampling_ladder *l = t->to;
    int code = load_trace(t, name, true, err);
    for (size_t k = 0; k < t->rungs && !code; k++) {
        size_t have, most;
        bool still;
        code = rung_mean(&l->loss[k], &l->loss_mcse[k], &still, &have, &most, t, k, name, err);
        l->still[k] = still;
        if (still) l->loss_mcse[k] = NAN;
        if (!code && (have == 0 || (int64_t)most != t->count[k]))
            code = kl_fail(
                err, KL_EDATA,
                "%s: %s: temperature %zu: found %zu to %zu draws of a chain, expected up to %lld",
                kl_store_file_path(t->file), name, k, have, most, (long long)t->count[k]);
        if (!code) rung_rest(t, k, have);
    }
    return code;
}

static int read_others(struct reader *t, struct kl_error *err)
{
    struct kl_sampling_ladder *l = t->to;
    const struct {
        const char *name;
        bool needed;
        double *mean, *mcse, *drawn;
    } sets[] = { { "posterior/train01", true, l->train01, l->train01_mcse, l->drawn01 },
                 { "sample_stats/test_loss", false, l->test_loss, NULL, NULL },
                 { "sample_stats/test01", false, l->test01, l->test01_mcse, l->drawn_test01 } };
    int code = KL_OK;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !code; i++) {
        code = load_trace(t, sets[i].name, sets[i].needed, err);
        for (size_t k = 0; k < t->rungs && !code && t->trace; k++) {
            size_t have, most;
            double mcse;
            bool still; /* errors may all be 0 where the loss varies */
            code = rung_mean(&sets[i].mean[k], &mcse, &still, &have, &most, t, k, sets[i].name, err);
            if (sets[i].mcse) sets[i].mcse[k] = l->still[k] > 0 ? NAN : mcse;
            if (sets[i].drawn && (double)have == l->draws[k]) sets[i].drawn[k] = t->x[have - 1];
        }
    }
    return code;
}

/* (chains, rungs) each, where the run had them. */
static int read_path(struct reader *t, struct kl_error *err)
{
    const size_t dims[2] = { t->chains, t->rungs };
    const struct {
        const char *name;
        double *to;
    } sets[] = { { "path/work", t->to->work_of },
                 { "path/train01", t->to->path01_of },
                 { "path/test01", t->to->path_test01_of } };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        void *data = NULL;
        if (!kl_store_file_find(t->file, sets[i].name)) continue;
        const int code =
            kl_store_file_load_shape(&data, t->file, sets[i].name, KL_TYPE_F64, 2, dims, err);
        if (code) return code;
        memcpy(sets[i].to, data, t->chains * t->rungs * sizeof(double));
        free(data);
    }
    return KL_OK;
}

static int read_number(double *value, struct kl_file *file, const char *name, double otherwise,
                       struct kl_error *err)
{
    *value = otherwise;
    return kl_store_file_has_attribute(file, "", name) ? kl_store_file_number(value, file, "", name, err)
                                                       : KL_OK;
}

static int read_text(char *to, size_t size, struct kl_file *file, const char *name, struct kl_error *err)
{
    char *text = NULL;
    if (!kl_store_file_has_attribute(file, "", name)) return KL_OK;
    const int code = kl_store_file_text(&text, file, "", name, err);
    if (!code) snprintf(to, size, "%s", text), kl_make_printable(to);
    free(text);
    return code;
}

/* L*, as the run found it, and the draws' norm at the last rung. */
static int read_minimum(struct reader *t, struct kl_error *err)
{
    struct kl_sampling_ladder *l = t->to;
    double sum = 0, n = 0;
    snprintf(
        l->none, sizeof l->none,
        "the file has no minimum of the loss; sgld sample and head seek one with mala or hmc, tuned");
    int code = read_text(l->none, sizeof l->none, t->file, "minimum_none", err);
    if (!code) code = read_number(&l->least, t->file, "minimum_loss", NAN, err);
    if (!code) code = read_number(&l->least_norm, t->file, "minimum_norm", NAN, err);
    if (!code) code = load_trace(t, "posterior/norm", false, err);
    for (size_t i = t->rungs - 1; !code && t->trace && i < t->chains * t->draws * t->rungs;
         i += t->rungs)
        if (!isnan(t->trace[i])) sum += (double)t->trace[i], n++;
    if (n > 0) l->norm = sum / n;
    if (!code && l->least < l->low - 1e-6 * (1 + fabs(l->low)))
        code = kl_fail(err, KL_EDATA,
                       "%s: minimum_loss: found %g, expected %g, the loss's lower end, or more",
                       kl_store_file_path(t->file), l->least, l->low);
    if (!(l->least > t->sampled + 1e-6 * fabs(t->sampled))) return code;
    snprintf(l->none, sizeof l->none,
             "L-BFGS ended at %.6g, above the least loss that was sampled, %.6g", l->least, t->sampled);
    l->least = NAN;
    return code;
}

/* Of `config`, all of it: lists of many temperatures make it long. */
static int read_own_records(bool *own, struct kl_file *file, struct kl_error *err)
{
    char *config = NULL;
    if (!kl_store_file_has_attribute(file, "", "config")) return KL_OK;
    const int code = kl_store_file_text(&config, file, "", "config", err);
    *own = !code && strstr(config, "\"records\":\"chain\"") != NULL;
    free(config);
    return code;
}

static int read_attributes(struct reader *t, struct kl_error *err)
{
    struct kl_sampling_ladder *l = t->to;
    char scale[16] = "raw";
    double n, m, exchange;
    int code = read_text(l->loss_name, sizeof l->loss_name, t->file, "loss", err);
    if (!code) code = read_text(l->convention, sizeof l->convention, t->file, "convention", err);
    if (!code) code = read_text(scale, sizeof scale, t->file, "scale", err);
    if (!code) code = read_text(l->labels, sizeof l->labels, t->file, "labels", err);
    if (!code) code = read_own_records(&l->own_records, t->file, err);
    if (!code) code = kl_store_file_number(&l->low, t->file, "", "loss_low", err);
    if (!code) code = kl_store_file_number(&l->high, t->file, "", "loss_high", err);
    if (!code) code = kl_store_file_number(&n, t->file, "", "n", err);
    if (!code) code = read_number(&m, t->file, "n_test", 0, err);
    if (!code) code = read_number(&exchange, t->file, "exchange", 0, err);
    if (!code) code = read_number(&l->chance, t->file, "chance", 0.5, err);
    if (!code) code = read_number(&l->sigma, t->file, "sigma", NAN, err);
    if (code) return code;
    if (strcmp(scale, "raw") != 0 && strcmp(scale, "unit") != 0)
        return kl_fail(err, KL_EDATA, "%s: attribute scale: found '%s', expected raw or unit",
                       kl_store_file_path(t->file), scale);
    l->scale = strcmp(scale, "unit") == 0 ? KL_SAMPLING_UNIT : KL_SAMPLING_RAW;
    if (isnan(l->high)) l->high = INFINITY;
    l->exchange = exchange != 0;
    l->n = n >= 1 && n < 1e15 ? (int64_t)n : 0, l->m = m >= 1 && m < 1e15 ? (int64_t)m : 0;
    return KL_OK;
}

static int read_shape(struct reader *t, struct kl_error *err)
{
    const struct kl_dataset *loss, *beta;
    const char *path = kl_store_file_path(t->file);
    if (strcmp(kl_store_file_kind(t->file), "chains") != 0)
        return kl_fail(err, KL_EDATA, "%s: holds '%s', expected 'chains', which comes from sgld sample",
                       path, kl_store_file_kind(t->file));
    int code = kl_store_file_expect(&loss, t->file, "posterior/train_loss", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&beta, t->file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (code) return code;
    t->chains = loss->dims[0], t->draws = loss->dims[1], t->rungs = loss->dims[2];
    if (t->chains == 0 || t->draws == 0 || t->rungs == 0 || t->rungs > KL_SAMPLING_MOST_RUNGS ||
        beta->dims[0] != t->rungs)
        return kl_fail(
            err, KL_EDATA,
            "%s: found %zu temperatures and traces of %zu chains, %zu draws, %zu temperatures", path,
            beta->dims[0], t->chains, t->draws, t->rungs);
    return KL_OK;
}

int kl_sampling_ladder_read_chains(struct kl_sampling_ladder *ladder, struct kl_file *file,
                                   struct kl_error *err)
{
    struct reader t = { .file = file, .to = ladder, .sampled = NAN };
    void *beta = NULL, *count = NULL;
    *ladder = (struct kl_sampling_ladder){ 0 };
    int code = read_shape(&t, err);
    if (!code) code = kl_store_file_check_once(file, err);
    if (!code) code = kl_sampling_ladder_make(ladder, t.rungs, t.chains, err);
    if (!code)
        code = kl_store_file_load_shape(&beta, file, "ladder/beta", KL_TYPE_F64, 1, &t.rungs, err);
    if (!code)
        code = kl_store_file_load_shape(&count, file, "ladder/draws", KL_TYPE_I64, 1, &t.rungs, err);
    if (!code) memcpy(ladder->beta, beta, t.rungs * sizeof *ladder->beta);
    t.count = count;
    if (!code && !(t.x = malloc(t.chains * t.draws * sizeof *t.x)))
        code = kl_fail_memory(err, t.chains * t.draws * sizeof *t.x);
    if (!code) code = read_attributes(&t, err);
    if (!code) code = read_losses(&t, err);
    if (!code) code = read_others(&t, err);
    if (!code) code = read_path(&t, err);
    if (!code) code = read_minimum(&t, err);
    if (!code) code = kl_sampling_ladder_check(ladder, kl_store_file_path(file), err);
    if (code) kl_sampling_ladder_free(ladder);
    free(beta), free(count), free(t.x), free(t.trace);
    return code;
}
