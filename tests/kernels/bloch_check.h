/* SPDX-License-Identifier: MIT
   The check of tests/kernels/bloch.c in one precision. */
static REAL NAME(u)[ROOM], NAME(du)[ROOM], NAME(params)[KL_BLOCH_PARAMS * MOST_N],
    NAME(weights)[9 * MOST_N];
static REAL NAME(loss)[MOST_N], NAME(grad)[ROOM], NAME(grad_params)[KL_BLOCH_PARAMS * MOST_N],
    NAME(other)[ROOM];
static REAL NAME(work)[1 << 18] __attribute__((aligned(64)));

static void NAME(round_inputs)(void)
{
    for (size_t i = 0; i < ROOM; i++)
        NAME(u)[i] = (REAL)p.u[i], NAME(du)[i] = (REAL)p.du[i], p.u[i] = NAME(u)[i];
    for (size_t i = 0; i < KL_BLOCH_PARAMS * MOST_N; i++)
        NAME(params)[i] = (REAL)p.params[i], p.params[i] = NAME(params)[i];
    for (size_t i = 0; i < 9 * MOST_N; i++)
        NAME(weights)[i] = (REAL)p.weights[i], p.weights[i] = NAME(weights)[i];
}

static int NAME(off)(enum kl_isa k, const char *what, size_t i, long double found, long double want)
{
    if (fabsl(found - want) <= NEAR) return 0;
    printf("bloch %s %s of %zu bytes [%zu]: found %.17Lg, expected %.17Lg\n", kl_isa_name(k), what,
           sizeof(REAL), i, found, want);
    return 1;
}

static int NAME(check)(enum kl_isa k)
{
    const size_t n = p.n, count = (size_t)(p.b.segments * p.b.controls);
    int failures = 0;
    NAME(round_inputs)();
    NAME(kl_isa_bloch_gradient)
    (k)(NAME(loss), NAME(grad), NAME(grad_params), NULL, NAME(u), NAME(params), NAME(weights), &p.b, n,
        NAME(work));
    for (size_t lane = 3; lane < n; lane += 17) {
        failures += NAME(off)(k, "loss", lane, NAME(loss)[lane], slow(lane));
        for (size_t i = lane % 5; i < count; i += 5)
            failures +=
                NAME(off)(k, "gradient", i, NAME(grad)[i * n + lane], slope(&p.u[i * n + lane], lane));
        for (size_t j = 0; j < KL_BLOCH_PARAMS; j++)
            failures += NAME(off)(k, "by a parameter", j, NAME(grad_params)[j * n + lane],
                                  slope(&p.params[j * n + lane], lane));
    }
    /* The tangent's gradient is the gradient; its derivative, along du, that of central differences. */
    static REAL dloss[MOST_N], dgrad[ROOM], dgrad_params[KL_BLOCH_PARAMS * MOST_N], twin[ROOM];
    NAME(kl_isa_bloch_tangent)
    (k)(dloss, dgrad, dgrad_params, NULL, twin, NAME(u), NAME(du), NAME(params), NULL, NAME(weights),
        &p.b, n, NAME(work));
    for (size_t i = 0; i < count * n; i += 7)
        failures += NAME(off)(k, "gradient of the tangent", i, twin[i], NAME(grad)[i]);
    const REAL h = sizeof(REAL) == 4 ? (REAL)0x1p-6 : (REAL)0x1p-16;
    for (size_t i = 0; i < count * n; i++) NAME(u)[i] += h * NAME(du)[i];
    NAME(kl_isa_bloch_gradient)
    (k)(NAME(loss), NAME(other), NULL, NULL, NAME(u), NAME(params), NAME(weights), &p.b, n, NAME(work));
    for (size_t i = 0; i < count * n; i += 7) {
        const long double difference = ((long double)NAME(other)[i] - NAME(grad)[i]) / h;
        if (fabsl(difference - dgrad[i]) > (sizeof(REAL) == 4 ? 3e-2L : 3e-5L))
            failures += NAME(off)(k, "derivative of the gradient", i, dgrad[i], difference);
    }
    /* Another neighbour, the same bits. */
    for (size_t i = 0; i < count * n; i++) NAME(u)[i] = (REAL)p.u[i];
    for (size_t i = 0; i < count; i++) NAME(u)[i * n + 4] *= (REAL)0.01, NAME(u)[i * n + 6] *= (REAL)0.5;
    NAME(kl_isa_bloch_gradient)
    (k)(NAME(loss), NAME(other), NAME(grad_params), NULL, NAME(u), NAME(params), NAME(weights), &p.b, n,
        NAME(work));
    for (size_t i = 0; i < count; i++)
        if (NAME(other)[i * n + 3] != NAME(grad)[i * n + 3] ||
            NAME(other)[i * n + 5] != NAME(grad)[i * n + 5])
            failures += NAME(off)(k, "gradient with other neighbours", i, 0, 1);
    return failures;
}

static void NAME(bench)(enum kl_isa k)
{
    struct timespec a, b;
    double best = 1e9;
    NAME(round_inputs)();
    for (int round = 0; round < 9; round++) {
        const int repeats = (int)(40000 / p.n);
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < repeats; i++) NAME(kl_isa_bloch_gradient)
        (k)(NAME(loss), NAME(grad), NULL, NULL, NAME(u), NAME(params), NAME(weights), &p.b, p.n,
            NAME(work));
        clock_gettime(CLOCK_MONOTONIC, &b);
        best = fmin(best,
                    ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / repeats);
    }
    printf("bloch %s %s, %d segments, %zu lanes of %zu bytes: %.2f us, %.3f us a lane\n", kl_isa_name(k),
           p.b.affine ? "state" : "gate", p.b.segments, p.n, sizeof(REAL), 1e6 * best,
           1e6 * best / (double)p.n);
}
