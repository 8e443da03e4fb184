/* SPDX-License-Identifier: MIT
   What figures of windows draw, against SciPy's welch and MNE-Python's spherical splines (spectra.h5,
   written by make_spectra.py beside it): densities, the power of a band, values between electrodes. */
#include <math.h>

#include "golden.h"
#include "plot/sequence/windows_view.h"

enum { MOST = 4000 };
static int failures, checks;

static void expect(const char *name, const char *what, size_t i, double found, double expected,
                   double scale)
{
    checks++;
    if (fabs(found - expected) <= 1e-9 * scale) return;
    if (failures++ < 10)
        fprintf(stderr, "%s: %s [%zu]: found %.15g, expected %.15g\n", name, what, i, found, expected);
}

static double largest(const double *values, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(values[i]));
    return most;
}

/* Three channels of one window, as they are and, seventeen of them, side by side. */
static void check_welch(const char *name, hid_t group)
{
    static double x[MOST], density[MOST], band[3], found[17 * MOST];
    static float f[17 * MOST];
    const size_t all = golden_values(x, MOST, group, "x"), n = all / 3;
    const size_t bins = golden_values(density, MOST, group, "density") / 3;
    const size_t order[17] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1 };
    int32_t label = 0;
    struct kl_windows_view v = { .n = 1,
                                 .channels = 3,
                                 .steps = n,
                                 .n_classes = 1,
                                 .rate = golden_number(group, "rate"),
                                 .timed = true,
                                 .x = f,
                                 .labels = &label };
    struct kl_power p;
    struct kl_error err = { 0 };
    golden_need(golden_values(band, 3, group, "band") == 3, "band");
    for (size_t i = 0; i < all; i++) f[i] = (float)x[i];
    must(kl_plot_power_open(&p, kl_plot_windows_span(&v), v.rate, &err), &err);
    golden_need(p.bins == bins, "bins");
    must(kl_plot_class_densities(found, &p, &v, order, 17, &err), &err);
    for (size_t k = 0; k < 17; k++) {
        const double *one = density + order[k] * bins, scale = largest(one, bins);
        for (size_t b = 0; b < bins; b++) expect(name, "density", b, found[k * bins + b], one[b], scale);
        expect(name, "band", k,
               kl_plot_band_power(found + k * bins, bins, p.step, KL_MU_LOW, KL_MU_HIGH), band[order[k]],
               band[order[k]]);
    }
    kl_plot_power_close(&p);
}

static void check_scalp(const char *name, hid_t group)
{
    static double positions[MOST], values[MOST], places[MOST], map[MOST];
    const size_t n = golden_values(values, MOST, group, "values");
    struct kl_scalp s;
    struct kl_error err = { 0 };
    golden_values(positions, MOST, group, "positions");
    const size_t m = golden_values(map, MOST, group, "map");
    golden_need(golden_values(places, MOST, group, "places") == 2 * m, "places");
    must(kl_plot_scalp_fit(&s, values, positions, n, &err), &err);
    for (size_t i = 0; i < m; i++)
        expect(name, "map", i, kl_plot_scalp_at(&s, places[2 * i], places[2 * i + 1]), map[i],
               1e3 * largest(map, m)); /* both solve a system of condition 1e9 */
    kl_plot_scalp_free(&s);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    if (strncmp(name, "welch", 5) == 0) check_welch(name, group);
    else check_scalp(name, group);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    golden_need(golden_groups("tests/golden/spectra.h5", check) == 6, "cases");
    printf("%d values are as expected, %d are not\n", checks - failures, failures);
    return failures != 0;
}
