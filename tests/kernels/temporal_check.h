/* SPDX-License-Identifier: MIT
   The checks of tests/kernels/temporal.c in one precision. */
static REAL NAME(x)[ROOM] __attribute__((aligned(64))), NAME(dy)[ROOM] __attribute__((aligned(64))),
    NAME(y)[ROOM] __attribute__((aligned(64))), NAME(row)[ROOM], NAME(w)[256], NAME(b)[64],
    NAME(each)[64];
/* All bits that a set gave, mixed (FNV-1a): sets with fused multiply-adds agree. */
static uint64_t NAME(bits), NAME(avx2_bits);
static void NAME(mix)(const REAL *found, size_t n)
{
    for (size_t i = 0; i < n * sizeof *found; i++)
        NAME(bits) = (NAME(bits) ^ ((const unsigned char *)found)[i]) * 1099511628211u;
}

/* z at channel c, step t; silu and its derivative. */
static long double NAME(z)(size_t c, size_t t, size_t steps, size_t ld, int taps, int left)
{
    long double z = NAME(b)[c];
    for (int k = 0; k < taps; k++) {
        const long at = (long)t + k - left;
        if (at >= 0 && at < (long)steps)
            z += (long double)NAME(w)[c * (size_t)taps + (size_t)k] *
                 (long double)NAME(x)[c * ld + (size_t)at];
    }
    return z;
}

static int NAME(check_filter)(enum kl_isa k, size_t channels, size_t steps, int taps, int left)
{
    const size_t ld = (steps + 15) / 16 * 16 + 16;
    const struct NAME(kl_temporal_filter) f = { channels, steps, taps, left, NAME(w), NAME(b) };
    const int rough = 64 + (int)steps;
    static REAL mean[64], slopes[1024], dx[ROOM], dw[1024], db[64], alone[64];
    int bad = 0;
    memset(dx, 0, sizeof dx); /* between rows nothing is written */
    NAME(kl_isa_temporal)(k)->pool(mean, slopes, &f, NAME(x), ld, NAME(row));
    NAME(kl_isa_temporal)(k)->pool(alone, NULL, &f, NAME(x), ld, NAME(row));
    NAME(kl_isa_temporal)(k)->filter(NAME(y), &f, NAME(x), ld, NAME(row));
    for (size_t c = 0; c < channels; c++) {
        long double sum = 0, by[17] = { 0 };
        for (size_t t = 0; t < ld - 16; t++) {
            const long double z = NAME(z)(c, t, steps, ld, taps, left);
            const REAL y = NAME(y)[c * ld + t];
            bad += far(kl_isa_name(k), "temporal filter", t, y, t < steps ? silu(z) : 0, 1 + fabsl(z),
                       16, EPS);
            if (t >= steps) continue;
            sum += silu(z), by[taps] += slope(z);
            for (int j = 0; j < taps; j++) {
                const long at = (long)t + j - left;
                if (at >= 0 && at < (long)steps)
                    by[j] += slope(z) * (long double)NAME(x)[c * ld + (size_t)at];
            }
        }
        bad += far(kl_isa_name(k), "temporal pool", c, mean[c], sum / (long double)steps, 1, rough, EPS);
        bad += mean[c] != alone[c];
        for (int j = 0; j <= taps; j++)
            bad += far(kl_isa_name(k), "temporal slopes", (size_t)j,
                       slopes[c * (size_t)(taps + 1) + (size_t)j], by[j] / (long double)steps, 1, rough,
                       EPS);
    }
    NAME(mix)(mean, channels);
    NAME(mix)(slopes, channels * (size_t)(taps + 1));
    for (int constant = 0; constant < 2; constant++) {
        for (size_t i = 0; i < 1024; i++) dw[i] = (REAL)0.25;
        for (size_t i = 0; i < 64; i++) db[i] = (REAL)0.5;
        NAME(kl_isa_temporal)
        (k)->back(dx, dw, db, &f, NAME(x), ld, constant ? NULL : NAME(dy), NAME(each), NAME(row));
        for (size_t c = 0; c < channels; c++) {
            long double by[17] = { 0 }, size[17] = { 0 }, to[600] = { 0 };
            for (size_t t = 0; t < steps; t++) {
                const long double d = (long double)(constant ? NAME(each)[c] : NAME(dy)[c * ld + t]) *
                                      slope(NAME(z)(c, t, steps, ld, taps, left));
                by[taps] += d, size[taps] += fabsl(d);
                for (int j = 0; j < taps; j++) {
                    const long at = (long)t + j - left;
                    if (at < 0 || at >= (long)steps) continue;
                    const long double term = d * (long double)NAME(x)[c * ld + (size_t)at];
                    by[j] += term, size[j] += fabsl(term);
                    to[at] += d * (long double)NAME(w)[c * (size_t)taps + (size_t)j];
                }
            }
            for (size_t t = 0; t < ld - 16; t++)
                bad += far(kl_isa_name(k), "temporal back", t, dx[c * ld + t], to[t], 1, 40, EPS);
            for (int j = 0; j < taps; j++)
                bad += far(kl_isa_name(k), "temporal taps", (size_t)j, dw[c * (size_t)taps + (size_t)j],
                           0.25L + by[j], 1 + size[j], 40, EPS);
            bad +=
                far(kl_isa_name(k), "temporal bias", c, db[c], 0.5L + by[taps], 1 + size[taps], 40, EPS);
        }
        NAME(mix)(dx, channels * ld - 16);
        NAME(mix)(dw, channels * (size_t)taps);
    }
    return bad;
}

static int NAME(check_rows)(enum kl_isa k, size_t steps, size_t width)
{
    const size_t ld = width + 3;
    static REAL mean[64], z[ROOM], kept[ROOM];
    int bad = 0;
    for (size_t i = 0; i < steps * ld; i++) z[i] = kept[i] = 8 * NAME(x)[i];
    for (int slopes = 0; slopes < 2; slopes++) {
        NAME(kl_isa_temporal)(k)->pool_rows(mean, z, ld, NAME(b), steps, width, slopes);
        for (size_t j = 0; j < width; j++) {
            long double sum = 0;
            for (size_t t = 0; t < steps; t++) {
                const long double at = (long double)kept[t * ld + j] + (long double)NAME(b)[j];
                sum += silu(at);
                if (slopes)
                    bad += far(kl_isa_name(k), "temporal slope of rows", t, z[t * ld + j],
                               slope(at) / (long double)steps, 1 / (long double)steps, 30, EPS);
                else bad += z[t * ld + j] != kept[t * ld + j];
            }
            bad += far(kl_isa_name(k), "temporal rows", j, mean[j], sum / (long double)steps, 2,
                       64 + (int)steps, EPS);
        }
        for (size_t t = 0; t < steps; t++)
            for (size_t j = width; j < ld; j++) bad += z[t * ld + j] != kept[t * ld + j];
        NAME(mix)(mean, width);
    }
    return bad;
}

/* Tiles of width channels and as many filters: parts multiplied one by one are the filters' outputs, and
   their gradients. */
static int NAME(check_tiles)(enum kl_isa k, size_t steps, size_t width)
{
    enum { MOST = 32, TILES = 20, P = KL_TEMPORAL_PARTS };
    const size_t tiles = (steps + 3) / 4, part = tiles * width, count = width * width, step = count + 16;
    static REAL in[P * TILES * MOST], out[P * TILES * MOST], filters[P * (MOST * MOST + 16)],
        dw[3 * MOST * MOST], mean[MOST], slopes[4 * TILES * MOST];
    const REAL *x = NAME(x) + 128, *w = NAME(dy);
    int bad = 0;
    NAME(kl_isa_temporal)(k)->tile_inputs(in, x, tiles, width);
    NAME(kl_isa_temporal)(k)->tile_filters(filters, w, width, width, step);
    memset(out, 0, sizeof out);
    for (size_t p = 0; p < P; p++)
        for (size_t i = 0; i < part; i++)
            for (size_t c = 0; c < width; c++)
                out[p * part + i] +=
                    in[p * part + i / width * width + c] * filters[p * step + c * width + i % width];
    NAME(kl_isa_temporal)(k)->tile_pool(mean, slopes, out, NAME(b), steps, width);
    for (size_t o = 0; o < width; o++) {
        long double sum = 0;
        for (size_t t = 0; t < steps; t++) {
            long double z = NAME(b)[o], size = fabsl(z);
            for (size_t j = 0; j < 3 * width; j++) {
                const long double term = (long double)x[t * width + j] *
                                         (long double)w[j % width * 3 * width + j / width * width + o];
                z += term, size += fabsl(term);
            }
            sum += silu(z);
            bad += far(kl_isa_name(k), "temporal tiles, slopes", t, slopes[t * width + o],
                       slope(z) / (long double)steps, size / (long double)steps, 40, EPS);
        }
        bad += far(kl_isa_name(k), "temporal tiles", o, mean[o], sum / (long double)steps,
                   1 + (long double)width, 60, EPS);
    }
    NAME(kl_isa_temporal)(k)->tile_pool(NAME(each), NULL, out, NAME(b), steps, width);
    bad += memcmp(NAME(each), mean, width * sizeof *mean) != 0;
    NAME(kl_isa_temporal)(k)->tile_slopes(out, slopes, NAME(b), steps, width);
    memset(filters, 0, sizeof filters);
    for (size_t p = 0; p < P; p++)
        for (size_t i = 0; i < part; i++)
            for (size_t c = 0; c < width; c++)
                filters[p * step + c * width + i % width] +=
                    in[p * part + i / width * width + c] * out[p * part + i];
    NAME(kl_isa_temporal)(k)->tile_filters_back(dw, filters, count, step);
    for (size_t i = 0; i < 3 * count; i++) {
        const size_t tap = i % 3, c = i / 3 / width, o = i / 3 % width;
        long double sum = 0, size = 0;
        for (size_t t = 0; t < steps; t++) {
            const long double d = (long double)slopes[t * width + o] * NAME(b)[o];
            sum += d * x[(t + tap) * width + c];
            for (size_t r = t / 4 * 4; r < t / 4 * 4 + 6; r++)
                size += fabsl(d * x[r * width + c]); /* a tile's */
        }
        bad += far(kl_isa_name(k), "temporal tiles, back", i, dw[i], sum, size, 40, EPS);
    }
    NAME(mix)(mean, width), NAME(mix)(dw, 3 * count);
    return bad;
}

static void NAME(numbers)(void)
{
    for (size_t i = 0; i < ROOM; i++) NAME(x)[i] = (REAL)(4 * uniform()), NAME(dy)[i] = (REAL)uniform();
    for (size_t i = 0; i < 256; i++) NAME(w)[i] = (REAL)(3 * uniform());
    for (size_t i = 0; i < 64; i++) NAME(b)[i] = (REAL)uniform(), NAME(each)[i] = (REAL)uniform();
    NAME(x)[5] = 200, NAME(x)[70] = -300; /* sigma's ends */
}

static int NAME(check)(enum kl_isa k)
{
    static const size_t shapes[][4] = { { 1, 1, 1, 0 },   { 3, 5, 3, 1 },    { 2, 16, 3, 1 },
                                        { 5, 249, 3, 1 }, { 4, 50, 4, 3 },   { 3, 257, 4, 3 },
                                        { 2, 33, 7, 2 },  { 1, 100, 16, 15 } };
    int bad = 0;
    random_state = 88172645463325252ull; /* the same numbers for each set */
    NAME(bits) = 14695981039346656037u;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        NAME(numbers)();
        bad += NAME(check_filter)(k, shapes[s][0], shapes[s][1], (int)shapes[s][2], (int)shapes[s][3]);
    }
    for (size_t width = 1; width < 40; width += 6) bad += NAME(check_rows)(k, 3 + 9 * width, width);
    for (size_t steps = 1; steps < 70; steps += 13)
        for (size_t width = 16; width <= 32; width += 16)
            NAME(numbers)(), bad += NAME(check_tiles)(k, steps, width);
    if (strcmp(kl_isa_name(k), "avx2") == 0) NAME(avx2_bits) = NAME(bits);
    if (strcmp(kl_isa_name(k), "avx512") == 0 && NAME(bits) != NAME(avx2_bits)) {
        printf("temporal, %zu bytes: avx512 gives other bits than avx2\n", sizeof(REAL));
        bad++;
    }
    return bad;
}
