/* SPDX-License-Identifier: MIT
   Of control_maml.c, in the precision of REAL: tasks in the lanes of an adaptation. */
struct NAME(adapt) {
    struct NAME(kl_control_adapt) a;
    struct NAME(kl_control_plant) plant;
    REAL weight[LANES]; /* 1/n of a task, 0 beside them */
};

static void NAME(adapt_make)(struct NAME(adapt) * m, const struct kl_control_net *net,
                             const struct kl_control_inner *inner, bool gate, const double *rates,
                             const double *features, size_t n, double h0, struct kl_arena *memory)
{
    const struct kl_bloch b = bloch_of(net->shape.segments, gate);
    struct kl_error err;
    must(NAME(kl_control_adapt_make)(&m->a, net, inner, LANES, memory, &err), &err);
    must(NAME(kl_control_plant_make)(&m->plant, &b, LANES, 10, 1, 1, memory, &err), &err);
    m->plant.constant = 0.5;
    for (size_t l = 0; l < LANES; l++) {
        const size_t t = l < n ? l : 0;
        m->weight[l] = l < n ? (REAL)(1 / (double)n) : 0;
        m->plant.params[KL_BLOCH_DEPHASING * LANES + l] = (REAL)rates[2 * t];
        m->plant.params[KL_BLOCH_DOWN * LANES + l] = (REAL)rates[2 * t + 1];
        m->plant.params[KL_BLOCH_UP * LANES + l] = 0;
        m->plant.params[KL_BLOCH_DETUNING * LANES + l] = (REAL)h0;
        m->plant.amplitude[l] = 1;
        for (int c = 0; c < b.columns; c++)
            for (int i = 0; i < 3; i++)
                m->plant.weights[(size_t)(c * 3 + i) * LANES + l] =
                    (REAL)(gate ? (i == c) * x_gate[i] / 6 : (i == 2) * x_gate[i] / 2);
        for (int i = 0; i < net->shape.features; i++)
            m->a.x[(size_t)i * LANES + l] = (REAL)features[t * (size_t)net->shape.features + (size_t)i];
    }
}
