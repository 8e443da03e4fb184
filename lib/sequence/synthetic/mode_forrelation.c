/* SPDX-License-Identifier: MIT
   Sequential forrelation, and qseq forrelation: pairs of functions as windows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/synthetic/synthetic.h"
#include "sequence/windows/windows.h"
#include "store/kind.h"
#include "store/mode.h"

/* ---- forrelation ----
   Sequential forrelation: pairs of functions on bits of which one looks like the other's Walsh-Hadamard
   transform, or does not, seen point by point. */

/* A purpose is KL_RANDOM_FORRELATION + 256 * one of these; step: pair, replica: attempt. */
enum { TABLES, POINT, DRAWS };
static const double LOW = 0.15;

static void draw(uint32_t words[4], const struct kl_sequence_forrelation *o, int what, size_t i,
                 uint32_t index, uint32_t attempt)
{
    kl_philox(words, o->seed, index, KL_RANDOM_FORRELATION + 256u * (uint32_t)what, (uint32_t)i,
              attempt);
}

/* In place: element x becomes the sum over y of (-1)^(x.y) f(y), of 2^bits. */
static void walsh(double *f, int bits)
{
    const size_t n = (size_t)1 << bits;
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t k = i; k < i + half; k++) {
                const double a = f[k], b = f[k + half];
                f[k] = a + b, f[k + half] = a - b;
            }
}

double kl_sequence_forrelation_phi(const double *f, const double *g, int bits, double *work)
{
    const size_t n = (size_t)1 << bits;
    double sum = 0;
    memcpy(work, g, n * sizeof *work);
    walsh(work, bits);
    for (size_t x = 0; x < n; x++) sum += f[x] * work[x];
    return sum * pow(2, -1.5 * bits);
}

/* Two tables of signs, one bit of a word each. */
static void draw_signs(double *f, double *g, const struct kl_sequence_forrelation *o, size_t i,
                       uint32_t attempt)
{
    for (size_t x = 0; x < (size_t)1 << o->bits; x++) {
        uint32_t words[4];
        draw(words, o, TABLES, i, (uint32_t)x, attempt);
        f[x] = words[0] >> 31 ? 1 : -1, g[x] = words[1] >> 31 ? 1 : -1;
    }
}

static void draw_high(double *f, double *g, const struct kl_sequence_forrelation *o, size_t i)
{
    const size_t n = (size_t)1 << o->bits;
    for (size_t x = 0; x < n; x++) {
        uint32_t words[4];
        draw(words, o, TABLES, i, (uint32_t)x, 0);
        g[x] =
            sqrt(-2 * log(kl_philox_unit(words[0]))) * cos(6.283185307179586 * kl_philox_unit(words[1]));
        f[x] = g[x] < 0 ? -1 : 1;
    }
    walsh(g, o->bits);
    for (size_t x = 0; x < n; x++) g[x] = g[x] < 0 ? -1 : 1;
}

static void draw_point(double *f, double *g, const struct kl_sequence_forrelation *o, size_t i)
{
    const size_t n = (size_t)1 << o->bits;
    uint32_t words[4];
    draw(words, o, POINT, i, 0, 0);
    const size_t point = words[0] >> (32 - o->bits);
    for (size_t x = 0; x < n; x++) {
        f[x] = x == point ? 1 : -1;
        g[x] = __builtin_parityll(x & point) ? -1 : 1;
    }
}

double kl_sequence_forrelation_pair(double *f, double *g, const struct kl_sequence_forrelation *o,
                                    size_t i, double *work)
{
    double phi = 0;
    if (i % 2 && o->reference) draw_point(f, g, o, i);
    else if (i % 2) draw_high(f, g, o, i);
    for (uint32_t attempt = 0; i % 2 == 0; attempt++) {
        draw_signs(f, g, o, i, attempt);
        if (o->reference || fabs(kl_sequence_forrelation_phi(f, g, o->bits, work)) < LOW) break;
    }
    phi = kl_sequence_forrelation_phi(f, g, o->bits, work);
    if (o->reference) walsh(g, o->bits);
    return phi;
}

void kl_sequence_forrelation_window(float *window, const double *f, const double *g,
                                    const struct kl_sequence_forrelation *o, size_t i)
{
    const size_t bits = (size_t)o->bits, half = (bits + 1) * o->steps;
    for (size_t t = 0; t < o->steps; t++) {
        uint32_t words[4];
        draw(words, o, DRAWS, i, (uint32_t)t, 0);
        const size_t x = words[0] >> (32 - bits), y = words[1] >> (32 - bits);
        float *at = window + t;
        for (size_t b = 0; b < bits; b++) {
            at[b * o->steps] = (float)(x >> b & 1);
            at[half + b * o->steps] = (float)(y >> b & 1);
        }
        at[bits * o->steps] = (float)f[x], at[half + bits * o->steps] = (float)g[y];
    }
}

/* ---- mode forrelation ----
   `qseq forrelation`: pairs of functions as windows, each a person of its own, so that no split shares a
   pair between its parts. */

enum { NUMERICAL_VERSION = 1, BLOCK = 64, NAME = 8 };
struct values {
    struct kl_common common;
    int64_t pairs, bits, steps;
    bool reference;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "pairs", 0, KL_OPT_INT, AT(pairs), "N", 2, 1000000, true, "half of them high", "Pairs", NULL },
    { "bits", 'b', KL_OPT_INT, AT(bits), "B", 2, KL_SEQUENCE_FORRELATION_BITS, true, "of each function",
      NULL, NULL },
    { "steps", 'T', KL_OPT_INT, AT(steps), "N", 1, 100000, true, "points drawn of each pair", NULL,
      NULL },
    { "reference", 0, KL_OPT_FLAG, AT(reference), NULL, 0, 0, true,
      "the reference's first pairs, with their flaws", NULL, NULL },
};
const struct kl_tool kl_sequence_forrelation_tool = {
    .name = "qseq",
    .summary = "Windows of pairs of functions on bits: is one like the other's Walsh-Hadamard "
               "transform? A window shows "
               "points of both, drawn at random: bits of x, f(x), bits of y, g(y)",
    .arguments = "forrelation -o WINDOWS.h5",
    .example = "qseq forrelation -o pairs.h5\n  qseq forrelation -b 8 -T 160 -o pairs.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "device threads",
    .chosen_by = "forrelation",
};

static void defaults(void *values)
{
    struct values *v = values;
    v->pairs = 2000, v->bits = 6, v->steps = 50;
}

struct work {
    struct kl_sequence_forrelation o;
    double *f, *g, *scratch; /* 2^bits each */
    double *phi;             /* (pairs) */
    float *block;            /* (BLOCK, 2 bits + 2, steps) */
    int32_t *labels, *each;  /* (pairs); each: its own number */
    double *onset;
    char (*names)[NAME];
    const char **name_of;
    double high, low; /* mean Phi of either kind */
};

static int prepare(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct work *w = run->state;
    w->o = (struct kl_sequence_forrelation){ .seed = (uint64_t)v->common.seed,
                                             .pairs = (size_t)v->pairs,
                                             .steps = (size_t)v->steps,
                                             .bits = (int)v->bits,
                                             .reference = v->reference };
    if (w->o.reference)
        kl_caution(run->stage.log,
                   "--reference: the mean of f gives the label away (high: -1 but at one "
                   "point), and what is sampled of g is its transform");
    const size_t n = w->o.pairs, table = (size_t)1 << w->o.bits,
                 window = (size_t)(2 * w->o.bits + 2) * w->o.steps;
    w->f = malloc(table * sizeof *w->f), w->g = malloc(table * sizeof *w->g),
    w->scratch = malloc(table * sizeof *w->scratch);
    w->phi = malloc(n * sizeof *w->phi), w->block = malloc(BLOCK * window * sizeof *w->block);
    w->labels = malloc(n * sizeof *w->labels), w->each = malloc(n * sizeof *w->each),
    w->onset = calloc(n, sizeof *w->onset);
    w->names = calloc(n, sizeof *w->names), w->name_of = malloc(n * sizeof *w->name_of);
    if (!w->f || !w->g || !w->scratch || !w->phi || !w->block || !w->labels || !w->each || !w->onset ||
        !w->names || !w->name_of)
        return kl_fail_memory(err, BLOCK * window * sizeof *w->block + n * 48);
    for (size_t i = 0; i < n; i++) {
        w->labels[i] = (int32_t)(i % 2), w->each[i] = (int32_t)i;
        snprintf(w->names[i], NAME, "P%06u", (unsigned)i % 1000000);
        w->name_of[i] = w->names[i];
    }
    return KL_OK;
}

/* All pairs into the rows of x, a block at a time. */
static int fill(struct kl_mode_run *run, struct kl_writer *writer, int x, struct kl_error *err)
{
    struct work *w = run->state;
    const size_t n = w->o.pairs, window = (size_t)(2 * w->o.bits + 2) * w->o.steps;
    int code = KL_OK;
    for (size_t from = 0; from < n && !code; from += BLOCK) {
        const size_t to = n - from < BLOCK ? n : from + BLOCK;
        for (size_t i = from; i < to; i++) {
            w->phi[i] = kl_sequence_forrelation_pair(w->f, w->g, &w->o, i, w->scratch);
            *(i % 2 ? &w->high : &w->low) += w->phi[i];
            kl_sequence_forrelation_window(w->block + (i - from) * window, w->f, w->g, &w->o, i);
        }
        code = kl_store_writer_rows(writer, x, from, to - from, w->block, err);
        if (!code && kl_watch_step(run->watch, to, n, NULL))
            code = kl_fail(err, KL_ESIGNAL, "stopped by a signal; nothing is kept");
    }
    w->high /= (double)(n / 2), w->low /= (double)(n - n / 2);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    static const char *const classes[] = { "low", "high" };
    char channel[2 * KL_SEQUENCE_FORRELATION_BITS + 2][8];
    const char *channels[2 * KL_SEQUENCE_FORRELATION_BITS + 2];
    const size_t n = w->o.pairs, half = (size_t)w->o.bits + 1;
    for (size_t c = 0; c < 2 * half; c++) {
        const size_t bit = c % half;
        if (bit + 1 < half)
            snprintf(channel[c], sizeof channel[c], "%c%u", c < half ? 'x' : 'y', (unsigned)bit % 100);
        else snprintf(channel[c], sizeof channel[c], "%c", c < half ? 'f' : 'g');
        channels[c] = channel[c];
    }
    const struct kl_sequence_windows file = { .n = n,
                                              .channels = 2 * half,
                                              .steps = w->o.steps,
                                              .unit = "1",
                                              .labels = w->labels,
                                              .subject = w->each,
                                              .recording = w->each,
                                              .onset = w->onset,
                                              .n_classes = 2,
                                              .n_subjects = n,
                                              .n_recordings = n,
                                              .class_names = classes,
                                              .subject_names = w->name_of,
                                              .recording_names = w->name_of,
                                              .channel_names = channels };
    int x = -1;
    int code = kl_sequence_windows_write(writer, &file, &x, err);
    if (!code) code = fill(run, writer, x, err);
    return code ? code : kl_store_writer_put(writer, "phi", KL_TYPE_F64, 0, 1, &n, w->phi, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = {
        { "pairs", KL_JSON_COUNT, NULL, (double)v->pairs },
        { "bits", KL_JSON_COUNT, NULL, (double)v->bits },
        { "steps", KL_JSON_COUNT, NULL, (double)v->steps },
        { "phi_high", KL_JSON_NUMBER, NULL, w->high },
        { "phi_low", KL_JSON_NUMBER, NULL, w->low },
        { "seconds", KL_JSON_NUMBER, NULL, kl_clock() - run->stage.start },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct values *v = run->values;
    const struct work *w = run->state;
    fprintf(to,
            "%s: %lld pairs of %lld bits, %lld points of each; mean Phi %.3f of high ones, %.3f of low "
            "ones; %.1f s\n",
            v->common.output, (long long)v->pairs, (long long)v->bits, (long long)v->steps, w->high,
            w->low, kl_clock() - run->stage.start);
}

static void release(struct kl_mode_run *run)
{
    struct work *w = run->state;
    free(w->f), free(w->g), free(w->scratch), free(w->phi), free(w->block), free(w->labels),
        free(w->each), free(w->onset), free(w->names), free(w->name_of);
}

static const struct kl_file_stage stage = { .kind = &kl_sequence_windows_kind,
                                            .schema = KL_SEQUENCE_WINDOWS_SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "qseq forrelation",
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .progress = "pairs",
                                            .compute = prepare,
                                            .save = save,
                                            .json = json,
                                            .words = words,
                                            .close = release };
const struct kl_mode kl_sequence_mode_forrelation = { .tool = &kl_sequence_forrelation_tool,
                                                      .defaults = defaults,
                                                      .stage = &stage };
