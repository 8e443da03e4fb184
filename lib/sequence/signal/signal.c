/* SPDX-License-Identifier: MIT
   Channels side by side: filters, other rates, references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/fft.h"
#include "sequence/signal/signal.h"

enum { ROW = 16 };

/* Rows of a matrix that stand in a group, and where. */
struct group {
    size_t first, channels; /* at most ROW; the others are 0 */
};

/* ---- group ----
   Channels side by side: padded, laid into lanes and taken out of them; the groups handed to threads,
   each with workspace that is kept. */

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
static inline pair firsts(pair a, pair b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
static inline pair seconds(pair a, pair b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}

/* Points [0, n) of the rows, in order or, with step -1, back from where they begin, each times sign plus
   its base: one point of all rows after another, two by two. */
static inline void lay(double *to, const double *const *rows, size_t n, int step, const double *base,
                       double sign)
{
    const ptrdiff_t back = step > 0 ? 0 : -1;
    size_t j = 0;
    for (; j + 2 <= n; j += 2)
        for (size_t c = 0; c < ROW; c += 2) {
            const ptrdiff_t at = step * (ptrdiff_t)j + back;
            const pair a = *(const pair *)(rows[c] + at), b = *(const pair *)(rows[c + 1] + at);
            const pair bases = *(const pair *)(base + c);
            *(pair *)(to + j * ROW + c) = bases + sign * (step > 0 ? firsts(a, b) : seconds(a, b));
            *(pair *)(to + (j + 1) * ROW + c) = bases + sign * (step > 0 ? seconds(a, b) : firsts(a, b));
        }
    for (; j < n; j++)
        for (size_t c = 0; c < ROW; c++) to[j * ROW + c] = base[c] + sign * rows[c][step * (ptrdiff_t)j];
}

/* x (all channels, n) with `before` points before it and `after` behind it by odd reflection, 2 x_0 -
   x_k and 2 x_(n-1) - x_(n-1-k), as far as it reaches, then 0: to (before + n + after, 16). */
static void group_load(double *to, const double *x, size_t n, struct group group, size_t before,
                       size_t after)
{
    const size_t left = before < n - 1 ? before : n - 1, right = after < n - 1 ? after : n - 1;
    const double *rows[ROW], *ends[ROW], zeros[ROW] = { 0 };
    double first[ROW], last[ROW];
    for (size_t c = 0; c < ROW; c++) {
        const double *row = x + (group.first + (c < group.channels ? c : 0)) * n;
        rows[c] = row + left, ends[c] = row + n - 2; /* where the reflections begin */
        first[c] = 2 * row[0], last[c] = 2 * row[n - 1];
    }
    memset(to, 0, (before - left) * ROW * sizeof *to), to += (before - left) * ROW;
    lay(to, rows, left, -1, first, -1), to += left * ROW;
    for (size_t c = 0; c < ROW; c++) rows[c] -= left;
    lay(to, rows, n, 1, zeros, 1), to += n * ROW;
    lay(to, ends, right, -1, last, -1), to += right * ROW;
    memset(to, 0, (after - right) * ROW * sizeof *to);
    to -= (before + n + right) * ROW;
    for (size_t j = 0; j < before + n + after && group.channels < ROW; j++)
        for (size_t c = group.channels; c < ROW; c++) to[j * ROW + c] = 0;
}

/* Rows [skip, skip + n) of a group to its channels of x (all channels, n). */
static void group_store(double *x, const double *from, size_t n, struct group group, size_t skip)
{
    const size_t even = group.channels / 2 * 2;
    from += skip * ROW, x += group.first * n;
    size_t j = 0;
    for (; j + 2 <= n; j += 2, from += 2 * ROW)
        for (size_t c = 0; c < even; c += 2) {
            const pair a = *(const pair *)(from + c), b = *(const pair *)(from + ROW + c);
            *(pair *)(x + c * n + j) = firsts(a, b);
            *(pair *)(x + (c + 1) * n + j) = seconds(a, b);
        }
    if (j < n)
        for (size_t c = 0; c < even; c++) x[c * n + j] = from[c];
    from -= j * ROW;
    for (j = 0; j < n && even < group.channels; j++) x[even * n + j] = from[j * ROW + even];
}

/* ---- workspace ---- */
/* On 2 MiB pages where the system has them: a transform goes through megabytes in long steps. */
static void *take(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    const size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
    void *memory = NULL;
    if (bytes > SIZE_MAX - HUGE_PAGE || posix_memalign(&memory, align, (bytes | (align - 1)) + 1))
        return NULL;
    if (align == HUGE_PAGE) madvise(memory, (bytes | (align - 1)) + 1, MADV_HUGEPAGE); /* advice alone */
    return memory;
}

static int reserve(struct kl_sequence_workspace *w, int threads, size_t bytes, struct kl_error *err)
{
    if (w->threads < threads) {
        void **memory = calloc((size_t)threads, sizeof *memory);
        size_t *each = calloc((size_t)threads, sizeof *each);
        if (!memory || !each) {
            free(memory), free(each);
            return kl_fail_memory(err, (size_t)threads * 16);
        }
        for (int t = 0; t < w->threads; t++) memory[t] = w->memory[t], each[t] = w->bytes[t];
        free(w->memory), free(w->bytes);
        *w = (struct kl_sequence_workspace){ memory, each, threads };
    }
    for (int t = 0; t < threads; t++) {
        if (w->bytes[t] >= bytes) continue;
        free(w->memory[t]);
        w->memory[t] = take(bytes), w->bytes[t] = w->memory[t] ? bytes : 0;
        if (!w->memory[t]) return kl_fail_memory(err, bytes);
    }
    return 0;
}

void kl_sequence_workspace_free(struct kl_sequence_workspace *w)
{
    for (int t = 0; t < w->threads; t++) free(w->memory[t]);
    free(w->memory), free(w->bytes);
    *w = (struct kl_sequence_workspace){ 0 };
}

/* ---- groups to threads ---- */
struct share {
    size_t channels;
    void (*run)(void *context, struct group group, void *memory);
    void *context;
    void *const *memory;
};
static void one_group(void *context, size_t i, int thread)
{
    const struct share *s = context;
    const size_t first = i * ROW, left = s->channels - first;
    const struct group group = { first, left < ROW ? left : ROW };
    s->run(s->context, group, s->memory[thread]);
}

/* Calls run for each group of so many channels, with `bytes` of workspace of its own, aligned to 64
   bytes. KL_ENOMEM. */
static int groups(size_t channels, size_t bytes,
                  void (*run)(void *context, struct group group, void *memory), void *context,
                  struct kl_sequence_workspace *workspace, struct kl_pool *pool, struct kl_error *err)
{
    const int code = reserve(workspace, pool ? kl_pool_size(pool) : 1, bytes, err);
    if (code) return code;
    struct share share = { channels, run, context, workspace->memory };
    kl_pool_for(pool, (channels + ROW - 1) / ROW, one_group, &share);
    return 0;
}

/* ---- fir ----
   Linear-phase filters as MNE-Python designs them: a sum of windowed low-passes, each as long as its own
   transition needs; and their application without delay. */

enum { MOST_TAPS = 10000000 };
#define HAMMING 3.3 /* transition times length in seconds (Ifeachor & Jervis 2002) */

/* ---- design ---- */
/* sign times a low-pass that ends between `from` and `to` Hz, into the middle of the taps. */
static void add_low_pass(struct kl_sequence_fir *fir, double rate, double from, double to, double sign)
{
    const double nyquist = rate / 2, transition = (to / nyquist - from / nyquist) / 2,
                 cut = (to / nyquist + from / nyquist) / 2;
    size_t n = (size_t)nearbyint(HAMMING / transition);
    n += 1 - n % 2;
    if (n > fir->n) n = fir->n;
    double *at = fir->taps + (fir->n - n) / 2, sum = 0;
    const double middle = (double)(n - 1) / 2;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            const double t = (double)i - middle, angle = M_PI * cut * t;
            const double sinc = t == 0 ? cut : cut * (sin(angle) / angle);
            const double window = n > 1 ? 0.54 - 0.46 * cos(2 * M_PI * (double)i / (double)(n - 1)) : 1;
            if (pass) at[i] += sign * (sinc * window / sum);
            else sum += sinc * window;
        }
}

static int open_taps(struct kl_sequence_fir *fir, double rate, double transition, struct kl_error *err)
{
    const double taps = ceil(HAMMING / transition * rate);
    if (!(taps <= MOST_TAPS))
        return kl_fail(err, KL_EUSAGE,
                       "a filter whose transition is %g Hz wide needs %g taps, expected at most %g: "
                       "keep its ends further from 0 and from half the rate, %g Hz",
                       transition, taps, (double)MOST_TAPS, rate / 2);
    fir->n = (size_t)taps;
    fir->n += 1 - fir->n % 2;
    fir->taps = calloc(fir->n, sizeof *fir->taps);
    return fir->taps ? 0 : kl_fail_memory(err, fir->n * sizeof *fir->taps);
}

int kl_sequence_fir_band(struct kl_sequence_fir *fir, double rate, double low, double high,
                         struct kl_error *err)
{
    const double nyquist = rate / 2, below = fmin(fmax(low / 4, 2), low),
                 above = fmin(fmax(high / 4, 2), nyquist - high);
    *fir = (struct kl_sequence_fir){ 0 };
    if (!(low >= 0) || !(high >= 0) || !(low > 0 || high > 0) || (high > 0 && high <= low) ||
        high >= nyquist || low >= nyquist)
        return kl_fail(err, KL_EUSAGE, "band %g to %g Hz: expected 0 <= low < high < %g, half the rate",
                       low, high, nyquist);
    const double transition = low > 0 && high > 0 ? fmin(below, above) : low > 0 ? below : above;
    const int code = open_taps(fir, rate, transition, err);
    if (code) return code;
    if (high > 0) add_low_pass(fir, rate, high, high + above, 1);
    else fir->taps[fir->n / 2] = 1;
    if (low > 0) add_low_pass(fir, rate, low - below, low, -1);
    return 0;
}

int kl_sequence_fir_notch(struct kl_sequence_fir *fir, double rate, double frequency,
                          struct kl_error *err)
{
    const double half = frequency / 200 / 2, transition = 0.5;
    const double low = frequency - half - transition, high = frequency + half + transition;
    *fir = (struct kl_sequence_fir){ 0 };
    if (!(low > 0 && high < rate / 2))
        return kl_fail(err, KL_EUSAGE, "notch at %g Hz: expected %g or more, and less than %g",
                       frequency, transition * 400 / 399, (rate / 2 - transition) * 400 / 401);
    const int code = open_taps(fir, rate, transition, err);
    if (code) return code;
    fir->taps[fir->n / 2] = 1;
    add_low_pass(fir, rate, high - transition, high, -1);
    add_low_pass(fir, rate, low, low + transition, 1);
    return 0;
}

void kl_sequence_fir_free(struct kl_sequence_fir *fir)
{
    free(fir->taps);
    *fir = (struct kl_sequence_fir){ 0 };
}

/* ---- application ---- */
struct filtering {
    double *x;
    size_t n, edge, length; /* length of the transform: what wraps round falls into the padding */
    struct kl_fft_f64 *plan;
    double
        *response; /* (length), in the plan's order: real, as the taps are symmetric; over the length */
};

static void filter_group(void *context, struct group group, void *memory)
{
    const struct filtering *f = context;
    const struct kl_fft_table_f64 *fft = kl_kernel_fft_f64();
    double *data = memory, *work = data + f->length * ROW;
    const size_t n1 = f->plan->columns.n, n2 = f->plan->rows.n, all = f->n + 2 * f->edge;
    group_load(data, f->x, f->n, group, f->edge, f->edge);
    memset(data + all * ROW, 0, (f->length - all) * ROW * sizeof *data);
    fft->columns(f->plan, data, work, false);
    for (size_t k = 0; k < n1; k++) {
        double *row = data + k * n2 * ROW;
        fft->row(f->plan, row, work, false);
        for (size_t i = 0; i < n2; i++)
            for (int v = 0; v < ROW; v++) row[i * ROW + (size_t)v] *= f->response[k * n2 + i];
        fft->row(f->plan, row, work, true);
    }
    fft->columns(f->plan, data, work, true);
    group_store(f->x, data, f->n, group, f->edge);
}

/* The taps around 0, transformed; their middle is 0. */
static int make_response(struct filtering *f, const struct kl_sequence_fir *fir, struct kl_error *err)
{
    const size_t half = fir->n / 2, bytes = (f->length * ROW + f->plan->work) * sizeof(double);
    double *data = aligned_alloc(64, (bytes + 63) / 64 * 64);
    f->response = malloc(f->length * sizeof *f->response);
    if (!data || !f->response) {
        free(data);
        return kl_fail_memory(err, bytes);
    }
    memset(data, 0, f->length * ROW * sizeof *data);
    for (size_t i = 0; i < fir->n; i++)
        data[(i >= half ? i - half : f->length - (half - i)) * ROW] += fir->taps[i];
    kl_kernel_fft_f64()->forward(f->plan, data, data + f->length * ROW);
    for (size_t k = 0; k < f->length; k++) f->response[k] = data[k * ROW] / (double)f->length;
    free(data);
    return 0;
}

int kl_sequence_fir_apply(double *x, size_t channels, size_t n, const struct kl_sequence_fir *fir,
                          struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                          struct kl_error *err)
{
    const size_t edge = (fir->n < 2 * n - 1 ? fir->n : 2 * n - 1) - 1;
    struct filtering f = { .x = x, .n = n, .edge = edge };
    /* Half the taps reach over either end of what is kept, never further than the padding and what is
     * wrapped. */
    f.length = kl_fft_good_length(n + 2 * edge + (edge < fir->n / 2 ? fir->n : 0));
    f.plan = kl_fft_plan_f64(f.length, 0);
    if (!f.plan) return kl_fail_memory(err, f.length * 32);
    int code = make_response(&f, fir, err);
    if (!code)
        code = groups(channels, (f.length * ROW + f.plan->work) * sizeof(double), filter_group, &f,
                      workspace, pool, err);
    kl_fft_plan_free_f64(f.plan);
    free(f.response);
    return code;
}

/* ---- resample ----
   Another rate by Fourier transforms, as MNE-Python's resample does it: padded to a power of two, cut at
   the lower Nyquist frequency. Two channels are one complex signal, whose spectrum is cut like theirs.
 */

enum { NEAR = 512 };

struct resampling {
    const double *x;
    double *out;
    size_t n, before, padded;  /* points, of padding before, of the transform there */
    size_t length, skip, keep; /* of the transform back, what is dropped before and kept of it */
    struct kl_fft_f64 *there, *back;
    size_t columns; /* that both plans have; 0: they have none in common */
};

size_t kl_sequence_resampled_length(size_t n, double from, double to)
{
    const double length = nearbyint(to / from * (double)n);
    return length >= 1 ? (size_t)length : 1;
}

/* ---- the cut spectrum ---- */
/* Find the frequencies of the old transform that frequency k of the new one comes from: two that are
   added if it is the new Nyquist frequency, else twice the same. false: there is none, it is 0. */
static bool source(size_t at[2], double *scale, const struct resampling *r, size_t k)
{
    const size_t n = r->padded, m = r->length, less = n < m ? n : m;
    *scale = 1 / (double)n, at[0] = at[1] = k;
    if (2 * k < less) return true;
    if (less % 2 == 0 && m < n && 2 * k == m) { /* X_k doubled, of which the real part counts */
        at[1] = n - k;
        return true;
    }
    if (less % 2 == 0 && n < m && (2 * k == n || 2 * (m - k) == n)) { /* halved, on both sides */
        at[0] = at[1] = n / 2, *scale /= 2;
        return true;
    }
    if (2 * (m - k) >= less || k == 0) return false;
    at[0] = at[1] = n - (m - k);
    return true;
}

static void copy(double *to, const double *spectrum, const size_t at[2], double scale)
{
    for (int v = 0; v < ROW; v++) to[v] = scale * spectrum[at[0] * ROW + (size_t)v];
    for (int v = 0; v < ROW && at[0] != at[1]; v++) to[v] += scale * spectrum[at[1] * ROW + (size_t)v];
}

/* Row k1 of both plans has the frequencies k1 + columns k2: what is below the cut stays at its place,
   what is above it moves, and what is between is looked at one by one. */
static void cut_row(double *to, const double *row, const struct resampling *r, size_t k1)
{
    const size_t c = r->columns, n2 = r->padded / c, m2 = r->length / c,
                 less = n2 < m2 ? r->padded : r->length;
    const size_t below = 2 * k1 < less ? (less - 2 * k1 + 2 * c - 1) / (2 * c) : 0;
    const size_t start = 2 * r->length - less,
                 found = start < 2 * k1 ? 0 : (start - 2 * k1) / (2 * c) + 1;
    const size_t above = found > below ? found : below;
    const double scale = 1 / (double)r->padded;
    for (size_t i = 0; i < below * ROW; i++) to[i] = scale * row[i];
    for (size_t k2 = below; k2 < above && k2 < m2; k2++) {
        size_t at[2];
        double s;
        if (!source(at, &s, r, k1 + c * k2)) {
            memset(to + k2 * ROW, 0, ROW * sizeof *to);
            continue;
        }
        at[0] /= c, at[1] /= c;
        copy(to + k2 * ROW, row, at, s);
    }
    const double *moved = row + ((ptrdiff_t)n2 - (ptrdiff_t)m2) * ROW;
    for (size_t i = above * ROW; i < m2 * ROW; i++) to[i] = scale * moved[i];
}

static void cut_all(double *to, const double *spectrum, const struct resampling *r)
{
    for (size_t k = 0; k < r->length; k++) {
        double *row = to + kl_fft_place_f64(r->back, k) * ROW, scale;
        size_t at[2];
        if (!source(at, &scale, r, k)) {
            memset(row, 0, ROW * sizeof *row);
            continue;
        }
        for (int i = 0; i < 2; i++) at[i] = kl_fft_place_f64(r->there, at[i]);
        copy(row, spectrum, at, scale);
    }
}

/* ---- a group of channels ---- */
static void resample_group(void *context, struct group group, void *memory)
{
    const struct resampling *r = context;
    const struct kl_fft_table_f64 *fft = kl_kernel_fft_f64();
    double *there = memory, *back = there + r->padded * ROW, *work = back + r->length * ROW;
    group_load(there, r->x, r->n, group, r->before, r->padded - r->before - r->n);
    if (r->columns) {
        const size_t n2 = r->padded / r->columns, m2 = r->length / r->columns;
        fft->columns(r->there, there, work, false);
        for (size_t k1 = 0; k1 < r->columns; k1++) {
            double *row = there + k1 * n2 * ROW, *to = back + k1 * m2 * ROW;
            fft->row(r->there, row, work, false);
            cut_row(to, row, r, k1);
            fft->row(r->back, to, work, true);
        }
        fft->columns(r->back, back, work, true);
    } else {
        fft->forward(r->there, there, work);
        cut_all(back, there, r);
        fft->backward(r->back, back, work);
    }
    group_store(r->out, back, r->keep, group, r->skip);
}

/* ---- lengths and plans ---- */
/* Columns of both plans: a power of two that divides both lengths, near the root of the longer. */
static size_t common_columns(size_t n, size_t m)
{
    size_t columns = 1;
    const size_t longer = n > m ? n : m;
    while (n % (2 * columns) == 0 && m % (2 * columns) == 0 && columns * columns < longer) columns *= 2;
    return kl_fft_good_length(m) == m && longer / columns <= NEAR ? columns : 0;
}

static int open_plans(struct resampling *r, double from, double to, struct kl_error *err)
{
    const double ratio = to / from;
    const size_t least = r->n + 2 * (r->n / 8 < 100 ? r->n / 8 : 100);
    r->padded = 1;
    while (r->padded < least) r->padded *= 2;
    r->before = (r->padded - r->n) / 2;
    r->length = kl_sequence_resampled_length(r->padded, from, to);
    r->skip = (size_t)nearbyint(ratio * (double)r->before);
    r->columns = common_columns(r->padded, r->length);
    r->there = kl_fft_plan_f64(r->padded, r->columns);
    r->back = kl_fft_plan_f64(r->length, r->columns);
    return r->there && r->back ? 0 : kl_fail_memory(err, (r->padded + r->length) * 32);
}

int kl_sequence_resample(double *out, const double *x, size_t channels, size_t n, double from, double to,
                         struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                         struct kl_error *err)
{
    struct resampling r = {
        .x = x, .out = out, .n = n, .keep = kl_sequence_resampled_length(n, from, to)
    };
    if (from == to) {
        memcpy(out, x, channels * n * sizeof *out);
        return 0;
    }
    int code = open_plans(&r, from, to, err);
    if (!code) {
        const size_t work = r.there->work > r.back->work ? r.there->work : r.back->work;
        const size_t bytes = ((r.padded + r.length) * ROW + work) * sizeof(double);
        code = groups(channels, bytes, resample_group, &r, workspace, pool, err);
    }
    kl_fft_plan_free_f64(r.there), kl_fft_plan_free_f64(r.back);
    return code;
}

/* ---- the average of the channels as reference; of a window its baseline and its range ---- */

void kl_sequence_average_reference(double *x, const bool *part, size_t channels, size_t n)
{
    enum { TILE = 256 };
    size_t taken = 0;
    for (size_t c = 0; c < channels; c++) taken += !part || part[c];
    for (size_t first = 0; first < n && taken; first += TILE) {
        const size_t points = n - first < TILE ? n - first : TILE;
        double mean[TILE] = { 0 };
        for (size_t c = 0; c < channels; c++) {
            if (part && !part[c]) continue;
            for (size_t i = 0; i < points; i++) mean[i] += x[c * n + first + i];
        }
        for (size_t i = 0; i < points; i++) mean[i] /= (double)taken;
        for (size_t c = 0; c < channels; c++) {
            if (part && !part[c]) continue;
            for (size_t i = 0; i < points; i++) x[c * n + first + i] -= mean[i];
        }
    }
}

double kl_sequence_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return n ? sum / (double)n : 0;
}

double kl_sequence_peak_to_peak(const double *x, size_t n)
{
    double least = n ? x[0] : 0, most = least;
    for (size_t i = 1; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    return most - least;
}
