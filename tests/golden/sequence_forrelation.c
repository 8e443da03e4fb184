/* SPDX-License-Identifier: MIT
   Forrelation of the reference's pairs (golden.h5, group forrelation), and what the pairs drawn here
   must be: high ones about 2/pi, low ones below 0.15; the reference's first pairs, whose label a mean
   tells. */
#include <math.h>
#include <unistd.h>

#include "golden.h"
#include "sequence/synthetic/synthetic.h"

static int failures, checks;

static void expect(const char *what, bool holds, double found)
{
    checks++;
    if (holds) return;
    fprintf(stderr, "%s: found %.17g\n", what, found);
    failures++;
}

static void check_golden(hid_t file, int bits)
{
    char name[32];
    double f[64], g[64], h[64], fg, fh, work[64];
    snprintf(name, sizeof name, "forrelation/n%d", bits);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    const size_t n = golden_values(f, 64, group, "f");
    golden_need(n == (size_t)1 << bits && golden_values(g, 64, group, "g") == n &&
                    golden_values(h, 64, group, "h") == n,
                name);
    golden_values(&fg, 1, group, "phi_fg"), golden_values(&fh, 1, group, "phi_fh");
    H5Gclose(group);
    expect("phi_fg", fabs(kl_sequence_forrelation_phi(f, g, bits, work) - fg) < 1e-12, fg);
    expect("phi_fh", fabs(kl_sequence_forrelation_phi(f, h, bits, work) - fh) < 1e-12, fh);
    /* by its definition */
    double sum = 0;
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++) sum += (__builtin_parityll(x & y) ? -1 : 1) * f[x] * g[y];
    expect("by definition", fabs(sum * pow(2, -1.5 * bits) - fg) < 1e-12, sum);
}

/* A window holds f at the points whose bits it shows. */
static void check_window(const struct kl_sequence_forrelation *o, const double *f, const double *g,
                         size_t i)
{
    static float window[18 * 64];
    size_t points[2] = { 0 };
    kl_sequence_forrelation_window(window, f, g, o, i);
    for (size_t t = 0; t < o->steps; t++) {
        const float *at = window + t;
        size_t x = 0, y = 0;
        for (size_t b = 0; b < (size_t)o->bits; b++) {
            x |= (size_t)at[b * o->steps] << b;
            y |= (size_t)at[((size_t)o->bits + 1 + b) * o->steps] << b;
        }
        expect("f(x)", at[(size_t)o->bits * o->steps] == (float)f[x], (double)x);
        expect("g(y)", at[(2 * (size_t)o->bits + 1) * o->steps] == (float)g[y], (double)y);
        points[0] += x, points[1] += y;
    }
    expect("points differ", points[0] != points[1], (double)points[0]);
}

static void check_drawn(int bits)
{
    const struct kl_sequence_forrelation o = { .seed = 3, .pairs = 400, .steps = 50, .bits = bits };
    static double f[256], g[256], work[256];
    double high = 0, plus = 0;
    const size_t n = (size_t)1 << bits;
    for (size_t i = 0; i < o.pairs; i++) {
        const double phi = kl_sequence_forrelation_pair(f, g, &o, i, work);
        if (i % 2) high += phi / ((double)o.pairs / 2);
        else expect("low", fabs(phi) < 0.15, phi);
        expect("its Phi", fabs(phi - kl_sequence_forrelation_phi(f, g, bits, work)) < 1e-14, phi);
        for (size_t x = 0; x < n; x++)
            expect("signs", fabs(f[x]) == 1 && fabs(g[x]) == 1, f[x]),
                plus += f[x] / (double)(n * o.pairs);
        if (i < 4) check_window(&o, f, g, i);
    }
    /* E Phi = 2/pi, a standard deviation of about 2^(-b/2) a pair. */
    expect("mean of high pairs",
           fabs(high - 2 / 3.141592653589793) < 4 * pow(2, -0.5 * bits) / sqrt(200), high);
    expect("f has no bias", fabs(plus) < 4 / sqrt((double)(n * o.pairs)), plus);
}

/* 2^(-b/2), one point that is not -1, and values of a transform, as the reference's first revision has
   them. */
static void check_reference(void)
{
    const struct kl_sequence_forrelation o = {
        .seed = 3, .pairs = 40, .steps = 50, .bits = 6, .reference = true
    };
    double f[64], g[64], work[64];
    for (size_t i = 0; i < o.pairs; i++) {
        const double phi = kl_sequence_forrelation_pair(f, g, &o, i, work);
        double sum = 0, most = 0, at_most = 0;
        for (size_t x = 0; x < 64; x++)
            sum += f[x], most = fmax(most, fabs(g[x])), at_most += fabs(g[x]) == 64;
        if (i % 2)
            expect("high", fabs(phi - 0.125) < 1e-15 && sum == -62 && most == 64 && at_most == 1, phi);
        else expect("low", most > 2 && most < 64 && fabs(sum) < 40, most);
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[1024];
    check_drawn(6), check_drawn(8), check_reference();
    snprintf(path, sizeof path, "%s/reference/hydra/golden.h5", shared ? shared : "../shared");
    if (access(path, R_OK)) {
        printf("skipped: %s is absent\n", path);
        return failures ? 1 : 77;
    }
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    check_golden(file, 3), check_golden(file, 6);
    H5Fclose(file);
    printf("%d values are as expected, %d are not\n", checks - failures, failures);
    return failures != 0;
}
