/* SPDX-License-Identifier: MIT
   What the standards say of each device: suites, estimates and permutations on all threads, and what
   follows from them. */
#include "qrng/nist/nist_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits.h"
#include "stats/stats.h"

/* ---- a device's rows one after another ---- */

/* As bytes: one bit or one symbol each. Only what a test looks at is unpacked. */
struct stream {
    const struct kl_bits *bits;
    size_t *rows, n_rows;    /* of the device, in their order */
    uint8_t *part, *symbols; /* the first KL_NIST_PART bits, and symbols, or as many as there are */
};

/* out [n]: bits from number `first` on. */
static void stream_bits(uint8_t *out, const struct stream *s, size_t first, size_t n)
{
    const size_t per_row = s->bits->n_bits;
    size_t r = first / per_row, j = first % per_row;
    for (size_t i = 0; i < n; r++, j = 0) {
        const uint64_t *row = kl_bits_row(s->bits, s->rows[r]);
        for (; j < per_row && i < n; j++) out[i++] = row[j / 64] >> (j % 64) & 1;
    }
}

/* The same of symbols. */
static void stream_symbols(uint8_t *out, const struct stream *s, size_t first, size_t n)
{
    const int width = s->bits->symbol_bits;
    const size_t per_row = s->bits->n_bits / (size_t)width;
    size_t r = first / per_row, k = first % per_row;
    for (size_t i = 0; i < n; r++, k = 0) {
        const uint64_t *row = kl_bits_row(s->bits, s->rows[r]);
        for (; k < per_row && i < n; k++) out[i++] = (uint8_t)kl_bits_symbol(row, k, width);
    }
}

/* KL_ENOMEM. Free it in every case. */
static int stream_open(struct stream *s, const struct kl_bits *bits, size_t device, struct kl_error *err)
{
    size_t n = 0;
    for (size_t r = 0; r < bits->n_rows; r++) n += bits->device[r] == (int32_t)device;
    const size_t n_bits = kl_nist_part(n * bits->n_bits),
                 n_symbols = kl_nist_part(n * (bits->n_bits / (size_t)bits->symbol_bits));
    *s = (struct stream){ .bits = bits,
                          .rows = malloc((n + 1) * sizeof *s->rows),
                          .part = malloc(n_bits + 1),
                          .symbols = malloc(n_symbols + 1) };
    if (!s->rows || !s->part || !s->symbols)
        return kl_fail_memory(err, n * sizeof *s->rows + n_bits + n_symbols);
    for (size_t r = 0; r < bits->n_rows; r++)
        if (bits->device[r] == (int32_t)device) s->rows[s->n_rows++] = r;
    stream_bits(s->part, s, 0, n_bits);
    stream_symbols(s->symbols, s, 0, n_symbols);
    return KL_OK;
}

static void stream_free(struct stream *s)
{
    free(s->rows), free(s->part), free(s->symbols);
    *s = (struct stream){ 0 };
}

/* ---- what follows from p-values and estimates ---- */
/* Corrections, proportions, the assessed entropy. */

typedef int correction(double *adjusted, const double *log10_p, size_t n, struct kl_error *err);

/* Of n values from `first`, in all sequences, each value's least p, corrected for all that are there;
   NaN: it is applicable to none. p has room for all. */
static int correct(double *least, double *p, const struct kl_nist_device *d, int first, int n,
                   correction *how, struct kl_error *err)
{
    size_t found = 0;
    for (int v = first; v < first + n; v++) {
        least[v] = NAN;
        for (size_t i = 0; i < d->n_sequences; i++)
            if (!isnan(d->suites[i].values[v].log10_p)) p[found++] = d->suites[i].values[v].log10_p;
    }
    const int code = found ? how(p, p, found, err) : KL_OK;
    for (int v = first + n; !code && v-- > first;)
        for (size_t i = d->n_sequences; i-- > 0;)
            if (!isnan(d->suites[i].values[v].log10_p)) least[v] = fmin(least[v], p[--found]);
    return code;
}

static int correct_all(struct kl_nist_device *d, struct kl_error *err)
{
    const size_t bytes = d->n_sequences * KL_NIST22_VALUES * sizeof(double);
    double *p = malloc(bytes);
    int code = p ? correct(d->rate, p, d, 0, KL_NIST22_VALUES, kl_stats_false_discovery, err)
                 : kl_fail_memory(err, bytes);
    for (int t = 0; !code && t < KL_NIST22_TESTS; t++)
        code =
            correct(d->holm, p, d, kl_nist22_tests[t].first, kl_nist22_tests[t].n, kl_stats_holm, err);
    free(p);
    return code;
}

static int over_sequences(struct kl_nist_device *d, struct kl_error *err)
{
    double *p = malloc(d->n_sequences * sizeof *p);
    if (!p) return kl_fail_memory(err, d->n_sequences * sizeof *p);
    for (int v = 0; v < KL_NIST22_VALUES; v++) {
        for (size_t i = 0; i < d->n_sequences; i++) p[i] = d->suites[i].values[v].log10_p;
        kl_nist_sp22_many(&d->many[v], p, d->n_sequences);
    }
    free(p);
    return KL_OK;
}

static void assess(struct kl_nist_device *d, const struct kl_nist_report *r)
{
    const double width = r->symbol_bits;
    if (r->symbol_bits == 1) memcpy(d->symbol_h, d->bit_h, sizeof d->symbol_h);
    d->assessed = fmin(kl_nist_sp90b_least(d->symbol_h), width * kl_nist_sp90b_least(d->bit_h));
    d->bit_extractable = d->assessed / width;
    d->row_extractable =
        (double)kl_nist_leftover_bits(d->bit_extractable * (double)r->row_bits, r->options.security);
}

/* holm, rate, many, and the assessed entropy with what could be extracted, from the suites and
   estimates of a device. */
static int assess_device(struct kl_nist_device *d, const struct kl_nist_report *r, struct kl_error *err)
{
    int code = correct_all(d, err);
    if (!code) code = over_sequences(d, err);
    if (!code) assess(d, r);
    return code;
}

/* ---- permutations of all devices ---- */
/* First some of each, which tell of most statistics that they pass, and so what is left to do. */

/* Steps of the course: one is what permuting a thousand symbols takes. */
static inline uint64_t permutation_steps(const struct kl_nist_device *d, int64_t permutations)
{
    return (uint64_t)permutations * kl_nist_part(d->n_symbols) / 1000;
}

/* A device's permutations as steps of the whole course. */
struct permuting {
    struct kl_course *course;
    const struct kl_nist_device *device;
    int64_t taken, planned;
};

static int tell(void *context, uint64_t done, uint64_t needed, const char *note)
{
    struct permuting *p = context;
    if ((int64_t)needed < p->planned) {
        kl_course_drop(p->course, permutation_steps(p->device, p->planned) -
                                      permutation_steps(p->device, (int64_t)needed));
        p->planned = (int64_t)needed;
    }
    const int64_t before = p->taken < p->planned ? p->taken : p->planned,
                  now = (int64_t)done < p->planned ? (int64_t)done : p->planned;
    (void)note;
    p->taken = (int64_t)done;
    return kl_course_step(p->course,
                          permutation_steps(p->device, now) - permutation_steps(p->device, before),
                          "permutations", NULL) != KL_OK;
}

/* device->iid of all devices; the course has all permutations planned. */
static int permute_all(struct kl_nist_report *r, const struct stream *streams, struct kl_course *course,
                       struct kl_pool *pool, struct kl_error *err)
{
    enum { FIRST = 512 };
    const int64_t all = r->options.permutations, until[2] = { FIRST < all ? FIRST : all, all };
    struct permuting *p = calloc(r->n_devices, sizeof *p);
    int code = p ? KL_OK : kl_fail_memory(err, r->n_devices * sizeof *p);
    for (size_t i = 0; !code && i < r->n_devices; i++) {
        struct kl_nist_device *d = &r->devices[i];
        p[i] = (struct permuting){ course, d, 0, all };
        code = kl_nist_iid_begin(&d->iid, streams[i].symbols, kl_nist_part(d->n_symbols), err);
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; !code && i < r->n_devices; i++) {
            struct kl_nist_device *d = &r->devices[i];
            const struct kl_watch watch = { tell, &p[i] };
            code = kl_nist_iid_go_on(&d->iid, streams[i].symbols, kl_nist_part(d->n_symbols), all,
                                     until[round], r->options.seed, pool, &watch, err);
        }
    free(p);
    return code;
}

/* ---- jobs for all threads ---- */
/* Each sequence's suite, each device's estimates of bits and of symbols; then the permutations of
   each device, which use all threads themselves. */

void kl_nist_options_default(struct kl_nist_options *o)
{
    *o = (struct kl_nist_options){ .sequences = 1000, .permutations = 10000, .security = 64 };
}

enum job_kind { SUITE, BITS, SYMBOLS };
struct job {
    enum job_kind kind;
    size_t device, sequence;
    int code;
    struct kl_error err;
};
struct work {
    struct kl_nist_report *report;
    struct stream *streams; /* [n_devices] */
    struct job *jobs;
    size_t n_jobs;
    struct kl_course *course; /* a step: what permuting a thousand symbols takes */
};

/* The closed alphabet's copy is made here, since the values themselves are needed elsewhere. */
static int estimate(double *h, const uint8_t *s, size_t n, struct kl_error *err)
{
    uint8_t *closed = malloc(n + 1);
    if (!closed) return kl_fail_memory(err, n + 1);
    memcpy(closed, s, n);
    const struct kl_symbols symbols = { closed, n, kl_nist_symbols_close(closed, n) };
    const int code = kl_nist_sp90b(h, &symbols, err);
    free(closed);
    return code;
}

static int test_sequence(struct kl_nist_device *d, const struct stream *s, size_t sequence,
                         struct kl_error *err)
{
    const size_t n = d->sequence_bits;
    uint8_t *bits = malloc(n);
    if (!bits) return kl_fail_memory(err, n);
    stream_bits(bits, s, sequence * n, n);
    const int code = kl_nist_sp22(&d->suites[sequence], bits, n, err);
    free(bits);
    return code;
}

static void run_job(void *context, size_t i, int thread)
{
    struct work *w = context;
    struct job *job = &w->jobs[i];
    struct kl_nist_device *d = &w->report->devices[job->device];
    const struct stream *s = &w->streams[job->device];
    (void)thread;
    if (job->kind == SUITE) job->code = test_sequence(d, s, job->sequence, &job->err);
    else if (job->kind == BITS)
        job->code = estimate(d->bit_h, s->part, kl_nist_part(d->n_bits), &job->err);
    else job->code = estimate(d->symbol_h, s->symbols, kl_nist_part(d->n_symbols), &job->err);
}

/* As many steps as take as long. */
static uint64_t job_steps(const struct job *job, const struct kl_nist_report *r)
{
    enum { SUITE_COST = 15, BITS_COST = 55, SYMBOLS_COST = 50 };
    const struct kl_nist_device *d = &r->devices[job->device];
    if (job->kind == SUITE) return SUITE_COST * d->sequence_bits / 1000;
    return job->kind == BITS ? BITS_COST * kl_nist_part(d->n_bits) / 1000
                             : SYMBOLS_COST * kl_nist_part(d->n_symbols) / 1000;
}

static int run_jobs(struct work *w, struct kl_pool *pool, struct kl_error *err)
{
    const size_t step = (size_t)kl_pool_size(pool);
    int code = KL_OK;
    for (size_t i = 0; !code && i < w->n_jobs; i += step) {
        struct work part_of = *w;
        part_of.jobs += i;
        const size_t n = w->n_jobs - i < step ? w->n_jobs - i : step;
        uint64_t steps = 0;
        kl_pool_for(pool, n, run_job, &part_of);
        for (size_t k = 0; !code && k < n; k++) {
            steps += job_steps(&part_of.jobs[k], w->report);
            if ((code = part_of.jobs[k].code) && err) *err = part_of.jobs[k].err;
        }
        if (!code) code = kl_course_step(w->course, steps, "tests and estimates", err);
    }
    return code;
}

static int restart_device(struct kl_nist_report *r, size_t i, const struct stream *s,
                          const struct kl_bits *bits, struct kl_error *err)
{
    struct kl_nist_device *d = &r->devices[i];
    const size_t per_row = bits->n_bits / (size_t)bits->symbol_bits;
    uint8_t *square = malloc((size_t)KL_RESTARTS * KL_RESTARTS);
    if (!square) return kl_fail_memory(err, (size_t)KL_RESTARTS * KL_RESTARTS);
    for (size_t row = 0; row < KL_RESTARTS; row++)
        stream_symbols(square + row * KL_RESTARTS, s, row * per_row, KL_RESTARTS);
    const int code = kl_nist_restart(&d->restart, square, d->assessed, err);
    d->restarted = !code;
    free(square);
    return code;
}

/* ---- what there is to do ---- */

static int plan(struct work *w, const struct kl_bits *bits, struct kl_error *err)
{
    struct kl_nist_report *r = w->report;
    const size_t per_row = bits->n_bits / (size_t)bits->symbol_bits;
    size_t n_jobs = 0;
    for (size_t i = 0; i < bits->n_rows; i++) r->devices[bits->device[i]].n_rows++;
    for (size_t i = 0; i < r->n_devices; i++) {
        struct kl_nist_device *d = &r->devices[i];
        d->n_bits = d->n_rows * bits->n_bits;
        d->n_symbols = d->n_bits / (size_t)bits->symbol_bits;
        d->sequence_bits =
            r->options.sequence_bits ? (size_t)r->options.sequence_bits : kl_nist_part(d->n_bits);
        d->n_sequences = d->n_bits / d->sequence_bits;
        if (d->n_sequences > (size_t)r->options.sequences) d->n_sequences = (size_t)r->options.sequences;
        if (r->options.restarts && (d->n_rows < KL_RESTARTS || per_row < KL_RESTARTS))
            return kl_fail(err, KL_EDATA,
                           "device %s: %zu rows of %zu symbols, expected %d of %d at least for "
                           "--restarts",
                           r->names[i], d->n_rows, per_row, KL_RESTARTS, KL_RESTARTS);
        if (d->n_sequences == 0 || d->sequence_bits < KL_NIST_SEQUENCE)
            return kl_fail(err, KL_EDATA,
                           "device %s: %zu bits, sequences of %zu; expected at least one sequence of %d",
                           r->names[i], d->n_bits, d->sequence_bits, KL_NIST_SEQUENCE);
        if (d->n_sequences > r->most_sequences) r->most_sequences = d->n_sequences;
        n_jobs += d->n_sequences + 2;
        d->suites = calloc(d->n_sequences, sizeof *d->suites);
        if (!d->suites) return kl_fail_memory(err, d->n_sequences * sizeof *d->suites);
    }
    w->jobs = calloc(n_jobs, sizeof *w->jobs);
    if (!w->jobs) return kl_fail_memory(err, n_jobs * sizeof *w->jobs);
    for (size_t i = 0; i < r->n_devices; i++) {
        w->jobs[w->n_jobs++] = (struct job){ .kind = BITS, .device = i };
        if (r->symbol_bits > 1) w->jobs[w->n_jobs++] = (struct job){ .kind = SYMBOLS, .device = i };
        for (size_t s = 0; s < r->devices[i].n_sequences; s++)
            w->jobs[w->n_jobs++] = (struct job){ .kind = SUITE, .device = i, .sequence = s };
        w->course->total += permutation_steps(&r->devices[i], r->options.permutations);
    }
    for (size_t i = 0; i < w->n_jobs; i++) w->course->total += job_steps(&w->jobs[i], r);
    return KL_OK;
}

/* Equal priors, and the symbols' shares for their probabilities. */
static int inform(struct kl_nist_report *r, const struct work *w, struct kl_error *err)
{
    const size_t d = r->n_devices, symbols = (size_t)1 << r->symbol_bits;
    const size_t per_row = r->row_bits / (size_t)r->symbol_bits;
    double drawn[KL_LIMIT_CLASSES];
    r->information = r->information_error = NAN;
    if (d < 2 || d > KL_LIMIT_CLASSES || symbols > KL_LIMIT_SYMBOLS || per_row > KL_LIMIT_ROW)
        return KL_OK;
    double *p = calloc(d * symbols, sizeof *p);
    if (!p) return kl_fail_memory(err, d * symbols * sizeof *p);
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < w->streams[i].n_rows; k++) {
            const uint64_t *row = kl_bits_row(w->streams[i].bits, w->streams[i].rows[k]);
            for (size_t t = 0; t < per_row; t++)
                p[i * symbols + kl_bits_symbol(row, t, r->symbol_bits)] +=
                    1 / (double)r->devices[i].n_symbols;
        }
    for (size_t i = 0; i < d; i++) drawn[i] = (double)r->devices[i].n_symbols;
    const struct kl_limit limit = kl_bits_bayes_limit(NULL, p, drawn, d, symbols, per_row);
    r->information = limit.information, r->information_error = limit.information_error;
    free(p);
    return KL_OK;
}

size_t kl_nist_most_bits(const struct kl_nist_options *o)
{
    const size_t sequence = o->sequence_bits ? (size_t)o->sequence_bits : KL_NIST_PART;
    const size_t most = KL_NIST_PART * (size_t)KL_BITS_SYMBOL, all = (size_t)o->sequences * sequence;
    return all > most ? all : most;
}

/* The report's devices, their streams, what there is to do. End it in every case. */
static int begin(struct work *w, struct kl_nist_report *report, const struct kl_bits *bits,
                 const struct kl_nist_options *o, struct kl_course *course, struct kl_error *err)
{
    const size_t n = (size_t)bits->n_devices;
    *w = (struct work){ .report = report, .streams = calloc(n, sizeof *w->streams), .course = course };
    *report = (struct kl_nist_report){
        .options = *o, .n_devices = n, .row_bits = bits->n_bits, .symbol_bits = bits->symbol_bits
    };
    report->names = calloc(n, sizeof *report->names);
    report->devices = calloc(n, sizeof *report->devices);
    int code = w->streams && report->names && report->devices
                   ? KL_OK
                   : kl_fail_memory(err, n * sizeof *report->devices);
    if (!code) memcpy(report->names, bits->names, n * sizeof *report->names);
    if (!code) code = plan(w, bits, err);
    for (size_t i = 0; !code && i < n; i++) code = stream_open(&w->streams[i], bits, i, err);
    return code;
}

static void end(struct work *w)
{
    for (size_t i = 0; w->streams && i < w->report->n_devices; i++) stream_free(&w->streams[i]);
    free(w->streams);
    free(w->jobs);
}

int kl_nist_report(struct kl_nist_report *report, const struct kl_bits *bits,
                   const struct kl_nist_options *o, struct kl_pool *pool, const struct kl_watch *watch,
                   struct kl_error *err)
{
    struct kl_course course = { .watch = watch };
    struct work w;
    int code = begin(&w, report, bits, o, &course, err);
    if (!code) code = run_jobs(&w, pool, err);
    if (!code) code = inform(report, &w, err);
    for (size_t i = 0; !code && i < report->n_devices; i++) {
        code = assess_device(&report->devices[i], report, err);
        if (!code)
            code = kl_nist_iid_tests(&report->devices[i].tests, w.streams[i].symbols,
                                     kl_nist_part(report->devices[i].n_symbols), err);
    }
    if (!code && o->permutations) code = permute_all(report, w.streams, &course, pool, err);
    for (size_t i = 0; !code && o->restarts && i < report->n_devices; i++)
        code = restart_device(report, i, &w.streams[i], bits, err);
    end(&w);
    return code;
}

/* ---- how long it would take ---- */
/* Seconds of a permutation behind those of d, of which a few are taken: d goes on by them. */
static int rate(double *seconds, struct kl_iid *d, const struct stream *s, size_t n,
                const struct kl_nist_options *o, struct kl_pool *pool, struct kl_error *err)
{
    static const double LEAST = 0.05;
    const struct kl_iid from = *d;
    const int64_t few = 2 * kl_pool_size(pool);
    const double at = kl_clock();
    int64_t taken = 0;
    int code;
    do {
        *d = from;
        code = kl_nist_iid_go_on(d, s->symbols, n, o->permutations, from.taken + few, o->seed, pool,
                                 NULL, err);
        taken += few;
    } while (!code && kl_clock() - at < LEAST);
    *seconds = (kl_clock() - at) / (double)taken;
    return code;
}

/* A device: its own statistics and tests, then permutations, of which as many are taken as `budget`
   seconds allow. Compression takes most of one, and is told apart from what is wanted without it. */
static int try_device(struct kl_nist_forecast *to, struct kl_nist_device *d, const struct stream *s,
                      const struct kl_nist_options *o, double budget, struct kl_pool *pool,
                      struct kl_error *err)
{
    const size_t n = kl_nist_part(d->n_symbols);
    const double start = kl_clock();
    double all = 0, others = 0;
    int code = kl_nist_iid_begin(&d->iid, s->symbols, n, err);
    if (!code) code = kl_nist_iid_tests(&d->tests, s->symbols, n, err);
    const double own = kl_clock() - start;
    if (!code) code = rate(&all, &d->iid, s, n, o, pool, err);
    struct kl_iid without = d->iid;
    without.passed[KL_IID_COMPRESSION] = true;
    if (!code) code = rate(&others, &without, s, n, o, pool, err);
    for (int64_t until = 2 * d->iid.taken; !code && until <= o->permutations; until *= 2) {
        const double next = d->iid.passed[KL_IID_COMPRESSION] ? others : all;
        if (kl_clock() - start + next * (double)d->iid.taken > budget) break;
        code =
            kl_nist_iid_go_on(&d->iid, s->symbols, n, o->permutations, until, o->seed, pool, NULL, err);
    }
    double permutations, of_compression;
    to->at_most |= kl_nist_iid_expect(&permutations, &of_compression, &d->iid, o->permutations);
    to->seconds += own + of_compression * all + (permutations - of_compression) * others;
    return code;
}

int kl_nist_estimate(struct kl_nist_forecast *to, struct kl_nist_report *report,
                     const struct kl_bits *bits, const struct kl_nist_options *o, struct kl_pool *pool,
                     struct kl_error *err)
{
    static const double BUDGET = 2;
    struct kl_nist_options jobs = *o;
    struct kl_course course = { 0 };
    struct kl_trial trial;
    struct work w;
    double symbols = 0, tried = 0, seconds;
    *to = (struct kl_nist_forecast){ 0 };
    kl_trial_begin(&trial);
    course.watch = &trial.watch, jobs.permutations = 0;
    int code = begin(&w, report, bits, &jobs, &course, err);
    if (!code) code = kl_trial_end(run_jobs(&w, pool, err));
    else kl_trial_end(code);
    if (!code) code = kl_trial_whole(&seconds, &trial, "a test of a sequence", err);
    const double start = kl_clock();
    const size_t n = o->permutations ? report->n_devices : 0;
    for (size_t i = 0; !code && i < n; i++) {
        struct kl_nist_device *d = &report->devices[i];
        const double left = BUDGET - (kl_clock() - start);
        symbols += (double)kl_nist_part(d->n_symbols);
        if (i && !(left > 0)) continue;
        tried += (double)kl_nist_part(d->n_symbols);
        code = try_device(to, d, &w.streams[i], o, left / (double)(n - i), pool, err);
        if (!code && kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    if (tried > 0) to->seconds *= symbols / tried;
    if (!code) to->seconds += seconds;
    end(&w);
    return code;
}

void kl_nist_report_free(struct kl_nist_report *report)
{
    for (size_t i = 0; report->devices && i < report->n_devices; i++) free(report->devices[i].suites);
    free(report->devices);
    free(report->names);
    *report = (struct kl_nist_report){ 0 };
}
