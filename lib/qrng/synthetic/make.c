/* SPDX-License-Identifier: MIT
   All devices: the study's from one stream of MT19937, ours by counters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "stats/distributions.h"
#include "qrng/bits/words.h"
#include "qrng/classify/mt19937.h"
#include "qrng/synthetic/synthetic.h"

static double within(const double range[2], double u)
{
    return range[0] + (range[1] - range[0]) * u;
}

/* ---- the study's: how many numbers a bit takes depends on the bits ---- */
struct stream {
    struct kl_mt19937 mt;
    uint64_t draws;
};
static double next(struct stream *s)
{
    s->draws++;
    return kl_mt19937_unit(&s->mt);
}

static void study_row(uint64_t *row, struct stream *s, const struct kl_synthetic_plan *plan, double q,
                      double copy, size_t n_bits)
{
    bool last = next(s) < q;
    row[0] |= last;
    for (size_t j = 1; j < n_bits; j++) {
        if (plan->bias_alone || next(s) >= copy) last = next(s) < q;
        row[j / 64] |= (uint64_t)last << (j % 64);
    }
}

static void study_device(uint64_t *words, size_t words_per_row, struct kl_synthetic_device *d,
                         struct stream *s, const struct kl_synthetic_plan *plan)
{
    const struct kl_synthetic_class *c = &plan->classes[d->class];
    const size_t rows = (size_t)plan->options->rows;
    d->bias = within(c->bias, next(s));
    d->copy = plan->bias_alone ? 0 : within(c->copy, next(s));
    d->drift = plan->bias_alone ? 0 : -c->drift[1] + 2 * c->drift[1] * next(s);
    for (size_t r = 0; r < rows; r++) {
        const double q = d->bias + d->drift * ((double)r / (double)rows - 0.5);
        study_row(words + r * words_per_row, s, plan, fmin(fmax(q, 0.1), 0.9), d->copy,
                  (size_t)plan->options->bits);
    }
}

/* ---- ours ---- */
struct job {
    struct kl_bits *bits;
    struct kl_synthetic_device *devices;
    const struct kl_synthetic_plan *plan;
};

static void choose_law(struct kl_synthetic_device *d, const struct kl_synthetic_plan *plan, uint32_t i)
{
    const struct kl_synthetic_class *c = &plan->classes[d->class];
    uint32_t u[4];
    double sum = 0;
    kl_philox(u, (uint64_t)plan->options->seed, i, KL_RANDOM_DEVICES, 0, 0);
    if (!plan->pairs) {
        d->bias = within(c->bias, kl_philox_unit(u[0]));
        d->copy = within(c->copy, kl_philox_unit(u[1]));
        d->drift = c->drift[1] * (2 * kl_philox_unit(u[2]) - 1);
        return;
    }
    for (int s = 0; s < KL_LAW; s++) {
        const double z = kl_stats_normal_quantile(kl_philox_unit(u[s]));
        sum += d->law[s] = c->law[s] * exp(plan->options->spread * z);
    }
    for (int s = 0; s < KL_LAW; s++) d->law[s] /= sum;
}

static void make_device(void *context, size_t i, int thread)
{
    const struct job *job = context;
    struct kl_bits *b = job->bits;
    const size_t rows = (size_t)job->plan->options->rows;
    (void)thread;
    choose_law(&job->devices[i], job->plan, (uint32_t)i);
    kl_synthetic_rows(b->words + i * rows * b->words_per_row, &job->devices[i], job->plan->pairs, rows,
                      b->n_bits, (uint64_t)job->plan->options->seed, KL_RANDOM_SYNTHETIC, (uint32_t)i);
}

static int make_room(struct kl_bits *b, const struct kl_synthetic_plan *plan, struct kl_error *err)
{
    const struct kl_synthetic_options *o = plan->options;
    *b = (struct kl_bits){ .n_rows = (size_t)(o->devices * o->rows),
                           .n_bits = (size_t)o->bits,
                           .words_per_row = (size_t)(o->bits + 63) / 64,
                           .n_devices = (int)o->devices,
                           .symbol_bits = plan->pairs ? 2 : 1 };
    b->words = calloc(b->n_rows * b->words_per_row, sizeof *b->words);
    b->device = malloc(b->n_rows * sizeof *b->device);
    b->names = calloc((size_t)o->devices, sizeof *b->names);
    if (b->words && b->device && b->names) return KL_OK;
    return kl_fail_memory(err, b->n_rows * b->words_per_row * sizeof *b->words);
}

int kl_synthetic_make(struct kl_bits *b, struct kl_synthetic_device *devices, uint64_t *draws,
                      const struct kl_synthetic_plan *plan, struct kl_pool *pool, struct kl_error *err)
{
    const size_t n = (size_t)plan->options->devices, rows = (size_t)plan->options->rows;
    struct job job = { b, devices, plan };
    struct stream stream = { .draws = 0 };
    *draws = 0;
    int code = make_room(b, plan, err);
    if (code) return code;
    kl_mt19937_seed(&stream.mt, (uint32_t)plan->options->seed);
    for (size_t i = 0; i < n; i++) {
        struct kl_synthetic_device *d = &devices[i];
        *d = (struct kl_synthetic_device){
            .class = (int)(i * (size_t)plan->n_classes / n), .bias = NAN, .copy = NAN, .drift = NAN
        };
        for (int s = 0; s < KL_LAW; s++) d->law[s] = NAN;
        snprintf(b->names[i], sizeof *b->names, "c%dd%zu", d->class, i);
        for (size_t r = 0; r < rows; r++) b->device[i * rows + r] = (int32_t)i;
        if (plan->study)
            study_device(b->words + i * rows * b->words_per_row, b->words_per_row, d, &stream, plan);
    }
    *draws = stream.draws;
    if (!plan->study) kl_pool_for(pool, n, make_device, &job);
    for (size_t i = 0; i < n; i++)
        for (size_t w = i * rows * b->words_per_row; w < (i + 1) * rows * b->words_per_row; w++)
            devices[i].ones += __builtin_popcountll(b->words[w]);
    return KL_OK;
}

int kl_synthetic_save_bits(struct kl_writer *w, const struct kl_bits *b, struct kl_error *err)
{
    const size_t n = (size_t)b->n_devices, dims[2] = { b->n_rows, (b->n_bits + 7) / 8 };
    uint8_t *bytes = malloc(dims[0] * dims[1]);
    if (!bytes) return kl_fail_memory(err, dims[0] * dims[1]);
    for (size_t r = 0; r < b->n_rows; r++)
        kl_bits_pack(bytes + r * dims[1], kl_bits_row(b, r), b->n_bits);
    int code = kl_store_writer_put(w, "bits", KL_TYPE_U8, 0, 2, dims, bytes, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, &b->n_rows, b->device, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, sizeof *b->names, 1, &n, b->names,
                                   err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "n_bits", (int64_t)b->n_bits, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "symbol_bits", b->symbol_bits, err);
    free(bytes);
    return code < 0 ? code : KL_OK;
}
