/* SPDX-License-Identifier: MIT
   One subject, three recordings of 64 channels and 20,000 samples, to 45 windows at 80 Hz: read,
   resampled by Fourier transforms, cut; on two threads and on one; the whole command's file as well; and
   the transforms alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/fft.h"
#include "sequence/windows/windows_int.h"
#include "store/store.h"

static struct kl_error err;
static char paths[3][1024];
static int rounds = 30;

static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

static void cut_all(struct kl_sequence_collection *c, struct kl_pool *pool, double low, double high)
{
    const struct kl_log log = { .tool = "bench", .to = stderr };
    const struct kl_sequence_cut cut = { .rate = 80, .from = 1, .to = 4.1, .low = low, .high = high };
    struct kl_sequence_labels labels;
    struct kl_sequence_cutter cutter = {
        .cut = &cut, .labels = &labels, .to = c, .pool = pool, .log = &log
    };
    kl_sequence_labels_of_task(&labels, kl_sequence_task_of_run(4));
    for (int i = 0; i < 3; i++) {
        struct kl_sequence_origin source = { .path = paths[i] };
        kl_sequence_name_of(&source.name, paths[i]);
        must(kl_sequence_cut_recording(&cutter, &source, &err));
    }
    kl_sequence_cutter_free(&cutter);
}

static double best_cut(int threads, double low, double high)
{
    struct kl_pool *pool = NULL;
    double best = 1e9;
    must(kl_pool_create(&pool, threads, &err));
    for (int r = 0; r < rounds; r++) {
        struct kl_sequence_collection c = { 0 };
        const double start = kl_clock();
        cut_all(&c, pool, low, high);
        best = fmin(best, kl_clock() - start);
        kl_sequence_collection_free(&c);
    }
    kl_pool_destroy(&pool);
    return best;
}

/* Sixteen real signals in a transform of eight complex ones; operations as 5 n log2 n of each. */
static void bench_transforms(void)
{
    static const size_t lengths[] = { 16384, 32768 };
    for (int i = 0; i < 2; i++) {
        const size_t n = lengths[i];
        struct kl_fft_f64 *plan = kl_fft_plan_f64(n, 0);
        double *data = aligned_alloc(64, (16 * n + plan->work) * sizeof *data), best = 1e9;
        memset(data, 0, 16 * n * sizeof *data);
        for (int r = 0; r < rounds; r++) {
            const double start = kl_clock();
            kl_kernel_fft_f64()->forward(plan, data, data + 16 * n);
            best = fmin(best, kl_clock() - start);
        }
        printf("# transforms of 16 signals, %zu samples: %.0f us, %.1f GFLOP/s\n", n, best * 1e6,
               8 * 5e-9 * (double)n * log2((double)n) / best);
        free(data);
        kl_fft_plan_free_f64(plan);
    }
}

int main(int argc, char **argv)
{
    const char *shared = getenv("KETLINE_SHARED");
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 5;
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], sizeof paths[i], "%s/data/eeg/S001R%02d.edf", shared ? shared : "../shared",
                 4 + 4 * i);
    if (access(paths[0], R_OK)) {
        printf("no recordings (KETLINE_SHARED)\n");
        return 77;
    }
    struct kl_sequence_collection c = { 0 };
    double sum = 0;
    cut_all(&c, NULL, 0, 0);
    for (size_t i = 0; i < c.n * c.channels * c.steps; i++)
        sum += c.x[i] * sin(1.0 + (double)(i % 1013));
    printf("value windows %.15g\n", sum);
    kl_sequence_collection_free(&c);
    if (argc > 1 && strcmp(argv[1], "--values") == 0) return 0;
    printf("bench windows/ketline %.6g s\n", best_cut(2, 0, 0));
    printf("bench windows-1-thread/ketline %.6g s\n", best_cut(1, 0, 0));
    printf("bench windows-band/ketline %.6g s\n", best_cut(2, 8, 30));
    bench_transforms();
    return 0;
}
