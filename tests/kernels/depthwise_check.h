/* SPDX-License-Identifier: MIT
   The checks of tests/kernels/depthwise.c in one precision: sums bit for bit as kernels/depthwise.h says
   (but on `base`, whose products are rounded), what has exponentials within some roundings. */
static REAL NAME(x)[ROOM], NAME(w)[ROOM], NAME(y)[ROOM], NAME(want)[ROOM], NAME(d)[ROOM];

static void NAME(numbers)(REAL *p, size_t n)
{
    for (size_t i = 0; i < n; i++) p[i] = (REAL)(4 * uniform());
}
static int NAME(same)(enum kl_isa k, const char *what, const REAL *found, const REAL *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (found[i] != want[i]) {
            printf("depthwise %s %s of %zu bytes [%zu]: found %.17g, expected %.17g\n", kl_isa_name(k),
                   what, sizeof(REAL), i, (double)found[i], (double)want[i]);
            return 1;
        }
    return 0;
}
static REAL NAME(more)(enum kl_isa k, REAL sum, REAL a, REAL b)
{
    volatile REAL product = a * b;
    return strcmp(kl_isa_name(k), "base") == 0 ? sum + product : FMA(a, b, sum);
}

static int NAME(check_products)(enum kl_isa k, size_t n, size_t taps)
{
    NAME(numbers)(NAME(x), (n + taps) * 16), NAME(numbers)(NAME(w), taps * 16);
    NAME(numbers)(NAME(d), n * 16), NAME(numbers)(NAME(y), ROOM);
    memcpy(NAME(want), NAME(y), sizeof NAME(want));
    for (size_t t = 0; t < n; t++)
        for (size_t l = 0; l < 16; l++) {
            REAL sum = 0;
            for (size_t j = 0; j < taps; j++)
                sum = NAME(more)(k, sum, NAME(w)[j * 16 + l], NAME(x)[(t + j) * 16 + l]);
            NAME(want)[t * 16 + l] = sum;
        }
    NAME(kl_isa_depthwise)(k)->filter(NAME(y), NAME(x), NAME(w), n, taps);
    int bad = NAME(same)(k, "filter", NAME(y), NAME(want), ROOM);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        for (size_t j = 0; j < taps; j++)
            for (size_t l = 0; l < 16; l++) {
                REAL sum = accumulate ? NAME(want)[j * 16 + l] : 0;
                for (size_t t = 0; t < n; t++)
                    sum = NAME(more)(k, sum, NAME(d)[t * 16 + l], NAME(x)[(t + j) * 16 + l]);
                NAME(want)[j * 16 + l] = sum;
            }
        NAME(kl_isa_depthwise)(k)->lags(NAME(y), NAME(d), NAME(x), n, taps, accumulate);
        bad += NAME(same)(k, "lags", NAME(y), NAME(want), ROOM);
    }
    return bad;
}

static int NAME(check_moments)(enum kl_isa k, size_t n)
{
    REAL mean[16], squares[16];
    int bad = 0;
    NAME(numbers)(NAME(x), n * 16);
    NAME(kl_isa_depthwise)(k)->moments(mean, squares, NAME(x), n);
    for (size_t l = 0; l < 16; l++) {
        long double sum = 0, square = 0;
        for (size_t t = 0; t < n; t++) sum += NAME(x)[t * 16 + l];
        sum /= n;
        for (size_t t = 0; t < n; t++)
            square += (NAME(x)[t * 16 + l] - sum) * (NAME(x)[t * 16 + l] - sum);
        bad += far(kl_isa_name(k), "depthwise mean", l, mean[l], sum, 2, 20, EPS);
        bad += far(kl_isa_name(k), "depthwise squares", l, squares[l], square, square + 4, 20, EPS);
    }
    return bad;
}

static long double NAME(elu)(long double x)
{
    return x < 0 ? expm1l(x) : x;
}

static int NAME(check_pools)(enum kl_isa k, size_t n, size_t pool)
{
    REAL scale[16], shift[16], centre[16], sums[32], f[48];
    int bad = 0;
    NAME(numbers)(NAME(x), n * pool * 16), NAME(numbers)(NAME(d), n * pool * 16);
    NAME(numbers)(scale, 16), NAME(numbers)(shift, 16), NAME(numbers)(centre, 16), NAME(numbers)(f, 48);
    NAME(kl_isa_depthwise)(k)->pool(NAME(y), NAME(x), scale, shift, n, pool);
    NAME(kl_isa_depthwise)(k)->pool_back(NAME(w), sums, NAME(d), NAME(x), scale, shift, centre, n, pool);
    for (size_t l = 0; l < 16; l++) {
        long double all = 0, with = 0;
        for (size_t s = 0; s < n; s++) {
            long double mean = 0;
            for (size_t p = 0; p < pool; p++) {
                const size_t at = (s * pool + p) * 16 + l;
                const long double v = (long double)NAME(x)[at] * scale[l] + shift[l],
                                  back = (v < 0 ? expl(v) : 1) * NAME(d)[s * 16 + l] / pool;
                mean += NAME(elu)(v) / pool;
                all += back, with += back * (NAME(x)[at] - centre[l]);
                bad += far(kl_isa_name(k), "depthwise pool_back", at, NAME(w)[at], back, 4, 20, EPS);
            }
            bad +=
                far(kl_isa_name(k), "depthwise pool", s * 16 + l, NAME(y)[s * 16 + l], mean, 8, 20, EPS);
        }
        bad += far(kl_isa_name(k), "depthwise sum", l, sums[l], all, (long double)n, 20, EPS);
        bad += far(kl_isa_name(k), "depthwise sum with v", l, sums[16 + l], with, 4 * (long double)n, 20,
                   EPS);
    }
    const size_t some = n * pool, whole = some + 3;
    NAME(kl_isa_depthwise)(k)->blend(NAME(y), NAME(d), NAME(x), f, some, whole);
    for (size_t i = 0; i < whole * 16; i++) {
        const long double want = (i < some * 16 ? (long double)NAME(d)[i] * f[i % 16] : 0) +
                                 (long double)NAME(x)[i] * f[16 + i % 16] + f[32 + i % 16];
        bad += far(kl_isa_name(k), "depthwise blend", i, NAME(y)[i], want, 8, 4, EPS);
    }
    return bad;
}

static int NAME(check)(enum kl_isa k)
{
    int bad = 0;
    for (size_t n = 1; n < 40; n += n < 10 ? 1 : 7)
        for (size_t taps = 1; taps < 40; taps += taps < 10 ? 1 : 9)
            bad += NAME(check_products)(k, n, taps);
    bad += NAME(check_products)(k, 250, 64);
    for (size_t n = 1; n < 12; n++) bad += NAME(check_moments)(k, n);
    bad += NAME(check_moments)(k, 250);
    bad += NAME(check_pools)(k, 62, 4) + NAME(check_pools)(k, 7, 8) + NAME(check_pools)(k, 3, 1);
    return bad;
}

/* Floating-point operations of EEGNet's own sizes: 250 steps, 64 taps. */
static void NAME(bench)(enum kl_isa k)
{
    enum { N = 250, TAPS = 64, LAPS = 400 };
    double best[2] = { 1e9, 1e9 };
    for (int lap = 0; lap < LAPS; lap++)
        for (int which = 0; which < 2; which++) {
            struct timespec from, to;
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
            if (which) NAME(kl_isa_depthwise)(k)->lags(NAME(y), NAME(d), NAME(x), N, TAPS, 0);
            else NAME(kl_isa_depthwise)(k)->filter(NAME(y), NAME(x), NAME(w), N, TAPS);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
            const double seconds =
                (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
            if (seconds < best[which]) best[which] = seconds;
        }
    printf("depthwise %-6s %zu bytes: filter %6.1f, lags %6.1f GFLOP/s\n", kl_isa_name(k), sizeof(REAL),
           2e-9 * N * TAPS * 16 / best[0], 2e-9 * N * TAPS * 16 / best[1]);
}
