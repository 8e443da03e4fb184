/* SPDX-License-Identifier: MIT
   What a watch is told of an evaluation: each block of samples, as a share of all heads. */
#include "head/evaluate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"

enum { N = 600, STEPS = 9, THREADS = 4, MANY = 40000 };

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

/* Of several threads the one that asked tells, so that steps never go back. */
struct rise {
    pthread_t caller;
    uint64_t last;
};

static int rise(void *context, uint64_t done, uint64_t total, const char *text)
{
    struct rise *r = context;
    CHECK(total == MANY && !text && done >= r->last && pthread_equal(r->caller, pthread_self()));
    r->last = done;
    return 0;
}

static void check_threads(struct kl_head *head)
{
    struct kl_error err = { 0 };
    struct kl_features f;
    struct kl_pool *pool;
    struct rise r = { .caller = pthread_self() };
    const struct kl_watch watch = { rise, &r };
    struct kl_judge_progress meter = { .watch = &watch };
    make_features(&f, MANY);
    float *logits = malloc(sizeof(float[MANY]) * CLASSES);
    CHECK(kl_pool_create(&pool, THREADS, &err) == 0, "%s", err.text);
    head->meter = &meter;
    kl_head_judge_progress_begin(&meter, MANY);
    CHECK(kl_head_logits(logits, NULL, head, f.x, MANY, NULL, pool, &err) == 0, "%s", err.text);
    CHECK(r.last == MANY);
    kl_pool_destroy(&pool);
    free(logits);
    free(f.x);
    free(f.labels);
}

int main(void)
{
    static const uint64_t expected[STEPS] = { 128, 256, 300, 428, 556, 600, 856, 1112, 1200 };
    struct kl_error err = { 0 };
    struct kl_features f;
    struct kl_head_options options;
    struct told told = { .n = 0 };
    const struct kl_watch watch = { note, &told };
    struct kl_judge_progress meter = { .watch = &watch };
    struct kl_head head = { .meter = &meter };
    make_features(&f, N);
    kl_head_options_default(&options);
    CHECK(kl_head_model_make(&head.model, &options, D, CLASSES, &err) == 0, "%s", err.text);
    const size_t bytes = (head.model.block.size * sizeof *head.params + 63) / 64 * 64;
    head.params = memset(aligned_alloc(64, bytes), 0, bytes);
    float *logits = malloc(sizeof(float[N * CLASSES]));
    kl_head_judge_progress_begin(&meter, 2 * N);
    kl_head_judge_progress_runs(&meter, 2); /* the first head; the second runs once */
    for (int run = 0; run < 3; run++) {
        CHECK(kl_head_logits(logits, NULL, &head, f.x, N, NULL, NULL, &err) == 0, "%s", err.text);
        if (run > 0) kl_head_judge_progress_head(&meter, N);
    }
    CHECK(told.n == STEPS, "%zu", told.n);
    for (size_t i = 0; i < told.n && i < STEPS; i++)
        CHECK(told.done[i] == expected[i], "%zu: %llu", i, (unsigned long long)told.done[i]);
    check_threads(&head);
    kl_head_model_free(&head.model);
    free(head.params);
    free(logits);
    free(f.x);
    free(f.labels);
    return failures ? 1 : 0;
}
