/* SPDX-License-Identifier: MIT
   Scans for barren plateaus: a grid of circuits, of each the variance of its gradients over draws of its
   weights, with a bootstrap's interval. */
#include "plateau/plateau_int.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "kernels/inline/philox.h"

/* A whole number at *at, which moves behind it; negative: there is none. */
static long number_at(const char **at)
{
    char *end;
    if (**at < '0' || **at > '9') return -1;
    long value = strtol(*at, &end, 10);
    *at = end;
    return value;
}

/* "2-12,16" into rising numbers from least to most; *n <= KL_PLATEAU_LIST. KL_EUSAGE. */
static int plateau_numbers(int *numbers, size_t *n, const char *name, const char *text, int least,
                           int most, struct kl_error *err)
{
    const char *at = text;
    *n = 0;
    for (;; at++) {
        long from = number_at(&at), to = from;
        if (*at == '-') at++, to = number_at(&at);
        if (from < 0 || to < from || (*at && *at != ','))
            return kl_fail(err, KL_EUSAGE,
                           "--%s: found '%s', expected numbers and ranges, as in 2-6,8,10", name, text);
        if (from < least || to > most)
            return kl_fail(err, KL_EUSAGE, "--%s: found '%s', expected numbers from %d to %d", name,
                           text, least, most);
        if (*n && from <= numbers[*n - 1])
            return kl_fail(err, KL_EUSAGE, "--%s: found %ld after %d, expected rising numbers", name,
                           from, numbers[*n - 1]);
        for (long value = from; value <= to; value++) {
            if (*n == KL_PLATEAU_LIST)
                return kl_fail(err, KL_EUSAGE, "--%s: more than %d numbers", name, KL_PLATEAU_LIST);
            numbers[(*n)++] = (int)value;
        }
        if (!*at) return KL_OK;
    }
}

int kl_plateau_names(char (*names)[KL_PLATEAU_NAME], size_t *n, const char *text, struct kl_error *err)
{
    *n = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const bool known = (length == 5 && strncmp(at, "local", 5) == 0) ||
                           (length == 6 && strncmp(at, "global", 6) == 0);
        if (!length || length >= KL_PLATEAU_NAME || (!known && strspn(at, "IXYZ") != length))
            return kl_fail(
                err, KL_EUSAGE,
                "--observables: found '%.*s', expected local, global or a string of I, X, Y, Z",
                (int)length, at);
        if (*n == KL_PLATEAU_LIST)
            return kl_fail(err, KL_EUSAGE, "--observables: more than %d", KL_PLATEAU_LIST);
        for (size_t i = 0; i < *n; i++)
            if (strncmp(names[i], at, length) == 0 && !names[i][length])
                return kl_fail(err, KL_EUSAGE, "--observables: '%s' is there twice", names[i]);
        memcpy(names[*n], at, length);
        names[(*n)++][length] = '\0';
        at += length;
        if (!*at) return KL_OK;
    }
}

int kl_plateau_strings(char *text, size_t size, char (*names)[KL_PLATEAU_NAME], size_t n_names,
                       int n_qubits, struct kl_error *err)
{
    const size_t wires = (size_t)n_qubits;
    if (n_names * (wires + 1) > size) return kl_fail(err, KL_EINTERNAL, "observables: no room");
    for (size_t i = 0; i < n_names; i++, text += wires + 1) {
        const char *name = names[i];
        const size_t length = *name == 'l' ? 1 : *name == 'g' ? wires : strlen(name);
        if (length > wires)
            return kl_fail(err, KL_EUSAGE, "--observables: '%s' has more letters than %d qubits", name,
                           n_qubits);
        memset(text, 'I', wires);
        if (*name == 'l' || *name == 'g') memset(text, 'Z', length);
        else memcpy(text, name, length);
        text[wires] = i + 1 < n_names ? ',' : '\0';
    }
    return KL_OK;
}

/* ---- Variances, their bootstrap intervals, and the slope of their logarithm ---- */

/* Percentile bootstrap (Efron 1979, doi:10.1214/aos/1176344552): counts (draws) of how often resample
   number `resample` takes each draw. Draws of different cells are independent, so all cells share the
   counts. */
static void plateau_resample(uint8_t *counts, size_t resample, size_t draws, uint64_t seed)
{
    uint32_t words[4] = { 0 };
    memset(counts, 0, draws);
    for (size_t i = 0; i < draws; i++) {
        if (i % 4 == 0)
            kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_BOOTSTRAP, (uint32_t)resample, 0);
        uint8_t *count = &counts[(uint64_t)words[i % 4] * draws >> 32];
        if (*count < UINT8_MAX) ++*count; /* one draw 255 times: never in the life of the sun */
    }
}

/* Sums over the draws for each parameter; a single parameter in four chains, since memory would be slow.
 */
static void add_up(double *sum, double *squares, const double *gradients, size_t draws,
                   size_t n_gradients, const uint8_t *counts)
{
    double chain[4] = { 0 }, chain2[4] = { 0 };
    memset(sum, 0, n_gradients * sizeof *sum);
    memset(squares, 0, n_gradients * sizeof *squares);
    for (size_t i = 0; n_gradients == 1 && i < draws; i++) {
        const double g = gradients[i], cg = counts ? counts[i] * g : g;
        chain[i % 4] += cg;
        chain2[i % 4] += cg * g;
    }
    for (size_t i = 0; n_gradients > 1 && i < draws; i++) {
        const double count = counts ? counts[i] : 1, *g = gradients + i * n_gradients;
        if (count == 0) continue;
        for (size_t k = 0; k < n_gradients; k++) {
            sum[k] += count * g[k];
            squares[k] += count * g[k] * g[k];
        }
    }
    if (n_gradients > 1) return;
    *sum = (chain[0] + chain[1]) + (chain[2] + chain[3]);
    *squares = (chain2[0] + chain2[1]) + (chain2[2] + chain2[3]);
}

void kl_plateau_moments(double *mean, double *variance, const double *gradients, size_t draws,
                        size_t n_gradients, const uint8_t *counts, double *scratch)
{
    double *sum = scratch, *squares = scratch + n_gradients;
    const double n = (double)draws;
    add_up(sum, squares, gradients, draws, n_gradients, counts);
    *mean = *variance = 0;
    for (size_t k = 0; k < n_gradients; k++) {
        *mean += sum[k] / n;
        *variance += fmax(squares[k] - sum[k] * sum[k] / n, 0) / (n - 1);
    }
    *mean /= (double)n_gradients;
    *variance /= (double)n_gradients;
}

/* Between the two values around it. */
void kl_plateau_interval(double *low, double *high, double *values, size_t n)
{
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i])) values[known++] = values[i];
    *low = *high = NAN;
    if (!known) return;
    kl_stats_sort(values, known);
    *low = kl_stats_sorted_quantile(values, known, 0.025);
    *high = kl_stats_sorted_quantile(values, known, 0.975);
}

double kl_plateau_slope(const double *variance, size_t stride, const int *qubits, size_t n)
{
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(variance[i * stride] > KL_PLATEAU_ROUNDING)) continue;
        const double q = qubits[i], v = log(variance[i * stride]);
        count++, x += q, y += v, xx += q * q, xy += q * v;
    }
    return count < 2 ? NAN : (count * xy - x * y) / (count * xx - x * x);
}

/* ---- scan ----
   The whole grid. Cells go by waves, whose gradients fit a bounded memory; the threads of a wave share
   first all chunks of draws, of the costliest cell first, then the resampling of all its cells. */

static const size_t WAVE_BYTES = (size_t)256 << 20;

struct scan {
    struct kl_plateau *p;
    const struct kl_plateau_options *o;
    struct kl_pool *pool;
    const struct kl_watch *watch;
    struct kl_plateau_cell *cells; /* of the grid, the costliest first */
    size_t *place;                 /* (cells) q * n_layers + l */
    size_t n_cells, begin, end;    /* of the wave */
    size_t chunks;                 /* of a cell */
    uint8_t *counts;
    double *replicates; /* (observables, cells by place, resamples) variances */
    int n_threads;
    struct kl_arena *work;   /* (threads) */
    struct kl_error *errors; /* (threads), code 0: none */
    pthread_mutex_t mutex;   /* the watch takes one caller at a time */
    size_t done;             /* chunks of all waves */
    atomic_bool stop;
};

void kl_plateau_options_default(struct kl_plateau_options *o)
{
    *o = (struct kl_plateau_options){ .ansatz = "strongly-entangling",
                                      .init = "uniform",
                                      .entanglement = "",
                                      .qubits = "2-8",
                                      .layers = "1,2,4,8,16",
                                      .observables = "local,global",
                                      .parameter = "0",
                                      .draws = 200,
                                      .resamples = 1000,
                                      .spread = M_PI,
                                      .initial = M_PI / 4 };
}

/* So many chunks more are done; does the watch, whichever thread asks, or a failure end the scan? */
static bool stops(struct scan *s, size_t chunks, int thread)
{
    pthread_mutex_lock(&s->mutex);
    s->done += chunks;
    if (!atomic_load(&s->stop) && kl_watch_step(s->watch, s->done, s->n_cells * s->chunks, NULL)) {
        kl_fail(&s->errors[thread], KL_ESIGNAL, "stopped");
        atomic_store(&s->stop, true);
    }
    pthread_mutex_unlock(&s->mutex);
    return atomic_load(&s->stop);
}

static void run_chunk(void *context, size_t i, int thread)
{
    struct scan *s = context;
    struct kl_plateau_cell *cell = &s->cells[s->begin + i / s->chunks];
    const size_t first = i % s->chunks * KL_PLATEAU_CHUNK, left = (size_t)s->o->draws - first,
                 n = left < KL_PLATEAU_CHUNK ? left : KL_PLATEAU_CHUNK;
    if (atomic_load(&s->stop)) return;
    if (kl_plateau_gradients(cell, s->o, first, n, &s->work[thread], &s->errors[thread]))
        atomic_store(&s->stop, true);
    else stops(s, 1, thread);
}

/* One resample of the draws. */
static void run_resample(void *context, size_t i, int thread)
{
    struct scan *s = context;
    if (atomic_load(&s->stop) || stops(s, 0, thread)) return;
    plateau_resample(s->counts + i * s->p->n_draws, i, s->p->n_draws, (uint64_t)s->o->seed);
}

/* One observable of one cell. */
static void run_bootstrap(void *context, size_t i, int thread)
{
    struct scan *s = context;
    struct kl_plateau *p = s->p;
    const size_t o = i % p->n_observables, number = s->begin + i / p->n_observables;
    const size_t draws = p->n_draws, resamples = (size_t)s->o->resamples;
    const struct kl_plateau_cell *cell = &s->cells[number];
    const size_t n_g = cell->n_gradients, at = o * s->n_cells + s->place[number];
    const double *gradients = cell->gradients + o * draws * n_g;
    double *replicates = s->replicates + at * resamples, ignored;
    if (atomic_load(&s->stop) || stops(s, 0, thread)) return;
    kl_arena_reset(&s->work[thread]);
    double *scratch = kl_arena_take(&s->work[thread], 2 * n_g, sizeof *scratch);
    double *sorted = kl_arena_take(&s->work[thread], resamples, sizeof *sorted);
    if (!scratch || !sorted) {
        kl_fail_memory(&s->errors[thread], (2 * n_g + resamples) * sizeof *scratch);
        return;
    }
    kl_plateau_moments(&p->mean[at], &p->variance[at], gradients, draws, n_g, NULL, scratch);
    for (size_t r = 0; r < resamples; r++) {
        kl_plateau_moments(&ignored, &replicates[r], gradients, draws, n_g, s->counts + r * draws,
                           scratch);
        sorted[r] = replicates[r];
    }
    kl_plateau_interval(&p->low[at], &p->high[at], sorted, resamples);
}

/* The slopes of all observables and layers; `values` holds a slope for each resample. */
static void fit(struct scan *s, double *values)
{
    struct kl_plateau *p = s->p;
    const size_t resamples = (size_t)s->o->resamples, n_l = p->n_layers;
    for (size_t o = 0; o < p->n_observables; o++)
        for (size_t l = 0; l < n_l; l++) {
            const size_t at = o * s->n_cells + l, to = o * n_l + l;
            p->slope[to] = kl_plateau_slope(p->variance + at, n_l, p->qubits, p->n_qubits);
            for (size_t r = 0; r < resamples; r++)
                values[r] = kl_plateau_slope(s->replicates + at * resamples + r, n_l * resamples,
                                             p->qubits, p->n_qubits);
            if (isnan(p->slope[to])) p->slope_low[to] = p->slope_high[to] = NAN;
            else kl_plateau_interval(&p->slope_low[to], &p->slope_high[to], values, resamples);
        }
}

static int first_error(const struct scan *s, struct kl_error *err)
{
    for (int t = 0; t < s->n_threads; t++)
        if (s->errors[t].code) {
            if (err) *err = s->errors[t];
            return s->errors[t].code;
        }
    return KL_OK;
}

/* As many cells as fit, at least one. */
static int run_wave(struct scan *s, struct kl_error *err)
{
    const size_t row = s->p->n_observables * s->p->n_draws;
    size_t bytes = 0;
    int code = KL_OK;
    s->end = s->begin;
    while (s->end < s->n_cells && !code) {
        struct kl_plateau_cell *cell = &s->cells[s->end];
        const size_t size = row * cell->n_gradients * sizeof *cell->gradients;
        if (bytes && bytes + size > WAVE_BYTES) break;
        bytes += size;
        s->end++;
        if (!(cell->gradients = malloc(size))) code = kl_fail_memory(err, size);
    }
    if (!code) {
        kl_pool_for(s->pool, (s->end - s->begin) * s->chunks, run_chunk, s);
        code = first_error(s, err);
    }
    if (!code) {
        kl_pool_for(s->pool, (s->end - s->begin) * s->p->n_observables, run_bootstrap, s);
        code = first_error(s, err);
    }
    for (; s->begin < s->end; s->begin++) kl_plateau_cell_free(&s->cells[s->begin]);
    return code;
}

static double cost(const struct kl_plateau_cell *cell)
{
    return ldexp((double)cell->circuit->n_ops + 1, cell->n_qubits);
}

/* All circuits, so that what cannot be is said before anything is computed; into order. */
static int make_cells(struct scan *s, struct kl_error *err)
{
    struct kl_plateau *p = s->p;
    char strings[KL_PLATEAU_LIST * (KL_MAX_QUBITS + 1)];
    int code = KL_OK;
    for (size_t i = 0; i < p->n_qubits * p->n_layers && !code; i++) {
        struct kl_plateau_cell cell;
        size_t k = i;
        const int n = p->qubits[i / p->n_layers];
        code = kl_plateau_strings(strings, sizeof strings, p->observables, p->n_observables, n, err);
        if (!code) code = kl_plateau_cell_make(&cell, s->o, n, p->layers[i % p->n_layers], strings, err);
        if (code) break;
        for (; k && cost(&s->cells[k - 1]) < cost(&cell); k--)
            s->cells[k] = s->cells[k - 1], s->place[k] = s->place[k - 1];
        s->cells[k] = cell, s->place[k] = i;
        s->n_cells++;
    }
    return code;
}

static int allocate(struct scan *s, struct kl_error *err)
{
    struct kl_plateau *p = s->p;
    const size_t cells = p->n_qubits * p->n_layers, all = cells * p->n_observables,
                 fits = p->n_layers * p->n_observables, resamples = (size_t)s->o->resamples;
    p->mean = calloc(4 * all + 3 * fits, sizeof *p->mean);
    s->cells = calloc(cells, sizeof *s->cells);
    s->place = calloc(cells, sizeof *s->place);
    s->counts = malloc(resamples * p->n_draws);
    s->replicates = malloc((all + 1) * resamples * sizeof *s->replicates);
    s->work = calloc((size_t)s->n_threads, sizeof *s->work);
    s->errors = calloc((size_t)s->n_threads, sizeof *s->errors);
    if (!p->mean || !s->cells || !s->place || !s->counts || !s->replicates || !s->work || !s->errors)
        return kl_fail_memory(err, resamples * (p->n_draws + (all + 1) * sizeof *s->replicates));
    p->variance = p->mean + all;
    p->low = p->variance + all;
    p->high = p->low + all;
    p->slope = p->high + all;
    p->slope_low = p->slope + fits;
    p->slope_high = p->slope_low + fits;
    int code = KL_OK;
    for (int t = 0; t < s->n_threads && !code; t++) code = kl_arena_init(&s->work[t], 0, err);
    return code;
}

static void release(struct scan *s)
{
    for (size_t i = 0; s->cells && i < s->n_cells; i++) kl_plateau_cell_free(&s->cells[i]);
    for (int t = 0; s->work && t < s->n_threads; t++) kl_arena_free(&s->work[t]);
    free(s->cells);
    free(s->place);
    free(s->counts);
    free(s->replicates);
    free(s->work);
    free(s->errors);
}

int kl_plateau_scan(struct kl_plateau *p, const struct kl_plateau_options *o, struct kl_pool *pool,
                    const struct kl_watch *watch, struct kl_error *err)
{
    struct scan s = { .p = p,
                      .o = o,
                      .pool = pool,
                      .watch = watch,
                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                      .chunks = ((size_t)o->draws + KL_PLATEAU_CHUNK - 1) / KL_PLATEAU_CHUNK,
                      .n_threads = kl_pool_size(pool) };
    *p = (struct kl_plateau){ .n_draws = (size_t)o->draws };
    int code = plateau_numbers(p->qubits, &p->n_qubits, "qubits", o->qubits, 1, KL_MAX_QUBITS, err);
    if (!code) code = plateau_numbers(p->layers, &p->n_layers, "layers", o->layers, 0, 1000, err);
    if (!code) code = kl_plateau_names(p->observables, &p->n_observables, o->observables, err);
    if (!code) code = allocate(&s, err);
    if (!code) code = make_cells(&s, err);
    if (!code) kl_pool_for(pool, (size_t)o->resamples, run_resample, &s);
    if (!code) code = first_error(&s, err);
    while (!code && s.begin < s.n_cells) code = run_wave(&s, err);
    if (!code) fit(&s, s.replicates + s.n_cells * p->n_observables * (size_t)o->resamples);
    release(&s);
    return code;
}

void kl_plateau_free(struct kl_plateau *p)
{
    free(p->mean);
    *p = (struct kl_plateau){ 0 };
}
