/* SPDX-License-Identifier: MIT
   Every ansatz with every embedding and every kind of observable, without noise and with, in double: the
   gradient of a batch is the sum of its samples' gradients, and adjoint, shift rules and central
   differences agree. */
#include <math.h>
#include <string.h>

#include "../check.h"
#include "circuit/estimate.h"
#include "tests/worse.h"

enum { QUBITS = 4, SAMPLES = 3, MOST = 512 };
static const char *const observables[] = { "z",
                                           "zz",
                                           "probs",
                                           "0.5*ZZII-XYII+0.25*IIII,YIIZ",
                                           "probs(2,0),x",
                                           "fidelity(0+1r),fidelity(ghz),fidelity(w)" };
static const char *const noises[] = { "", "depolarizing=0.05,amplitude-damping=0.1", "readout-0=0.1" };

static double x[MOST], w[MOST], cot[MOST], out[MOST];
struct gradient {
    double x[MOST], w[MOST];
};

static void agree(const char *what, const struct kl_circuit_options *o, const struct kl_circuit *c,
                  const struct gradient *a, const struct gradient *b, double bound)
{
    double worst = 0;
    for (size_t i = 0; i < SAMPLES * c->n_inputs; i++) worst = worse(worst, a->x[i] - b->x[i]);
    for (size_t i = 0; i < c->n_weights; i++) worst = worse(worst, a->w[i] - b->w[i]);
    CHECK(worst < bound, "%s, %s%s%s, %s, %s, noise %s: %g", what, o->embedding,
          o->learn_scale ? " with scales" : "", o->reupload ? " again" : "", o->ansatz, o->observables,
          o->noise, worst);
}

static void check(const struct kl_circuit_options *o)
{
    static struct gradient batch, sum, shift, differences;
    struct kl_circuit *c;
    struct kl_arena work;
    struct kl_error err = { 0 };
    int code = kl_circuit_build(&c, o, &err);
    if (code && o->noise[0] && strstr(err.text, "under readout errors")) return; /* entangled targets */
    CHECK(code == 0 && kl_arena_init(&work, 0, &err) == 0, "%s", err.text);
    if (code) return;
    batch = sum = shift = differences = (struct gradient){ 0 };
    double *state = kl_arena_take(&work, kl_circuit_state_size(c, SAMPLES) + 1, sizeof *state);
    code = kl_circuit_forward_f64(out, state, c, x, w, SAMPLES, NULL, &work, &err);
    if (!code)
        code = kl_circuit_adjoint_f64(batch.x, batch.w, state, c, x, w, cot, SAMPLES, NULL, &work, &err);
    for (size_t i = 0; i < SAMPLES && !code; i++) /* without a state kept: the circuit is run again */
        code = kl_circuit_adjoint_f64(sum.x + i * c->n_inputs, sum.w, NULL, c, x + i * c->n_inputs, w,
                                      cot + i * c->n_obs, 1, NULL, &work, &err);
    if (!code) code = kl_circuit_shift_f64(shift.x, shift.w, c, x, w, cot, SAMPLES, &work, &err);
    if (!code)
        code = kl_circuit_differences(differences.x, differences.w, c, x, w, cot, SAMPLES, 1e-5, &work,
                                      &err);
    CHECK(code == 0, "%s", err.text);
    agree("sum of single ones", o, c, &batch, &sum, 1e-12);
    agree("shift rules", o, c, &batch, &shift, 1e-11);
    agree("differences", o, c, &batch, &differences, 5e-7);
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

/* Once more with learnable scales where there are any, uploaded again. */
static void check_embedding(struct kl_circuit_options *o)
{
    static const char *const scaled[] = { "angle-x", "angle-y", "angle-z", "iqp", "iqp-2" };
    for (size_t k = 0; k < sizeof observables / sizeof *observables; k++) {
        o->observables = observables[k];
        o->reupload = o->learn_scale = false;
        check(o);
        for (size_t s = 0; s < sizeof scaled / sizeof *scaled; s++) {
            if (strcmp(o->embedding, scaled[s]) != 0) continue;
            o->reupload = o->learn_scale = true;
            check(o);
        }
    }
}

/* Squares of inputs, products with weights, gates that are several, one on three wires. */
static void check_texts(struct kl_circuit_options *o)
{
    static const char *const texts[] = {
        "input array[float, 3] x; input array[float, 5] w; qubit[4] q; h q; rx(x[0]**2) q[0]; "
        "ry((x[1] - w[0])/2 + 1) q[1]; rz((x[0] + 1)**2*w[1]) q[2]; crx(2*(pi - x[1])*(pi - x[2])) "
        "q[0], "
        "q[3]; ccx q[0], q[1], q[2]; cu(w[2], x[2], 0.3, w[3] - x[0]) q[1], q[3]; rzz(w[4]*x[1]**2) "
        "q[2], "
        "q[3]; h q[0];",
        "input float x; input float w; gate a(t) q, r { ry(t**2) q; cry(t*w2) q, r; } const float w2 = "
        "1.5; "
        "qubit[4] q; for int i in [0:2] a(x + i) q[i], q[i + 1]; inv @ a(x) q[0], q[3]; ry(w) q; cswap "
        "q[0], "
        "q[1], q[2];"
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t k = 0; k < sizeof observables / sizeof *observables; k++)
            for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
                o->qasm = texts[t], o->observables = observables[k], o->noise = noises[n];
                check(o);
            }
}

int main(void)
{
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    o.n_qubits = QUBITS, o.n_layers = 2;
    for (int i = 0; i < MOST; i++)
        x[i] = sin(1.7 * i + 0.3), w[i] = 2 * cos(2.3 * i), cot[i] = sin(0.9 * i + 1);
    for (int a = 0; kl_ansatz_names[a]; a++)
        for (int e = 0; kl_embedding_names[e]; e++)
            for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
                o.ansatz = kl_ansatz_names[a], o.embedding = kl_embedding_names[e];
                o.noise = noises[n];
                o.n_layers = n ? 1 : 2; /* density matrices take longer */
                check_embedding(&o);
            }
    kl_circuit_options_default(&o);
    check_texts(&o);
    return failures != 0;
}
