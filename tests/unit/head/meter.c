/* SPDX-License-Identifier: MIT
   What a watch is told of an evaluation: each block of samples, as a share of all heads. */
#include "head/meter.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"

enum { N = 600, STEPS = 9 };

struct told {
    uint64_t done[2 * STEPS];
    size_t n;
};

static int note(void *context, uint64_t done, uint64_t total, const char *text)
{
    struct told *told = context;
    CHECK(total == 2 * N && !text && told->n < 2 * STEPS);
    told->done[told->n++] = done;
    return 0;
}

int main(void)
{
    static const uint64_t expected[STEPS] = { 128, 256, 300, 428, 556, 600, 856, 1112, 1200 };
    struct kl_error err = { 0 };
    struct kl_features f;
    struct kl_head_options options;
    struct told told = { .n = 0 };
    const struct kl_watch watch = { note, &told };
    struct kl_meter meter = { .watch = &watch };
    struct kl_head head = { .meter = &meter };
    make_features(&f, N);
    kl_head_options_default(&options);
    CHECK(kl_head_model_make(&head.model, &options, D, CLASSES, &err) == 0, "%s", err.text);
    const size_t bytes = (head.model.block.size * sizeof *head.params + 63) / 64 * 64;
    head.params = memset(aligned_alloc(64, bytes), 0, bytes);
    float *logits = malloc(sizeof(float[N * CLASSES]));
    kl_meter_begin(&meter, 2 * N);
    kl_meter_runs(&meter, 2); /* the first head; the second runs once */
    for (int run = 0; run < 3; run++) {
        CHECK(kl_head_logits(logits, NULL, &head, f.x, N, NULL, NULL, &err) == 0, "%s", err.text);
        if (run > 0) kl_meter_head(&meter, N);
    }
    CHECK(told.n == STEPS, "%zu", told.n);
    for (size_t i = 0; i < told.n && i < STEPS; i++)
        CHECK(told.done[i] == expected[i], "%zu: %llu", i, (unsigned long long)told.done[i]);
    kl_head_model_free(&head.model);
    free(head.params);
    free(logits);
    free(f.x);
    free(f.labels);
    return failures ? 1 : 0;
}
