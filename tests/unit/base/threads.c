/* SPDX-License-Identifier: MIT
   The pool: every item once, also when loops are tiny and follow each other closely, when items differ
   in length and when there are more threads than processors; limits of cgroups of both versions. */
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/base_int.h"
#include "base_test.h"

enum { ITEMS = 5000, THREADS = 7 };

struct job {
    atomic_int times[ITEMS], busy[THREADS];
    atomic_int wrong;
    size_t count;
    bool uneven;
};

static void visit(void *context, size_t i, int thread)
{
    struct job *job = context;
    if (i >= job->count || thread < 0 || thread >= THREADS) {
        atomic_fetch_add(&job->wrong, 1);
        return;
    }
    if (atomic_fetch_add(&job->busy[thread], 1) != 0)
        atomic_fetch_add(&job->wrong, 1); /* its number is its own */
    if (job->uneven && i % 13 == 0) sched_yield();
    atomic_fetch_add(&job->times[i], 1);
    atomic_fetch_sub(&job->busy[thread], 1);
}

static void run_loops(struct kl_pool *pool, const char *what)
{
    static struct job job;
    for (int round = 0; round < 3000; round++) {
        size_t count = round % 100 == 99 ? ITEMS : (size_t)round % 10;
        memset(&job, 0, sizeof job);
        job.count = count;
        job.uneven = round % 3 == 0;
        if (round % 500 == 0) usleep(3000); /* long enough for the workers to fall asleep */
        kl_pool_for(pool, count, visit, &job);
        size_t once = 0;
        for (size_t i = 0; i < count; i++) once += atomic_load(&job.times[i]) == 1;
        CHECK(once == count && !atomic_load(&job.wrong),
              "%s, loop %d: %zu of %zu items done once, %d wrong", what, round, once, count,
              atomic_load(&job.wrong));
        if (failures) return;
    }
}

struct order {
    size_t next;
    bool broken;
};

static void in_order(void *context, size_t i, int thread)
{
    struct order *order = context;
    order->broken |= i != order->next++ || thread != 0;
}

static void pools(void)
{
    struct kl_error err = { 0 };
    struct kl_pool *pool = NULL;
    for (int n = 1; n <= THREADS; n += 2) {
        char what[32];
        snprintf(what, sizeof what, "%d threads", n);
        CHECK(kl_pool_create(&pool, n, &err) == 0 && kl_pool_size(pool) == n, "%s: %s", what, err.text);
        run_loops(pool, what);
        kl_pool_destroy(&pool);
        CHECK(!pool, "the caller's pointer is cleared");
    }
    struct order order = { 0 };
    kl_pool_for(NULL, 100, in_order, &order);
    CHECK(order.next == 100 && !order.broken, "no pool: in order in the calling thread, reached %zu",
          order.next);
    CHECK(kl_pool_size(NULL) == 1, "no pool is one thread");
    kl_pool_destroy(&pool);
    CHECK(kl_pool_create(&pool, 0, &err) == 0 && kl_pool_size(pool) == kl_threads_available(),
          "0 is the machine's");
    kl_pool_destroy(&pool);
    for (int i = 0; i < 200; i++) { /* destroyed before the workers have begun */
        CHECK(kl_pool_create(&pool, 4, &err) == 0, "%s", err.text);
        kl_pool_destroy(&pool);
    }
}

static void affinity(void)
{
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0, "affinity");
    int n = kl_threads_available(), first = 0;
    CHECK(n >= 1 && n <= CPU_COUNT(&all), "found %d of %d processors", n, CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0, "affinity to one");
    CHECK(kl_threads_available() == 1, "found %d, expected the one processor left",
          kl_threads_available());
    sched_setaffinity(0, sizeof all, &all);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(1);
}

static void cgroups(void)
{
    char root[1024], inner[1100], leaf[1200], line[1300];
    if (mkdir(in_folder(root, "cgroup"), 0700)) exit(1);
    snprintf(inner, sizeof inner, "%s/batch", root);
    snprintf(leaf, sizeof leaf, "%s/job 1", inner);
    if (mkdir(inner, 0700) || mkdir(leaf, 0700)) exit(1);
    write_text(root, "self", "4:cpu:/x\n0::/batch/job 1\n");
    snprintf(line, sizeof line, "%s/self", root);
    CHECK(kl_cgroup_limit(line, root) == 0, "no file, no limit");
    write_text(leaf, "cpu.max", "max 100000\n");
    CHECK(kl_cgroup_limit(line, root) == 0, "max is no limit: %d", kl_cgroup_limit(line, root));
    write_text(inner, "cpu.max", "350000 100000\n");
    CHECK(kl_cgroup_limit(line, root) == 3, "of the group around: %d", kl_cgroup_limit(line, root));
    write_text(leaf, "cpu.max", "50000 100000\n");
    CHECK(kl_cgroup_limit(line, root) == 1, "half a processor is one thread: %d",
          kl_cgroup_limit(line, root));
    write_text(leaf, "cpu.max", "nonsense\n");
    CHECK(kl_cgroup_limit(line, root) == 3, "an unreadable limit is none: %d",
          kl_cgroup_limit(line, root));
    write_text(root, "cpu.max", "200000 100000\n");
    CHECK(kl_cgroup_limit("/nonexistent", root) == 2, "without a group the root's own");
    snprintf(line, sizeof line, "%s/self", root);
    CHECK(kl_cgroup_memory(line, root) == 0, "no file, no limit of memory");
    write_text(leaf, "memory.max", "max\n");
    CHECK(kl_cgroup_memory(line, root) == 0, "max is no limit of memory");
    write_text(inner, "memory.max", "2147483648\n");
    CHECK(kl_cgroup_memory(line, root) == 2147483648u, "of the group around");
}

/* Version 1, as a container sees it: the groups of the host by name, its own at the root of each tree.
 */
static void old_cgroups(void)
{
    static const char *const trees[] = { "cpu", "cpuset", "memory", "memory/docker" };
    char root[1024], tree[4][1100], self[1100];
    if (mkdir(in_folder(root, "old-cgroup"), 0700)) exit(1);
    for (int i = 0; i < 4; i++) {
        snprintf(tree[i], sizeof tree[i], "%s/%s", root, trees[i]);
        if (mkdir(tree[i], 0700)) exit(1);
    }
    snprintf(self, sizeof self, "%s/self", root);
    write_text(root, "self",
               "9:cpuset:/\n4:cpuacct,cpu:/docker/12ab\n3:memory:/docker\n0::/docker/12ab\n");
    write_text(tree[0], "cpu.cfs_period_us", "100000\n");
    write_text(tree[1], "cpu.cfs_quota_us", "100000\n");
    write_text(tree[0], "cpu.cfs_quota_us", "-1\n");
    CHECK(kl_cgroup_limit(self, root) == 0, "-1 is no limit: %d", kl_cgroup_limit(self, root));
    write_text(tree[0], "cpu.cfs_quota_us", "300000\n");
    CHECK(kl_cgroup_limit(self, root) == 3, "of the root: %d", kl_cgroup_limit(self, root));
    write_text(root, "cpu.max", "200000 100000\n");
    CHECK(kl_cgroup_limit(self, root) == 2, "the lesser of both versions: %d",
          kl_cgroup_limit(self, root));
    write_text(tree[2], "memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(kl_cgroup_memory(self, root) == 0, "more than any machine has is no limit");
    write_text(tree[2], "memory.limit_in_bytes", "1073741824\n");
    CHECK(kl_cgroup_memory(self, root) == 1073741824, "of memory, at the root");
    write_text(tree[3], "memory.limit_in_bytes", "536870912\n");
    CHECK(kl_cgroup_memory(self, root) == 536870912, "of memory, by the group's name");
}

int main(void)
{
    make_test_folder();
    pools();
    affinity();
    cgroups();
    old_cgroups();
    return failures != 0;
}
