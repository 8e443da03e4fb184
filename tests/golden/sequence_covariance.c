/* SPDX-License-Identifier: MIT
   Covariances and what is made of them against pyRiemann's and scikit-learn's values (groups csp,
   riemann, euclidean_alignment, zscore_subject and leave_one_run_out of
   reference/sequence/preprocess.h5). The windows are made here, from the recordings, by the golden
   filter's taps. */
#include <math.h>

#include "golden.h"
#include "sequence/covariance/covariance.h"

enum {
    WINDOWS = 45,
    CHANNELS = 64,
    STEPS = 497,
    TAPS = 4000,
    SIX = 6,
    TRIANGLE6 = 21,
    TRIANGLE = CHANNELS * (CHANNELS + 1) / 2
};
static double x[WINDOWS][CHANNELS][STEPS], x6[WINDOWS][SIX][STEPS];
static double c6[WINDOWS * TRIANGLE6], c64[WINDOWS * TRIANGLE], found[WINDOWS * TRIANGLE],
    given[WINDOWS * 4096];
static int32_t label[WINDOWS];
static int run_of[WINDOWS], failures;
static hid_t file;
static struct kl_pool *pool;

static void compare(const char *what, const double *a, const double *b, size_t n, double bound)
{
    double most = 0, scale = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(b[i]));
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    printf("%-32s %8zu values, largest difference %.2g of %.2g\n", what, n, most, scale);
    if (most <= bound * fmax(1, scale)) return;
    fprintf(stderr, "%s: difference %.3g of %.3g, at most %.3g of it expected\n", what, most, scale,
            bound);
    failures++;
}
/* The rule of kl_sequence_eigen for the signs, on rows. */
static void set_signs(double *v, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, v += n) {
        size_t most = 0;
        for (size_t k = 1; k < n; k++)
            if (fabs(v[k]) > fabs(v[most])) most = k;
        const double sign = v[most] < 0 ? -1 : 1;
        for (size_t k = 0; k < n; k++) v[k] *= sign;
    }
}

/* ---- the recordings, read here: EDF of 64 signals and one of annotations (Kemp et al. 1992) ---- */
static double field(const char *text, size_t size)
{
    char copy[32] = { 0 };
    memcpy(copy, text, size);
    return atof(copy);
}
static size_t recording(double *samples, size_t most, const char *path)
{
    FILE *in = fopen(path, "rb");
    golden_need(in != NULL, path);
    static char head[256 + 65 * 256];
    golden_need(fread(head, 1, sizeof head, in) == sizeof head, path);
    const size_t signals = (size_t)field(head + 252, 4), records = (size_t)field(head + 236, 8);
    golden_need(signals == 65, path);
    const char *each = head + 256;
    size_t per[65], all = 0;
    double gain[65], offset[65];
    for (size_t s = 0; s < signals; s++) {
        const double low = field(each + signals * 104 + s * 8, 8),
                     high = field(each + signals * 112 + s * 8, 8),
                     from = field(each + signals * 120 + s * 8, 8),
                     to = field(each + signals * 128 + s * 8, 8);
        per[s] = (size_t)field(each + signals * 216 + s * 8, 8), all += per[s];
        gain[s] = (high - low) / (to - from), offset[s] = low - gain[s] * from;
    }
    golden_need(records * per[0] <= most, path);
    static unsigned char bytes[65536];
    for (size_t r = 0; r < records; r++) {
        golden_need(fread(bytes, 2, all, in) == all, path);
        size_t at = 0;
        for (size_t s = 0; s < signals; s++)
            for (size_t i = 0; i < per[s]; i++, at++)
                if (s < CHANNELS)
                    samples[s * most + r * per[0] + i] =
                        offset[s] + gain[s] * (int16_t)(bytes[2 * at] | bytes[2 * at + 1] << 8);
    }
    fclose(in);
    return records * per[0];
}
/* Sample t of a channel, mirrored about its ends (MNE's reflect_limited). */
static double mirrored(const double *s, long t, long n)
{
    if (t < 0) return -t < n ? 2 * s[0] - s[-t] : 0;
    if (t >= n) return 2 * n - 2 - t >= 0 ? 2 * s[n - 1] - s[2 * n - 2 - t] : 0;
    return s[t];
}
/* Onsets of T1, T2 in seconds stand in the .event file of the data set as text of the annotation
   channel; here the annotations themselves are read: "+onset\x15duration\x14T1\x14". */
static size_t events(double *onset, int32_t *code, size_t most, const char *path)
{
    FILE *in = fopen(path, "rb");
    golden_need(in != NULL, path);
    static char all[4 << 20];
    const size_t n = fread(all, 1, sizeof all, in);
    fclose(in);
    size_t count = 0;
    for (size_t i = 0; i + 4 < n; i++) {
        if (all[i] != 0x14 || all[i + 1] != 'T' || (all[i + 2] != '1' && all[i + 2] != '2') ||
            all[i + 3] != 0x14)
            continue;
        size_t from = i;
        while (from > 0 && i - from < 40 && all[from] != '+') from--;
        char text[48] = { 0 };
        memcpy(text, all + from, i - from);
        if (!strchr(text, 0x15)) continue;
        golden_need(count < most, path);
        onset[count] = atof(text), code[count++] = all[i + 2] - '1';
    }
    return count;
}

static void make_windows(const char *shared)
{
    enum { MOST = 20480 };
    static double samples[CHANNELS * MOST], taps[TAPS];
    static const int runs[] = { 4, 8, 12 };
    const long n_taps = (long)golden_values(taps, TAPS, file, "fir_8_30/taps"), half = n_taps / 2;
    size_t w = 0;
    for (int r = 0; r < 3; r++) {
        char path[4096];
        double onset[40];
        int32_t code[40];
        snprintf(path, sizeof path, "%s/data/eeg/S001R%02d.edf", shared, runs[r]);
        const long n = (long)recording(samples, MOST, path);
        const size_t count = events(onset, code, 40, path);
        for (size_t e = 0; e < count; e++) {
            const long from = lround(onset[e] * 160) + 160;
            if (from + STEPS > n) continue;
            golden_need(w < WINDOWS, path);
            for (size_t c = 0; c < CHANNELS; c++)
                for (long t = 0; t < STEPS; t++) {
                    double sum = 0;
                    for (long k = 0; k < n_taps; k++)
                        sum += taps[k] * mirrored(samples + c * MOST, from + t + half - k, n);
                    x[w][c][t] = sum;
                }
            label[w] = code[e], run_of[w++] = r;
        }
    }
    golden_need(w == WINDOWS, "windows");
}

static const double *whole(const void *context, size_t i, struct kl_error *err)
{
    (void)context, (void)err;
    return &x[i][0][0];
}
static const double *of_six(const void *context, size_t i, struct kl_error *err)
{
    (void)context, (void)err;
    return &x6[i][0][0];
}
static void squares(double *square, const double *triangle, size_t count, size_t n)
{
    for (size_t w = 0; w < count; w++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                square[(w * n + i) * n + j] =
                    triangle[w * KL_SPD_TRIANGLE(n) +
                             (i > j ? KL_SPD_TRIANGLE(i) + j : KL_SPD_TRIANGLE(j) + i)];
}

static void check_windows(void)
{
    static double numbers[WINDOWS], mean[WINDOWS * CHANNELS];
    golden_values(numbers, WINDOWS, file, "windows/label");
    for (int w = 0; w < WINDOWS; w++) failures += numbers[w] != label[w];
    golden_values(numbers, WINDOWS, file, "windows/run");
    for (int w = 0; w < WINDOWS; w++) failures += numbers[w] != run_of[w];
    for (int w = 0; w < WINDOWS; w++)
        for (int c = 0; c < CHANNELS; c++) {
            double sum = 0;
            for (int t = 0; t < STEPS; t++) sum += x[w][c][t];
            mean[w * CHANNELS + c] = sum / STEPS;
        }
    golden_values(given, WINDOWS * CHANNELS, file, "windows/mean");
    compare("windows/mean", mean, given, WINDOWS * CHANNELS, 1e-10);
    golden_values(given, SIX * STEPS, file, "windows/first");
    compare("windows/first", &x6[0][0][0], given, SIX * STEPS, 1e-12);
    /* z-scores of a person: mean and deviation of each channel over all windows */
    static double z[SIX * STEPS];
    for (int c = 0; c < SIX; c++) {
        double sum = 0, square = 0;
        for (int w = 0; w < WINDOWS; w++)
            for (int t = 0; t < STEPS; t++) sum += x6[w][c][t] / (WINDOWS * STEPS);
        for (int w = 0; w < WINDOWS; w++)
            for (int t = 0; t < STEPS; t++) square += pow(x6[w][c][t] - sum, 2) / (WINDOWS * STEPS);
        for (int t = 0; t < STEPS; t++) z[c * STEPS + t] = (x6[0][c][t] - sum) / sqrt(square);
    }
    golden_values(given, SIX * STEPS, file, "zscore_subject/first");
    compare("zscore_subject/first", z, given, SIX * STEPS, 1e-12);
}

static void check_riemann(struct kl_error *err)
{
    const struct kl_sequence_window_source six = { .twice = of_six, .channels = SIX, .steps = STEPS },
                                           all = { .twice = whole,
                                                   .channels = CHANNELS,
                                                   .steps = STEPS };
    must(kl_sequence_covariances(c64, &all, NULL, WINDOWS, KL_SEQUENCE_OAS, NULL, pool, err), err);
    must(kl_sequence_covariances(c6, &six, NULL, WINDOWS, KL_SEQUENCE_OAS, NULL, pool, err), err);
    golden_values(given, 4 * CHANNELS * CHANNELS, file, "riemann/cov_oas");
    squares(found, c64, 4, CHANNELS);
    compare("riemann/cov_oas", found, given, 4 * CHANNELS * CHANNELS, 1e-12);
    golden_values(given, WINDOWS * SIX * SIX, file, "riemann/cov6");
    squares(found, c6, WINDOWS, SIX);
    compare("riemann/cov6", found, given, WINDOWS * SIX * SIX, 1e-12);

    double mean[SIX * SIX], inverse[SIX * SIX], distance[2 * WINDOWS];
    const struct kl_sequence_mean_options o = { 1e-14, 100 };
    int steps;
    must(kl_sequence_riemann_mean(mean, c6, NULL, WINDOWS, SIX, &o, &steps, pool, err), err);
    golden_values(given, SIX * SIX, file, "riemann/mean6");
    printf("mean of %d in %d steps\n", WINDOWS, steps);
    compare("riemann/mean6", mean, given, SIX * SIX, 2e-13);
    must(kl_sequence_roots(NULL, inverse, mean, SIX, err), err);
    must(kl_sequence_distances(distance, 1, c6, NULL, WINDOWS, SIX, inverse, pool, err), err);
    golden_values(given, WINDOWS, file, "riemann/distance6");
    compare("riemann/distance6", distance, given, WINDOWS, 1e-12);
    must(kl_sequence_tangent(found, c6, NULL, WINDOWS, SIX, inverse, pool, err), err);
    golden_values(given, WINDOWS * TRIANGLE6, file, "riemann/tangent6");
    compare("riemann/tangent6", found, given, WINDOWS * TRIANGLE6, 1e-12);

    for (int k = 0; k < 2; k++) {
        int64_t rows[WINDOWS];
        size_t n = 0;
        for (int w = 0; w < WINDOWS; w++)
            if (label[w] == k) rows[n++] = w;
        must(kl_sequence_riemann_mean(mean, c6, rows, n, SIX, &o, &steps, pool, err), err);
        must(kl_sequence_roots(NULL, inverse, mean, SIX, err), err);
        must(kl_sequence_distances(distance + k, 2, c6, NULL, WINDOWS, SIX, inverse, pool, err), err);
    }
    /* Its means stop at a gradient of 1e-8. */
    golden_values(given, 2 * WINDOWS, file, "riemann/mdm_distances6");
    compare("riemann/mdm_distances6", distance, given, 2 * WINDOWS, 1e-8);
}

static void check_patterns(struct kl_error *err)
{
    double filters[4 * SIX], features[4 * WINDOWS];
    must(kl_sequence_csp(filters, 4, c6, NULL, label, WINDOWS, SIX, 2, err), err);
    golden_values(given, 4 * SIX, file, "csp/filters6");
    set_signs(given, 4, SIX);
    compare("csp/filters6", filters, given, 4 * SIX, 1e-12);
    kl_sequence_csp_features(features, filters, 4, c6, NULL, WINDOWS, SIX);
    golden_values(given, 4 * WINDOWS, file, "csp/features6");
    compare("csp/features6", features, given, 4 * WINDOWS, 1e-12);
}

static void check_alignment(struct kl_error *err)
{
    enum { TIMES = 4 };
    const struct kl_sequence_window_source six = { .twice = of_six, .channels = SIX, .steps = STEPS };
    double moment[SIX * SIX], inverse[SIX * SIX], again[SIX * SIX];
    static double moments[WINDOWS * TRIANGLE6], aligned[SIX * STEPS];
    static float single[SIX * STEPS], product[SIX * STEPS];
    float matrix[SIX * SIX];
    int64_t rows[TIMES * WINDOWS];
    size_t lost;
    must(kl_sequence_alignment_fit(inverse, &lost, &six, NULL, WINDOWS, pool, err), err);
    failures += lost != 0;
    /* Each window several times, more than are taken at once. */
    for (int i = 0; i < TIMES * WINDOWS; i++) rows[i] = i % WINDOWS;
    must(kl_sequence_alignment_fit(again, NULL, &six, rows, TIMES * WINDOWS, pool, err), err);
    compare("the same windows four times", again, inverse, SIX * SIX, 1e-12);
    for (int c = 0; c < SIX; c++)
        for (int t = 0; t < STEPS; t++) {
            aligned[c * STEPS + t] = 0;
            for (int k = 0; k < SIX; k++) aligned[c * STEPS + t] += inverse[c * SIX + k] * x6[0][k][t];
        }
    golden_values(given, SIX * STEPS, file, "euclidean_alignment/first");
    compare("euclidean_alignment/first", aligned, given, SIX * STEPS, 1e-12);
    for (int i = 0; i < SIX * SIX; i++) matrix[i] = (float)inverse[i];
    for (int i = 0; i < SIX * STEPS; i++) single[i] = (float)x6[0][i / STEPS][i % STEPS];
    kl_sequence_alignment_apply(product, STEPS, matrix, single, SIX, STEPS);
    for (int i = 0; i < SIX * STEPS; i++) aligned[i] = (double)product[i];
    compare("the same in float", aligned, given, SIX * STEPS, 3e-6);
    /* A mean moment of aligned windows is 1. */
    must(kl_sequence_covariances(moments, &six, NULL, WINDOWS, KL_SEQUENCE_MOMENT, inverse, pool, err),
         err);
    kl_sequence_mean_of(moment, moments, NULL, WINDOWS, SIX);
    for (int i = 0; i < SIX * SIX; i++) failures += fabs(moment[i] - (i % (SIX + 1) == 0)) > 1e-12;
}

enum which { CSP_LDA, MDM, TANGENT_LR };
/* Probability of class 1 of the windows of a run, by what the others say. */
static void fold(double prob[WINDOWS], enum which which, int run, struct kl_error *err)
{
    static double train[WINDOWS * TRIANGLE], test[WINDOWS * TRIANGLE], mean[CHANNELS * CHANNELS],
        inverse[CHANNELS * CHANNELS], filters[8 * CHANNELS];
    int64_t in[WINDOWS], out[WINDOWS];
    int32_t y[WINDOWS];
    size_t n = 0, m = 0;
    double p[2 * WINDOWS];
    const struct kl_sequence_mean_options o = { 1e-12, 100 };
    struct kl_sequence_linear linear = { 0 };
    for (int w = 0; w < WINDOWS; w++)
        if (run_of[w] != run) y[n] = label[w], in[n++] = w;
        else out[m++] = w;
    if (which == MDM) {
        for (int k = 0; k < 2; k++) {
            int64_t mine[WINDOWS];
            size_t count = 0;
            for (size_t i = 0; i < n; i++)
                if (y[i] == k) mine[count++] = in[i];
            must(kl_sequence_riemann_mean(mean, c64, mine, count, CHANNELS, &o, NULL, pool, err), err);
            must(kl_sequence_roots(NULL, inverse, mean, CHANNELS, err), err);
            must(kl_sequence_distances(p + k, 2, c64, out, m, CHANNELS, inverse, pool, err), err);
        }
        for (size_t i = 0; i < 2 * m; i++) p[i] *= -p[i];
        for (size_t i = 0; i < m; i++) kl_sequence_softmax(p + 2 * i, 2);
    } else if (which == CSP_LDA) {
        must(kl_sequence_csp(filters, 8, c64, in, y, n, CHANNELS, 2, err), err);
        kl_sequence_csp_features(train, filters, 8, c64, in, n, CHANNELS);
        kl_sequence_csp_features(test, filters, 8, c64, out, m, CHANNELS);
        must(kl_sequence_linear_init(&linear, 8, 2, err), err);
        must(kl_sequence_discriminant(&linear, train, y, n, err), err);
        kl_sequence_linear_apply(p, &linear, test, m);
    } else {
        must(kl_sequence_riemann_mean(mean, c64, in, n, CHANNELS, &o, NULL, pool, err), err);
        must(kl_sequence_roots(NULL, inverse, mean, CHANNELS, err), err);
        must(kl_sequence_tangent(train, c64, in, n, CHANNELS, inverse, pool, err), err);
        must(kl_sequence_tangent(test, c64, out, m, CHANNELS, inverse, pool, err), err);
        must(kl_sequence_linear_init(&linear, TRIANGLE, 2, err), err);
        must(kl_sequence_logistic(&linear, train, y, n, 1, pool, err), err);
        /* Its least: the weights are the sum of (y - p) x, and the biases' residuals cancel. */
        static double q[2 * WINDOWS], w[TRIANGLE];
        double rest = 0, off = 0;
        kl_sequence_linear_apply(q, &linear, train, n);
        memset(w, 0, sizeof w);
        for (size_t i = 0; i < n; i++) {
            rest += y[i] - q[2 * i + 1];
            for (int f = 0; f < TRIANGLE; f++) w[f] += (y[i] - q[2 * i + 1]) * train[i * TRIANGLE + f];
        }
        for (int f = 0; f < TRIANGLE; f++) off = fmax(off, fabs(w[f] - linear.weights[TRIANGLE + f]));
        printf("logistic regression: gradient %.2g, %.2g\n", off, rest);
        failures += off > 1e-8 || fabs(rest) > 1e-8;
        kl_sequence_linear_apply(p, &linear, test, m);
    }
    for (size_t i = 0; i < m; i++) prob[out[i]] = p[2 * i + 1];
    kl_sequence_linear_free(&linear);
}
static void check_folds(struct kl_error *err)
{
    static const struct {
        const char *name;
        double bound;
    } of[] = {
        { "leave_one_run_out/csp8_lda/prob1",
          1e-11 }, /* eigenvectors of 64 channels that are close together */
        { "leave_one_run_out/mdm/prob1", 1e-6 },  /* its means stop at a gradient of 1e-8 */
        { "leave_one_run_out/ts_lr/prob1", 1e-3 } /* its regression stops at a gradient of 1e-4 */
    };
    for (int which = 0; which < 3; which++) {
        double prob[WINDOWS];
        for (int run = 0; run < 3; run++) fold(prob, (enum which)which, run, err);
        golden_values(given, WINDOWS, file, of[which].name);
        compare(of[which].name, prob, given, WINDOWS, of[which].bound);
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    struct kl_error err = { 0 };
    if (!shared) shared = "../shared";
    snprintf(path, sizeof path, "%s/reference/sequence/preprocess.h5", shared);
    file = H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0) {
        puts("skipped: KETLINE_SHARED holds no reference/sequence/preprocess.h5");
        return 77;
    }
    static const int six[SIX] = { 8, 10, 12, 31, 40, 63 };
    make_windows(shared);
    for (int w = 0; w < WINDOWS; w++)
        for (int c = 0; c < SIX; c++) memcpy(x6[w][c], x[w][six[c]], sizeof x6[w][c]);
    must(kl_pool_create(&pool, 2, &err), &err);
    check_windows();
    check_riemann(&err);
    check_patterns(&err);
    check_alignment(&err);
    check_folds(&err);
    kl_pool_destroy(&pool);
    H5Fclose(file);
    return failures != 0;
}
