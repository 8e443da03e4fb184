/* SPDX-License-Identifier: MIT
   The study's GANs against NumPy (golden_qrng.h5 of the shared reference): forward and gradients of both
   networks in double and in float, twenty epochs of the classical GAN; probabilities, gradient and ten
   epochs of the quantum one. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "qrng/gan/gan_int.h"

enum { CELLS = KL_GRID_CELLS, LATENT = 4096, MOST = 128 * 256 };
static const struct kl_optimizer adam = {
    .kind = KL_ADAM, .beta1 = 0.7, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = 0.005
};
static int failures;
static size_t compared;

static void compare(const char *name, const double *found, const double *expected, size_t n,
                    double bound)
{
    double most = 1e-300;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(expected[i]));
    for (size_t i = 0; i < n; i++, compared++) {
        if (fabs(found[i] - expected[i]) <= bound * most) continue;
        fprintf(stderr, "%s[%zu]: found %.15g, expected %.15g\n", name, i, found[i], expected[i]);
        failures++;
        return;
    }
}

#define REAL double
#define NAME(x) x##_f64
#define FORWARD 1e-10
#define AFTER 1e-9
#include "golden_gan.h"
#undef REAL
#undef NAME
#undef FORWARD
#undef AFTER

/* An Adam step divides by the gradient's size, so that floats are not compared behind one. Up to there
   they are apart by 6e-5, instrumented (make sanitize), where sums are taken in another order,
   by 1.1e-4. */
#define REAL float
#define NAME(x) x##_f32
#define FORWARD 2e-4
#define AFTER 0
#include "golden_gan.h"

/* Of all weights but the biases. */
static double norm_of(const struct pair_f64 *p, int layer)
{
    const struct kl_gan_layer_f64 *l = &p->g.layer[layer];
    double sum = 0;
    for (size_t i = 0; i < l->rows; i++)
        for (size_t j = 0; j < l->columns; j++) sum += pow(*weight_f64(p, layer, i, j), 2);
    return sqrt(sum);
}

/* Twenty epochs: losses and divergence of each, and the norms of the weights behind it where no row is
   ahead of it. ahead: latent vectors that are there beyond the epoch at hand, which changes nothing but
   when the work is done; settle: no row is left behind. */
static void run_epochs(double *found, hid_t file, size_t ahead, bool settle)
{
    static struct pair_f64 p;
    struct kl_gan_losses losses;
    make_pair_f64(&p, file);
    for (size_t e = 0; e < 20; e++) {
        const struct kl_update update = kl_nn_update_at(&adam, 0.01, e + 1);
        double *row = found + 5 * e;
        while (p.g.n_latent <= e + ahead && p.g.n_latent < 21) {
            const int at = (int)p.g.n_latent;
            latent_f64(kl_gan_network_latent_f64(&p.g), at);
        }
        kl_gan_discriminator_look_f64(p.dp, &p.d, NULL);
        kl_gan_network_law_f64(p.law, &p.g, p.dp, NULL);
        kl_gan_discriminator_judge_f64(&losses, p.dp, &p.d, p.law, p.target, NULL);
        row[0] = losses.generator, row[1] = kl_gan_discriminator_loss(&losses);
        row[2] = kl_gan_divergence(p.target, p.law, CELLS);
        kl_gan_network_step_f64(&p.g, NULL);
        kl_gan_discriminator_step_f64(&p.d, &update);
        if (settle) kl_gan_network_settle_f64(&p.g);
        row[3] = norm_of(&p, 0), row[4] = norm_of(&p, 2);
    }
    kl_arena_free(&p.memory);
}

static void check_trajectory(hid_t file)
{
    static double found[20 * 5], other[20 * 5], expected[20 * 5];
    golden_values(expected, 100, file, "gan/trajectory_20_epochs");
    run_epochs(found, file, 1, true);
    compare("gan/trajectory_20_epochs", found, expected, 100, 1e-9);
    run_epochs(other, file, KL_GAN_LATENTS - 1, false);
    for (size_t i = 0; i < 100; i++) {
        if (i % 5 > 2 || memcmp(&other[i], &found[i], sizeof *found) == 0) continue;
        fprintf(stderr, "gan/trajectory_20_epochs[%zu]: %.17g with steps in advance, %.17g without\n", i,
                other[i], found[i]);
        failures++;
    }
}

struct quantum {
    struct kl_arena memory, work;
    struct kl_circuit *circuit;
    struct kl_born_f64 g;
    struct kl_discriminator_f64 d;
    double law[CELLS], dp[CELLS], target[CELLS];
};

static void make_quantum(struct quantum *q, hid_t file)
{
    struct kl_error err;
    size_t k = 0;
    must(kl_arena_init(&q->memory, 0, &err), &err);
    must(kl_arena_init(&q->work, 0, &err), &err);
    must(kl_gan_born_circuit(&q->circuit, 12, 4, &err), &err);
    must(kl_gan_born_make_f64(&q->g, q->circuit, &q->memory, &err), &err);
    must(kl_gan_discriminator_make_f64(&q->d, KL_GAN_PLANE, CELLS, 10, &q->memory, &err), &err);
    fill_f64(q->d.params, q->d.n_params, 0.5, &k);
    golden_values(q->g.angles, 120, file, "quantum/theta_0");
    golden_values(q->target, CELLS, file, "gan/real_1v2");
}

static void score_quantum(struct quantum *q, struct kl_gan_losses *losses)
{
    struct kl_error err;
    kl_arena_reset(&q->work);
    must(kl_gan_born_law_f64(q->law, &q->g, &q->work, &err), &err);
    kl_gan_discriminator_score_f64(losses, q->dp, &q->d, q->law, q->target, NULL);
    must(kl_gan_born_gradient_f64(&q->g, q->dp, &q->work, &err), &err);
}

static void check_start(hid_t file)
{
    double angles[120];
    kl_gan_pcg64_units(angles, 120, 123456);
    same_f64("quantum/theta_0", angles, file, 0);
}

static void check_quantum(hid_t file)
{
    static struct quantum q;
    static double found[30], expected[30];
    make_quantum(&q, file);
    for (int e = 0; e < 10; e++) {
        const struct kl_update update = kl_nn_update_at(&adam, 0.01, (uint64_t)e + 1);
        struct kl_gan_losses losses;
        score_quantum(&q, &losses);
        found[3 * e] = losses.generator, found[3 * e + 1] = kl_gan_discriminator_loss(&losses);
        found[3 * e + 2] = kl_gan_divergence(q.target, q.law, CELLS);
        if (!e) {
            same_f64("quantum/p", q.law, file, 1e-11); /* of a largest p below 1e-2: 1e-13 */
            same_f64("quantum/D_out", q.d.out, file, 1e-12);
            same_f64("quantum/loss_G", &losses.generator, file, 1e-12);
            same_f64("quantum/loss_D_real_1v2_normalised", &found[1], file, 1e-12);
            same_f64("quantum/grad_theta", q.g.grad, file, 1e-11);
            discriminator_f64(&q.d, "quantum/grad_D", q.d.grad, file, 1e-11);
        }
        kl_nn_update_apply_f64(q.g.angles, q.g.m, q.g.v, q.g.grad, 120, &update);
        kl_gan_discriminator_step_f64(&q.d, &update);
    }
    golden_values(expected, 30, file, "quantum/trajectory_10_epochs");
    compare("quantum/trajectory_10_epochs", found, expected, 30, 1e-9);
    same_f64("quantum/theta_10", q.g.angles, file, 1e-9);
    kl_circuit_free(&q.circuit);
    kl_arena_free(&q.memory), kl_arena_free(&q.work);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/qrng/golden_qrng.h5", shared ? shared : "");
    if (!shared || access(path, R_OK) != 0) {
        printf("skipped: no %s\n", path);
        return 77;
    }
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    check_network_f64(file);
    check_network_f32(file);
    check_trajectory(file);
    check_start(file);
    check_quantum(file);
    H5Fclose(file);
    printf("%zu values\n", compared);
    return failures != 0;
}
