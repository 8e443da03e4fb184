/* SPDX-License-Identifier: MIT
   Circuits as Qiskit exports them in OpenQASM (make_qasm.py): the expectation values of its Statevector.
   What is written of them is read again to the same. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "tests/unit/check.h"

enum { MOST = 256, OUTPUTS = 16 };

static int take(double *to, const json_t *list)
{
    const int n = (int)json_array_size(list);
    for (int i = 0; i < n; i++) to[i] = json_number_value(json_array_get(list, (size_t)i));
    return n;
}

static struct kl_circuit *build(const char *name, const char *text, const char *observables)
{
    struct kl_circuit_options o;
    struct kl_circuit *c = NULL;
    struct kl_error err = { 0 };
    kl_circuit_options_default(&o);
    o.qasm = text, o.observables = observables;
    CHECK(kl_circuit_build(&c, &o, &err) == 0, "%s: %s", name, err.text);
    return c;
}

static void compare(const char *name, const struct kl_circuit *c, const double *x, const double *w,
                    const json_t *expected)
{
    double out[OUTPUTS], values[OUTPUTS];
    struct kl_arena work;
    struct kl_error err = { 0 };
    const int n = take(values, expected);
    CHECK(c->n_obs == (size_t)n, "%s: %zu outputs", name, c->n_obs);
    int code = kl_arena_init(&work, 0, &err);
    if (!code) code = kl_circuit_forward_f64(out, NULL, c, x, w, 1, NULL, &work, &err);
    CHECK(!code, "%s: %s", name, err.text);
    for (int i = 0; i < n && !code; i++)
        CHECK(fabs(out[i] - values[i]) < 1e-10, "%s: output %d: found %.12f, expected %.12f", name, i,
              out[i], values[i]);
    kl_arena_free(&work);
}

static void check(const json_t *item)
{
    double x[MOST] = { 0 }, w[MOST] = { 0 };
    const char *name = json_string_value(json_object_get(item, "name")),
               *observables = json_string_value(json_object_get(item, "observables"));
    const int n_x = take(x, json_object_get(item, "x")), n_w = take(w, json_object_get(item, "w"));
    const json_t *expected = json_object_get(item, "expected");
    struct kl_circuit *c = build(name, json_string_value(json_object_get(item, "text")), observables);
    char *written = NULL;
    size_t n = 0;
    if (!c) return;
    CHECK(c->n_inputs == (size_t)n_x && c->n_weights == (size_t)n_w, "%s: %zu inputs, %zu weights", name,
          c->n_inputs, c->n_weights);
    const bool measures = strstr(json_string_value(json_object_get(item, "text")), "measure"),
               disordered = strcmp(name, "single parameters") == 0;
    CHECK(!c->notes == !measures && !c->cautions == !disordered, "%s: '%s', '%s'", name,
          c->notes ? c->notes : "", c->cautions ? c->cautions : "");
    compare(name, c, x, w, expected);
    FILE *to = open_memstream(&written, &n);
    CHECK(kl_circuit_qasm(to, c, NULL) == 0, "%s", name);
    fclose(to);
    struct kl_circuit *again = build(name, written, observables);
    if (again) {
        compare(name, again, x, w, expected);
        CHECK(kl_circuit_gates(again) == kl_circuit_gates(c), "%s: %zu gates, written %zu", name,
              kl_circuit_gates(c), kl_circuit_gates(again));
    }
    free(written);
    kl_circuit_free(&again);
    kl_circuit_free(&c);
}

int main(void)
{
    json_error_t why;
    json_t *all = json_load_file("tests/golden/qasm.json", 0, &why), *item;
    size_t i;
    CHECK(json_array_size(all) == 38, "%s", why.text);
    json_array_foreach(all, i, item) check(item);
    json_decref(all);
    return failures != 0;
}
