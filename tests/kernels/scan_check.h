/* SPDX-License-Identifier: MIT
   The checks of tests/kernels/scan.c in one precision: against the plain definitions in double, and the
   same bits on all sets that have multiply-adds. */
static REAL *NAME(numbers)(size_t n, double low, double high)
{
    REAL *p = memory(n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = (REAL)(low + (high - low) * (uniform() + 0.5));
    return p;
}
static double *NAME(widened)(const REAL *x, size_t n)
{
    double *p = memory(n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = (double)x[i];
    return p;
}
/* found (rows, n; ld) against want, in units of eps of the largest value; its bits for the next set. */
static int NAME(near)(enum kl_isa k, const char *what, const REAL *found, const double *want,
                      size_t rows, size_t n, size_t ld, double roundings)
{
    double scale = 0, off = 0;
    for (size_t i = 0; i < rows * n; i++) scale = fmax(scale, fabs(want[i / n * ld + i % n]));
    for (size_t i = 0; i < rows * n; i++) {
        const size_t at = i / n * ld + i % n;
        const double d = fabs((double)found[at] - want[at]);
        if (!(d <= off)) off = d;
    }
    const int same = same_bits(kl_isa_name(k), found, rows * ld * sizeof *found);
    if (!same) printf("scan %s %s: other bits than the set before\n", kl_isa_name(k), what);
    if (off <= roundings * EPS * fmax(scale, 1e-30)) return !same;
    printf("scan %s %s of %zu bytes: off by %.3g of %.3g, expected at most %g roundings\n",
           kl_isa_name(k), what, sizeof(REAL), off, scale, roundings);
    return 1;
}

/* ---- the scan: h_t = abar h + bbar u ---- */
struct NAME(case) {
    enum kl_scan_rule rule;
    int backward, add;
    size_t steps, channels, states;
};
static int NAME(check_scan)(enum kl_isa k, const struct NAME(case) * c)
{
    const size_t T = c->steps, E = c->channels, S = c->states, ld = E + 16, ld_bc = 2 * S + 16;
    REAL *dt = NAME(numbers)(T * ld, 0.001, 0.3), *u = NAME(numbers)(T * ld, -1, 1),
         *bc = NAME(numbers)(T * ld_bc, -1, 1), *log_a = NAME(numbers)(E * S, -1, 2),
         *d = NAME(numbers)(E, -1, 1), *gy = NAME(numbers)(T * ld, -1, 1),
         *y = NAME(numbers)(T * ld, -1, 1), *gdt = NAME(numbers)(T * ld, -1, 1),
         *gu = NAME(numbers)(T * ld, -1, 1), *gbc = NAME(numbers)(T * ld_bc, -1, 1),
         *ga = NAME(numbers)(S * E, -1, 1), *gd = NAME(numbers)(E, -1, 1),
         *a = memory(S * E * sizeof *a), *kept = memory((kl_scan_chunks(T) + 1) * S * E * sizeof *kept),
         *work = memory(kl_scan_work(S, E) * sizeof *work);
    double *wy = NAME(widened)(y, T * ld), *wdt = NAME(widened)(gdt, T * ld),
           *wu = NAME(widened)(gu, T * ld), *wbc = NAME(widened)(gbc, T * ld_bc),
           *wa = NAME(widened)(ga, S * E), *wd = NAME(widened)(gd, E), *h = memory((T + 1) * sizeof *h),
           *bar = memory(T * sizeof *bar);
    if (!c->add) {
        memset(wy, 0, T * ld * sizeof *wy), memset(wdt, 0, T * ld * sizeof *wdt),
            memset(wu, 0, T * ld * sizeof *wu);
        memset(wbc, 0, T * ld_bc * sizeof *wbc);
    }
    for (size_t e = 0; e < E; e++)
        for (size_t s = 0; s < S; s++) {
            const double A = -exp((double)log_a[e * S + s]);
            for (size_t i = 0; i < T; i++) {
                const size_t t = c->backward ? T - 1 - i : i;
                const double step = (double)dt[t * ld + e], in = c->rule == KL_SCAN_MAMBA ? step : 1;
                bar[i] = c->rule == KL_SCAN_EULER ? 1 + step * A : exp(step * A);
                h[i + 1] = bar[i] * h[i] + in * (double)bc[t * ld_bc + s] * (double)u[t * ld + e];
                wy[t * ld + e] += h[i + 1] * (double)bc[t * ld_bc + S + s];
            }
            double g = 0;
            for (size_t i = T; i-- > 0;) {
                const size_t t = c->backward ? T - 1 - i : i;
                const double step = (double)dt[t * ld + e], b = (double)bc[t * ld_bc + s],
                             x = (double)u[t * ld + e], out = (double)gy[t * ld + e],
                             in = c->rule == KL_SCAN_MAMBA ? step : 1;
                wbc[t * ld_bc + S + s] += out * h[i + 1];
                g += out * (double)bc[t * ld_bc + S + s];
                wbc[t * ld_bc + s] += g * in * x;
                wu[t * ld + e] += g * in * b;
                const double by_exponent = g * h[i] * (c->rule == KL_SCAN_EULER ? 1 : bar[i]);
                wdt[t * ld + e] += by_exponent * A + (c->rule == KL_SCAN_MAMBA ? g * b * x : 0);
                wa[s * E + e] += by_exponent * step;
                g *= bar[i];
            }
        }
    for (size_t t = 0; t < T; t++)
        for (size_t e = 0; e < E; e++) {
            wy[t * ld + e] += (double)d[e] * (double)u[t * ld + e];
            wu[t * ld + e] += (double)d[e] * (double)gy[t * ld + e];
            wd[e] += (double)gy[t * ld + e] * (double)u[t * ld + e];
        }
    NAME(kl_isa_scan)(k)->rates(a, log_a, S, E, c->rule);
    const struct NAME(kl_scan_job)
        job = { c->rule, c->backward, 1, T, E, S, ld, ld, ld_bc, dt, u, bc, bc + S, a, d, kept };
    const struct NAME(kl_scan_gradient)
        to = { gy, ld, ld, ld_bc, gdt, gu, gbc, gbc + S, ga, gd, work, c->add };
    NAME(kl_isa_scan)(k)->forward(y, ld, &job, c->add);
    int bad = NAME(near)(k, "y", y, wy, T, E, ld, 40);
    NAME(kl_isa_scan)(k)->back(&to, &job);
    bad += NAME(near)(k, "by dt", gdt, wdt, T, E, ld, 40) + NAME(near)(k, "by u", gu, wu, T, E, ld, 40);
    bad += NAME(near)(k, "by B, C", gbc, wbc, T, 2 * S, ld_bc, 40) +
           NAME(near)(k, "by D", gd, wd, 1, E, E, 40);
    bad += NAME(near)(k, "by A", ga, wa, 1, S * E, S * E, 40);
    struct NAME(kl_scan_job) without = job;
    without.keep = 0;
    REAL *again = NAME(numbers)(T * ld, 0, 0);
    without.kept = memory(S * E * sizeof *a);
    NAME(kl_isa_scan)(k)->forward(again, ld, &without, 0);
    for (size_t i = 0; !c->add && i < T * E; i++)
        if (again[i / E * ld + i % E] != y[i / E * ld + i % E] && !bad++)
            printf("scan %s: other values where states are not kept\n", kl_isa_name(k));
    forget();
    return bad;
}

/* ---- rows ---- */
static double NAME(logistic)(double x)
{
    return 1 / (1 + exp(-x));
}
static int NAME(check_norm)(enum kl_isa k, size_t T, size_t n, int add)
{
    const size_t ld = (n + 15) / 16 * 16;
    REAL *x = NAME(numbers)(T * ld, -1, 1), *g = NAME(numbers)(ld, -1, 1),
         *dy = NAME(numbers)(T * ld, -1, 1), *dx = NAME(numbers)(T * ld, -1, 1),
         *dg = NAME(numbers)(ld, -1, 1), *y = NAME(numbers)(T * ld, 0, 0), *inv = NAME(numbers)(T, 0, 0);
    for (size_t i = 0; i < T * ld; i++)
        if (i % ld >= n) x[i] = dy[i] = dx[i] = g[i % ld] = dg[i % ld] = 0;
    double *wy = NAME(widened)(y, T * ld), *wdx = NAME(widened)(dx, T * ld),
           *wdg = NAME(widened)(dg, ld);
    for (size_t t = 0; t < T; t++) {
        double squares = 0, dot = 0;
        for (size_t j = 0; j < n; j++) squares += (double)x[t * ld + j] * (double)x[t * ld + j];
        const double rms = sqrt(squares / (double)n + 1e-5);
        for (size_t j = 0; j < n; j++) {
            const double v = (double)x[t * ld + j], o = (double)dy[t * ld + j];
            wy[t * ld + j] = (double)g[j] * v / rms;
            dot += o * (double)g[j] * v, wdg[j] += o * v / rms;
        }
        for (size_t j = 0; j < n; j++)
            wdx[t * ld + j] = (add ? wdx[t * ld + j] : 0) + (double)dy[t * ld + j] * (double)g[j] / rms -
                              (double)x[t * ld + j] * dot / (double)n / (rms * rms * rms);
    }
    NAME(kl_isa_scan)(k)->norm(y, inv, x, g, T, n, ld);
    NAME(kl_isa_scan)(k)->norm_back(dx, dg, dy, x, g, inv, T, n, ld, add);
    const int bad = NAME(near)(k, "norm", y, wy, T, ld, ld, 8) +
                    NAME(near)(k, "norm, back", dx, wdx, T, ld, ld, 16) +
                    NAME(near)(k, "norm, by g", dg, wdg, 1, ld, ld, 50);
    forget();
    return bad;
}

static int NAME(check_conv)(enum kl_isa k, size_t T, size_t n)
{
    const size_t ld = n + 32;
    REAL *x = NAME(numbers)(T * ld, -3, 3), *w = NAME(numbers)(4 * n, -1, 1),
         *bias = NAME(numbers)(n, -1, 1), *dy = NAME(numbers)(T * ld, -1, 1),
         *dw = NAME(numbers)(4 * n, -1, 1), *db = NAME(numbers)(n, -1, 1),
         *y = NAME(numbers)(T * ld, 0, 0), *dx = NAME(numbers)(T * ld, 0, 0);
    double *wy = NAME(widened)(y, T * ld), *wdx = NAME(widened)(dx, T * ld),
           *wdw = NAME(widened)(dw, 4 * n), *wdb = NAME(widened)(db, n),
           *wdy = NAME(widened)(dy, T * ld);
    for (size_t t = 0; t < T; t++)
        for (size_t j = 0; j < n; j++) {
            double v = (double)bias[j];
            for (size_t i = 0; i < 4; i++)
                v += t + i < 3 ? 0 : (double)w[i * n + j] * (double)x[(t + i - 3) * ld + j];
            const double s = NAME(logistic)(v), d = (double)dy[t * ld + j] * s * (1 + v * (1 - s));
            wy[t * ld + j] = v * s, wdy[t * ld + j] = d, wdb[j] += d;
            for (size_t i = 0; i < 4; i++) {
                if (t + i < 3) continue;
                wdw[i * n + j] += d * (double)x[(t + i - 3) * ld + j];
                wdx[(t + i - 3) * ld + j] += d * (double)w[i * n + j];
            }
        }
    NAME(kl_isa_scan)(k)->conv(y, ld, x, ld, w, bias, T, n);
    NAME(kl_isa_scan)(k)->conv_back(dx, ld, dw, db, dy, ld, x, ld, w, bias, T, n);
    const int bad = NAME(near)(k, "conv", y, wy, T, n, ld, 16) +
                    NAME(near)(k, "conv, by x", dx, wdx, T, n, ld, 32) +
                    NAME(near)(k, "conv, before silu", dy, wdy, T, n, ld, 32) +
                    NAME(near)(k, "conv, by w", dw, wdw, 4, n, n, 64) +
                    NAME(near)(k, "conv, by bias", db, wdb, 1, n, n, 64);
    forget();
    return bad;
}

/* Small and large arguments too: relative to each value. */
static int NAME(check_softplus)(enum kl_isa k, size_t T, size_t n)
{
    int bad = 0;
    for (double size = 0.1; size < 50; size *= 3) {
        REAL *x = NAME(numbers)(T * n, -size, size), *bias = NAME(numbers)(n, -1, 1),
             *d = NAME(numbers)(T * n, -1, 1), *db = NAME(numbers)(n, -1, 1);
        double *wx = NAME(widened)(x, T * n), *wd = NAME(widened)(d, T * n), *wdb = NAME(widened)(db, n);
        for (size_t i = 0; i < T * n; i++) {
            const double v = (double)(REAL)(x[i] + bias[i % n]);
            wx[i] = fmax(v, 0) + log1p(exp(-fabs(v)));
            wd[i] *= NAME(logistic)(v), wdb[i % n] += wd[i];
        }
        NAME(kl_isa_scan)(k)->softplus(x, bias, T, n, n);
        for (size_t i = 0; i < T * n; i++)
            bad += far(kl_isa_name(k), "softplus", i, (long double)x[i], (long double)wx[i],
                       fabsl(wx[i]), 60, EPS);
        NAME(kl_isa_scan)(k)->softplus_back(d, db, x, T, n, n);
        for (size_t i = 0; i < T * n; i++)
            bad += far(kl_isa_name(k), "softplus, back", i, (long double)d[i], (long double)wd[i],
                       fabsl(wd[i]), 80, EPS);
        bad += NAME(near)(k, "softplus, by bias", db, wdb, 1, n, n, 100);
        bad += !same_bits(kl_isa_name(k), x, T * n * sizeof *x) +
               !same_bits(kl_isa_name(k), d, T * n * sizeof *d);
        forget();
    }
    return bad;
}

static int NAME(check_gate)(enum kl_isa k, size_t T, size_t n)
{
    REAL *y = NAME(numbers)(T * n, -1, 1), *z = NAME(numbers)(T * n, -8, 8),
         *d = NAME(numbers)(T * n, -1, 1), *dz = NAME(numbers)(T * n, 0, 0),
         *out = NAME(numbers)(T * n, 0, 0), *again = NAME(numbers)(T * n, 0, 0);
    double *wo = NAME(widened)(out, T * n), *wd = NAME(widened)(d, T * n),
           *wz = NAME(widened)(dz, T * n);
    for (size_t i = 0; i < T * n; i++) {
        const double v = (double)z[i], s = NAME(logistic)(v);
        wo[i] = (double)y[i] * v * s;
        wz[i] = (double)d[i] * (double)y[i] * s * (1 + v * (1 - s)), wd[i] = (double)d[i] * v * s;
    }
    NAME(kl_isa_scan)(k)->gate(out, n, y, n, z, n, T, n);
    NAME(kl_isa_scan)(k)->gate_back(d, n, dz, n, again, n, y, n, z, n, T, n);
    int bad = NAME(near)(k, "gate", out, wo, T, n, n, 16) +
              NAME(near)(k, "gate, again", again, wo, T, n, n, 16);
    bad += NAME(near)(k, "gate, by y", d, wd, T, n, n, 16) +
           NAME(near)(k, "gate, by z", dz, wz, T, n, n, 32);
    forget();
    return bad;
}

static int NAME(check)(enum kl_isa k)
{
    static const struct NAME(case) cases[] = {
        { KL_SCAN_MAMBA, 0, 0, 1, 16, 1 },   { KL_SCAN_MAMBA, 0, 0, 249, 48, 16 },
        { KL_SCAN_MAMBA, 1, 1, 8, 16, 3 },   { KL_SCAN_EULER, 0, 0, 17, 32, 4 },
        { KL_SCAN_EULER, 1, 1, 40, 16, 16 }, { KL_SCAN_EXP, 0, 0, 100, 32, 16 },
        { KL_SCAN_EXP, 1, 1, 31, 64, 5 },
    };
    int bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) bad += NAME(check_scan)(k, &cases[i]);
    for (int add = 0; add < 2; add++)
        bad += NAME(check_norm)(k, 3, 8, add) + NAME(check_norm)(k, 9, 128, add) +
               NAME(check_norm)(k, 2, 40, add);
    for (size_t T = 1; T < 20; T += 3) bad += NAME(check_conv)(k, T, 16 + 16 * (T % 2));
    return bad + NAME(check_softplus)(k, 7, 32) + NAME(check_gate)(k, 9, 48);
}
