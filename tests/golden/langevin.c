/* SPDX-License-Identifier: MIT
   The normals of kernels/langevin.h against golden values: the group `philox` of the reference's (words,
   uniforms, normals by blocks) and the quantiles of the group `normal` of its peers'. */
#include <math.h>
#include <unistd.h>

#include "golden.h"
#include "kernels/langevin.h"
#include "kernels/inline/philox.h"

enum { BLOCKS = 64, QUANTILES = 512, DRAWS = 1 << 22 };

static int differs(const char *what, const char *isa, size_t i, double found, double want, double error)
{
    if (fabs(found - want) <= error) return 0;
    printf("%s %s [%zu]: found %.17g, expected %.17g\n", isa, what, i, found, want);
    return 1;
}

/* The four normals of a block: cosine and sine of words 0 and 1, of words 2 and 3. */
static void places(size_t element[4], uint32_t block)
{
    const size_t group = (size_t)block / 8 * 32, within = block % 8 * 2;
    for (size_t i = 0; i < 4; i++) element[i] = group + within + i / 2 + 16 * (i % 2);
}

static int block_check(enum kl_isa k, const double *counter, uint64_t key, const double *output,
                       const double *uniform, const double *normal)
{
    int bad = 0;
    uint32_t words[4];
    size_t element[4];
    const uint32_t block = (uint32_t)counter[0];
    const struct kl_langevin_stream stream = { key, (uint32_t)counter[1], (uint32_t)counter[2],
                                               (uint32_t)counter[3] };
    kl_philox(words, key, block, stream.purpose, stream.step, stream.replica);
    places(element, block);
    for (size_t i = 0; i < 4; i++) {
        float single;
        double found;
        kl_isa_langevin_normals_f32(k)(&single, element[i], 1, &stream),
            kl_isa_langevin_normals_f64(k)(&found, element[i], 1, &stream);
        const double radius = hypot(normal[i / 2 * 2], normal[i / 2 * 2 + 1]);
        bad += differs("word", kl_isa_name(k), i, words[i], output[i], 0);
        bad += differs("uniform", kl_isa_name(k), i, kl_philox_unit(words[i]), uniform[i], 0);
        bad += differs("normal, float", kl_isa_name(k), i, (double)single, normal[i], 4e-7 * radius);
        bad += differs("normal", kl_isa_name(k), i, found, normal[i], 2e-15 * radius);
    }
    return bad;
}

static int philox_check(enum kl_isa k, hid_t file)
{
    static double counter[4 * BLOCKS], key[2], output[4 * BLOCKS], uniform[4 * BLOCKS],
        normal[4 * BLOCKS];
    int bad = 0;
    const hid_t group = H5Gopen2(file, "philox", H5P_DEFAULT);
    golden_need(group >= 0, "philox");
    const size_t n = golden_values(counter, 4 * BLOCKS, group, "counter") / 4;
    golden_values(key, 2, group, "key"), golden_values(output, 4 * BLOCKS, group, "output");
    golden_values(uniform, 4 * BLOCKS, group, "uniform"),
        golden_values(normal, 4 * BLOCKS, group, "normal");
    golden_need(n > 0, "counter");
    for (size_t b = 0; b < n; b++)
        bad += block_check(k, counter + 4 * b, (uint64_t)key[1] << 32 | (uint64_t)key[0], output + 4 * b,
                           uniform + 4 * b, normal + 4 * b);
    H5Gclose(group);
    return bad;
}

/* The share of the draws below each quantile, within five standard errors. */
static int quantile_check(enum kl_isa k, hid_t file)
{
    static double u[QUANTILES], quantile[QUANTILES], count[QUANTILES];
    static float draws[1 << 14];
    int bad = 0;
    const struct kl_langevin_stream stream = { 2026, KL_RANDOM_LANGEVIN, 1, 0 };
    const hid_t group = H5Gopen2(file, "normal", H5P_DEFAULT);
    golden_need(group >= 0, "normal");
    const size_t n = golden_values(u, QUANTILES, group, "u");
    golden_need(n > 0 && golden_values(quantile, QUANTILES, group, "quantile") == n, "quantile");
    memset(count, 0, sizeof count);
    for (size_t first = 0; first < DRAWS; first += 1 << 14) {
        kl_isa_langevin_normals_f32(k)(draws, first, 1 << 14, &stream);
        for (size_t i = 0; i < 1 << 14; i++)
            for (size_t q = 0; q < n; q++) count[q] += (double)draws[i] < quantile[q];
    }
    for (size_t q = 0; q < n; q++) {
        const double p = u[q], want = p * DRAWS;
        bad +=
            differs("below quantile", kl_isa_name(k), q, count[q], want, 5 * sqrt(want * (1 - p)) + 1);
    }
    H5Gclose(group);
    return bad;
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[2][4096];
    hid_t file[2];
    static const char *const names[] = { "sgld/golden.h5", "sampling/golden_peers.h5" };
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/reference/%s", shared ? shared : "../shared", names[i]);
        if (access(path[i], R_OK) != 0) return printf("skipped: %s is not here\n", path[i]), 77;
        file[i] = H5Fopen(path[i], H5F_ACC_RDONLY, H5P_DEFAULT);
        golden_need(file[i] >= 0, path[i]);
    }
    int bad = 0;
    for (int isa = 0; kl_isa_is_here(isa); isa++)
        bad += philox_check(isa, file[0]) + quantile_check(isa, file[1]);
    H5Fclose(file[0]), H5Fclose(file[1]);
    return bad != 0;
}
