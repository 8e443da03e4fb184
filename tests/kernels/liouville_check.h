/* SPDX-License-Identifier: MIT
   The check of tests/kernels/liouville.c in one precision. */
static REAL NAME(u)[SEGMENTS * CONTROLS], NAME(params)[PARAMS], NAME(start)[DIM * DIM],
    NAME(weights)[DIM * DIM];
static REAL NAME(grad)[SEGMENTS * CONTROLS], NAME(grad_params)[PARAMS],
    NAME(path)[(SEGMENTS + 1) * DIM * DIM];

static void NAME(round_inputs)(void)
{
    for (int i = 0; i < SEGMENTS * CONTROLS; i++) NAME(u)[i] = (REAL)u[i];
    for (int i = 0; i < PARAMS; i++) NAME(params)[i] = (REAL)params[i];
    for (int i = 0; i < DIM * DIM; i++)
        NAME(start)[i] = (REAL)start[i], NAME(weights)[i] = (REAL)weights[i];
}
static int NAME(off)(enum kl_isa k, const char *what, int i, long double found, long double want)
{
    if (fabsl(found - want) <= NEAR * (1 + fabsl(want))) return 0;
    printf("liouville %s form %d, %s of %zu bytes [%d]: found %.17Lg, expected %.17Lg\n", kl_isa_name(k),
           (int)g.form, what, sizeof(REAL), i, found, want);
    return 1;
}
static int NAME(check)(enum kl_isa k)
{
    void *work = aligned_alloc(64, kl_liouville_work(&g));
    int failures = 0;
    NAME(round_inputs)();
    const double loss =
        NAME(kl_isa_liouville_gradient)(k)(NAME(grad), NAME(grad_params), NAME(path), NAME(u),
                                           NAME(params), NAME(start), NAME(weights), &g, work);
    failures += NAME(off)(k, "loss", 0, loss, slow());
    for (int i = 0; i < g.segments * CONTROLS; i++)
        failures += NAME(off)(k, "gradient", i, NAME(grad)[i], slope(&u[i]));
    for (int i = 0; i < PARAMS; i++)
        failures += NAME(off)(k, "by a parameter", i, NAME(grad_params)[i], slope(&params[i]));
    long double end = 0;
    for (int i = 0; i < DIM * DIM; i++) end -= weights[i] * NAME(path)[g.segments * DIM * DIM + i];
    failures += NAME(off)(k, "path", 0, end, loss);
    free(work);
    return failures;
}
static void NAME(bench)(enum kl_isa k)
{
    void *work = aligned_alloc(64, kl_liouville_work(&g));
    struct timespec a, b;
    double best = 1e9;
    NAME(round_inputs)();
    for (int round = 0; round < 9; round++) {
        const int repeats = 300;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < repeats; i++) NAME(kl_isa_liouville_gradient)
        (k)(NAME(grad), NULL, NULL, NAME(u), NAME(params), NAME(start), NAME(weights), &g, work);
        clock_gettime(CLOCK_MONOTONIC, &b);
        best = fmin(best,
                    ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / repeats);
    }
    printf("liouville %s %s, %d segments of %zu bytes: %.1f us\n", kl_isa_name(k),
           g.form ? "two qubits" : "sparse", g.segments, sizeof(REAL), 1e6 * best);
    free(work);
}
