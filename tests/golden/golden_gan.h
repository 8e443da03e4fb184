/* SPDX-License-Identifier: MIT
   Values of the study's GANs in one precision: REAL, and NAME(x) for x_f32 or x_f64. Included once for
   each; FORWARD and AFTER are the bounds, relative to an array's largest value. */

/* The k-th parameter is amplitude * sin(k + 1), tensor after tensor. */
static void NAME(fill)(REAL *w, size_t n, double amplitude, size_t *k)
{
    for (size_t i = 0; i < n; i++) w[i] = (REAL)(amplitude * sin((double)(++*k)));
}

static void NAME(same)(const char *name, const REAL *found, hid_t file, double bound)
{
    static double expected[MOST], here[MOST];
    const size_t n = golden_values(expected, MOST, file, name);
    for (size_t i = 0; i < n; i++) here[i] = (double)found[i];
    compare(name, here, expected, n, bound);
}

static void NAME(latent)(REAL *z, int epoch)
{
    for (int i = 1; i <= LATENT; i++)
        z[i - 1] = (REAL)(sin(0.37 * i + 0.11 * epoch) + 0.02 * sin((double)i));
}

struct NAME(pair) {
    struct kl_arena memory;
    struct NAME(kl_gan_network) g;
    struct NAME(kl_discriminator) d;
    REAL law[CELLS], dp[CELLS], target[CELLS];
};

/* Weight of input j (bias: j = columns) in output i; the last layer's are stored by inputs, part
   by part of the cells. */
static REAL *NAME(weight)(const struct NAME(pair) * p, int layer, size_t i, size_t j)
{
    const struct NAME(kl_gan_layer) *l = &p->g.layer[layer];
    const size_t part = CELLS / KL_GAN_PARTS;
    if (layer < 2) return l->w + i * l->stride + j;
    return l->w + i / part * kl_gan_part_weights(CELLS, l->columns + 1) + j * part + i % part;
}

/* A block of them as NumPy has it: rows of outputs; bias: one column, of the biases. */
static void NAME(block)(REAL *to, const struct NAME(pair) * p, int layer, size_t rows, size_t columns,
                        bool bias)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * columns + j] = *NAME(weight)(p, layer, i, bias ? p->g.layer[layer].columns : j);
}

static void NAME(make_pair)(struct NAME(pair) * p, hid_t file)
{
    static double target[CELLS];
    const struct kl_gan_sizes sizes = { LATENT, 128, 256, CELLS };
    struct kl_error err;
    size_t k = 0;
    must(kl_arena_init(&p->memory, 0, &err), &err);
    must(NAME(kl_gan_network_make)(&p->g, &sizes, &adam, 0.01, 20, &p->memory, NULL, &err), &err);
    must(NAME(kl_gan_discriminator_make)(&p->d, KL_GAN_PLANE, CELLS, 20, &p->memory, &err), &err);
    for (int l = 0; l < 3; l++) {
        const size_t rows = p->g.layer[l].rows, columns = p->g.layer[l].columns;
        for (size_t i = 0; i < rows * columns; i++)
            NAME(fill)(NAME(weight)(p, l, i / columns, i % columns), 1, 0.05, &k);
        for (size_t i = 0; i < rows; i++) NAME(fill)(NAME(weight)(p, l, i, columns), 1, 0.05, &k);
    }
    k = 0;
    NAME(fill)(p->d.params, p->d.n_params, 0.5, &k);
    golden_values(target, CELLS, file, "gan/real_1v2");
    for (int i = 0; i < CELLS; i++) p->target[i] = (REAL)target[i];
    NAME(latent)(NAME(kl_gan_network_latent)(&p->g), 0);
}

/* The gradient of a block of weights is an outer product. */
static void NAME(outer)(const char *name, const REAL *d, const REAL *x, size_t rows, size_t columns,
                        hid_t file)
{
    static REAL w[MOST];
    for (size_t i = 0; i < rows * columns; i++) w[i] = d[i / columns] * x[i % columns];
    NAME(same)(name, w, file, FORWARD);
}

static void NAME(discriminator)(const struct NAME(kl_discriminator) * d, const char *folder,
                                const REAL *values, hid_t file, double bound)
{
    static const char *const names[] = { "W1", "b1", "W2", "b2" };
    const size_t at[] = { 0, d->n_hidden * d->n_inputs, d->n_hidden * (d->n_inputs + 1),
                          d->n_params - 1 };
    char name[64];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        NAME(same)(name, values + at[i], file, bound);
    }
}

static void NAME(losses)(const struct kl_gan_losses *losses, hid_t file)
{
    const REAL all[] = { (REAL)losses->generator, (REAL)losses->real, (REAL)losses->fake,
                         (REAL)kl_gan_discriminator_loss(losses) };
    static const char *const names[] = { "gan/loss_G", "gan/loss_real", "gan/loss_fake", "gan/loss_D" };
    for (int i = 0; i < 4; i++) NAME(same)(names[i], &all[i], file, FORWARD);
}

static void NAME(check_forward)(struct NAME(pair) * p, hid_t file)
{
    struct kl_gan_losses losses;
    const struct NAME(kl_gan_layer) *l = p->g.layer;
    NAME(kl_gan_discriminator_look)(p->dp, &p->d, NULL);
    NAME(kl_gan_network_law)(p->law, &p->g, p->dp, NULL);
    NAME(kl_gan_discriminator_judge)(&losses, p->dp, &p->d, p->law, p->target, NULL);
    NAME(same)("gan/G/a1", l[0].a, file, FORWARD);
    NAME(same)("gan/G/h1", l[0].h, file, FORWARD);
    NAME(same)("gan/G/a2", l[1].a, file, FORWARD);
    NAME(same)("gan/G/h2", l[1].h, file, FORWARD);
    NAME(same)("gan/G/logits", l[2].a, file, FORWARD);
    NAME(same)("gan/G/p", p->law, file, FORWARD);
    NAME(same)("gan/D/out", p->d.out, file, FORWARD);
    NAME(same)("gan/dloss_G_dp", p->dp, file, FORWARD);
    NAME(losses)(&losses, file);
    NAME(discriminator)(&p->d, "gan/grad_D", p->d.grad, file, FORWARD);
}

/* The derivatives that the step went by, then what it made of the parameters. */
static void NAME(check_step)(struct NAME(pair) * p, hid_t file)
{
    static const char *const after[] = { "gan/after_step_1/G/W1_columns_0_31", "gan/after_step_1/G/W2",
                                         "gan/after_step_1/G/W3_rows_0_31" };
    static const char *const biases[] = { "gan/after_step_1/G/b1", "gan/after_step_1/G/b2",
                                          "gan/after_step_1/G/b3" };
    static const size_t rows[] = { 128, 256, 32 }, columns[] = { 32, 128, 256 };
    static REAL block[MOST];
    const struct kl_update update = kl_nn_update_at(&adam, 0.01, 1);
    const struct NAME(kl_gan_layer) *l = p->g.layer;
    NAME(latent)(NAME(kl_gan_network_latent)(&p->g), 1);
    NAME(kl_gan_network_step)(&p->g, NULL);
    NAME(kl_gan_discriminator_step)(&p->d, &update);
    NAME(same)("gan/grad_G/b1", l[0].d, file, FORWARD);
    NAME(same)("gan/grad_G/b2", l[1].d, file, FORWARD);
    NAME(same)("gan/grad_G/b3", l[2].d, file, FORWARD);
    NAME(outer)("gan/grad_G/W1_columns_0_31", l[0].d, p->g.latent, 128, 32, file);
    NAME(outer)("gan/grad_G/W2", l[1].d, l[0].h, 256, 128, file);
    NAME(outer)("gan/grad_G/W3_rows_0_31", l[2].d, l[1].h, 32, 256, file);
    if (!(AFTER > 0)) return;
    NAME(kl_gan_network_settle)(&p->g);
    for (int i = 0; i < 3; i++) {
        NAME(block)(block, p, i, rows[i], columns[i], false);
        NAME(same)(after[i], block, file, AFTER);
        NAME(block)(block, p, i, l[i].rows, 1, true);
        NAME(same)(biases[i], block, file, AFTER);
    }
    NAME(discriminator)(&p->d, "gan/after_step_1/D", p->d.params, file, AFTER);
}

static void NAME(check_network)(hid_t file)
{
    static struct NAME(pair) p;
    NAME(make_pair)(&p, file);
    NAME(check_forward)(&p, file);
    NAME(check_step)(&p, file);
    kl_arena_free(&p.memory);
}
