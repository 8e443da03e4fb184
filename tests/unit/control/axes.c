/* SPDX-License-Identifier: MIT
   One qubit whose operators are combinations of X, Y, Z: the kernel of one qubit and the way of any
   system give the same losses and gradients; what the kernel cannot carry is left to the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "control/stored/stored.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static char path[1024];

static struct kl_control_options model(const char *text)
{
    struct kl_control_options o;
    FILE *file = fopen(in_folder(path, "m.yaml"), "w");
    fputs(text, file);
    fclose(file);
    kl_control_options_default(&o);
    o.model = path, o.segments = 9, o.members = 3;
    return o;
}

#define LANES KL_CONTROL_LANES
#define HEAD "time-unit: 1\nqubits: 1\nduration: 1.5\n"
#define JUMPS "jumps:\n  - {name: g, operator: 2 * sm1, rate: 0.02}\n  - {operator: Z, rate: 0.03}\n"

/* Losses and gradients at sixteen points by the evaluator as it is, into f and g. */
static void evaluate(double *f, double *g, const struct kl_control_setup *s)
{
    struct kl_control_evaluator *e = NULL;
    struct kl_error err = { 0 };
    bool wanted[LANES];
    const int code = kl_control_evaluator_open(&e, &s->problem, &err);
    CHECK(!code, "%s", err.text);
    if (code) return;
    const int n = kl_control_evaluator_size(e);
    double *x = aligned_alloc(64, (size_t)n * LANES * sizeof *x);
    for (int i = 0; i < n * LANES; i++) x[i] = 0.9 * sin(1.7 * i + 0.3);
    for (int l = 0; l < LANES; l++) wanted[l] = true;
    kl_control_evaluate(e, f, g, x, wanted);
    kl_control_evaluator_close(&e);
    free(x);
}

static void both_ways(const char *text, const char *spread, const char *ensemble, const char *fidelity)
{
    enum { MOST = 9 * 4 * LANES };
    static double f[2][LANES], g[2][MOST];
    struct kl_control_options o = model(text);
    struct kl_control_setup s;
    struct kl_error err = { 0 };
    double gradient = 1, hessian = 1;
    o.spread = spread, o.ensemble = ensemble, o.fidelity = fidelity, o.energy = 0.1;
    int code = kl_control_setup_make(&s, &o, &err);
    CHECK(!code, "%s", err.text);
    if (code) return;
    CHECK(s.system.form == KL_CONTROL_TURNED, "form %d", (int)s.system.form);
    const int n = 9 * s.system.n_controls;
    evaluate(f[0], g[0], &s);
    if (strcmp(ensemble, "mean") == 0) {
        code = kl_control_check_gradients(&gradient, &hessian, &s.problem, 3, &err);
        CHECK(!code && gradient < 1e-7 && hessian < 1e-7 && hessian > 0, "%g, %g", gradient, hessian);
    }
    s.system.form = KL_CONTROL_GENERAL;
    evaluate(f[1], g[1], &s);
    for (int l = 0; l < LANES; l++)
        CHECK(fabs(f[0][l] - f[1][l]) <= 1e-12, "%d: %g, %g", l, f[0][l], f[1][l]);
    for (int i = 0; i < n * LANES; i++)
        CHECK(fabs(g[0][i] - g[1][i]) <= 1e-12, "%d: %.15g, %.15g", i, g[0][i], g[1][i]);
    kl_control_setup_free(&s);
}

static const struct {
    const char *text, *spread;
} known[] = {
    /* half the Pauli matrices: one radian a radian */
    { HEAD JUMPS "controls:\n  - {operator: 0.5 * X, limit: 4}\n  - {operator: 0.5 * Y, limit: 3}\n",
      "g=0.005 amplitude=0.1" },
    /* cross talk, a drift along every axis, and a part of 1, which does nothing */
    { HEAD JUMPS "hamiltonian:\n  - {name: d, operator: Z + 0.3 * X - 0.1 * Y, value: 0.7}\n"
                 "  - {operator: Z, value: 0.2}\ncontrols:\n"
                 "  - {operator: X + 0.2 * Y + 3, limit: 2}\n  - {operator: Y - 0.1 * Z, limit: 2}\n",
      "d=0.2 amplitude=0.05" },
    /* one control alone, no jump */
    { HEAD "hamiltonian:\n  - {name: d, operator: Z, value: 1}\n"
           "controls:\n  - {operator: X, limit: 3}\n",
      "d=0.1" },
    /* more controls than axes */
    { HEAD
      "jumps:\n  - {operator: sp1, rate: 0.1}\ncontrols:\n  - {operator: X, limit: 1}\n"
      "  - {operator: -1 * X, limit: 2}\n  - {operator: Z, limit: 1}\n  - {operator: Y, limit: 2}\n",
      "amplitude=0.1" },
    /* two levels that are called no qubit */
    { "time-unit: 1\nlevels: 2\nduration: 1\nhamiltonian:\n  - {name: d, operator: n, value: 0.4}\n"
      "decay:\n  - {T1: 20, T2: 15}\ncontrols:\n  - {operator: (a + ad) / 2, limit: 5}\n",
      "d=0.1" }
};

static void ways(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        both_ways(known[i].text, known[i].spread, "mean", "average");
        both_ways(known[i].text, known[i].spread, "worst", "state");
    }
}

static void left_alone(void)
{
    static const char *const others[] = {
        HEAD "jumps:\n  - {operator: X, rate: 0.1}\ncontrols:\n  - {operator: 0.5 * X, limit: 1}\n",
        HEAD "jumps:\n  - {operator: sm1 + 0.1 * Z, rate: 1}\ncontrols:\n  - {operator: X, limit: 1}\n",
        "time-unit: 1\nlevels: 3\ncontrols:\n  - {operator: a + ad, limit: 1}\n"
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct kl_control_model m;
        struct kl_error err = { 0 };
        model(others[i]);
        const int code = kl_control_model_read(&m, path, &err);
        CHECK(!code && m.system.form == KL_CONTROL_GENERAL, "%zu: %s", i, code ? err.text : "");
        if (!code) kl_control_model_free(&m);
    }
}

/* The filter function gives the same for half the Pauli matrices at twice the amplitude as for
   themselves: that is the same pulse. */
static void budgets(void)
{
    static const char *const text[] = {
        HEAD "decay:\n  - {T1: 50, T2: 40}\nhamiltonian:\n  - {name: d, operator: Z, value: 0}\n"
             "controls:\n  - {name: x, operator: X, limit: 4}\n  - {name: y, operator: Y, limit: 4}\n",
        HEAD "decay:\n  - {T1: 50, T2: 40}\nhamiltonian:\n  - {name: d, operator: Z / 2, value: 0}\n"
             "controls:\n  - {name: x, operator: X / 2, limit: 4}\n"
             "  - {name: y, operator: Y / 2, limit: 4}\n"
    };
    static const char *const sigma[] = { "d=0.1", "d=0.2" };
    struct kl_control_budget b[2];
    for (int i = 0; i < 2; i++) {
        struct kl_control_options o = model(text[i]);
        struct kl_control_setup s;
        struct kl_error err = { 0 };
        double u[18];
        for (int k = 0; k < 18; k++) u[k] = (1 + i) * (0.6 + 0.3 * cos(k));
        int code = kl_control_setup_make(&s, &o, &err);
        CHECK(!code && s.system.form == (i ? KL_CONTROL_TURNED : KL_CONTROL_ONE_QUBIT), "%s", err.text);
        if (!code) code = kl_control_budget(&b[i], &s, u, sigma[i], &err);
        CHECK(!code, "%s", err.text);
        kl_control_setup_free(&s);
        if (code) return;
    }
    CHECK(fabs(b[0].loss - b[1].loss) < 1e-13 && fabs(b[0].total - b[1].total) < 1e-12);
    int filters = 0;
    for (int i = 0; i < b[0].n; i++)
        for (int k = 0; k < b[1].n; k++) {
            const struct kl_control_budget_term *p = &b[0].terms[i], *q = &b[1].terms[k];
            if (strcmp(p->name, q->name) != 0 || isnan(p->filter)) continue;
            filters += p->filter > 1e-5;
            CHECK(fabs(p->filter - q->filter) <= 1e-12, "%s: %g, %g", p->name, p->filter, q->filter);
        }
    CHECK(filters == 2, "%d", filters);
}

int main(void)
{
    make_test_folder();
    ways();
    left_alone();
    budgets();
    return failures != 0;
}
