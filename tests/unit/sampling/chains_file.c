/* SPDX-License-Identifier: MIT
   Files of chains, read: what they hold, what is refused. With a path, and perhaps `bare`: writes the
   example there. */
#include "chains_example.h"

#include "sampling/diagnose/verdict.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static void check_read(const char *path)
{
    static double x[EXAMPLE_CHAINS * EXAMPLE_DRAWS];
    struct kl_sampling_chains c;
    struct kl_error err = { 0 };
    float *all = NULL;
    int code = kl_sampling_chains_open(&c, path, &err);
    CHECK(code == 0, "%s", err.text);
    if (code) return;
    CHECK(c.chains == 4 && c.most_draws == 500 && c.n_betas == 4 && c.beta[2] == 100 &&
              c.draws[3] == 300,
          "ladder");
    CHECK(kl_sampling_chains_load(&all, &c, "posterior/train_loss", &err) == 0 && all, "%s", err.text);
    CHECK(kl_sampling_chains_trace(x, all, &c, 3) == 300, "draws");
    CHECK(x[300] == all[500 * 4 + 3] && x[1199] == all[(3 * 500 + 299) * 4 + 3], "chain after chain");
    free(all);
    CHECK(kl_sampling_chains_load(&all, &c, "sample_stats/test_loss", &err) == 0 && all, "%s", err.text);
    CHECK(kl_sampling_chains_trace(x, all, &c, 3) == 30, "draws with a test");
    CHECK(x[0] == all[9 * 4 + 3] && x[30] == all[(500 + 9) * 4 + 3] &&
              x[119] == all[(1500 + 299) * 4 + 3],
          "tests");
    free(all);
    CHECK(kl_sampling_chains_load(&all, &c, "posterior/absent", &err) == 0 && !all, "absent");
    CHECK(kl_sampling_chains_load(&all, &c, "sample_stats/step", &err) == KL_EDATA && !all,
          "of another form");
    kl_sampling_chains_close(&c);
}

/* The verdicts do not depend on threads. */
static void check_threads(const char *path)
{
    struct kl_sampling_verdict *v[2] = { NULL, NULL };
    struct kl_sampling_chains c;
    struct kl_error err = { 0 };
    struct kl_pool *pool = NULL;
    int code = kl_sampling_chains_open(&c, path, &err);
    if (!code) code = kl_pool_create(&pool, 3, &err);
    if (!code) code = kl_sampling_verdicts(&v[0], &c, "posterior/train_loss", NULL, &err);
    if (!code) code = kl_sampling_verdicts(&v[1], &c, "posterior/train_loss", pool, &err);
    CHECK(code == 0, "%s", err.text);
    if (!code) CHECK(memcmp(v[0], v[1], 4 * sizeof **v) == 0, "threads show");
    CHECK(code ||
              (v[0][0].rhat < 1.01 && v[0][2].rhat > 1.5 && v[0][1].bulk < 400 && v[0][3].draws == 300),
          "verdicts");
    free(v[0]);
    CHECK(kl_sampling_verdicts(&v[0], &c, "posterior/absent", NULL, &err) == KL_EDATA, "%s", err.text);
    free(v[1]);
    kl_pool_destroy(&pool);
    kl_sampling_chains_close(&c);
}

/* A file with another ladder. */
static int write_ladder(const char *path, double beta, int64_t draws, size_t betas)
{
    static const float zero[2 * 5];
    const size_t dims[3] = { 1, 5, 2 };
    const double ladder[2] = { 0, beta };
    const int64_t number[2] = { 5, draws };
    struct kl_writer *w = NULL;
    int code = open_any_file(&w, path, "chains", NULL);
    if (!code) code = kl_store_writer_put(w, "ladder/beta", KL_TYPE_F64, 0, 1, &betas, ladder, NULL);
    if (!code) code = kl_store_writer_put(w, "ladder/draws", KL_TYPE_I64, 0, 1, &betas, number, NULL);
    if (!code)
        code = kl_store_writer_put(w, "posterior/train_loss", KL_TYPE_F32, 0, 3, dims, zero, NULL);
    if (!code) code = kl_store_writer_publish(&w, NULL, NULL);
    kl_store_writer_abort(&w);
    return code;
}

static void check_refused(void)
{
    static const struct {
        double beta;
        int64_t draws;
        size_t betas;
        const char *word;
    } wrong[] = { { NAN, 5, 2, "no inverse temperature" },
                  { -1, 5, 2, "no inverse temperature" },
                  { 1, 6, 2, "ladder/draws: 6" },
                  { 1, -1, 2, "ladder/draws: -1" },
                  { 1, 5, 1, "as many as ladder/beta has, 1" } };
    char path[1024];
    struct kl_sampling_chains c;
    struct kl_error err = { 0 };
    in_folder(path, "wrong.h5");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(write_ladder(path, wrong[i].beta, wrong[i].draws, wrong[i].betas) == 0, "writing %zu", i);
        CHECK(kl_sampling_chains_open(&c, path, &err) == KL_EDATA && strstr(err.text, wrong[i].word),
              "%zu: %s", i, err.text);
        kl_sampling_chains_close(&c);
    }
    CHECK(write_ladder(path, 1, 5, 2) == 0 && kl_sampling_chains_open(&c, path, &err) == 0, "%s",
          err.text);
    kl_sampling_chains_close(&c);
    CHECK(kl_sampling_chains_open(&c, "/nonexistent.h5", &err) == KL_ENOINPUT, "%s", err.text);
    kl_sampling_chains_close(&c);
}

int main(int argc, char **argv)
{
    struct kl_error err = { 0 };
    char path[1024];
    if (argc > 1) {
        const int code = write_example(argv[1], argc == 2, &err);
        if (code) fprintf(stderr, "%s\n", err.text);
        return code != 0;
    }
    make_test_folder();
    const int code = write_example(in_folder(path, "chains.h5"), true, &err);
    CHECK(code == 0, "%s", err.text);
    if (code) return 1;
    check_read(path);
    check_threads(path);
    check_refused();
    return failures != 0;
}
