/* SPDX-License-Identifier: MIT
   Langevin sampling as the reference's classic code does it, SYNTH, against a re-run of that code
   (synth_classic.csv): four losses at each temperature by two-sample Kolmogorov-Smirnov tests whose p
   comes of permutations, corrected as Holm 1979. Without an argument: temperatures 0, 1 and 10
   whole, 30 with ten repetitions. With CHAINS.h5, of `sgld sample -p classic --data synth`: all there
   are. */
#include <math.h>

#include "golden.h"
#include "kernels/inline/philox.h"
#include "sampling/chain/sample.h"

enum { MOST = 512, COLUMNS = 4, PERMUTATIONS = 20000 };
static const char *const names[COLUMNS] = { "train loss", "test loss", "train 0-1", "test 0-1" };
/* A repetition at a temperature; losses on the unit interval. */
struct line {
    double beta, value[COLUMNS];
};
static struct line ours[MOST], theirs[MOST];
static size_t n_ours, n_theirs;

static void need(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* To the digits that their file has: a share of records that is equal in both is then a tie. */
static double digits(double x, double unit)
{
    return nearbyint(x / unit) * unit;
}

static bool read_theirs(const char *path)
{
    char text[256];
    FILE *from = fopen(path, "r");
    if (!from) return false;
    golden_need(fgets(text, sizeof text, from) != NULL, path);
    while (n_theirs < MOST && fgets(text, sizeof text, from)) {
        struct line *l = &theirs[n_theirs++];
        golden_need(sscanf(text, "%lf,%*d,%lf,%lf,%lf,%lf", &l->beta, &l->value[0], &l->value[1],
                           &l->value[2], &l->value[3]) == 5,
                    path);
        for (int k = 2; k < COLUMNS; k++) l->value[k] = digits(l->value[k], 1e-4);
    }
    fclose(from);
    return true;
}

static void add(double beta, double low, double high, double train, double test, double train01,
                double test01)
{
    golden_need(n_ours < MOST, "so many repetitions");
    ours[n_ours++] = (struct line){ beta,
                                    { (train - low) / (high - low), (test - low) / (high - low),
                                      digits(train01, 1e-4), digits(test01, 1e-4) } };
}

/* The profile's own run of some of its temperatures. */
static void sample(const char *betas, int64_t chains)
{
    static struct kl_sampling_values v;
    static struct kl_sampling_rung rungs[KL_SAMPLING_BETAS];
    struct kl_sampling_settings s;
    struct kl_sampling_problem problem;
    struct kl_sampling_run *run = NULL;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    kl_sampling_values_default(&v);
    v.profile = "classic", v.betas = betas, v.chains = chains;
    need(kl_sampling_values_complete(&v, &err), &err);
    need(kl_sampling_values_settings(&s, rungs, &v, &err), &err);
    need(kl_pool_create(&pool, 0, &err), &err);
    need(
        kl_sampling_problem_open(&problem, &v, NULL, 0, (struct kl_file *[2]){ NULL }, pool, NULL, &err),
        &err);
    need(kl_sampling_run_open(&run, &s, problem.targets, problem.n, kl_pool_size(pool), &err), &err);
    need(kl_sampling_run_go(run, pool, NULL, &err), &err);
    for (size_t k = 0; k < s.n_rungs; k++)
        for (int64_t c = 0; c < chains; c++) {
            struct kl_sampling_trace t;
            kl_sampling_run_trace(&t, run, k, c);
            golden_need(t.draws == 1, "one draw, of the last epoch");
            if (t.beta == 0 && strcmp(betas, "0,1") != 0)
                continue; /* that was added: it is sampled elsewhere */
            add(t.beta, problem.targets->loss_low, problem.targets->loss_high, t.train_loss[0],
                t.test_loss[0], t.train01[0], t.test01[0]);
        }
    kl_sampling_run_close(&run);
    kl_sampling_problem_close(&problem);
    kl_pool_destroy(&pool);
}

static void read_ours(const char *path)
{
    static double beta[KL_SAMPLING_BETAS], all[COLUMNS][MOST];
    static const char *const sets[COLUMNS] = { "posterior/train_loss", "sample_stats/test_loss",
                                               "posterior/train01", "sample_stats/test01" };
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    const hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    const size_t rungs = golden_values(beta, KL_SAMPLING_BETAS, file, "ladder/beta");
    size_t n = 0;
    for (int k = 0; k < COLUMNS; k++) n = golden_values(all[k], MOST, file, sets[k]);
    for (size_t i = 0; i < n; i++)
        add(beta[i % rungs], golden_number(root, "loss_low"), golden_number(root, "loss_high"),
            all[0][i], all[1][i], all[2][i], all[3][i]);
    H5Gclose(root), H5Fclose(file);
}

/* Largest distance of the two distribution functions; first: which of the pooled n values are of the
 * first sample. */
static double distance(const double *sorted, const bool *first, size_t n, size_t n_first)
{
    double most = 0, d = 0;
    for (size_t i = 0; i < n; i++) {
        d += first[i] ? 1 / (double)n_first : -1 / (double)(n - n_first);
        if (i + 1 == n || sorted[i + 1] != sorted[i]) most = fmax(most, fabs(d));
    }
    return most;
}

static double two_samples(const double *a, size_t n_a, const double *b, size_t n_b, uint32_t which)
{
    double value[2 * MOST];
    bool first[2 * MOST];
    const size_t n = n_a + n_b;
    for (size_t i = 0; i < n; i++) {
        const double x = i < n_a ? a[i] : b[i - n_a];
        size_t at = i;
        for (; at > 0 && value[at - 1] > x; at--) value[at] = value[at - 1], first[at] = first[at - 1];
        value[at] = x, first[at] = i < n_a;
    }
    const double found = distance(value, first, n, n_a);
    int as_far = 1;
    for (uint32_t p = 0; p < PERMUTATIONS; p++) {
        for (size_t i = n; i-- > 1;) {
            uint32_t word[4];
            kl_philox(word, 1, (uint32_t)i, 1000, p, which);
            const size_t j = (uint64_t)word[0] * (i + 1) >> 32;
            const bool other = first[j];
            first[j] = first[i], first[i] = other;
        }
        as_far += distance(value, first, n, n_a) >= found - 1e-12;
    }
    return as_far / (double)(PERMUTATIONS + 1);
}

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static size_t pick(double *x, const struct line *lines, size_t n, double beta, int column)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].beta == beta) x[count++] = lines[i].value[column];
    return count;
}

int main(int argc, char **argv)
{
    static double p[MOST];
    char path[4096];
    const char *shared = getenv("KETLINE_SHARED");
    snprintf(path, sizeof path, "%s/reference/sgld/synth_classic.csv", shared ? shared : "../shared");
    if (!read_theirs(path)) {
        printf("skipped: %s is absent\n", path);
        return 77;
    }
    if (argc > 1) read_ours(argv[1]);
    else sample("0,1", 30), sample("10", 30), sample("30", 10);
    size_t tests = 0;
    for (size_t i = 0; i < n_theirs; i++) {
        if (i && theirs[i].beta == theirs[i - 1].beta) continue;
        for (int k = 0; k < COLUMNS; k++) {
            double a[MOST], b[MOST];
            const size_t n_a = pick(a, ours, n_ours, theirs[i].beta, k),
                         n_b = pick(b, theirs, n_theirs, theirs[i].beta, k);
            if (!n_a) continue;
            p[tests] = two_samples(a, n_a, b, n_b, (uint32_t)tests);
            printf("beta %g, %s: %.4f (%zu), the reference's %.4f (%zu), p %.4f\n", theirs[i].beta,
                   names[k], mean(a, n_a), n_a, mean(b, n_b), n_b, p[tests]);
            tests++;
        }
    }
    double least = 1;
    for (size_t i = 0; i < tests; i++) least = fmin(least, p[i]);
    /* Holm's first step decides whether any is rejected. */
    printf("%zu tests, the least p %.4f, times their number %.3f\n", tests, least,
           fmin(1, least * (double)tests));
    return !(tests && least * (double)tests > 0.01);
}
