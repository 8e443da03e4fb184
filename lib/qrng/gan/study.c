/* SPDX-License-Identifier: MIT
   A study: which devices are compared, the models that it trains, several at once, and what is said of
   its pairs. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"
#include "kernels/inline/philox.h"
#include "qrng/gan/gan_int.h"
#include "qrng/gan/study.h"

/* ---- Which devices are compared, and their rates of 1. ---- */
/* The device of that name, and that of that number from 1; blanks around it or not: tables have them;
   -1: there is none. */
struct meant {
    int32_t named, numbered;
};

static struct meant read_device(const char *text, size_t n, const struct kl_bits *bits)
{
    struct meant of = { -1, -1 };
    while (n && *text == ' ') text++, n--;
    while (n && text[n - 1] == ' ') n--;
    for (int32_t d = bits->n_devices - 1; d >= 0; d--)
        if (strlen(bits->names[d]) == n && strncmp(bits->names[d], text, n) == 0) of.named = d;
    char *end;
    const long number = strtol(text, &end, 10);
    if (n && end == text + n && number >= 1 && number <= bits->n_devices)
        of.numbered = (int32_t)number - 1;
    return of;
}

/* By its name or, where none has that name, by its number; -1: there is none. */
static int32_t device_of(const char *text, size_t n, const struct kl_bits *bits)
{
    const struct meant of = read_device(text, n, bits);
    return of.named >= 0 ? of.named : of.numbered;
}

/* Files 2.txt and 1.txt: is 1 the second one or the first? */
static int refuse_both(const char *text, size_t n, const struct kl_bits *bits, struct kl_error *err)
{
    const struct meant of = read_device(text, n, bits);
    if (of.named < 0 || of.numbered < 0 || of.named == of.numbered) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--pairs: '%s' is the name of device %d and the number of device '%s'; give the "
                   "inputs in the order of their names, or other names",
                   bits->names[of.named], of.named + 1, bits->names[of.numbered]);
}

/* The first "v" whose both sides are devices: names may have one themselves. *first: how many bytes are
   before it. */
static bool read_pair(struct kl_gan_pair *pair, size_t *first, const char *text, size_t n,
                      const struct kl_bits *bits)
{
    for (size_t v = 1; v + 1 < n; v++) {
        if (text[v] != 'v') continue;
        pair->a = device_of(text, v, bits);
        pair->b = device_of(text + v + 1, n - v - 1, bits);
        *first = v;
        if (pair->a >= 0 && pair->b >= 0) return true;
    }
    return false;
}

static int read_list(struct kl_gan_pair *pairs, size_t *n, const char *text, const struct kl_bits *bits,
                     struct kl_error *err)
{
    for (*n = 0;; text++) {
        size_t first = 0;
        const size_t length = strcspn(text, ",");
        struct kl_gan_pair *pair = &pairs[*n];
        if (!read_pair(pair, &first, text, length, bits))
            return kl_fail(err, KL_EUSAGE,
                           "--pairs: found '%.*s', expected two of the %d devices, by name or number, "
                           "with a v between them: %.*sv%.*s",
                           (int)length, text, bits->n_devices, KL_BITS_NAME, bits->names[0],
                           KL_BITS_NAME, bits->names[1]);
        int code = refuse_both(text, first, bits, err);
        if (!code) code = refuse_both(text + first + 1, length - first - 1, bits, err);
        if (code) return code;
        if (pair->a == pair->b)
            return kl_fail(err, KL_EUSAGE, "--pairs: '%.*s' is one device twice", (int)length, text);
        for (size_t i = 0; i < *n; i++)
            if (pairs[i].a == pair->a && pairs[i].b == pair->b)
                return kl_fail(err, KL_EUSAGE, "--pairs: '%.*s' is there twice", (int)length, text);
        ++*n;
        text += length;
        if (!*text) return KL_OK;
    }
}

int kl_gan_pairs(struct kl_gan_pair **pairs, size_t *n, const char *text, const struct kl_bits *bits,
                 struct kl_error *err)
{
    const int32_t d = bits->n_devices;
    size_t room = (size_t)d * (size_t)(d - 1) / 2 + 1;
    if (d < 2)
        return kl_fail(err, KL_EDATA,
                       "one device, expected at least two: labels behind the rows, or a file a device");
    for (const char *c = text; c && *c; c++) room += *c == ',';
    *pairs = malloc((room + 1) * sizeof **pairs);
    if (!*pairs) return kl_fail_memory(err, room * sizeof **pairs);
    if (text) return read_list(*pairs, n, text, bits, err);
    *n = 0;
    for (int32_t a = 0; a < d; a++)
        for (int32_t b = a + 1; b < d; b++) (*pairs)[(*n)++] = (struct kl_gan_pair){ a, b };
    return KL_OK;
}

/* The half that a row belongs to in a draw: 1 or 2. */
static int half_of(size_t row, uint32_t draw, const struct kl_gan_options *o)
{
    uint32_t words[4];
    kl_philox(words, (uint64_t)o->seed, (uint32_t)row, KL_RANDOM_SPLIT, draw, 0);
    return 1 + (int)(words[0] & 1);
}

void kl_gan_rates(double rates[KL_GRID_BITS], const struct kl_bits *bits, int32_t device, int part,
                  uint32_t draw, const struct kl_gan_options *o)
{
    size_t rows = 0, taken = 0;
    memset(rates, 0, KL_GRID_BITS * sizeof *rates);
    for (size_t r = 0; r < bits->n_rows; r++) {
        if (bits->device[r] != device) continue;
        if (!rows++ && device > 0 && !o->all_rows) continue; /* lost where the study cuts its file */
        if (part && half_of(r, draw, o) != part) continue;
        const uint64_t word = kl_bits_row(bits, r)[0];
        for (int j = 0; j < KL_GRID_BITS; j++) rates[j] += (double)(word >> j & 1);
        taken++;
    }
    if (o->generator == KL_GAN_QUANTUM && !part) taken = rows; /* as its notebook divides */
    for (int j = 0; j < KL_GRID_BITS; j++) rates[j] /= (double)taken;
}

/* ---- Which models a study trains, and room for what comes of them. ---- */
/* One model a pair in the study's way; in the sound one a model of each device. */
static void plan_models(struct kl_gan_study *s)
{
    for (size_t i = 0; i < 2 * s->n_pairs; i++) {
        const struct kl_gan_pair *pair = &s->pairs[i / 2];
        struct kl_gan_pair of = { i % 2 ? pair->b : pair->a, -1 };
        if (s->o.reference) of = *pair;
        size_t m = 0;
        while (m < s->n_models && (s->of[m].a != of.a || s->of[m].b != of.b)) m++;
        if (m == s->n_models) s->of[s->n_models++] = of;
        s->model[i] = (int32_t)m;
    }
}

static void size_models(struct kl_gan_study *s)
{
    const struct kl_gan_options *o = &s->o;
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    const size_t bits = o->reference ? 2 * 6 : (size_t)o->word_bits, inputs = o->reference ? 2 : bits;
    s->n_cells = (size_t)1 << bits;
    s->n_angles = quantum ? 2 * bits * (size_t)(o->repetitions + 1) : 0;
    s->n_params = o->loss == KL_GAN_ADVERSARIAL ? (size_t)o->hidden * (inputs + 2) + 1 : 0;
}

/* Zeros: a checkpoint has the models that are not done too. */
static void *take_zeros(struct kl_gan_study *s, size_t n, size_t size)
{
    void *block = kl_arena_take(&s->memory, n, size);
    if (block) memset(block, 0, n * size);
    return block;
}

static int take(struct kl_gan_study *s, struct kl_error *err)
{
    const size_t n = s->n_models, history = KL_GAN_N_COLUMNS * n * (size_t)s->o.epochs,
                 scores = KL_GAN_N_SCORES * s->n_pairs;
    s->done = take_zeros(s, n, sizeof *s->done);
    s->law = take_zeros(s, n * s->n_cells, sizeof *s->law);
    s->target = take_zeros(s, n * s->n_cells, sizeof *s->target);
    s->witness = take_zeros(s, s->o.reference ? 1 : n * s->n_cells, sizeof *s->witness);
    s->discriminator = take_zeros(s, n * s->n_params + 1, sizeof *s->discriminator);
    s->angles = take_zeros(s, n * s->n_angles + 1, sizeof *s->angles);
    s->history = kl_arena_take(&s->memory, history, sizeof *s->history);
    s->scores = kl_arena_take(&s->memory, scores, sizeof *s->scores);
    if (!s->done || !s->law || !s->target || !s->witness || !s->discriminator || !s->angles ||
        !s->history || !s->scores)
        return kl_fail_memory(err, n * s->n_cells * 2 * sizeof *s->law + history * sizeof *s->history);
    for (size_t i = 0; i < history; i++) s->history[i] = NAN;
    for (size_t i = 0; i < scores; i++) s->scores[i] = NAN;
    return KL_OK;
}

/* The study loses the first row of each device but the first one. */
static int check_rows(const struct kl_gan_study *s, struct kl_error *err)
{
    const struct kl_bits *b = s->bits;
    for (size_t i = 0; i < 2 * s->n_pairs && s->o.reference && !s->o.all_rows; i++) {
        const int32_t device = i % 2 ? s->pairs[i / 2].b : s->pairs[i / 2].a;
        size_t rows = 0;
        for (size_t r = 0; r < b->n_rows && rows < 2; r++) rows += b->device[r] == device;
        if (device > 0 && rows < 2)
            return kl_fail(err, KL_EDATA, "device %s: 1 row, which the study loses; see --all-rows",
                           b->names[device]);
    }
    return KL_OK;
}

int kl_gan_study_make(struct kl_gan_study *s, const struct kl_gan_options *o, const struct kl_bits *bits,
                      struct kl_gan_pair *pairs, size_t n_pairs, struct kl_error *err)
{
    const size_t least = o->reference ? KL_GRID_BITS : (size_t)o->word_bits;
    *s = (struct kl_gan_study){ .o = *o, .bits = bits, .pairs = pairs, .n_pairs = n_pairs };
    if (bits->n_bits < least)
        return kl_fail(err, KL_EDATA, "rows of %zu bits; expected %zu or more%s", bits->n_bits, least,
                       o->reference ? " with --reference" : ": a word lies within a row");
    int code = check_rows(s, err);
    if (!code) code = kl_arena_init(&s->memory, 0, err);
    if (code) return code;
    s->model = kl_arena_take(&s->memory, 2 * n_pairs, sizeof *s->model);
    s->of = kl_arena_take(&s->memory, 2 * n_pairs, sizeof *s->of);
    if (!s->model || !s->of) return kl_fail_memory(err, n_pairs * sizeof *s->of);
    plan_models(s);
    size_models(s);
    return take(s, err);
}

void kl_gan_study_free(struct kl_gan_study *s)
{
    kl_arena_free(&s->memory);
    free(s->pairs);
    *s = (struct kl_gan_study){ 0 };
}

/* ---- All models of a study, several at once, and what is said of its pairs. ---- */
enum { MOST_AT_ONCE = 64 };

const char *const kl_gan_score_names[KL_GAN_N_SCORES] = {
    [KL_GAN_KL] = "divergence",
    [KL_GAN_KL_START] = "divergence_start",
    [KL_GAN_KL_UNIFORM] = "divergence_uniform",
    [KL_GAN_HALVES_LOW] = "halves_least",
    [KL_GAN_HALVES_HIGH] = "halves_largest",
    [KL_GAN_ON_A] = "cross_entropy_a",
    [KL_GAN_ON_B] = "cross_entropy_b",
    [KL_GAN_DIFFERENCE] = "difference",
    [KL_GAN_LOW] = "difference_low",
    [KL_GAN_HIGH] = "difference_high",
    [KL_GAN_EXCESS] = "excess",
    [KL_GAN_EXCESS_LOW] = "excess_low",
    [KL_GAN_EXCESS_HIGH] = "excess_high",
    [KL_GAN_PLUGIN_DIFFERENCE] = "plugin_difference",
    [KL_GAN_PLUGIN_LOW] = "plugin_difference_low",
    [KL_GAN_PLUGIN_HIGH] = "plugin_difference_high",
    [KL_GAN_PLUGIN_EXCESS] = "plugin_excess",
    [KL_GAN_PLUGIN_EXCESS_LOW] = "plugin_excess_low",
    [KL_GAN_PLUGIN_EXCESS_HIGH] = "plugin_excess_high",
    [KL_GAN_Z_A] = "test_a",
    [KL_GAN_Z_B] = "test_b",
};

struct training {
    struct kl_gan_study *s;
    const struct kl_watch *watch;
    struct kl_pool *pool;         /* of a model that has all threads; else NULL */
    size_t left[MOST_AT_ONCE], n; /* models of this round */
    uint64_t done, all;           /* models */
    atomic_bool stop;
    int (*keep)(void *context, struct kl_error *err);
    void *context;
    struct kl_error *errors;              /* of each of the round */
    struct kl_arena memory[MOST_AT_ONCE]; /* of each thread */
};

/* The thread that called kl_gan_study_run is number 0; it alone may call the watch. */
struct asking {
    struct training *t;
    int thread;
};

static bool ask(void *context)
{
    struct asking *a = context;
    if (a->thread == 0 && kl_watch_step(a->t->watch, a->t->done, a->t->all, NULL)) a->t->stop = true;
    return a->t->stop;
}

static int train_reference(const struct kl_gan_study *s, const struct kl_gan_place *to, size_t m,
                           struct kl_pool *pool, struct kl_error *err)
{
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    kl_gan_rates(a, s->bits, s->of[m].a, 0, 0, &s->o);
    kl_gan_rates(b, s->bits, s->of[m].b, 0, 0, &s->o);
    return kl_gan_reference(to, &s->o, a, b, pool, err);
}

static void train_model(void *context, size_t i, int thread)
{
    struct training *t = context;
    struct kl_gan_study *s = t->s;
    struct asking asking = { t, thread };
    const size_t m = t->left[i], epochs = (size_t)s->o.epochs;
    struct kl_gan_place to = { .law = s->law + m * s->n_cells,
                               .target = s->target + m * s->n_cells,
                               .witness = s->o.reference ? NULL : s->witness + m * s->n_cells,
                               .discriminator = s->discriminator + m * s->n_params,
                               .angles = s->angles + m * s->n_angles,
                               .memory = &t->memory[thread],
                               .replica = kl_gan_replica(&s->of[m]),
                               .stop = ask,
                               .context = &asking };
    for (size_t c = 0; c < KL_GAN_N_COLUMNS; c++)
        to.history[c] = s->history + (c * s->n_models + m) * epochs;
    t->errors[i].code = s->o.reference ? train_reference(s, &to, m, t->pool, &t->errors[i])
                                       : kl_gan_train(&to, &s->o, s->bits, s->of[m].a, &t->errors[i]);
    s->done[m] = t->errors[i].code == 0;
}

/* The next models: one for each thread, or the last few one after another with all threads each. */
static void next_round(struct training *t, size_t *m, size_t threads)
{
    size_t left = 0;
    for (size_t i = *m; i < t->s->n_models; i++) left += !t->s->done[i];
    const size_t most = left >= threads ? threads : 1;
    for (t->n = 0; *m < t->s->n_models && t->n < most; ++*m)
        if (!t->s->done[*m]) t->left[t->n++] = *m;
}

static int train_all(struct training *t, struct kl_pool *pool, struct kl_error *err)
{
    size_t threads = (size_t)kl_pool_size(pool);
    if (threads > MOST_AT_ONCE) threads = MOST_AT_ONCE;
    double kept = kl_clock();
    for (size_t m = 0; m < t->s->n_models;) {
        next_round(t, &m, threads);
        t->pool = t->n == 1 ? pool : NULL;
        kl_pool_for(t->n == 1 ? NULL : pool, t->n, train_model, t);
        for (size_t i = 0; i < t->n; i++) {
            if (t->errors[i].code && err) *err = t->errors[i];
            if (t->errors[i].code) return t->errors[i].code;
        }
        t->done += t->n;
        if (kl_watch_step(t->watch, t->done, t->all, NULL) && t->done < t->all)
            return kl_fail(err, KL_ESIGNAL, "stopped with %llu of %llu generators trained",
                           (unsigned long long)t->done, (unsigned long long)t->all);
        if (!t->keep || kl_clock() - kept < KL_GAN_KEEP) continue;
        const int code = t->keep(t->context, err);
        if (code) return code;
        kept = kl_clock();
    }
    return KL_OK;
}

int kl_gan_study_run(struct kl_gan_study *s, const struct kl_device *device, struct kl_pool *pool,
                     const struct kl_watch *watch, int (*keep)(void *context, struct kl_error *err),
                     void *context, struct kl_error *err)
{
    struct kl_error errors[MOST_AT_ONCE] = { 0 };
    struct training t = {
        .s = s, .watch = watch, .all = s->n_models, .errors = errors, .keep = keep, .context = context
    };
    for (size_t m = 0; m < s->n_models; m++) t.done += s->done[m];
    int code =
        device->cuda ? kl_gan_gpu_train(s, device, watch, keep, context, err) : train_all(&t, pool, err);
    for (size_t i = 0; i < MOST_AT_ONCE; i++) kl_arena_free(&t.memory[i]);
    if (!code && !s->o.reference) code = kl_gan_score(s, pool, err);
    if (code) return code;
    if (s->o.reference) kl_gan_reference_score(s);
    return kl_gan_count_unlearnt(s, err);
}
