/* SPDX-License-Identifier: MIT
   The checks of tests/kernels/layers.c in one precision: all bits as the definitions in kernels/layers.h
   give them. */
static REAL NAME(a)[ROOM], NAME(b)[ROOM], NAME(c)[ROOM], NAME(want)[ROOM], NAME(d)[ROOM];

static void NAME(numbers)(REAL *p)
{
    for (size_t i = 0; i < ROOM; i++) p[i] = (REAL)uniform();
}
static int NAME(same)(enum kl_isa k, const char *what, const REAL *found, const REAL *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (found[i] != want[i]) {
            printf("layers %s %s of %zu bytes [%zu]: found %.17g, expected %.17g\n", kl_isa_name(k),
                   what, sizeof(REAL), i, (double)found[i], (double)want[i]);
            return 1;
        }
    return 0;
}
static REAL NAME(more)(enum kl_isa k, REAL sum, REAL x, REAL y)
{
    volatile REAL product = x * y;
    return strcmp(kl_isa_name(k), "base") == 0 ? sum + product : FMA(x, y, sum);
}
static REAL NAME(halves)(REAL s[16])
{
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] = s[l] + s[l + half];
    return s[0];
}

static int NAME(check_taps)(enum kl_isa k, size_t m, size_t n, size_t taps, bool bias, bool relu)
{
    const size_t ldc = n + 16, am = taps + 3;
    int32_t offset[200];
    for (size_t p = 0; p < taps; p++) offset[p] = (int32_t)((p * 7919 + 3) % 1000 * 16);
    for (size_t i = 0; i < ROOM; i++) NAME(want)[i] = NAME(c)[i];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            REAL sum = bias ? NAME(d)[i] : 0;
            for (size_t p = 0; p < taps; p++)
                sum = NAME(more)(k, sum, NAME(a)[i * am + p], NAME(b)[(size_t)offset[p] + j]);
            NAME(want)[i * ldc + j] = relu && !(sum > 0) ? 0 : sum;
        }
    NAME(kl_isa_layers)
    (k)->taps(NAME(c), ldc, NAME(a), am, NAME(b), offset, m, n, taps, bias ? NAME(d) : NULL, relu);
    return NAME(same)(k, "taps", NAME(c), NAME(want), ROOM);
}

static int NAME(check_dots)(enum kl_isa k, size_t m, size_t n, const struct kl_layers_field *f)
{
    const size_t ldg = n + 1, dm = 4096;
    int32_t offset[32];
    REAL totals[32], total_want[32];
    int bad = 0;
    for (size_t j = 0; j < n; j++) offset[j] = (int32_t)(j * 48 + j / 3 * 16);
    for (size_t i = 0; i < ROOM; i++) NAME(want)[i] = NAME(c)[i];
    for (size_t i = 0; i < m; i++) {
        totals[i] = total_want[i] = NAME(a)[i];
        for (size_t j = 0; j <= n; j++) { /* the last: totals */
            REAL s[16] = { 0 };
            for (size_t at = 0; at < f->blocks * f->rows * f->columns; at++) {
                const size_t block = at / f->columns / f->rows, y = at / f->columns % f->rows,
                             x = at % f->columns * 16;
                const REAL *from = NAME(a) + i * dm + block * f->d_block + y * f->d_row + x,
                           *in =
                               NAME(b) + (j < n ? offset[j] : 0) + block * f->b_block + y * f->b_row + x;
                for (int l = 0; l < 16; l++)
                    s[l] = j < n ? NAME(more)(k, s[l], from[l], in[l]) : s[l] + from[l];
            }
            if (j < n) NAME(want)[i * ldg + j] += NAME(halves)(s);
            else total_want[i] += NAME(halves)(s);
        }
    }
    NAME(kl_isa_layers)(k)->dots(NAME(c), ldg, NAME(a), dm, NAME(b), offset, m, n, f);
    NAME(kl_isa_layers)(k)->totals(totals, NAME(a), dm, m, f);
    bad += NAME(same)(k, "dots", NAME(c), NAME(want), ROOM);
    return bad + NAME(same)(k, "totals", totals, total_want, m);
}

static int NAME(check_turn)(enum kl_isa k, size_t m, size_t n, int gate, bool to)
{
    const size_t ld = n + 5, ld_to = m + 3, ld_mask = n + 9;
    REAL *mask = gate == 2 ? NAME(c) : gate ? NAME(b) : NULL;
    const size_t step = gate == 2 ? ld : ld_mask;
    int bad = 0;
    static REAL y[ROOM], turned[ROOM];
    for (size_t i = 0; i < ROOM; i++) y[i] = NAME(c)[i], turned[i] = NAME(d)[i];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            if (mask && !(mask[i * step + j] > 0)) y[i * ld + j] = 0;
            if (to) turned[j * ld_to + i] = y[i * ld + j];
        }
    NAME(kl_isa_layers)(k)->turn(to ? NAME(d) : NULL, ld_to, NAME(c), ld, mask, step, m, n);
    bad +=
        NAME(same)(k, "turn, in place", NAME(c), y, ROOM) + NAME(same)(k, "turn", NAME(d), turned, ROOM);
    NAME(kl_isa_layers)(k)->fill(NAME(c), ld, NAME(a), m, n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) y[i * ld + j] = NAME(a)[i];
    bad += NAME(same)(k, "fill", NAME(c), y, ROOM);
    NAME(numbers)(NAME(c));
    for (size_t j = 0; j < n; j++) {
        turned[j] = NAME(d)[j];
        for (size_t i = 0; i < m; i++) turned[j] += NAME(c)[i * ld + j];
    }
    NAME(kl_isa_layers)(k)->add(NAME(d), NAME(c), ld, m, n);
    return bad + NAME(same)(k, "add", NAME(d), turned, n);
}

/* Ties too: values are multiples of 1/4. */
static int NAME(check_pools)(enum kl_isa k, size_t columns, bool largest)
{
    REAL *r = NAME(a), *out = NAME(b), *back = NAME(c), *want = NAME(want),
         *want_back = NAME(want) + 4096;
    const size_t row = 32 * columns;
    for (size_t i = 0; i < 2 * row; i++)
        r[i] = (REAL)(floor(8 * uniform()) / 4), r[i] = r[i] < 0 ? 0 : r[i];
    for (size_t i = 0; i < 16 * columns; i++) {
        const size_t at[4] = { i / 16 * 32 + i % 16, i / 16 * 32 + i % 16 + 16,
                               row + i / 16 * 32 + i % 16, row + i / 16 * 32 + i % 16 + 16 };
        int best = 0;
        for (int q = 1; q < 4; q++)
            if (r[at[q]] > r[at[best]]) best = q;
        want[i] = largest ? r[at[best]] : ((r[at[0]] + r[at[1]]) + (r[at[2]] + r[at[3]])) / 4;
        for (int q = 0; q < 4; q++)
            want_back[at[q]] =
                !(r[at[q]] > 0) || (largest && q != best) ? 0 : NAME(d)[i] / (largest ? 1 : 4);
    }
    NAME(kl_isa_layers)(k)->pool(out, r, r + row, columns, largest);
    NAME(kl_isa_layers)(k)->pool_back(back, back + row, NAME(d), r, r + row, columns, largest);
    return NAME(same)(k, "pool", out, want, 16 * columns) +
           NAME(same)(k, "pool, back", back, want_back, 2 * row);
}

static int NAME(check)(enum kl_isa k)
{
    static const size_t products[][3] = {
        { 1, 16, 1 }, { 6, 32, 25 }, { 12, 48, 9 }, { 13, 160, 150 }, { 29, 80, 63 }
    };
    static const size_t turns[][2] = {
        { 1, 1 }, { 4, 4 }, { 5, 9 }, { 16, 31 }, { 100, 37 }, { 96, 112 }
    };
    static const struct kl_layers_field fields[] = { { 1, 1, 1, 0, 0, 0, 0 },
                                                     { 1, 5, 7, 0, 112, 0, 176 },
                                                     { 3, 2, 2, 64, 32, 400, 96 } };
    int bad = 0;
    NAME(numbers)(NAME(a)), NAME(numbers)(NAME(b)), NAME(numbers)(NAME(c)), NAME(numbers)(NAME(d));
    for (int flags = 0; flags < 4; flags++)
        for (size_t s = 0; s < sizeof products / sizeof *products; s++)
            bad += NAME(check_taps)(k, products[s][0], products[s][1], products[s][2], flags & 1,
                                    flags >> 1);
    for (size_t m = 1; m <= 9; m++)
        for (size_t n = 1; n <= 13; n++) bad += NAME(check_dots)(k, m, n, &fields[(m + n) % 3]);
    for (int gate = 0; gate < 3; gate++)
        for (size_t s = 0; s < sizeof turns / sizeof *turns; s++)
            for (int to = 0; to < 2; to++) {
                NAME(numbers)(NAME(c));
                bad += NAME(check_turn)(k, turns[s][0], turns[s][1], gate, to);
            }
    for (size_t columns = 1; columns < 8; columns++)
        bad += NAME(check_pools)(k, columns, false) + NAME(check_pools)(k, columns, true);
    return bad;
}
