/* SPDX-License-Identifier: MIT
   Steps of the samplers in double against golden values: all conventions of an Euler step, a trajectory,
   MALA's acceptance, tuning, schedules, the stopping rule, the stationary variance of an Euler step, the
   path's densities. */
#define KL_F64 1
#include <math.h>

#include "golden.h"
#include "kernels/langevin.h"
#include "sampling/chain/walker_int.h"
#include "tests/unit/check.h"

enum { P = 71, IN = 6, HIDDEN = 5, N = 64 };

/* net/fcn2_binary in plain loops: 6-5-5-1, ReLU, bbce with l_max 4. */
static double x[N * IN], y[N];
static size_t records;

static double forward(const double *w, size_t r, double h[2][HIDDEN])
{
    const double *a = &x[r * IN], *b1 = w + 30, *w2 = w + 35, *b2 = w + 60, *w3 = w + 65;
    double z = w[70];
    for (int i = 0; i < HIDDEN; i++) {
        h[0][i] = b1[i];
        for (int j = 0; j < IN; j++) h[0][i] += w[i * IN + j] * a[j];
        h[0][i] = fmax(0, h[0][i]);
    }
    for (int i = 0; i < HIDDEN; i++) {
        h[1][i] = b2[i];
        for (int j = 0; j < HIDDEN; j++) h[1][i] += w2[i * HIDDEN + j] * h[0][j];
        h[1][i] = fmax(0, h[1][i]), z += w3[i] * h[1][i];
    }
    return z;
}

static int gradient(void *context, double *grad, struct kl_sampling_sums *sums, const double *w,
                    const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    (void)context, (void)rows, (void)crew, (void)err;
    const double e = exp(-4);
    memset(grad, 0, P * sizeof *grad);
    for (size_t r = 0; r < count; r++) {
        double h[2][HIDDEN], d2[HIDDEN], sign = 2 * y[r] - 1;
        const double v = sign * forward(w, r, h), s = 1 / (1 + exp(-v)), psi = e + (1 - 2 * e) * s,
                     dz = -sign * (1 - 2 * e) * s * (1 - s) / psi / (double)count;
        sums->loss -= log(psi), sums->count++;
        grad[70] += dz;
        for (int i = 0; i < HIDDEN; i++) {
            grad[65 + i] += dz * h[1][i];
            d2[i] = h[1][i] > 0 ? dz * w[65 + i] : 0;
            grad[60 + i] += d2[i];
            for (int j = 0; j < HIDDEN; j++) grad[35 + i * HIDDEN + j] += d2[i] * h[0][j];
        }
        for (int j = 0; j < HIDDEN; j++) {
            double d1 = 0;
            for (int i = 0; i < HIDDEN; i++) d1 += d2[i] * w[35 + i * HIDDEN + j];
            d1 = h[0][j] > 0 ? d1 : 0;
            grad[30 + j] += d1;
            for (int k = 0; k < IN; k++) grad[j * IN + k] += d1 * x[r * IN + (size_t)k];
        }
    }
    return KL_OK;
}

static struct kl_sampling_tensor tensor = { .name = "w", .rank = 1, .dims = { P }, .size = P };
static struct kl_sampling_target_f64 target = {
    .size = P, .tensors = &tensor, .n_tensors = 1, .gradient = gradient
};
static const struct kl_sampling_piece piece = { 0, P, 0 };
static const struct kl_sampling_crew crew;
static double buffers[6][P], partial[KL_SAMPLING_PARTIAL];

static struct kl_sampling_walker_f64 walker(void)
{
    return (struct kl_sampling_walker_f64){ .target = &target,
                                            .pieces = &piece,
                                            .n_pieces = 1,
                                            .crew = &crew,
                                            .w = buffers[0],
                                            .v = buffers[1],
                                            .grad = buffers[2],
                                            .fresh = buffers[3],
                                            .fresh_grad = buffers[4],
                                            .partial = partial };
}

static void same(const double *a, const double *b, size_t n, double most, const char *what)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]) / fmax(1, fabs(b[i])));
    CHECK(worst <= most, "%s: off by %g", what, worst);
}

/* The update without noise, by the kernel, and the given noise. */
static void step(double *w, const double *grad, const double *noise, struct kl_langevin_factors f)
{
    struct kl_sampling_walker_f64 k = walker();
    const double precision = 0, spread = f.spread;
    const struct kl_sampling_move m = { .precision = &precision };
    f.spread = 0;
    kl_sampling_update(&k, w, grad, &f, &m, NULL);
    for (int i = 0; i < P && noise; i++) w[i] += spread * noise[i];
}

static void check_steps(hid_t file)
{
    const hid_t g = H5Gopen2(file, "step", H5P_DEFAULT);
    double w[P], noise[P], grad[P], v[P], expected[5 * P];
    const double lr = golden_number(g, "lr"), beta = golden_number(g, "beta"),
                 sigma = golden_number(g, "sigma");
    golden_values(w, P, g, "w"), golden_values(noise, P, g, "noise"), golden_values(grad, P, g, "grad");
    static const struct {
        const char *name;
        enum kl_sampling_convention convention;
        bool noise, walk;
    } forms[] = { { "gibbs", KL_SAMPLING_GIBBS, true, false },
                  { "gibbs_no_noise", KL_SAMPLING_GIBBS, false, false },
                  { "tempered_prior", KL_SAMPLING_TEMPERED, true, false },
                  { "prior_walk", KL_SAMPLING_TEMPERED, true, true } };
    for (int i = 0; i < 4; i++) {
        const double b = forms[i].walk ? 0 : beta;
        const struct kl_sampling_euler e = { forms[i].convention, b, b, lr, forms[i].noise, false };
        memcpy(v, w, sizeof v);
        step(v, grad, noise, kl_sampling_factors(&e, sigma));
        golden_values(expected, P, g, forms[i].name);
        same(v, expected, P, 1e-12, forms[i].name);
    }
    const struct kl_sampling_euler e = { KL_SAMPLING_GIBBS, beta, beta, lr, true, false };
    const struct kl_langevin_factors f = kl_sampling_factors(&e, sigma);
    /* The decay at the noised weights, the gradient from before. */
    for (int i = 0; i < P; i++) v[i] = w[i] + f.spread * noise[i];
    step(v, grad, NULL, f);
    golden_values(expected, P, g, "noise_first");
    same(v, expected, P, 1e-12, "noise_first");
    golden_values(v, P, g, "trajectory_start"), golden_values(expected, 5 * P, g, "trajectory");
    for (int t = 0; t < 5; t++) {
        double rolled[P];
        struct kl_sampling_sums sums = { 0 };
        for (int i = 0; i < P; i++) rolled[(i + 3 * t) % P] = noise[i];
        gradient(NULL, grad, &sums, v, NULL, records, &crew, NULL);
        step(v, grad, rolled, f);
        same(v, expected + t * P, P, 1e-12, "trajectory");
    }
    H5Gclose(g);
}

/* A sampler's step is the update above, with the kernel's normals. */
static void check_noise(void)
{
    struct kl_sampling_walker_f64 k = walker();
    struct kl_sampling_outcome out;
    const double precision = 0.04;
    const struct kl_sampling_euler e = { KL_SAMPLING_GIBBS, 50, 50, 0.01, true, false };
    const struct kl_langevin_factors f = kl_sampling_factors(&e, 5);
    const struct kl_sampling_move m = {
        .factors = &f, .precision = &precision, .beta = 50, .count = records, .key = 7, .step = 11
    };
    const struct kl_langevin_stream stream = { 7, 70, 11, 0 };
    double w[P], grad[P], noise[P], virial = 0;
    struct kl_sampling_sums sums = { 0 };
    for (int i = 0; i < P; i++) w[i] = k.w[i] = 0.3 * sin(i + 1);
    gradient(NULL, grad, &sums, w, NULL, records, &crew, NULL);
    for (int i = 0; i < P; i++) virial += w[i] * (50 * grad[i] + 0.04 * w[i]) / P;
    kl_kernel_langevin_normals_f64()(noise, 0, P, &stream);
    step(w, grad, noise, f);
    CHECK(kl_sampling_step_sgld(&k, &m, &out, NULL) == 0);
    same(k.w, w, P, 1e-12, "step_sgld");
    CHECK(fabs(out.virial - virial) < 1e-12 && out.sums.loss == sums.loss, "virial %g, %g", out.virial,
          virial);
}

static void check_mala(hid_t file, const char *name)
{
    const hid_t g = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_sampling_walker_f64 k = walker();
    const double lr = golden_number(g, "lr"), beta = golden_number(g, "beta"),
                 sigma = golden_number(g, "sigma"), precision = 1 / (sigma * sigma);
    const struct kl_sampling_euler e = { KL_SAMPLING_GIBBS, beta, beta, lr, true, false };
    const struct kl_langevin_factors f = kl_sampling_factors(&e, sigma);
    const struct kl_sampling_move m = {
        .factors = &f, .precision = &precision, .beta = beta, .count = records
    };
    double noise[P], proposal[P];
    struct kl_sampling_sums before = { 0 }, after = { 0 };
    golden_values(k.w, P, g, "w"), golden_values(noise, P, g, "noise"),
        golden_values(proposal, P, g, "proposal");
    gradient(NULL, k.grad, &before, k.w, NULL, records, &crew, NULL);
    memcpy(k.fresh, k.w, sizeof noise);
    step(k.fresh, k.grad, noise, f);
    same(k.fresh, proposal, P, 1e-12, name);
    gradient(NULL, k.fresh_grad, &after, k.fresh, NULL, records, &crew, NULL);
    const double n = (double)records,
                 u[2] = { beta * before.loss / n + kl_sampling_prior(&k, k.w, &precision),
                          beta * after.loss / n + kl_sampling_prior(&k, k.fresh, &precision) },
                 q[2] = { kl_sampling_ratio(&k, k.fresh, k.w, k.grad, &f),
                          kl_sampling_ratio(&k, k.w, k.fresh, k.fresh_grad, &f) },
                 alpha = kl_sampling_log_alpha(&k, &m, before.loss / n, after.loss / n);
    const char *const names[] = { "U_old", "U_new", "log_q_forward", "log_q_backward", "log_alpha" };
    const double found[] = { u[0], u[1], q[0], q[1], alpha };
    for (int i = 0; i < 5; i++) {
        const double expected = golden_number(g, names[i]);
        same(&found[i], &expected, 1, 1e-12, names[i]);
    }
    CHECK((log(golden_number(g, "uniform")) < alpha) == (golden_number(g, "accepted") > 0), "%s", name);
    H5Gclose(g);
}

static void check_rules(hid_t file)
{
    hid_t g = H5Gopen2(file, "tuner", H5P_DEFAULT);
    double a[800], b[800], c[800], ln_step = log(0.01);
    size_t n = golden_values(a, 800, g, "accept_prob");
    golden_values(b, 800, g, "step");
    for (size_t t = 0; t < n; t++)
        ln_step = kl_sampling_tuned(ln_step, (int64_t)t + 1, a[t], 0.57), c[t] = exp(ln_step);
    same(c, b, n, 1e-12, "tuner"), H5Gclose(g);
    g = H5Gopen2(file, "schedule", H5P_DEFAULT);
    struct kl_sampling_settings s = { .schedule = KL_SAMPLING_POWER, .power = 0.5 };
    n = golden_values(a, 800, g, "epoch"), golden_values(b, 800, g, "power");
    for (size_t i = 0; i < n; i++) c[i] = kl_sampling_lr(&s, 0.1, (int64_t)a[i]);
    same(c, b, n, 1e-12, "power"), golden_values(b, 800, g, "power_floor");
    s.stair_low = 36.0 / 16000;
    for (size_t i = 0; i < n; i++) c[i] = kl_sampling_lr(&s, 0.1, (int64_t)a[i]);
    same(c, b, n, 1e-12, "power_floor");
    n = golden_values(a, 800, g, "stair_epoch"), golden_values(b, 800, g, "stair");
    s = (struct kl_sampling_settings){
        .schedule = KL_SAMPLING_STAIR, .stair_drop = 0.001, .stair_low = 0.001, .period = 15
    };
    for (size_t i = 0; i < n; i++) c[i] = kl_sampling_lr(&s, 0.05, (int64_t)a[i]);
    same(c, b, n, 1e-12, "stair"), H5Gclose(g);
}

static void check_stop(hid_t file)
{
    const hid_t g = H5Gopen2(file, "stop", H5P_DEFAULT);
    double loss[800], ema[800], mean[800];
    const struct kl_sampling_stop rule = { .on = true,
                                           .alpha = golden_number(g, "alpha"),
                                           .eps = golden_number(g, "eps"),
                                           .min_steps = (int64_t)golden_number(g, "min_steps") };
    const int64_t batches = (int64_t)golden_number(g, "batches_per_epoch");
    struct kl_sampling_average average = { .mean = 1 };
    int64_t stop = 0;
    const size_t n = golden_values(loss, 800, g, "loss");
    golden_values(ema, 800, g, "ema");
    for (size_t t = 0; t < n; t++) {
        kl_sampling_average_add(&average, &rule, loss[t]);
        mean[t] = average.mean;
        const int64_t epochs = ((int64_t)t + 1) / batches;
        if (!stop && ((int64_t)t + 1) % batches == 0 &&
            kl_sampling_average_stops(&average, &rule, epochs, batches))
            stop = epochs;
    }
    same(mean, ema, n, 1e-12, "ema");
    CHECK(stop == (int64_t)golden_number(g, "stop_epoch"), "found %lld", (long long)stop);
    H5Gclose(g);
}

/* x' = shrink x + spread N has the variance spread^2 / (1 - shrink^2). */
static void check_ula(hid_t file)
{
    const hid_t g = H5Gopen2(file, "ula", H5P_DEFAULT);
    double precision[8], h[8], expected[64], found[64];
    const size_t rows = golden_values(precision, 8, g, "precision"),
                 columns = golden_values(h, 8, g, "step");
    golden_values(expected, 64, g, "stationary_variance");
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            struct kl_sampling_euler e = { KL_SAMPLING_GIBBS, 1, 1, h[j], true, false };
            struct kl_langevin_factors f = kl_sampling_factors(&e, 1 / sqrt(precision[i]));
            found[i * columns + j] = f.spread * f.spread / (1 - f.shrink * f.shrink);
            /* The prior's own process has no bias. */
            e.exact_prior = true, f = kl_sampling_factors(&e, 1 / sqrt(precision[i]));
            const double exact = 1 / precision[i], own = f.spread * f.spread / (1 - f.shrink * f.shrink);
            same(&own, &exact, 1, 1e-10, "exact_prior");
        }
    same(found, expected, rows * columns, 1e-12, "ula");
    H5Gclose(g);
}

static void check_work(hid_t file)
{
    const hid_t g = H5Gopen2(file, "work", H5P_DEFAULT);
    struct kl_sampling_walker_f64 k = walker();
    double path[5 * P], expected[4], found[4], beta[5], kl, sum = 0, h = golden_number(g, "h"),
                                                            sigma = golden_number(g, "sigma");
    const double precision = 1 / (sigma * sigma);
    golden_values(path, 5 * P, g, "path"), golden_values(expected, 4, g, "log_forward_minus_backward");
    golden_values(beta, 5, g, "beta"), golden_values(&kl, 1, g, "kl_estimate");
    for (int i = 0; i < 4; i++) {
        struct kl_sampling_sums sums = { 0 };
        const struct kl_sampling_euler e = { KL_SAMPLING_GIBBS, 40, beta[i + 1], 40 * h, true, false };
        const struct kl_langevin_factors f = kl_sampling_factors(&e, sigma);
        const double *from = path + i * P, *to = from + P;
        gradient(NULL, k.grad, &sums, from, NULL, records, &crew, NULL);
        gradient(NULL, k.fresh_grad, &sums, to, NULL, records, &crew, NULL);
        found[i] = kl_sampling_ratio(&k, to, from, k.grad, &f) -
                   kl_sampling_ratio(&k, from, to, k.fresh_grad, &f);
        sum += found[i];
    }
    same(found, expected, 4, 1e-11, "work");
    sum += kl_sampling_prior(&k, path + 4 * P, &precision) - kl_sampling_prior(&k, path, &precision);
    same(&sum, &kl, 1, 1e-11, "kl_estimate");
    H5Gclose(g);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/reference/sgld/golden.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!there) return puts("skipped: no golden values of sgld"), 77;
    fclose(there);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                net = H5Gopen2(file, "net/fcn2_binary", H5P_DEFAULT);
    const size_t values = golden_values(x, N * IN, net, "x");
    records = golden_values(y, N, net, "y");
    CHECK(values == records * IN, "%zu, %zu", values, records);
    target.n = records;
    check_steps(file), check_noise();
    check_mala(file, "mala/accept"), check_mala(file, "mala/reject");
    check_rules(file), check_stop(file), check_ula(file), check_work(file);
    H5Gclose(net), H5Fclose(file);
    return failures != 0;
}
