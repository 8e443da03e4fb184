/* SPDX-License-Identifier: MIT
   SYNTH: normal records in four dimensions, labelled by the side of a plane; and what a set of records
   is freed by. One stream of a seed, in the reference's order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "sampling/data/data.h"

enum { INPUTS = 4 };

static void free_records(struct kl_sampling_records *records)
{
    free(records->x), free(records->label);
}

void kl_sampling_data_free(struct kl_sampling_data *data)
{
    free_records(&data->train), free_records(&data->test);
    free(data->train_index), free(data->test_index), free(data->true_test_label);
    memset(data, 0, sizeof *data);
}

/* true_label (n): the side of the plane; label the same, or coins, which are drawn behind the records.
 */
static int make(struct kl_sampling_records *records, int32_t *true_label, struct kl_nn_mersenne *m,
                const double *w, size_t n, bool coins, struct kl_error *err)
{
    const size_t bytes = (n * INPUTS * sizeof(float) + 63) / 64 * 64;
    records->n = n, records->inputs = INPUTS;
    records->x = aligned_alloc(64, bytes), records->label = malloc(n * sizeof *records->label);
    if (!records->x || !records->label) return kl_fail_memory(err, bytes);
    for (size_t i = 0; i < n; i++) {
        double side = 0;
        for (int k = 0; k < INPUTS; k++) {
            const double x = kl_nn_mersenne_normal(m);
            records->x[i * INPUTS + (size_t)k] = (float)x;
            side += x * w[k];
        }
        records->label[i] = side > 0;
    }
    if (true_label) memcpy(true_label, records->label, n * sizeof *true_label);
    /* A coin is the last bit of a word, as of RandomState.randint(0, 2). */
    for (size_t i = 0; coins && i < n; i++)
        records->label[i] = (int32_t)(kl_nn_mersenne_word(m) & 1);
    return 0;
}

int kl_sampling_synth_make(struct kl_sampling_data *data, double *w,
                           const struct kl_sampling_data_options *options, struct kl_error *err)
{
    struct kl_nn_mersenne m;
    double u[INPUTS], length = 0;
    const bool coins = options->random >= 1;
    const size_t n = options->train_size ? (size_t)options->train_size : 50,
                 n_test = options->test_size ? (size_t)options->test_size : 100;
    if (options->seed > UINT32_MAX)
        return kl_fail(err, KL_EUSAGE, "the seed of SYNTH: found %llu, expected at most 4294967295",
                       (unsigned long long)options->seed);
    kl_nn_mersenne_seed(&m, (uint32_t)options->seed);
    for (int k = 0; k < INPUTS; k++) {
        u[k] = kl_nn_mersenne_normal(&m);
        length += u[k] * u[k];
    }
    const double r = fabs(kl_nn_mersenne_normal(&m));
    for (int k = 0; k < INPUTS; k++) u[k] = r * (u[k] / sqrt(length));
    if (w) memcpy(w, u, sizeof u);
    strcpy(data->name, "synth");
    data->channels = data->height = 1, data->width = INPUTS, data->classes = 2;
    if (options->random > 0) {
        data->true_test_label = malloc(n_test * sizeof *data->true_test_label);
        if (!data->true_test_label) return kl_fail_memory(err, n_test * sizeof *data->true_test_label);
    }
    int code = make(&data->train, NULL, &m, u, n, coins, err);
    if (!code) code = make(&data->test, data->true_test_label, &m, u, n_test, coins, err);
    return code;
}
