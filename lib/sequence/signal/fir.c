/* SPDX-License-Identifier: MIT
   Linear-phase filters as MNE-Python designs them: a sum of windowed low-passes, each as long as its own
   transition needs; and their application without delay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fft.h"
#include "sequence/signal/signal_int.h"

enum { ROW = KL_SEQUENCE_GROUP, MOST_TAPS = 10000000 };
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

static void filter_group(void *context, struct kl_sequence_group group, void *memory)
{
    const struct filtering *f = context;
    const struct kl_fft_table_f64 *fft = kl_kernel_fft_f64();
    double *data = memory, *work = data + f->length * ROW;
    const size_t n1 = f->plan->columns.n, n2 = f->plan->rows.n, all = f->n + 2 * f->edge;
    kl_sequence_group_load(data, f->x, f->n, group, f->edge, f->edge);
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
    kl_sequence_group_store(f->x, data, f->n, group, f->edge);
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
        code = kl_sequence_groups(channels, (f.length * ROW + f.plan->work) * sizeof(double),
                                  filter_group, &f, workspace, pool, err);
    kl_fft_plan_free_f64(f.plan);
    free(f.response);
    return code;
}
