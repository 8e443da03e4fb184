/* SPDX-License-Identifier: MIT
   A pool of threads that share one loop at a time. Who waits spins for a while before it sleeps, since
   the loops of a training step follow each other closely and being woken takes up to 80 us. A loop ends
   when its last item is done: a worker that comes late, since its processor is busy elsewhere, is not
   waited for. */
#include "base/base_int.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SPINS = 32 }; /* between two looks at the clock */
#define SPIN_SECONDS 1e-4

struct kl_pool {
    int n_threads;
    pthread_t *threads; /* n_threads - 1: the caller is thread 0 */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    /* Of the current loop; read only by who has taken one of its items, without which it cannot end. */
    void (*fn)(void *context, size_t i, int thread);
    void *context;
    size_t count;
    /* The loop's number in the upper half, how many of its items are left to take in the lower: taking
       one is a single compare and exchange, which fails for whoever still thinks of an earlier loop. */
    _Atomic uint64_t tickets;
    atomic_size_t unfinished;
    atomic_bool stop;
};

struct worker {
    struct kl_pool *pool;
    int thread;
};

int kl_threads_available(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    int limit = kl_cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    if (limit && limit < n) n = limit;
    return n < 1 ? 1 : n;
}

/* Items of any loop there is, until none is left. */
static void share_loop(struct kl_pool *pool, int thread)
{
    uint64_t seen = atomic_load(&pool->tickets);
    while ((uint32_t)seen > 0) {
        if (!atomic_compare_exchange_weak(&pool->tickets, &seen, seen - 1)) continue;
        pool->fn(pool->context, pool->count - (uint32_t)seen, thread);
        if (atomic_fetch_sub(&pool->unfinished, 1) == 1) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->lock);
        }
        seen = atomic_load(&pool->tickets);
    }
}

static bool idle(struct kl_pool *pool)
{
    return (uint32_t)atomic_load(&pool->tickets) == 0 && !atomic_load(&pool->stop);
}

static bool unfinished(struct kl_pool *pool)
{
    return atomic_load(&pool->unfinished) > 0;
}

/* A word to the processor that this is a loop that waits. */
static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void spin_while(bool (*waiting)(struct kl_pool *), struct kl_pool *pool)
{
    const double end = kl_clock() + SPIN_SECONDS;
    while (waiting(pool) && kl_clock() < end)
        for (int i = 0; i < SPINS && waiting(pool); i++) relax();
}

static void *work(void *argument)
{
    struct worker worker = *(struct worker *)argument;
    struct kl_pool *pool = worker.pool;
    free(argument);
    while (!atomic_load(&pool->stop)) {
        share_loop(pool, worker.thread);
        spin_while(idle, pool);
        if (!idle(pool)) continue;
        pthread_mutex_lock(&pool->lock);
        while (idle(pool)) pthread_cond_wait(&pool->wake, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
    return NULL;
}

static int start_workers(struct kl_pool *pool)
{
    for (int i = 1; i < pool->n_threads; i++) {
        struct worker *worker = malloc(sizeof *worker);
        if (!worker) return i;
        *worker = (struct worker){ pool, i };
        if (pthread_create(&pool->threads[i - 1], NULL, work, worker) == 0) continue;
        free(worker);
        return i;
    }
    return pool->n_threads;
}

int kl_pool_create(struct kl_pool **out, int n_threads, struct kl_error *err)
{
    if (n_threads <= 0) n_threads = kl_threads_available();
    struct kl_pool *pool = calloc(1, sizeof *pool);
    *out = NULL;
    if (!pool) return kl_fail_memory(err, sizeof *pool);
    pool->threads = calloc((size_t)n_threads, sizeof *pool->threads);
    if (!pool->threads) {
        free(pool);
        return kl_fail_memory(err, (size_t)n_threads * sizeof(pthread_t));
    }
    pool->n_threads = n_threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    int started = start_workers(pool);
    bool complete = started == n_threads;
    pool->n_threads = started;
    *out = pool;
    if (complete) return KL_OK;
    kl_pool_destroy(out);
    return kl_fail(err, KL_ENOMEM, "%d threads cannot be started; ask for fewer with --threads",
                   n_threads);
}

int kl_pool_size(const struct kl_pool *pool)
{
    return pool ? pool->n_threads : 1;
}

void kl_pool_for(struct kl_pool *pool, size_t count, void (*fn)(void *, size_t, int), void *context)
{
    if (!pool || pool->n_threads == 1 || count <= 1) {
        for (size_t i = 0; i < count; i++) fn(context, i, 0);
        return;
    }
    assert(count <= UINT32_MAX);
    pool->fn = fn;
    pool->context = context;
    pool->count = count;
    atomic_store(&pool->unfinished, count);
    uint64_t number = (atomic_load(&pool->tickets) >> 32) + 1;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->tickets, number << 32 | count);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    share_loop(pool, 0);
    spin_while(unfinished, pool);
    pthread_mutex_lock(&pool->lock);
    while (unfinished(pool)) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void kl_pool_destroy(struct kl_pool **out)
{
    struct kl_pool *pool = *out;
    *out = NULL;
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i < pool->n_threads; i++) pthread_join(pool->threads[i - 1], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}
