/* SPDX-License-Identifier: MIT
   A ladder from the traces of a file of kind `chains`: (chain, draw, rung), float32, NaN where there is no draw. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/ladder/ladder.h"
#include "store/store.h"

int kl_sampling_mcse_batches(double *mcse, const double *x, size_t chains, size_t draws, struct kl_error *err)
{
    (void)err;
    const size_t batches = (size_t)sqrt((double)draws), size = batches ? draws / batches : 0, all = chains * batches;
    double sum = 0, squares = 0;
    *mcse = NAN;
    if (chains * draws < 4 || all < 2) return KL_OK;
    for (int pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < chains; c++)
            for (size_t b = 0; b < batches; b++) {
                double mean = 0;
                for (size_t i = 0; i < size; i++) mean += x[c * draws + b * size + i] / (double)size;
                if (pass == 0) sum += mean;
                else squares += (mean - sum / (double)all) * (mean - sum / (double)all);
            }
    *mcse = sqrt(squares / (double)(all - 1) / (double)all);
    return KL_OK;
}

struct traces {
    struct kl_file *file;
    kl_sampling_mcse_fn mcse;
    size_t chains, draws, rungs;
    int64_t *count;     /* (rungs) draws of each chain */
    double *x;          /* (chains, draws) of one rung, packed */
    float *trace;       /* what is being read */
    struct kl_sampling_ladder *to;
};

/* Mean and its error of the draws of one rung that are there, as many in each chain; NaN: none. *have: of a chain. */
static int rung_mean(double *mean, double *mcse, size_t *have, const struct traces *t, size_t k, const char *name,
                     struct kl_error *err)
{
    double sum = 0;
    size_t n = 0;
    *mean = NAN, *mcse = NAN, *have = 0;
    for (size_t c = 0; c < t->chains; c++) {
        size_t own = 0;
        for (size_t d = 0; d < t->draws; d++) {
            const double v = (double)t->trace[(c * t->draws + d) * t->rungs + k];
            if (isnan(v)) continue;
            if (isinf(v))
                return kl_fail(err, KL_EDATA, "%s: %s: chain %zu, draw %zu, temperature %zu is infinite",
                               kl_store_file_path(t->file), name, c, d, k);
            t->x[n++] = v, sum += v, own++;
        }
        if (c > 0 && own != *have)
            return kl_fail(err, KL_EDATA, "%s: %s: temperature %zu: found %zu draws of chain %zu, expected %zu as before",
                           kl_store_file_path(t->file), name, k, own, c, *have);
        *have = own;
    }
    if (n == 0) return KL_OK;
    *mean = sum / (double)n;
    return (t->mcse ? t->mcse : kl_sampling_mcse_batches)(mcse, t->x, t->chains, *have, err);
}

/* Of the draws in x: variance about the mean, the least one, chains' means, the last draw of the first chain. */
static void rung_rest(const struct traces *t, size_t k, size_t have)
{
    struct kl_sampling_ladder *l = t->to;
    const size_t n = t->chains * have;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (t->x[i] - l->loss[k]) * (t->x[i] - l->loss[k]);
        l->least = isnan(l->least) ? t->x[i] : fmin(l->least, t->x[i]);
    }
    l->variance[k] = n > 1 ? squares / (double)(n - 1) : NAN;
    for (size_t c = 0; c < t->chains; c++) {
        double sum = 0;
        for (size_t d = 0; d < have; d++) sum += t->x[c * have + d];
        l->loss_of[c * t->rungs + k] = sum / (double)have;
    }
    l->drawn_loss[k] = t->x[have - 1], l->draws[k] = (double)have;
}

static int load_trace(struct traces *t, const char *name, bool needed, struct kl_error *err)
{
    const size_t dims[3] = { t->chains, t->draws, t->rungs };
    void *data = NULL;
    free(t->trace), t->trace = NULL;
    if (!needed && !kl_store_file_find(t->file, name)) return KL_OK;
    const int code = kl_store_file_load_shape(&data, t->file, name, KL_TYPE_F32, 3, dims, err);
    if (!code) t->trace = data;
    return code;
}

static int read_losses(struct traces *t, struct kl_error *err)
{
    struct kl_sampling_ladder *l = t->to;
    int code = load_trace(t, "trace/train_loss", true, err);
    for (size_t k = 0; k < t->rungs && !code; k++) {
        size_t have;
        code = rung_mean(&l->loss[k], &l->loss_mcse[k], &have, t, k, "trace/train_loss", err);
        if (!code && (have == 0 || (int64_t)have != t->count[k]))
            code = kl_fail(err, KL_EDATA, "%s: trace/train_loss: temperature %zu: found %zu draws, expected %lld",
                           kl_store_file_path(t->file), k, have, (long long)t->count[k]);
        if (!code) rung_rest(t, k, have);
    }
    return code;
}

static int read_others(struct traces *t, struct kl_error *err)
{
    struct kl_sampling_ladder *l = t->to;
    const struct {
        const char *name;
        bool needed;
        double *mean, *mcse, *drawn;
    } sets[] = { { "trace/train01", true, l->train01, l->train01_mcse, l->drawn01 },
                 { "trace/test_loss", false, l->test_loss, NULL, NULL },
                 { "trace/test01", false, l->test01, l->test01_mcse, l->drawn_test01 } };
    int code = KL_OK;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !code; i++) {
        code = load_trace(t, sets[i].name, sets[i].needed, err);
        for (size_t k = 0; k < t->rungs && !code && t->trace; k++) {
            size_t have;
            double mcse;
            code = rung_mean(&sets[i].mean[k], &mcse, &have, t, k, sets[i].name, err);
            if (sets[i].mcse) sets[i].mcse[k] = mcse;
            if (sets[i].drawn && have == (size_t)t->count[k]) sets[i].drawn[k] = t->x[have - 1];
        }
    }
    if (!code) code = load_trace(t, "trace/work", false, err);
    for (size_t c = 0; c < t->chains && !code && t->trace; c++)
        for (size_t k = 0; k < t->rungs; k++) {
            double sum = 0;
            size_t n = 0;
            for (size_t d = 0; d < t->draws; d++) {
                const double v = (double)t->trace[(c * t->draws + d) * t->rungs + k];
                if (isfinite(v)) sum += v, n++;
            }
            l->work_of[c * t->rungs + k] = n ? sum / (double)n : NAN;
        }
    return code;
}

static int read_number(double *value, struct kl_file *file, const char *name, double otherwise, struct kl_error *err)
{
    *value = otherwise;
    return kl_store_file_has_attribute(file, "", name) ? kl_store_file_number(value, file, "", name, err) : KL_OK;
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

static int read_attributes(struct traces *t, struct kl_error *err)
{
    struct kl_sampling_ladder *l = t->to;
    char scale[16] = "raw";
    double n, m, exchange;
    int code = read_text(l->loss_name, sizeof l->loss_name, t->file, "loss", err);
    if (!code) code = read_text(l->convention, sizeof l->convention, t->file, "convention", err);
    if (!code) code = read_text(scale, sizeof scale, t->file, "scale", err);
    if (!code) code = kl_store_file_number(&l->low, t->file, "", "loss_low", err);
    if (!code) code = kl_store_file_number(&l->high, t->file, "", "loss_high", err);
    if (!code) code = kl_store_file_number(&n, t->file, "", "n", err);
    if (!code) code = read_number(&m, t->file, "m", 0, err);
    if (!code) code = read_number(&exchange, t->file, "exchange", 0, err);
    if (!code) code = read_number(&l->chance, t->file, "chance", 0.5, err);
    if (!code) code = read_number(&l->sigma, t->file, "sigma", NAN, err);
    if (code) return code;
    if (strcmp(scale, "raw") != 0 && strcmp(scale, "unit") != 0)
        return kl_fail(err, KL_EDATA, "%s: attribute scale: found '%s', expected raw or unit", kl_store_file_path(t->file),
                       scale);
    l->scale = strcmp(scale, "unit") == 0 ? KL_SAMPLING_UNIT : KL_SAMPLING_RAW;
    if (isnan(l->high)) l->high = INFINITY;
    l->exchange = exchange != 0;
    l->n = n >= 1 && n < 1e15 ? (int64_t)n : 0, l->m = m >= 1 && m < 1e15 ? (int64_t)m : 0;
    return KL_OK;
}

static int read_shape(struct traces *t, struct kl_error *err)
{
    const struct kl_dataset *loss, *beta;
    const char *path = kl_store_file_path(t->file);
    if (strcmp(kl_store_file_kind(t->file), "chains") != 0)
        return kl_fail(err, KL_EDATA, "%s: holds '%s', expected 'chains', which comes from sgld sample", path,
                       kl_store_file_kind(t->file));
    int code = kl_store_file_expect(&loss, t->file, "trace/train_loss", KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&beta, t->file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (code) return code;
    t->chains = loss->dims[0], t->draws = loss->dims[1], t->rungs = loss->dims[2];
    if (t->chains == 0 || t->draws == 0 || t->rungs == 0 || t->rungs > KL_SAMPLING_MOST_RUNGS || beta->dims[0] != t->rungs)
        return kl_fail(err, KL_EDATA, "%s: found %zu temperatures and traces of %zu chains, %zu draws, %zu temperatures", path,
                       beta->dims[0], t->chains, t->draws, t->rungs);
    return KL_OK;
}

int kl_sampling_ladder_read_chains(struct kl_sampling_ladder *ladder, struct kl_file *file, kl_sampling_mcse_fn mcse,
                                   struct kl_error *err)
{
    struct traces t = { .file = file, .mcse = mcse, .to = ladder };
    void *beta = NULL, *count = NULL;
    *ladder = (struct kl_sampling_ladder){ 0 };
    int code = read_shape(&t, err);
    if (!code) code = kl_sampling_ladder_make(ladder, t.rungs, t.chains, err);
    if (!code) code = kl_store_file_load_shape(&beta, file, "ladder/beta", KL_TYPE_F64, 1, &t.rungs, err);
    if (!code) code = kl_store_file_load_shape(&count, file, "ladder/draws", KL_TYPE_I64, 1, &t.rungs, err);
    if (!code) memcpy(ladder->beta, beta, t.rungs * sizeof *ladder->beta);
    t.count = count;
    if (!code && !(t.x = malloc(t.chains * t.draws * sizeof *t.x)))
        code = kl_fail_memory(err, t.chains * t.draws * sizeof *t.x);
    if (!code) code = read_attributes(&t, err);
    if (!code) code = read_losses(&t, err);
    if (!code) code = read_others(&t, err);
    if (!code) code = kl_sampling_ladder_check(ladder, kl_store_file_path(file), err);
    if (code) kl_sampling_ladder_free(ladder);
    free(beta), free(count), free(t.x), free(t.trace);
    return code;
}
