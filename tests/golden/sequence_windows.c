/* SPDX-License-Identifier: MIT
   Windows of three recordings against MNE-Python's: at four rates (reference/hydra/eeg_golden.h5,
   millivolts) and after a band-pass (reference/sequence/preprocess.h5, microvolts): labels, events,
   values, means and standard deviations of every window and channel. */
#include <math.h>

#include "golden.h"
#include "sequence/recording/recording.h"
#include "sequence/windows/windows_int.h"

enum { WINDOWS = 45, CHANNELS = 64, MOST = 2 * 64 * 500 };
static double want[MOST], deviation[WINDOWS * CHANNELS];
static char paths[3][1024];
static struct kl_error err;
static struct kl_pool *pool;
static int failures;
static double furthest;

static void near(const char *what, size_t i, double found, double expected, double tolerance)
{
    if (fabs(found - expected) > furthest) furthest = fabs(found - expected);
    if (fabs(found - expected) <= tolerance) return;
    if (failures++ < 20)
        fprintf(stderr, "%s [%zu]: found %.17g, expected %.17g\n", what, i, found, expected);
}

static void cut_all(struct kl_sequence_collection *c, const struct kl_sequence_cut *cut)
{
    const struct kl_log log = { .tool = "test", .to = stderr };
    struct kl_sequence_labels labels;
    struct kl_sequence_cutter cutter = {
        .cut = cut, .labels = &labels, .to = c, .pool = pool, .log = &log
    };
    kl_sequence_labels_of_task(&labels, kl_sequence_task_of_run(4));
    for (int i = 0; i < 3; i++) {
        struct kl_sequence_origin source = { .path = paths[i] };
        kl_sequence_name_of(&source.name, paths[i]);
        must(kl_sequence_cut_recording(&cutter, &source, &err), &err);
    }
    kl_sequence_cutter_free(&cutter);
    if (c->n != WINDOWS || c->channels != CHANNELS) {
        fprintf(stderr, "%zu windows of %zu channels\n", c->n, c->channels);
        exit(1);
    }
}

/* Means and standard deviations over time; golden values are `scale` times microvolts. */
static void check_moments(const char *name, const struct kl_sequence_collection *c, const double *mean,
                          const double *std, double scale, double tolerance)
{
    for (size_t i = 0; i < WINDOWS * CHANNELS; i++) {
        const float *x = c->x + i * c->steps;
        double sum = 0, square = 0;
        for (size_t s = 0; s < c->steps; s++) sum += x[s] / (double)c->steps;
        for (size_t s = 0; s < c->steps; s++) square += (x[s] - sum) * (x[s] - sum) / (double)c->steps;
        near(name, i, sum * scale, mean[i], tolerance);
        if (std) near(name, i, sqrt(square) * scale, std[i], tolerance);
    }
}

static void check_rate(hid_t file, double rate)
{
    char name[40];
    struct kl_sequence_collection c = { 0 };
    const struct kl_sequence_cut cut = { .rate = rate, .from = 1, .to = 4.1 };
    cut_all(&c, &cut);
    snprintf(name, sizeof name, "windows_%gHz", rate);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    if ((double)c.steps != golden_number(group, "n_timesteps"))
        failures++, fprintf(stderr, "%s: steps\n", name);
    golden_values(want, MOST, group, "label");
    for (size_t i = 0; i < WINDOWS; i++) near("label", i, c.labels[i], want[i], 0);
    golden_values(want, MOST, group, "event_sample");
    for (size_t i = 0; i < WINDOWS; i++) /* in the three recordings joined, of 125 seconds each */
        near("event", i, nearbyint(c.onset[i] * rate) + c.recording[i] * 125 * rate, want[i], 0);
    const size_t values = golden_values(want, MOST, group, "first_two_windows");
    for (size_t i = 0; i < values; i++) near(name, i, c.x[i] * 1e-3, want[i], 1e-6);
    golden_values(deviation, WINDOWS * CHANNELS, group, "std"), golden_values(want, MOST, group, "mean");
    check_moments(name, &c, want, deviation, 1e-3, 1e-6);
    H5Gclose(group);
    kl_sequence_collection_free(&c);
}

/* The whole first channel of the first recording at each rate, in volts. */
static void check_channel(hid_t file, double rate)
{
    char name[64];
    struct kl_sequence_recording r;
    struct kl_sequence_workspace workspace = { 0 };
    must(kl_sequence_recording_open(&r, paths[0], &err), &err);
    const size_t n = r.n_records * r.signals[0].per_record,
                 length = kl_sequence_resampled_length(n, 160, rate);
    double *x = malloc(n * sizeof *x), *y = malloc(length * sizeof *y);
    must(kl_sequence_recording_read(x, &r, 0, 0, n, &err), &err);
    must(kl_sequence_resample(y, x, 1, n, 160, rate, &workspace, NULL, &err), &err);
    snprintf(name, sizeof name, "windows_%gHz/channel0_run04_volts", rate);
    if (golden_values(want, MOST, file, name) != length)
        failures++, fprintf(stderr, "%s: length\n", name);
    for (size_t i = 0; i < length; i++) near(name, i, y[i] * r.signals[0].to_volts, want[i], 1e-12);
    kl_sequence_workspace_free(&workspace);
    kl_sequence_recording_close(&r);
    free(x), free(y);
}

static void check_band(const char *path)
{
    struct kl_sequence_collection c = { 0 };
    const struct kl_sequence_cut cut = { .rate = 0, .from = 1, .to = 4.1, .low = 8, .high = 30 };
    double picked[6];
    cut_all(&c, &cut);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    golden_values(picked, 6, file, "channels");
    golden_values(want, MOST, file, "windows/label");
    for (size_t i = 0; i < WINDOWS; i++) near("label", i, c.labels[i], want[i], 0);
    golden_values(want, MOST, file, "windows/run");
    for (size_t i = 0; i < WINDOWS; i++) near("run", i, c.recording[i], want[i], 0);
    golden_values(want, MOST, file, "windows/mean");
    check_moments("windows/mean", &c, want, NULL, 1, 1e-5);
    golden_values(want, MOST, file, "windows/first");
    for (size_t k = 0; k < 6; k++)
        for (size_t s = 0; s < c.steps; s++)
            near("windows/first", k * c.steps + s, c.x[(size_t)picked[k] * c.steps + s],
                 want[k * c.steps + s], 1e-5);
    H5Fclose(file);
    kl_sequence_collection_free(&c);
}

int main(void)
{
    static const double rates[] = { 40, 80, 100, 160 };
    const char *shared = getenv("KETLINE_SHARED");
    char hydra[1024], sequence[1024];
    if (!shared) shared = "../shared";
    snprintf(hydra, sizeof hydra, "%s/reference/hydra/eeg_golden.h5", shared);
    snprintf(sequence, sizeof sequence, "%s/reference/sequence/preprocess.h5", shared);
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], sizeof paths[i], "%s/data/eeg/S001R%02d.edf", shared, 4 + 4 * i);
    FILE *a = fopen(hydra, "rb"), *b = fopen(sequence, "rb"), *c = fopen(paths[0], "rb");
    if (!a || !b || !c) {
        printf("skipped: no recordings or no golden values in KETLINE_SHARED\n");
        return 77;
    }
    fclose(a), fclose(b), fclose(c);
    must(kl_pool_create(&pool, 2, &err), &err);
    const hid_t file = H5Fopen(hydra, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, hydra);
    for (int i = 0; i < 4; i++) check_channel(file, rates[i]);
    printf("signals: furthest from MNE: %.2g V\n", furthest), furthest = 0;
    for (int i = 0; i < 4; i++) check_rate(file, rates[i]);
    printf("windows: furthest from MNE: %.2g mV\n", furthest), furthest = 0;
    H5Fclose(file);
    check_band(sequence);
    printf("windows of 8 to 30 Hz: furthest from MNE: %.2g uV\n", furthest);
    kl_pool_destroy(&pool);
    return failures != 0;
}
