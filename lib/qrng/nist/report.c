/* SPDX-License-Identifier: MIT
   Jobs for all threads: each sequence's suite, each device's estimates of bits and of symbols; then the
   permutations of each device, which use all threads themselves. */
#include "qrng/nist/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/symbols.h"
#include "qrng/nist/report_int.h"

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
    struct kl_nist_stream *streams; /* [n_devices] */
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
    const struct kl_symbols symbols = { closed, n, kl_symbols_close(closed, n) };
    const int code = kl_nist90b(h, &symbols, err);
    free(closed);
    return code;
}

static int test_sequence(struct kl_nist_device *d, const struct kl_nist_stream *s, size_t sequence,
                         struct kl_error *err)
{
    const size_t n = d->sequence_bits;
    uint8_t *bits = malloc(n);
    if (!bits) return kl_fail_memory(err, n);
    kl_nist_stream_bits(bits, s, sequence * n, n);
    const int code = kl_nist22(&d->suites[sequence], bits, n, err);
    free(bits);
    return code;
}

static void run_job(void *context, size_t i, int thread)
{
    struct work *w = context;
    struct job *job = &w->jobs[i];
    struct kl_nist_device *d = &w->report->devices[job->device];
    const struct kl_nist_stream *s = &w->streams[job->device];
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

static int restart_device(struct kl_nist_report *r, size_t i, const struct kl_nist_stream *s,
                          const struct kl_bits *bits, struct kl_error *err)
{
    struct kl_nist_device *d = &r->devices[i];
    const size_t per_row = bits->n_bits / (size_t)bits->symbol_bits;
    uint8_t *square = malloc((size_t)KL_RESTARTS * KL_RESTARTS);
    if (!square) return kl_fail_memory(err, (size_t)KL_RESTARTS * KL_RESTARTS);
    for (size_t row = 0; row < KL_RESTARTS; row++)
        kl_nist_stream_symbols(square + row * KL_RESTARTS, s, row * per_row, KL_RESTARTS);
    const int code = kl_restart(&d->restart, square, d->assessed, err);
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
        w->course->total += kl_nist_permutation_steps(&r->devices[i], r->options.permutations);
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
    const struct kl_limit limit = kl_symbol_limit(NULL, p, drawn, d, symbols, per_row);
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

int kl_nist_report(struct kl_nist_report *report, const struct kl_bits *bits,
                   const struct kl_nist_options *o, struct kl_pool *pool, const struct kl_watch *watch,
                   struct kl_error *err)
{
    const size_t n = (size_t)bits->n_devices;
    struct kl_course course = { .watch = watch };
    struct work w = { .report = report, .streams = calloc(n, sizeof *w.streams), .course = &course };
    *report = (struct kl_nist_report){
        .options = *o, .n_devices = n, .row_bits = bits->n_bits, .symbol_bits = bits->symbol_bits
    };
    report->names = calloc(n, sizeof *report->names);
    report->devices = calloc(n, sizeof *report->devices);
    int code = w.streams && report->names && report->devices
                   ? KL_OK
                   : kl_fail_memory(err, n * sizeof *report->devices);
    if (!code) memcpy(report->names, bits->names, n * sizeof *report->names);
    if (!code) code = plan(&w, bits, err);
    for (size_t i = 0; !code && i < n; i++) code = kl_nist_stream(&w.streams[i], bits, i, err);
    if (!code) code = run_jobs(&w, pool, err);
    if (!code) code = inform(report, &w, err);
    for (size_t i = 0; !code && i < n; i++) {
        code = kl_nist_assess(&report->devices[i], report, err);
        if (!code)
            code = kl_iid_tests(&report->devices[i].tests, w.streams[i].symbols,
                                kl_nist_part(report->devices[i].n_symbols), err);
    }
    if (!code && o->permutations) code = kl_nist_permute(report, w.streams, &course, pool, err);
    for (size_t i = 0; !code && o->restarts && i < n; i++)
        code = restart_device(report, i, &w.streams[i], bits, err);
    for (size_t i = 0; w.streams && i < n; i++) kl_nist_stream_free(&w.streams[i]);
    free(w.streams);
    free(w.jobs);
    return code;
}

void kl_nist_report_free(struct kl_nist_report *report)
{
    for (size_t i = 0; report->devices && i < report->n_devices; i++) free(report->devices[i].suites);
    free(report->devices);
    free(report->names);
    *report = (struct kl_nist_report){ 0 };
}
