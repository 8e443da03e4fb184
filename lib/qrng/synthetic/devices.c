/* SPDX-License-Identifier: MIT
   Synthetic devices: which are to be made, by lists or the reference's variants; and their bits, the
   reference's from one stream of MT19937, ours by counters. */
#include "qrng/synthetic/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bits.h"
#include "kernels/inline/philox.h"
#include "qrng/bits/bits.h"
#include "qrng/classify/network.h"
#include "stats/stats.h"

/* ---- the plan ---- */

void kl_synthetic_options_default(struct kl_synthetic_options *o)
{
    *o = (struct kl_synthetic_options){ .devices = 30,
                                        .rows = 2000,
                                        .bits = 100,
                                        .variant = "own",
                                        .source = "chain",
                                        .spread = 0.02,
                                        .permutations = 20000,
                                        .trials = 100 };
}

/* The ranges of each of the study's scripts, which have the same names in all. */
static const struct {
    const char *name, *bias, *copy, *drift;
} variants[] = {
    { "validate", "0.48-0.52,0.54-0.58,0.60-0.65", "0-0.05,0-0.10,0.05-0.15", "0.01,0.02,0.03" },
    { "full", "0.48-0.52,0.54-0.58,0.60-0.65", "0-0.05,0-0.10,0-0.15", "0.01,0.02,0.03" },
    { "framework", "0.48-0.52,0.54-0.58,0.59-0.65", "0-0.05,0.05-0.15,0.15-0.30", "0.02,0.05,0.08" },
    { "bridge", "0.48-0.52,0.54-0.58,0.60-0.65", "0,0,0", "0,0,0" },
};
static const char measured_laws[] =
    "0.234/0.261/0.178/0.327,0.220/0.262/0.167/0.351,0.274/0.221/0.247/0.258";

static int refuse(const char *option, const char *text, const char *form, struct kl_error *err)
{
    return kl_fail(err, KL_EUSAGE, "--%s: found '%s', expected %s", option, text, form);
}

/* "lo-hi" or "x" for each class into range [2]; the field lies at `offset` of a class. */
static int read_ranges(struct kl_synthetic_plan *plan, const char *option, const char *text,
                       size_t offset, struct kl_error *err)
{
    static const char form[] = "for each class a number or a range within 0 to 1, as in 0.48-0.52,0.6";
    const char *at = text;
    int n = 0;
    for (;; at++) {
        char *end;
        if (n == KL_SYNTHETIC_CLASSES) return refuse(option, text, "at most 16 classes", err);
        double *range = (double *)((char *)&plan->classes[n] + offset);
        range[0] = range[1] = strtod(at, &end);
        if (end == at) return refuse(option, text, form, err);
        at = end;
        if (*at == '-') {
            range[1] = strtod(++at, &end);
            if (end == at) return refuse(option, text, form, err);
            at = end;
        }
        if (!(range[0] >= 0 && range[1] >= range[0] && range[1] <= 1) || (*at && *at != ','))
            return refuse(option, text, form, err);
        n++;
        if (!*at) break;
    }
    if (plan->n_classes && n != plan->n_classes)
        return kl_fail(err, KL_EUSAGE, "--%s: found %d classes in '%s', the lists before have %d",
                       option, n, text, plan->n_classes);
    plan->n_classes = n;
    return KL_OK;
}

/* Like ranges, but each is one number. */
static int read_drifts(struct kl_synthetic_plan *plan, const char *text, struct kl_error *err)
{
    int code = read_ranges(plan, "drift", text, offsetof(struct kl_synthetic_class, drift), err);
    for (int i = 0; i < plan->n_classes && !code; i++)
        if (plan->classes[i].drift[0] != plan->classes[i].drift[1])
            code = refuse("drift", text, "one number for each class", err);
    return code;
}

static int read_laws(struct kl_synthetic_plan *plan, const char *text, struct kl_error *err)
{
    static const char form[] = "four probabilities for each class with sum 1, as in 0.3/0.2/0.2/0.3,...";
    const char *at = text;
    for (int n = 0;; at++) {
        double sum = 0;
        if (n == KL_SYNTHETIC_CLASSES) return refuse("laws", text, "at most 16 classes", err);
        for (int s = 0; s < KL_LAW; s++) {
            char *end;
            const double p = plan->classes[n].law[s] = strtod(at, &end);
            if (end == at || !(p >= 0 && p <= 1) || (s < KL_LAW - 1 && *end != '/'))
                return refuse("laws", text, form, err);
            sum += p;
            at = s < KL_LAW - 1 ? end + 1 : end;
        }
        if (fabs(sum - 1) > 1e-6 || (*at && *at != ',')) return refuse("laws", text, form, err);
        plan->n_classes = ++n;
        if (!*at) return KL_OK;
    }
}

static int read_chain(struct kl_synthetic_plan *plan, const char *bias, const char *copy,
                      const char *drift, struct kl_error *err)
{
    int code = read_ranges(plan, "bias", bias, offsetof(struct kl_synthetic_class, bias), err);
    if (!code) code = read_ranges(plan, "copy", copy, offsetof(struct kl_synthetic_class, copy), err);
    return code ? code : read_drifts(plan, drift, err);
}

int kl_synthetic_plan(struct kl_synthetic_plan *plan, const struct kl_synthetic_options *o,
                      struct kl_error *err)
{
    size_t v = 0;
    int code;
    *plan = (struct kl_synthetic_plan){ .options = o, .pairs = strcmp(o->source, "pairs") == 0 };
    plan->study = strcmp(o->variant, "own") != 0;
    if (plan->study && (plan->pairs || o->bias || o->copy || o->drift || o->laws))
        return kl_fail(err, KL_EUSAGE,
                       "--variant %s has its own source, bias, copy and drift; leave them out",
                       o->variant);
    if (plan->pairs ? o->bias || o->copy || o->drift : o->laws != NULL)
        return kl_fail(err, KL_EUSAGE, "--source %s: %s", o->source,
                       plan->pairs ? "takes --laws, not --bias, --copy or --drift"
                                   : "takes --bias, --copy and --drift, not --laws");
    if (plan->study && (o->seed < 0 || o->seed > UINT32_MAX))
        return kl_fail(err, KL_EUSAGE, "--seed: found %lld; those of the study's devices are 0 to %lld",
                       (long long)o->seed, (long long)UINT32_MAX);
    while (plan->study && strcmp(variants[v].name, o->variant) != 0) v++;
    plan->bias_alone = strcmp(o->variant, "bridge") == 0;
    if (plan->pairs) code = read_laws(plan, o->laws ? o->laws : measured_laws, err);
    else
        code =
            read_chain(plan, o->bias ? o->bias : variants[v].bias, o->copy ? o->copy : variants[v].copy,
                       o->drift ? o->drift : variants[v].drift, err);
    if (!code && o->devices < plan->n_classes)
        code = kl_fail(err, KL_EUSAGE, "--synthetic: found %lld devices, there are %d classes",
                       (long long)o->devices, plan->n_classes);
    if (!code && plan->pairs && o->bits % 2)
        code =
            kl_fail(err, KL_EUSAGE, "--bits: found %lld, expected an even number of two-qubit symbols",
                    (long long)o->bits);
    return code;
}

/* ---- rows by counters ---- */
/* Rows of a device of known law: 64 random bits for each bit or symbol of each row. */

enum { BLOCK = 128 /* bits or symbols whose random words are made at once */ };

/* Bits that repeat the one before with probability copy, else are ones with probability q. */
static void chain_row(uint64_t *row, const uint64_t *noise, size_t first, size_t n, double q,
                      double copy, bool *last)
{
    for (size_t i = 0; i < n; i++) {
        const double repeat = kl_philox_unit((uint32_t)noise[i]),
                     value = kl_philox_unit((uint32_t)(noise[i] >> 32));
        if (first + i == 0 || repeat >= copy) *last = value < q;
        row[(first + i) / 64] |= (uint64_t)*last << ((first + i) % 64);
    }
}

/* Symbols 00, 01, 10, 11: the first bit stands first. */
static void pairs_row(uint64_t *row, const uint64_t *noise, size_t first, size_t n, const double *law)
{
    for (size_t i = 0; i < n; i++) {
        const double u = kl_philox_unit((uint32_t)noise[i]);
        const unsigned symbol = (u >= law[0]) + (u >= law[0] + law[1]) + (u >= law[0] + law[1] + law[2]);
        const size_t bit = 2 * (first + i);
        row[bit / 64] |= (uint64_t)(symbol >> 1 | (symbol & 1) << 1) << (bit % 64);
    }
}

void kl_synthetic_rows(uint64_t *words, const struct kl_synthetic_device *d, bool pairs, size_t rows,
                       size_t n_bits, uint64_t seed, uint32_t purpose, uint32_t replica)
{
    const size_t words_per_row = (n_bits + 63) / 64, places = pairs ? n_bits / 2 : n_bits;
    uint64_t noise[BLOCK];
    memset(words, 0, rows * words_per_row * sizeof *words);
    for (size_t r = 0; r < rows; r++, words += words_per_row) {
        const double q = fmin(fmax(d->bias + d->drift * ((double)r / (double)rows - 0.5), 0), 1);
        bool last = false;
        for (size_t first = 0; first < places; first += BLOCK) {
            const size_t n = places - first < BLOCK ? places - first : BLOCK;
            kl_kernel_bit_noise()(noise, n, seed, (uint32_t)first / 2, purpose, (uint32_t)r, replica);
            if (pairs) pairs_row(words, noise, first, n, d->law);
            else chain_row(words, noise, first, n, q, d->copy, &last);
        }
    }
}

/* ---- all devices ---- */

static double within(const double range[2], double u)
{
    return range[0] + (range[1] - range[0]) * u;
}

/* ---- the study's devices: how many numbers a bit takes depends on the bits ---- */
struct stream {
    struct kl_nn_mersenne mt;
    uint64_t draws;
};
static double next(struct stream *s)
{
    s->draws++;
    return kl_nn_mersenne_unit(&s->mt);
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

/* ---- our devices ---- */
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
    kl_nn_mersenne_seed(&stream.mt, (uint32_t)plan->options->seed);
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
