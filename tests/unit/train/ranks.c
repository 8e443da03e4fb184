/* SPDX-License-Identifier: MIT
   Ranks: processes of this one, which meet by their files and add, gather and agree. The sums are held
   against the tree of the same leaves in one process; the numbers are such that another order gives
   other bits. */
#include "train/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

enum { N = 70001, MOST = 8 };
static char output[1024];
static const char key[65] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static float leaf(size_t rank, size_t i)
{
    return (float)sin((double)(rank * N + i)) * (rank & 1 ? 1e4f : 1e-3f);
}

static float tree(size_t from, size_t n, size_t i)
{
    return n == 1 ? leaf(from, i) : tree(from, n / 2, i) + tree(from + n / 2, n / 2, i);
}

/* The errors that one rank finds, as bits. */
static int one_rank(size_t index, size_t count)
{
    static float values[N];
    const struct kl_shard place = { .index = index, .count = count };
    struct kl_ranks *r = NULL;
    struct kl_error err;
    double sums[2] = { 1, (double)index };
    int64_t items[13] = { 0 }, steps = 100 + (int64_t)index;
    int stop = index == count - 1 ? 15 : 0;
    size_t from, to;
    int wrong = 0;
    for (size_t i = 0; i < N; i++) values[i] = leaf(index, i);
    if (kl_train_ranks_open(&r, &place, output, key, 20, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    if (kl_train_ranks_add(r, values, N, false, sums, 2, &err)) wrong |= 2;
    for (size_t i = 0; i < N; i++) {
        const float expected = tree(0, count, i);
        if (memcmp(&values[i], &expected, sizeof expected) != 0) wrong |= 4;
    }
    if (sums[0] != (double)count || sums[1] != (double)(count * (count - 1) / 2)) wrong |= 8;
    kl_train_ranks_share(r, 13, &from, &to);
    for (size_t i = from; i < to; i++) items[i] = (int64_t)(i * i) + 1;
    if (kl_train_ranks_gather(r, items, 13, sizeof *items, &err)) wrong |= 16;
    for (size_t i = 0; i < 13; i++)
        if (items[i] != (int64_t)(i * i) + 1) wrong |= 32;
    if (kl_train_ranks_agree(r, &steps, &stop, &err) || steps != 100 || stop != 15) wrong |= 64;
    kl_train_ranks_close(&r);
    return wrong;
}

/* Exit statuses of ranks run at once, in or. */
static int together(size_t count, int (*rank)(size_t index, size_t count))
{
    pid_t child[MOST];
    int all = 0, status;
    for (size_t i = 0; i < count; i++)
        if (!(child[i] = fork())) _exit(rank(i, count));
    for (size_t i = 0; i < count; i++)
        all |=
            waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return all;
}

/* One that has another key: both are told. */
static int other_key(size_t index, size_t count)
{
    const struct kl_shard place = { .index = index, .count = count };
    char mine[65];
    struct kl_ranks *r = NULL;
    struct kl_error err;
    memcpy(mine, key, sizeof mine);
    if (index) mine[5] = 'x';
    const int code = kl_train_ranks_open(&r, &place, output, mine, 20, &err);
    const bool told = code == KL_EUSAGE && strstr(err.text, "trains something else");
    kl_train_ranks_close(&r);
    return !told;
}

/* Rank 1 leaves after they have met: rank 0 says so, and does not hang. */
static int leaves(size_t index, size_t count)
{
    const struct kl_shard place = { .index = index, .count = count };
    struct kl_ranks *r = NULL;
    struct kl_error err;
    float value = 1;
    int wrong = kl_train_ranks_open(&r, &place, output, key, 20, &err) != 0;
    if (!wrong && !index)
        wrong = kl_train_ranks_add(r, &value, 1, false, NULL, 0, &err) != KL_EIO ||
                !strstr(err.text, "rank 1 is gone");
    kl_train_ranks_close(&r);
    return wrong;
}

static int alone(size_t index, size_t count)
{
    const struct kl_shard place = { .index = index, .count = count + 1 };
    struct kl_ranks *r = NULL;
    struct kl_error err;
    const int code = kl_train_ranks_open(&r, &place, output, key, 0.3, &err);
    kl_train_ranks_close(&r);
    return code != KL_EDEVICE || !strstr(err.text, "rank 1 of 2 has not come");
}

static void check_numbers(void)
{
    struct kl_error err;
    for (size_t n = 0; n <= 9; n++) {
        const bool good = n <= 1 || n == 2 || n == 4 || n == 8;
        const struct kl_shard place = { .count = n };
        CHECK((kl_train_ranks_check(&place, 8, &err) == KL_OK) == good, "%zu ranks of 8 parts", n);
        CHECK((kl_train_ranks_check(&place, 4, &err) == KL_OK) == (good && n < 8),
              "%zu ranks of 4 parts", n);
    }
}

int main(void)
{
    char stale[1024];
    make_test_folder();
    in_folder(output, "out.h5");
    /* A file of a rank that was killed: nobody listens there, and its number is another one. */
    in_folder(stale, ".out.h5.rank0");
    FILE *f = fopen(stale, "w");
    if (f) {
        fprintf(f, "ketline rank 1\n00000000000000000000000000000000\n9\nnowhere\n127.0.0.1\nend\n");
        fclose(f);
    }
    for (size_t count = 1; count <= MOST; count *= 2)
        CHECK(together(count, one_rank) == 0, "%zu ranks add, gather and agree", count);
    CHECK(access(stale, F_OK) != 0, "the ranks' files are taken away");
    CHECK(together(2, other_key) == 0, "another key is refused by both");
    CHECK(together(2, leaves) == 0, "a rank that leaves is missed");
    CHECK(together(1, alone) == 0, "a rank that does not come is missed");
    check_numbers();
    return failures != 0;
}
