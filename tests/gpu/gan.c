/* SPDX-License-Identifier: MIT
   GANs of pairs on the GPU against the CPU: histories, laws, angles, discriminators, of the quantum
   generator in double and of the network; circuits of several depths; more pairs than fit at once, a
   pair alone; a GPU whose blocks hold one state, not two. What is on the CPU alone is refused. */
#include <math.h>

#include "gpu.h"
#include "kernels/inline/philox.h"
#include "qrng/gan/study.h"
#include "tests/unit/check.h"

enum { DEVICES = 4, ROWS = 41 * DEVICES, EPOCHS = 7 };
static uint64_t words[ROWS][2];
static int32_t owner[ROWS];
static char names[DEVICES][KL_BITS_NAME] = { "1", "2", "3", "4" };
static const struct kl_bits bits = { .n_rows = ROWS,
                                     .n_bits = 66,
                                     .words_per_row = 2,
                                     .words = words[0],
                                     .device = owner,
                                     .n_devices = DEVICES,
                                     .names = names,
                                     .symbol_bits = 1 };

static void draw(void)
{
    for (uint32_t r = 0; r < ROWS; r++) {
        owner[r] = (int32_t)(r % DEVICES);
        for (uint32_t j = 0; j < 66; j++) {
            uint32_t w[4];
            kl_philox(w, 11, r, 1000, j, 0);
            const double rate = 0.4 + 0.05 * (double)(r % DEVICES) + 0.1 * sin(j);
            words[r][j / 64] |= (uint64_t)(kl_philox_unit(w[0]) < rate) << j % 64;
        }
    }
}

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void train(struct kl_gan_study *s, const struct kl_gan_options *o, const char *which,
                  const struct kl_device *where)
{
    struct kl_gan_pair *pairs;
    struct kl_error err;
    size_t n;
    must(kl_gan_pairs(&pairs, &n, which, &bits, &err), &err);
    must(kl_gan_study_make(s, o, &bits, pairs, n, &err), &err);
    must(kl_gan_study_run(s, where, NULL, NULL, NULL, NULL, &err), &err);
}

static bool same(const struct kl_gan_study *a, size_t i, const struct kl_gan_study *b, size_t j)
{
    const size_t epochs = (size_t)a->o.epochs;
    bool same = memcmp(a->law + i * a->n_cells, b->law + j * b->n_cells, a->n_cells * 4) == 0 &&
                memcmp(a->angles + i * a->n_angles, b->angles + j * b->n_angles, a->n_angles * 8) == 0;
    for (size_t c = 0; c < KL_GAN_N_COLUMNS; c++)
        same = same && memcmp(a->history + (c * a->n_models + i) * epochs,
                              b->history + (c * b->n_models + j) * epochs, epochs * 8) == 0;
    return same;
}

static struct kl_gan_options options_of(enum kl_gan_generator generator, int64_t repetitions)
{
    const int64_t epochs = smallest ? 3 : EPOCHS;
    struct kl_gan_options o = {
        .reference = true, .generator = generator, .epochs = racecheck ? 2 : epochs, .seed = 5
    };
    struct kl_error err;
    must(kl_gan_settle(&o, &err), &err);
    if (generator == KL_GAN_QUANTUM) o.repetitions = repetitions;
    return o;
}

static void check_alone(const char *name, const struct kl_gan_study *gpu, const struct kl_gan_options *o)
{
    struct kl_gan_study alone;
    train(&alone, o, "2v4", &device);
    CHECK(same(gpu, 2, &alone, 0), "%s: a pair alone has other bits than in company", name);
    CHECK(!same(gpu, 1, &alone, 0), "%s: all pairs are the same", name);
    kl_gan_study_free(&alone);
    if (!emulated) return;
    setenv("KETLINE_EMULATED_SHARED", "101376", 1); /* as of consumer GPUs */
    train(&alone, o, "2v4", &device);
    unsetenv("KETLINE_EMULATED_SHARED");
    CHECK(same(gpu, 2, &alone, 0), "%s: other bits in blocks of less memory", name);
    kl_gan_study_free(&alone);
}

static void check(const char *name, enum kl_gan_generator generator, int64_t repetitions,
                  double tolerance)
{
    const struct kl_gan_options o = options_of(generator, repetitions);
    const struct kl_device processor = { .name = "cpu" };
    struct kl_gan_study cpu, gpu;
    train(&cpu, &o, "1v2,1v3,2v4,3v4", &processor);
    train(&gpu, &o, "1v2,1v3,2v4,3v4", &device);
    const size_t n = gpu.n_models, history = KL_GAN_N_COLUMNS * n * (size_t)o.epochs;
    const double h = far_from(cpu.history, gpu.history, history),
                 a = far_from(cpu.angles, gpu.angles, n * gpu.n_angles),
                 s = far_from(cpu.scores, gpu.scores, KL_GAN_N_SCORES * gpu.n_pairs);
    const double l = far_from_floats(cpu.law, gpu.law, n * gpu.n_cells),
                 d = far_from_floats(cpu.discriminator, gpu.discriminator, n * gpu.n_params);
    CHECK(h < tolerance, "%s: histories differ by %.3g", name, h);
    CHECK(a < tolerance, "%s: angles differ by %.3g", name, a);
    CHECK(s < tolerance, "%s: scores differ by %.3g", name, s);
    CHECK(l < fmax(tolerance / 100, 1e-9), "%s: laws differ by %.3g", name, l);
    CHECK(d < fmax(tolerance, 1e-7), "%s: discriminators differ by %.3g", name, d);
    CHECK(memcmp(cpu.target, gpu.target, n * gpu.n_cells * sizeof *gpu.target) == 0, "%s: targets",
          name);
    CHECK(gpu.history[o.epochs - 1] != gpu.history[0], "%s: nothing was learned", name);
    if (!racecheck) check_alone(name, &gpu, &o);
    digest_of(gpu.law, n * gpu.n_cells * sizeof *gpu.law);
    digest_of(gpu.angles, n * gpu.n_angles * sizeof *gpu.angles);
    digest_of(gpu.discriminator, n * gpu.n_params * sizeof *gpu.discriminator);
    digest_of(gpu.history, history * sizeof *gpu.history);
    kl_gan_study_free(&gpu), kl_gan_study_free(&cpu);
}

static void check_refusals(void)
{
    struct kl_gan_options o = options_of(KL_GAN_QUANTUM, 1);
    struct kl_gan_study s = { .o = o };
    struct kl_error err;
    s.o.shots = 100;
    CHECK(kl_gan_gpu_train(&s, &device, NULL, NULL, NULL, &err) == KL_EUSAGE);
    s.o.shots = 0, s.o.reference = false;
    CHECK(kl_gan_gpu_train(&s, &device, NULL, NULL, NULL, &err) == KL_EUSAGE);
}

int main(void)
{
    open_gpu();
    draw();
    if (!smallest) check("a layer", KL_GAN_QUANTUM, 0, 1e-9);
    check("two layers", KL_GAN_QUANTUM, 1, 1e-9);
    if (!smallest) check("the study's circuit", KL_GAN_QUANTUM, 4, 1e-9);
    check("the study's network", KL_GAN_NETWORK, 0, 1e-5);
    check_refusals();
    print_digest();
    return failures != 0;
}
