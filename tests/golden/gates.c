/* SPDX-License-Identifier: MIT
   Channels stand once behind a gate, however it is built: every embedding, ansatz and gate of OpenQASM
   under every channel against PennyLane's default.mixed (tests/golden/gates.h5, written by make_gates.py
   beside it), outputs and gradients to 1e-10. The same from the circuit's own OpenQASM; and trajectories
   to rounding, where all errors are certain. */
#include <jansson.h>
#include <math.h>

#include "circuit/noise.h"
#include "golden.h"

enum { MOST = 4096, SAMPLES = 2 };
static int failures;

struct values {
    double x[MOST], w[MOST], cot[MOST], out[MOST], grad_x[MOST], grad_w[MOST];
    size_t n_x, n_w, n_out; /* of all samples and one line of noise */
};

static void compare(const char *name, const char *noise, const char *what, const double *found,
                    const double *expected, size_t n, double most)
{
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[i]) <= most) continue;
        fprintf(stderr, "%s under %.60s: %s[%zu]: found %.15g, expected %.15g\n", name, noise, what, i,
                found[i], expected[i]);
        failures++;
        return;
    }
}

/* Outputs and gradients of the circuit; of text, its OpenQASM. */
struct run {
    double out[MOST], dx[MOST], dw[MOST];
    char *text;
};

static void run(struct run *r, const struct kl_circuit_options *o, const struct values *v)
{
    struct kl_circuit *c;
    struct kl_arena work;
    struct kl_error err;
    size_t size;
    must(kl_circuit_build(&c, o, &err), &err);
    must(kl_arena_init(&work, 0, &err), &err);
    double *state = kl_arena_take(&work, kl_circuit_state_size(c, SAMPLES) + 1, sizeof *state);
    memset(r->dw, 0, sizeof r->dw);
    must(kl_circuit_forward_f64(r->out, state, c, v->x, v->w, SAMPLES, NULL, &work, &err), &err);
    must(kl_circuit_adjoint_f64(r->dx, r->dw, state, c, v->x, v->w, v->cot, SAMPLES, NULL, &work, &err),
         &err);
    r->text = NULL;
    FILE *to = open_memstream(&r->text, &size);
    if (!c->amplitude_inputs && o->fold <= 1) must(kl_circuit_qasm(to, c, &err), &err);
    fclose(to);
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

static void read_back(const char *name, const struct kl_circuit_options *o, const struct run *one,
                      const struct values *v)
{
    static struct run again;
    struct kl_circuit_options text;
    kl_circuit_options_default(&text);
    text.qasm = one->text, text.observables = o->observables, text.noise = o->noise;
    run(&again, &text, v);
    compare(name, o->noise, "out of its OpenQASM", again.out, one->out, v->n_out, 1e-12);
    compare(name, o->noise, "grad_w of its OpenQASM", again.dw, one->dw, v->n_w, 1e-12);
    free(again.text);
}

/* Errors that come for sure: a channel too many, or one missing, turns outputs round. */
static void by_trajectories(const char *name, const struct kl_circuit_options *o, const struct values *v)
{
    static const char *const certain[] = { "bit-flip=1", "phase-flip=1", "bit-flip=1,phase-flip-2=1" };
    static struct run exact, drawn;
    for (size_t i = 0; i < sizeof certain / sizeof *certain; i++) {
        struct kl_circuit_options t = *o;
        t.noise = certain[i];
        run(&exact, &t, v);
        t.trajectories = 2;
        run(&drawn, &t, v);
        compare(name, t.noise, "out by trajectories", drawn.out, exact.out, v->n_out, 1e-11);
        compare(name, t.noise, "grad_x by trajectories", drawn.dx, exact.dx, v->n_x, 1e-11);
        compare(name, t.noise, "grad_w by trajectories", drawn.dw, exact.dw, v->n_w, 1e-11);
        free(exact.text), free(drawn.text);
    }
}

static void differences(const char *name, const struct kl_circuit_options *o, const struct run *one,
                        const struct values *v)
{
    static double dx[MOST], dw[MOST];
    struct kl_circuit *c;
    struct kl_arena work;
    struct kl_error err;
    memset(dw, 0, sizeof dw);
    must(kl_circuit_build(&c, o, &err), &err);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_differences(dx, dw, c, v->x, v->w, v->cot, SAMPLES, 1e-5, &work, &err), &err);
    compare(name, o->noise, "grad_x by differences", dx, one->dx, v->n_x, 1e-7);
    compare(name, o->noise, "grad_w by differences", dw, one->dw, v->n_w, 1e-7);
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

static void options_of(struct kl_circuit_options *o, const json_t *given)
{
    json_int_t qubits = 4, layers = 3, fold = 1;
    int reupload = 0;
    kl_circuit_options_default(o);
    golden_need(json_unpack((json_t *)given, "{s?:s,s?:s,s?:I,s?:I,s?:I,s?:b,s?:s}", "embedding",
                            &o->embedding, "ansatz", &o->ansatz, "qubits", &qubits, "layers", &layers,
                            "fold", &fold, "reupload", &reupload, "qasm", &o->qasm) == 0,
                "options");
    o->n_qubits = qubits, o->n_layers = layers, o->fold = (int)fold, o->reupload = reupload;
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static struct values v;
    static struct run one;
    static char options[8192], strings[256], noise[4096];
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_circuit_options o;
    json_error_t why;
    size_t models = 0;
    (void)info;
    golden_text(options, sizeof options, group, "options");
    golden_text(strings, sizeof strings, group, "strings");
    golden_text(noise, sizeof noise, group, "noise");
    v.n_x = golden_values(v.x, MOST, group, "x"), v.n_w = golden_values(v.w, MOST, group, "w");
    v.n_out = golden_values(v.cot, MOST, group, "cot");
    const size_t n = golden_values(v.out, MOST, group, "out") / v.n_out;
    golden_values(v.grad_x, MOST, group, "grad_x"), golden_values(v.grad_w, MOST, group, "grad_w");
    json_t *given = json_loads(options, 0, &why);
    options_of(&o, given);
    o.observables = strings;
    for (char *rest = noise, *line; (line = strsep(&rest, "\n")); models++) {
        o.noise = line;
        run(&one, &o, &v);
        compare(name, line, "out", one.out, v.out + models * v.n_out, v.n_out, 1e-10);
        compare(name, line, "grad_x", one.dx, v.grad_x + models * v.n_x, v.n_x, 1e-10);
        compare(name, line, "grad_w", one.dw, v.grad_w + models * v.n_w, v.n_w, 1e-10);
        if (*one.text) read_back(name, &o, &one, &v);
        if (models + 1 == n) differences(name, &o, &one, &v);
        free(one.text);
    }
    by_trajectories(name, &o, &v);
    if (models != n) failures++;
    json_decref(given);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    const int groups = golden_groups("tests/golden/gates.h5", check);
    if (groups < 21) failures++;
    printf("%d circuits\n", groups);
    return failures != 0;
}
