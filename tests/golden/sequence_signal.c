/* SPDX-License-Identifier: MIT
   Rates, filters and references against MNE-Python's on a recording of 64 channels
   (make_preprocess.py of the reference folder): every stored sample to 1e-12 volts, taps to 1e-15. */
#include <math.h>

#include "golden.h"
#include "golden_recording.h"
#include "sequence/signal/signal.h"

enum { MOST = 64 * 700 };
static double *recording, *x, *y, want[MOST];
static size_t channels, n;
static double picked[6];
static struct kl_sequence_workspace workspace;
static struct kl_pool *pool;
static struct kl_error err;
static int failures;
static double furthest;

static void near(const char *what, size_t i, double found, double expected, double tolerance)
{
    if (fabs(found - expected) > furthest) furthest = fabs(found - expected);
    if (fabs(found - expected) <= tolerance) return;
    if (failures++ < 20)
        fprintf(stderr, "%s [%zu]: found %.17g, expected %.17g\n", what, i, found, expected);
}

/* Samples [first, first + count) of the picked channels of rows of `length`. */
static void check_samples(hid_t file, const char *name, const double *rows, size_t length, bool last)
{
    const size_t count = golden_values(want, MOST, file, name) / 6, first = last ? length - count : 0;
    for (size_t c = 0; c < 6; c++)
        for (size_t i = 0; i < count; i++)
            near(name, c * count + i, rows[(size_t)picked[c] * length + first + i], want[c * count + i],
                 1e-12);
}

static void check_rate(hid_t file, const char *name, double rate)
{
    char path[64];
    const size_t length = kl_sequence_resampled_length(n, 160, rate);
    snprintf(path, sizeof path, "resample/%s", name);
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    if ((double)length != golden_number(group, "n"))
        failures++, fprintf(stderr, "%s: %zu samples\n", path, length);
    H5Gclose(group);
    must(kl_sequence_resample(y, recording, channels, n, 160, rate, &workspace, pool, &err), &err);
    snprintf(path, sizeof path, "resample/%s/first_200", name),
        check_samples(file, path, y, length, false);
    snprintf(path, sizeof path, "resample/%s/last_50", name), check_samples(file, path, y, length, true);
}

static void check_filter(hid_t file, const char *name, struct kl_sequence_fir *fir)
{
    char path[64];
    snprintf(path, sizeof path, "%s/taps", name);
    if (H5Lexists(file, path, H5P_DEFAULT) > 0) {
        const size_t taps = golden_values(want, MOST, file, path);
        if (taps != fir->n)
            failures++, fprintf(stderr, "%s: %zu taps, expected %zu\n", name, fir->n, taps);
        for (size_t i = 0; i < taps && i < fir->n; i++) near(path, i, fir->taps[i], want[i], 1e-15);
    }
    memcpy(x, recording, channels * n * sizeof *x);
    must(kl_sequence_fir_apply(x, channels, n, fir, &workspace, pool, &err), &err);
    snprintf(path, sizeof path, "%s/first_400", name), check_samples(file, path, x, n, false);
    snprintf(path, sizeof path, "%s/last_100", name);
    if (H5Lexists(file, path, H5P_DEFAULT) > 0) check_samples(file, path, x, n, true);
    snprintf(path, sizeof path, "%s/std", name);
    if (H5Lexists(file, path, H5P_DEFAULT) > 0) {
        golden_values(want, MOST, file, path);
        for (size_t c = 0; c < channels; c++) {
            double mean = 0, square = 0;
            for (size_t i = 0; i < n; i++) mean += x[c * n + i] / (double)n;
            for (size_t i = 0; i < n; i++) square += (x[c * n + i] - mean) * (x[c * n + i] - mean);
            near(path, c, sqrt(square / (double)n), want[c], 1e-12);
        }
    }
    kl_sequence_fir_free(fir);
}

static void check_all(hid_t file)
{
    static const struct {
        const char *name;
        double rate;
    } rates[] = { { "40", 40 },   { "64", 64 },   { "80", 80 },
                  { "100", 100 }, { "128", 128 }, { "160.5", 160.5 } };
    struct kl_sequence_fir fir;
    golden_values(picked, 6, file, "channels");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        check_rate(file, rates[i].name, rates[i].rate);
    must(kl_sequence_fir_band(&fir, 160, 8, 30, &err), &err), check_filter(file, "fir_8_30", &fir);
    must(kl_sequence_fir_band(&fir, 160, 0, 38, &err), &err), check_filter(file, "fir_low_38", &fir);
    must(kl_sequence_fir_band(&fir, 160, 1, 0, &err), &err), check_filter(file, "fir_high_1", &fir);
    must(kl_sequence_fir_notch(&fir, 160, 60, &err), &err), check_filter(file, "notch_60", &fir);
    memcpy(x, recording, channels * n * sizeof *x);
    kl_sequence_average_reference(x, NULL, channels, n);
    check_samples(file, "average_reference/first_100", x, n, false);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/data/eeg/S001R04.edf", shared ? shared : "../shared");
    recording = golden_recording(path, &channels, &n);
    snprintf(path, sizeof path, "%s/reference/sequence/preprocess.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!recording || !there) {
        printf("skipped: no recordings or no golden values in KETLINE_SHARED\n");
        return 77;
    }
    fclose(there);
    x = malloc(channels * n * sizeof *x), y = malloc(channels * n * 2 * sizeof *y);
    must(kl_pool_create(&pool, 2, &err), &err);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    check_all(file);
    H5Fclose(file);
    printf("furthest from MNE: %.2g\n", furthest);
    kl_sequence_workspace_free(&workspace);
    kl_pool_destroy(&pool);
    free(x), free(y), free(recording);
    return failures != 0;
}
