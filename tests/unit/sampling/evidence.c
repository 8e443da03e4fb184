/* SPDX-License-Identifier: MIT
   The evidence of a head whose integral can be done: one feature, two classes, no core. Logits differ by
   u x + v, where u and v, differences of two standard normals each, are N(0, 2); so ln Z is an integral
   over a plane, here on a grid. */
#include <math.h>
#include <stdlib.h>

#include "sampling/chain/chain_int.h"
#include "sampling/heads/heads.h"
#include "tests/golden/golden.h"
#include "tests/unit/check.h"

enum { N = 40, RUNGS = 14 };

static double ln_z(const float *x, const int32_t *labels)
{
    const double step = 0.05, end = 12;
    double sum = 0;
    for (double u = -end; u <= end; u += step)
        for (double v = -end; v <= end; v += step) {
            double exponent = -(u * u + v * v) / 4 - log(4 * M_PI);
            for (int i = 0; i < N; i++) {
                const double margin = (labels[i] ? 1 : -1) * (u * x[i] + v);
                exponent -= log1p(exp(-fabs(margin))) + (margin < 0 ? -margin : 0);
            }
            sum += exp(exponent) * step * step;
        }
    return log(sum);
}

/* Mean loss at beta n by quadrature, least loss by SciPy (tests/golden/make_sampling_tuning.py): what
   the learning coefficient is told from. */
static void check_coefficient(const struct kl_sampling_evidence *e, const struct kl_sampling_run *run)
{
    const hid_t file = H5Fopen("tests/golden/sampling_tuning.h5", H5F_ACC_RDONLY, H5P_DEFAULT),
                g = H5Gopen2(file, "logistic", H5P_DEFAULT);
    const double mean = golden_number(g, "mean"), least = golden_number(g, "least");
    struct kl_sampling_minimum found;
    struct kl_error err;
    CHECK(kl_sampling_minimum_seek(&found, run, NULL, &err) == 0, "%s", err.text);
    CHECK(fabs(found.loss - least) < 1e-5 && found.norm > 0, "least loss %.7g, by SciPy %.7g",
          found.loss, least);
    CHECK(fabs(e->mean[RUNGS - 1] - mean) < 4 * e->mcse[RUNGS - 1],
          "mean loss %.6g +- %.2g, by quadrature %.6g", e->mean[RUNGS - 1], e->mcse[RUNGS - 1], mean);
    H5Gclose(g), H5Fclose(file);
}

static void one(const struct kl_features *f, enum kl_sampling_sampler sampler, double exact)
{
    struct kl_head_options o;
    struct kl_head_model model;
    struct {
        struct kl_sampling_head_f32 *head;
        struct kl_sampling_target_f32 target;
    } r = { 0 };
    struct kl_sampling_head_question q = {
        .model = &model, .features = f, .n_threads = 1, .whiten = true
    };
    struct kl_sampling_settings s;
    struct kl_sampling_rung rungs[RUNGS];
    struct kl_sampling_run *run;
    struct kl_sampling_evidence e;
    struct kl_error err;
    kl_head_options_default(&o);
    kl_sampling_head_prior_default(&q.prior);
    o.core = KL_CORE_NONE;
    CHECK(kl_head_model_make(&model, &o, 1, 2, &err) == 0, "%s", err.text);
    CHECK(kl_sampling_head_target_f32(&r.target, &r.head, &q, &err) == 0, "%s", err.text);
    kl_sampling_settings_default(&s);
    for (int k = 0; k < RUNGS; k++) {
        const double beta = N * pow(k / (RUNGS - 1.), 4);
        rungs[k] = (struct kl_sampling_rung){ beta, beta / (1 + beta), 200, 600 };
    }
    s.rungs = rungs, s.n_rungs = RUNGS;
    s.seed = 3, s.sampler = sampler, s.tune = true, s.test_every = 0;
    s.target_accept = sampler == KL_SAMPLING_HMC ? 0.8 : 0.57;
    CHECK(kl_sampling_run_open(&run, &s, &r.target, 1, 1, &err) == 0, "%s", err.text);
    CHECK(kl_sampling_run_go(run, NULL, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_sampling_evidence_make(&e, run, &s, &err) == 0, "%s", err.text);
    CHECK(fabs(e.log_z - exact) < 4 * e.error, "sampler %d: ln Z %.4f +- %.4f, by quadrature %.4f",
          (int)sampler, e.log_z, e.error, exact);
    CHECK(e.error < 0.2 && e.mc > 0, "error %.3f, of chance %.3f", e.error, e.mc);
    CHECK(e.low - 4 * e.mc < exact && exact < e.high + 4 * e.mc, "sums %.3f to %.3f", e.low, e.high);
    check_coefficient(&e, run);
    kl_sampling_evidence_free(&e);
    /* A loss that rises, as no chain at equilibrium has it: the sums change places, errors stay errors.
     */
    for (int64_t c = 0; c < s.chains; c++) {
        struct kl_sampling_chain *top = kl_sampling_run_chain(run, 0, RUNGS - 1, c);
        for (int64_t d = 0; d < top->at.draws; d++) top->trace[KL_SAMPLING_LOSS][d] += 100;
    }
    CHECK(kl_sampling_evidence_make(&e, run, &s, &err) == 0, "%s", err.text);
    CHECK(e.low > e.high && e.ladder > 0 && e.error > 0, "sums %.3f to %.3f, of the ladder %.3f", e.low,
          e.high, e.ladder);
    kl_sampling_evidence_free(&e);
    kl_sampling_run_close(&run);
    kl_sampling_head_close_f32(&r.head);
    kl_head_model_free(&model);
}

int main(void)
{
    static char names[] = "a\0b";
    static float x[N];
    static int32_t labels[N];
    const struct kl_features f = {
        .n = N, .d = 1, .n_classes = 2, .x = x, .labels = labels, .class_names = names, .name_size = 2
    };
    for (int i = 0; i < N; i++) {
        x[i] = (float)(4. * i / (N - 1) - 2);
        labels[i] = x[i] > 0.4 ? i % 7 != 0 : i % 5 == 0;
    }
    const double exact = ln_z(x, labels);
    one(&f, KL_SAMPLING_HMC, exact);
    one(&f, KL_SAMPLING_MALA, exact);
    return failures != 0;
}
