/* SPDX-License-Identifier: MIT
   Budgets that are known in closed form: a qubit that idles, and one that turns by a constant pulse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "control/stored/stored.h"

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}
static const struct kl_control_budget_term *term(const struct kl_control_budget *b, const char *name)
{
    for (int i = 0; i < b->n; i++)
        if (strcmp(b->terms[i].name, name) == 0) return &b->terms[i];
    fprintf(stderr, "no term %s\n", name);
    exit(1);
}
#define NEAR(x, y, bound) \
    CHECK(fabs((x) - (y)) <= (bound), "%s: %.12g, not %.12g", #x, (double)(x), (double)(y))

/* F_e = (1 + 2 exp(-G2 T) cos(2 delta T) + exp(-G1 T)) / 4, the loss is 2/3 (1 - F_e). */
static double idle_loss(double phi, double down, double cosine, double T)
{
    return (3 - 2 * exp(-(phi + down / 2) * T) * cosine - exp(-down * T)) / 6;
}
static void idle(void)
{
    const double phi = 0.01, down = 0.004, T = 2, sigma = 0.03, mean = exp(-2 * sigma * sigma * T * T),
                 kept = exp(-(phi + down / 2) * T);
    struct kl_control_options o;
    struct kl_control_setup s;
    struct kl_control_budget b;
    struct kl_error err;
    double u[20] = { 0 };
    kl_control_options_default(&o);
    o.gate = "i", o.set = "gamma_phi=0.01 gamma_down=0.004", o.segments = 10, o.duration.value = T;
    must(kl_control_setup_make(&s, &o, &err), &err);
    must(kl_control_budget(&b, &s, u, "detuning=0.03 amplitude=0.1", &err), &err);
    NEAR(b.loss, idle_loss(phi, down, 1, T), 1e-14);
    NEAR(b.residual, 0, 1e-14);
    NEAR(b.total, idle_loss(phi, down, mean, T), 1e-10);
    const struct kl_control_budget_term *t = term(&b, "gamma_phi");
    NEAR(t->slope, T * kept / 3, 1e-12);
    NEAR(t->part, phi * T * kept / 3, 1e-13);
    NEAR(t->alone, idle_loss(phi, 0, 1, T), 1e-13);
    NEAR(t->without, b.total - idle_loss(0, down, mean, T), 1e-10);
    NEAR(t->filter, phi * T / 3, 1e-3 * phi * T);
    t = term(&b, "gamma_down");
    NEAR(t->slope, (T * kept + T * exp(-down * T)) / 6, 1e-12);
    t = term(&b, "detuning");
    NEAR(t->slope, 0, 1e-14);
    NEAR(t->curvature, 4 * T * T * kept / 3, 1e-12);
    NEAR(t->part, sigma * sigma * 2 * T * T * kept / 3, 1e-9);
    NEAR(t->filter, sigma * sigma * 2 * T * T / 3, 1e-9);
    NEAR(t->averaged, idle_loss(phi, down, mean, T) - b.loss, 1e-10);
    NEAR(t->alone, idle_loss(0, 0, mean, T), 1e-10);
    NEAR(term(&b, "amplitude")->curvature, 0, 1e-12);
    NEAR(b.sum, b.total, 0.03 * b.total);
    /* Large errors too: the mean itself is exact, and is no longer of second order. */
    must(kl_control_budget(&b, &s, u, "detuning=0.7", &err), &err);
    NEAR(b.total, idle_loss(phi, down, exp(-2 * 0.49 * T * T), T), 1e-10);
    NEAR(b.unsettled, 0, 1e-9);
    CHECK(b.sum > 2 * b.total, "%g %g", b.sum, b.total);
    kl_control_setup_free(&s);
}

/* Half a turn about X with amplitude pi/2. A share e of it too much, or a part e/T cut off at either
   end: the loss is 2/3 sin^2(pi e / 2), its mean over a normal e (1 - exp(-pi^2 sigma^2 / 2)) / 3. */
static void turn(void)
{
    const double curvature = M_PI * M_PI / 3, sigma = 0.02;
    struct kl_control_options o;
    struct kl_control_setup s;
    struct kl_control_budget b;
    struct kl_error err;
    double u[14] = { 0 };
    for (int i = 0; i < 14; i += 2) u[i] = M_PI / 2;
    kl_control_options_default(&o);
    o.set = "gamma_phi=0 gamma_down=0", o.segments = 7;
    must(kl_control_setup_make(&s, &o, &err), &err);
    must(kl_control_budget(&b, &s, u, "amplitude=0.02, skew_x=0.02", &err), &err);
    const double one = (1 - exp(-M_PI * M_PI * sigma * sigma / 2)) / 3;
    NEAR(term(&b, "amplitude")->curvature, curvature, 1e-12);
    NEAR(term(&b, "amplitude")->alone, one, 1e-10);
    NEAR(term(&b, "amplitude")->averaged, one, 1e-10);
    NEAR(term(&b, "skew_x")->curvature, curvature, 1e-3);
    NEAR(term(&b, "skew_x")->alone, one, 1e-3 * one);
    NEAR(term(&b, "skew_y")->curvature, 0, 1e-8);
    CHECK(isnan(term(&b, "skew_x")->averaged) && isnan(term(&b, "amplitude")->filter), "no route");
    /* Both together: a delay cuts, an amplitude turns more or less. */
    NEAR(b.total, b.sum, 0.02 * b.sum);
    CHECK(kl_control_budget(&b, &s, u, "flux=0.1", &err) == KL_EUSAGE, "flux");
    CHECK(kl_control_budget(&b, &s, u, "gamma_phi=0.1", &err) == KL_EUSAGE, "a rate");
    CHECK(kl_control_budget(&b, &s, u, "detuning", &err) == KL_EUSAGE, "no number");
    kl_control_setup_free(&s);
}

/* Two qubits: parts against losses with each error off, and the coupling's average. */
static void two_qubits(void)
{
    struct kl_control_options o;
    struct kl_control_setup s;
    struct kl_control_budget b;
    struct kl_error err;
    double u[18];
    for (int i = 0; i < 18; i++) u[i] = sin(i + 1);
    kl_control_options_default(&o);
    o.system = "two-qubits", o.segments = 3;
    o.set = "gphi1=0.001 gdown1=0.002 gphi2=0.001 gdown2=0.001";
    must(kl_control_setup_make(&s, &o, &err), &err);
    must(kl_control_budget(&b, &s, u, "J=0.001", &err), &err);
    for (int i = 0; i < b.n; i++) {
        const struct kl_control_budget_term *t = &b.terms[i];
        if (t->size == 0 || !t->rate) continue;
        NEAR(t->part, t->without, 1e-3 * fabs(t->part));
    }
    NEAR(term(&b, "J")->part, term(&b, "J")->averaged, 1e-4 * fabs(term(&b, "J")->part));
    kl_control_setup_free(&s);
}

int main(void)
{
    idle();
    turn();
    two_qubits();
    return failures != 0;
}
