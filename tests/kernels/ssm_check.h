/* SPDX-License-Identifier: MIT
   The checks of tests/kernels/ssm.c in one precision: values against the circuits gate by gate,
   gradients against central differences of these. Two groups of states, rows 8 values further apart than
   they need be. */
enum { NAME(WIDTH) = 64 / sizeof(REAL), NAME(LANES) = 2 * NAME(WIDTH), NAME(LD) = NAME(LANES) + 8 };
static REAL NAME(v)[STATES * NAME(LD)], NAME(dv)[STATES * NAME(LD)], NAME(m)[7 * MOST * NAME(LD)],
    NAME(g)[7 * MOST * NAME(LD)], NAME(states)[2 * STATES * NAME(LANES)] __attribute__((aligned(64))),
    NAME(scratch)[8 * STATES * NAME(WIDTH)] __attribute__((aligned(64))), NAME(sums)[300 * NAME(WIDTH)],
    NAME(angle)[3][4 * MOST * MOST_LAYERS * NAME(LD)], NAME(slope)[4 * MOST * MOST_LAYERS * NAME(LD)],
    NAME(keep)[3 * NAME(LD)], NAME(other)[STATES * NAME(LD)];
static uint64_t NAME(bits), NAME(avx2_bits);

static void NAME(mix_bits)(const REAL *found, size_t n)
{
    for (size_t i = 0; i < n * sizeof *found; i++)
        NAME(bits) = (NAME(bits) ^ ((const unsigned char *)found)[i]) * 1099511628211u;
}
static void NAME(draw)(REAL *p, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++) p[i] = (REAL)(scale * uniform());
}
static void NAME(column)(long double *to, const REAL *rows, size_t n, size_t lane)
{
    for (size_t k = 0; k < n; k++) to[k] = rows[k * NAME(LD) + lane];
}
static long double NAME(dot)(const long double *m, const REAL *g, size_t n, size_t lane)
{
    long double sum = 0;
    for (size_t j = 0; j < n; j++) sum += m[j] * g[j * NAME(LD) + lane];
    return sum;
}
static long double NAME(row_sum)(size_t row)
{
    long double sum = 0;
    for (int l = 0; l < NAME(WIDTH); l++) sum += NAME(sums)[row * NAME(WIDTH) + (size_t)l];
    return sum;
}

/* Coefficients of a plan in this precision. */
static REAL NAME(turn)[MOST_LAYERS * 2 * MOST], NAME(before)[MOST_LAYERS * 2 * STATES],
    NAME(after)[MOST_LAYERS * 2 * STATES], NAME(control)[MOST_LAYERS * 2 * MOST], NAME(end)[9 * MOST],
    NAME(gate)[2 * MOST];
static struct NAME(kl_ssm_plan) NAME(plan_of)(struct slow_plan *p, int n, int layers)
{
    *p = (struct slow_plan){ .n = n, .layers = layers };
    for (int l = 0; l < layers; l++) {
        for (int q = 0; q < n; q++) {
            p->turn[l][q] = 6 * uniform();
            NAME(turn)[2 * n * l + q] = (REAL)cosl(p->turn[l][q] / 2);
            NAME(turn)[2 * n * l + n + q] = (REAL)sinl(p->turn[l][q] / 2);
        }
        for (int q = 0; q + 1 < n; q++) {
            p->control[l][q] = 6 * uniform();
            NAME(control)[2 * (n - 1) * l + q] = (REAL)cosl(p->control[l][q] / 2);
            NAME(control)[2 * (n - 1) * l + n - 1 + q] = (REAL)sinl(p->control[l][q] / 2);
        }
        for (int k = 0; k < 1 << n; k++) {
            REAL *b = NAME(before) + 2 * ((l << n) + k), *a = NAME(after) + 2 * ((l << n) + k);
            p->before[l][k] = 6 * uniform(), p->after[l][k] = 6 * uniform();
            b[0] = (REAL)cosl(p->before[l][k]), b[1] = (REAL)sinl(p->before[l][k]);
            a[0] = (REAL)cosl(p->after[l][k]), a[1] = (REAL)sinl(p->after[l][k]);
        }
    }
    for (int q = 0; q < n; q++) {
        const long double a = 6 * uniform(), b = 6 * uniform();
        for (int axis = 0; axis < 3; axis++) {
            long double v[3] = { axis == 0, axis == 1, axis == 2 };
            slow_vector(v, 0, a), slow_vector(v, 2, b);
            for (int r = 0; r < 3; r++)
                p->end[9 * q + 3 * r + axis] = v[r], NAME(end)[9 * q + 3 * r + axis] = (REAL)v[r];
        }
        p->gate[q] = 6 * uniform();
        NAME(gate)[q] = (REAL)cosl(p->gate[q] / 2), NAME(gate)[n + q] = (REAL)sinl(p->gate[q] / 2);
    }
    return (struct NAME(kl_ssm_plan)){ n,           layers,        NAME(turn), NAME(before),
                                       NAME(after), NAME(control), NAME(end),  NAME(gate) };
}

static int NAME(check_circuit)(enum kl_isa k, int n, int layers)
{
    const size_t N = (size_t)1 << n, rows = KL_SSM_SUMS(n, layers), W = (size_t)(7 * n);
    const long double step = 1e-6L;
    struct slow_plan p;
    const struct NAME(kl_ssm_plan) plan = NAME(plan_of)(&p, n, layers);
    const struct slow_insert none = { -1, 0 };
    long double v[STATES], m[7 * MOST], by_row[300] = { 0 };
    int bad = 0;
    NAME(draw)(NAME(v), N * NAME(LD), 4 / sqrt((double)N)), NAME(draw)(NAME(g), W * NAME(LD), 2);
    memset(NAME(sums), 0, sizeof NAME(sums));
    NAME(kl_isa_ssm)(k)->forward(NAME(m), NULL, NAME(v), NAME(LD), 2, &plan, NAME(scratch));
    NAME(mix_bits)(NAME(m), NAME(LANES));
    NAME(kl_isa_ssm)(k)->forward(NAME(m), NAME(states), NAME(v), NAME(LD), 2, &plan, NAME(scratch));
    NAME(kl_isa_ssm)
    (k)->adjoint(NAME(dv), NAME(sums), NAME(g), NAME(m), NAME(states), NAME(v), NAME(LD), 2, &plan,
                 NAME(scratch));
    for (size_t lane = 0; lane < NAME(LANES); lane++) {
        NAME(column)(v, NAME(v), N, lane);
        slow_ssm(m, v, &p, none);
        for (size_t j = 0; j < W; j++)
            bad +=
                far(kl_isa_name(k), "ssm forward", j, NAME(m)[j * NAME(LD) + lane], m[j], 2, 100, EPS);
        for (size_t i = 0; i < N; i += 1 + N / 8) {
            const long double kept = v[i];
            v[i] = kept + step, slow_ssm(m, v, &p, none);
            const long double more = NAME(dot)(m, NAME(g), W, lane);
            v[i] = kept - step, slow_ssm(m, v, &p, none);
            v[i] = kept;
            bad += far(kl_isa_name(k), "ssm gradient by amplitude", i, NAME(dv)[i * NAME(LD) + lane],
                       (more - NAME(dot)(m, NAME(g), W, lane)) / (2 * step), 20, 100, EPS + 1e-12L);
        }
        for (size_t r = 0; r < rows; r++) {
            slow_ssm(m, v, &p, (struct slow_insert){ (int)r, step });
            const long double more = NAME(dot)(m, NAME(g), W, lane);
            slow_ssm(m, v, &p, (struct slow_insert){ (int)r, -step });
            by_row[r] += (more - NAME(dot)(m, NAME(g), W, lane)) / (2 * step);
        }
    }
    for (size_t r = 0; r < rows; r++)
        if (r % 3 || r >= (size_t)(3 * n)) /* X of layer 0 is not asked for */
            bad +=
                far(kl_isa_name(k), "ssm sums", r, NAME(row_sum)(r), by_row[r], 40, 100, EPS + 1e-12L);
    NAME(mix_bits)(NAME(dv), NAME(LANES)), NAME(mix_bits)(NAME(sums), rows * NAME(WIDTH));
    return bad;
}

static int NAME(check_rings)(enum kl_isa k, int n, int layers)
{
    const size_t rows = (size_t)(4 * n * layers), F = (size_t)(3 * n),
                 some = KL_SSM_RINGS_SUMS(n, layers);
    const long double step = 1e-6L;
    struct slow_plan p;
    const struct NAME(kl_ssm_plan) shared = NAME(plan_of)(&p, n, layers);
    const struct NAME(kl_ssm_rings) plan = { n, layers, shared.turn, shared.end };
    const struct slow_insert none = { -1, 0 };
    long double turns[MOST_LAYERS * MOST], a[4 * MOST * MOST_LAYERS], m[3 * MOST], by_row[300] = { 0 };
    REAL *c = NAME(angle)[1], *s = NAME(angle)[2];
    int bad = 0;
    for (int l = 0; l < layers; l++)
        for (int q = 0; q < n; q++) turns[l * n + q] = p.turn[l][q];
    NAME(draw)(NAME(angle)[0], rows * NAME(LD), 6), NAME(draw)(NAME(g), F * NAME(LD), 2);
    for (size_t i = 0; i < rows * NAME(LD); i++)
        c[i] = (REAL)cosl(NAME(angle)[0][i] / 2.0L), s[i] = (REAL)sinl(NAME(angle)[0][i] / 2.0L);
    memset(NAME(sums), 0, sizeof NAME(sums));
    NAME(kl_isa_ssm)(k)->rings_forward(NAME(m), NULL, c, s, NAME(LD), 2, &plan, NAME(scratch));
    NAME(mix_bits)(NAME(m), NAME(LANES));
    NAME(kl_isa_ssm)(k)->rings_forward(NAME(m), NAME(states), c, s, NAME(LD), 2, &plan, NAME(scratch));
    NAME(kl_isa_ssm)
    (k)->rings_adjoint(NAME(slope), NAME(sums), NAME(g), NAME(m), NAME(states), c, s, NAME(LD), 2, &plan,
                       NAME(scratch));
    for (size_t lane = 0; lane < NAME(LANES); lane++) {
        NAME(column)(a, NAME(angle)[0], rows, lane);
        slow_rings(m, a, n, layers, turns, p.end, none);
        for (size_t j = 0; j < F; j++)
            bad += far(kl_isa_name(k), "ssm rings", j, NAME(m)[j * NAME(LD) + lane], m[j], 1, 100, EPS);
        for (size_t i = 0; i < rows + some; i++) {
            if (i < rows) a[i] += step;
            slow_rings(m, a, n, layers, turns, p.end, (struct slow_insert){ (int)i - (int)rows, step });
            const long double more = NAME(dot)(m, NAME(g), F, lane);
            if (i < rows) a[i] -= 2 * step;
            slow_rings(m, a, n, layers, turns, p.end, (struct slow_insert){ (int)i - (int)rows, -step });
            const long double expected = (more - NAME(dot)(m, NAME(g), F, lane)) / (2 * step);
            if (i < rows) a[i] += step;
            if (i >= rows) by_row[i - rows] += expected;
            else
                bad += far(kl_isa_name(k), "ssm rings, angles", i, NAME(slope)[i * NAME(LD) + lane],
                           expected, 4, 100, EPS + 1e-12L);
        }
    }
    for (size_t r = 0; r < some; r++)
        bad += far(kl_isa_name(k), "ssm rings, sums", r, NAME(row_sum)(r), by_row[r], 20, 100,
                   EPS + 1e-12L);
    NAME(mix_bits)(NAME(slope), NAME(LANES)), NAME(mix_bits)(NAME(sums), some * NAME(WIDTH));
    return bad;
}

static int NAME(check_embed)(enum kl_isa k, size_t rows)
{
    const long double step = 1e-6L;
    static REAL weight[STATES], bias[STATES];
    long double z[STATES], v[STATES], w[STATES], b[STATES], by_row[2 * STATES] = { 0 };
    int bad = 0;
    NAME(draw)(NAME(v), rows * NAME(LD), 4), NAME(draw)(NAME(dv), rows * NAME(LD), 2);
    NAME(draw)(weight, rows, 2), NAME(draw)(bias, rows, 1);
    for (size_t i = 0; i < rows; i++) w[i] = weight[i], b[i] = bias[i];
    memcpy(NAME(g), NAME(dv),
           sizeof(REAL) * (rows * NAME(LD) < 7 * MOST * NAME(LD) ? rows : 0) * NAME(LD));
    memset(NAME(sums), 0, sizeof NAME(sums));
    NAME(kl_isa_ssm)(k)->embed(NAME(other), NAME(keep), NAME(v), NAME(LD), 2, rows, weight, bias);
    NAME(kl_isa_ssm)
    (k)->embed_back(NAME(dv), NAME(sums), NAME(other), NAME(keep), NAME(v), NAME(LD), 2, rows, weight);
    for (size_t lane = 0; lane < NAME(LANES); lane++) {
        NAME(column)(z, NAME(v), rows, lane);
        slow_embed(v, z, rows, w, b);
        for (size_t j = 0; j < rows; j++)
            bad +=
                far(kl_isa_name(k), "ssm embed", j, NAME(other)[j * NAME(LD) + lane], v[j], 1, 60, EPS);
        for (size_t i = 0; i < 3 * rows; i++) {
            long double *at = i < rows       ? z + i
                              : i < 2 * rows ? w + i - rows
                                             : b + i - 2 * rows,
                        kept = *at;
            *at = kept + step, slow_embed(v, z, rows, w, b);
            const long double more = NAME(dot)(v, NAME(g), rows, lane);
            *at = kept - step, slow_embed(v, z, rows, w, b);
            const long double expected = (more - NAME(dot)(v, NAME(g), rows, lane)) / (2 * step);
            *at = kept;
            if (i >= rows) by_row[i - rows] += expected;
            else
                bad += far(kl_isa_name(k), "ssm embed, back", i, NAME(dv)[i * NAME(LD) + lane], expected,
                           4, 100, EPS + 1e-12L);
        }
    }
    for (size_t r = 0; r < 2 * rows; r++)
        bad += far(kl_isa_name(k), "ssm embed, sums", r, NAME(row_sum)(r), by_row[r], 40, 100,
                   EPS + 1e-12L);
    NAME(mix_bits)(NAME(dv), NAME(LANES)), NAME(mix_bits)(NAME(sums), 2 * rows * NAME(WIDTH));
    return bad;
}

static int NAME(check_mix)(enum kl_isa k, int n)
{
    const size_t W = (size_t)(7 * n), F = (size_t)(3 * n);
    const long double step = 1e-6L;
    REAL factor[6], skip[2 * MOST];
    long double m[7 * MOST], r[3 * MOST], f[6], s[MOST], by_row[6 + MOST] = { 0 };
    int bad = 0;
    NAME(draw)
    (NAME(m), W * NAME(LD), 2), NAME(draw)(NAME(dv), F * NAME(LD), 2), NAME(draw)(factor, 6, 2);
    for (int i = 0; i < 6; i++) f[i] = factor[i];
    for (int q = 0; q < n; q++) {
        s[q] = 6 * uniform();
        skip[q] = (REAL)cosl(s[q]), skip[n + q] = (REAL)sinl(s[q]);
    }
    memset(NAME(sums), 0, sizeof NAME(sums));
    NAME(kl_isa_ssm)(k)->mix(NAME(other), NAME(m), NAME(LD), 2, n, factor, skip);
    NAME(kl_isa_ssm)(k)->mix_back(NAME(g), NAME(sums), NAME(dv), NAME(m), NAME(LD), 2, n, factor, skip);
    for (size_t lane = 0; lane < NAME(LANES); lane++) {
        NAME(column)(m, NAME(m), W, lane);
        slow_mix(r, m, n, f, s);
        for (size_t j = 0; j < F; j++)
            bad += far(kl_isa_name(k), "ssm mix", j, NAME(other)[j * NAME(LD) + lane], r[j], 1, 60, EPS);
        for (size_t i = 0; i < W + 6 + (size_t)n; i++) {
            long double *at = i < W ? m + i : i < W + 6 ? f + i - W : s + i - W - 6, kept = *at;
            *at = kept + step, slow_mix(r, m, n, f, s);
            const long double more = NAME(dot)(r, NAME(dv), F, lane);
            *at = kept - step, slow_mix(r, m, n, f, s);
            const long double expected = (more - NAME(dot)(r, NAME(dv), F, lane)) / (2 * step);
            *at = kept;
            if (i >= W) by_row[i - W] += expected;
            else
                bad += far(kl_isa_name(k), "ssm mix, back", i, NAME(g)[i * NAME(LD) + lane], expected, 4,
                           100, EPS + 1e-12L);
        }
    }
    for (size_t j = 0; j < 6 + (size_t)n; j++)
        bad +=
            far(kl_isa_name(k), "ssm mix, sums", j, NAME(row_sum)(j), by_row[j], 40, 100, EPS + 1e-12L);
    NAME(mix_bits)(NAME(g), NAME(LANES)), NAME(mix_bits)(NAME(sums), (6 + (size_t)n) * NAME(WIDTH));
    return bad;
}

static int NAME(check_angles)(enum kl_isa k)
{
    REAL offset[4];
    int bad = 0;
    NAME(draw)(offset, 4, 6), NAME(draw)(NAME(v), 4 * NAME(LD), 20);
    NAME(v)[0] = 90, NAME(v)[1] = -90;
    NAME(kl_isa_ssm)
    (k)->angles(NAME(angle)[1], NAME(angle)[2], NAME(slope), NAME(v), NAME(LD), 2, 4, offset);
    for (size_t i = 0; i < 4 * NAME(LD); i++) {
        if (i % NAME(LD) >= NAME(LANES)) continue;
        const long double pi = acosl(-1), s = 1 / (1 + expl(-(long double)NAME(v)[i])),
                          x = pi * s + offset[i / NAME(LD)];
        bad += far(kl_isa_name(k), "ssm cosine", i, NAME(angle)[1][i], cosl(x), 4, 8, EPS);
        bad += far(kl_isa_name(k), "ssm sine", i, NAME(angle)[2][i], sinl(x), 4, 8, EPS);
        bad += far(kl_isa_name(k), "ssm slope", i, NAME(slope)[i], 2 * pi * s * (1 - s), 2, 8, EPS);
    }
    NAME(mix_bits)(NAME(angle)[1], NAME(LANES)), NAME(mix_bits)(NAME(slope), NAME(LANES));
    return bad;
}

static int NAME(check)(enum kl_isa k)
{
    int bad = 0;
    random_state = 88172645463325252ull; /* the same numbers for each set */
    NAME(bits) = 14695981039346656037u;
    for (int n = 2; n <= MOST; n++)
        bad += NAME(check_circuit)(k, n, n < 5 ? 3 : 2) + NAME(check_rings)(k, n, n < 5 ? 3 : 2) +
               NAME(check_mix)(k, n);
    bad += NAME(check_circuit)(k, 3, 1) + NAME(check_rings)(k, 3, 1) + NAME(check_embed)(k, 4) +
           NAME(check_embed)(k, 16) + NAME(check_angles)(k);
    if (strcmp(kl_isa_name(k), "avx2") == 0) NAME(avx2_bits) = NAME(bits);
    if (strcmp(kl_isa_name(k), "avx512") == 0 && NAME(bits) != NAME(avx2_bits)) {
        printf("ssm, %zu bytes: avx512 gives other bits than avx2\n", sizeof(REAL));
        bad++;
    }
    return bad;
}
