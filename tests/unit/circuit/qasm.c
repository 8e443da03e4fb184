/* SPDX-License-Identifier: MIT
   OpenQASM: every ansatz with every embedding comes back from its own text with the same outputs; what
   is refused names line and column; no beginning of a text is read beyond its end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

enum { SAMPLES = 2, MOST = 256 };
static int failures;

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void outputs(double *out, const struct kl_circuit *c)
{
    struct kl_arena work;
    struct kl_error err;
    double x[MOST], w[MOST];
    for (int i = 0; i < MOST; i++) x[i] = sin(1.7 * i + 0.3), w[i] = 2 * cos(2.3 * i);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_forward_f64(out, NULL, c, x, w, SAMPLES, NULL, &work, &err), &err);
    kl_arena_free(&work);
}

static void cut_short(const char *text)
{
    const size_t n = strlen(text);
    for (size_t cut = 0; cut < n && cut < 4000; cut++) {
        char *part = strndup(text, cut); /* its end is where a sanitizer looks */
        struct kl_circuit *none;
        struct kl_error err;
        if (kl_circuit_from_qasm(&none, part, &err) == 0) kl_circuit_free(&none);
        free(part);
    }
}

static void round_trip(const char *embedding, const char *ansatz, bool learn_scale)
{
    struct kl_circuit *c, *again;
    struct kl_circuit_options o;
    struct kl_error err;
    double out[MOST], back[MOST];
    char *text = NULL;
    size_t n = 0;
    kl_circuit_options_default(&o);
    o.embedding = embedding, o.ansatz = ansatz, o.n_layers = 2, o.observables = "XIYZ,ZIII,IZIX";
    o.learn_scale = o.reupload = learn_scale;
    must(kl_circuit_build(&c, &o, &err), &err);
    FILE *to = open_memstream(&text, &n);
    must(kl_circuit_qasm(to, c, &err), &err);
    fclose(to);
    kl_circuit_options_default(&o);
    o.observables = "XIYZ,ZIII,IZIX", o.qasm = text;
    must(kl_circuit_build(&again, &o, &err), &err);
    outputs(out, c);
    outputs(back, again);
    for (size_t i = 0; i < SAMPLES * 3; i++)
        if (!(fabs(out[i] - back[i]) < 1e-12)) {
            fprintf(stderr, "%s, %s: output %zu: %.15g and back %.15g\n", embedding, ansatz, i, out[i],
                    back[i]);
            failures++;
        }
    if (strcmp(embedding, "angle-y") == 0) cut_short(text);
    free(text);
    kl_circuit_free(&c);
    kl_circuit_free(&again);
}

/* Gates that are made of others: equal to what Qiskit's statevector says of the same text. */
static void other_gates(void)
{
    static const char text[] = "OPENQASM 3.0;\ninclude \"stdgates.inc\";\ninput array[float[64], 2] "
                               "x;\ninput float th;\nqubit[2] a;\nqubit b;\n"
                               "h a[0]; u(x[0], th, -pi/4) a[1]; cp(2*x[1]) a[0], b; // a comment\ny b; "
                               "s a[1]; swap a[0], b; t b; /* and\n"
                               "another */ sx a[0]; rzz(th - x[0]/2 + 1) a[1], b; z a[0]; cp(th) a[0], "
                               "a[1]; sdg b; h b; tdg b; ry(0.3) b;";
    /* Statevector(...).expectation_value of Z0, X1, Y2 at x = (0.4, -1.1), th = 0.7 */
    static const double expected[] = { 3.469446951953614e-18, -0.022445705784543364,
                                       -0.4240082611033607 };
    const double x[] = { 0.4, -1.1 }, w[] = { 0.7 };
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_arena work;
    struct kl_error err;
    double out[3];
    kl_circuit_options_default(&o);
    o.qasm = text, o.observables = "ZII,IXI,IIY";
    must(kl_circuit_build(&c, &o, &err), &err);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_forward_f64(out, NULL, c, x, w, 1, NULL, &work, &err), &err);
    for (int i = 0; i < 3; i++)
        if (!(fabs(out[i] - expected[i]) < 1e-12)) {
            fprintf(stderr, "other gates: output %d: found %.15g, expected %.15g\n", i, out[i],
                    expected[i]);
            failures++;
        }
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

static void refused(const char *text, const char *message)
{
    struct kl_circuit *c;
    struct kl_error err = { 0 };
    int code = kl_circuit_from_qasm(&c, text, &err);
    if (code == KL_EDATA && strstr(err.text, message)) return;
    fprintf(stderr, "%s\ncode %d, \"%s\", expected \"%s\"\n", text, code, err.text, message);
    failures++;
}

/* Two texts that mean the same gates. */
static void same(const char *text, const char *plain)
{
    const char *const both[2] = { text, plain };
    struct kl_circuit *c[2] = { NULL, NULL };
    struct kl_error err = { 0 };
    char *texts[2] = { NULL, NULL };
    size_t n;
    for (int i = 0; i < 2; i++) {
        if (kl_circuit_from_qasm(&c[i], both[i], &err)) {
            fprintf(stderr, "%s\n%s\n", both[i], err.text);
            failures++;
            continue;
        }
        FILE *to = open_memstream(&texts[i], &n);
        must(kl_circuit_qasm(to, c[i], &err), &err);
        fclose(to);
    }
    if (texts[0] && texts[1] && strcmp(texts[0], texts[1]) != 0) {
        fprintf(stderr, "%s\nis\n%sexpected\n%s", text, texts[0], texts[1]);
        failures++;
    }
    for (int i = 0; i < 2; i++) free(texts[i]), kl_circuit_free(&c[i]);
}

/* Registers, parts of them, other names of them: one gate after another. */
static void broadcast(void)
{
    same("qubit[2] q; h q;", "qubit[2] q; h q[0]; h q[1];");
    same("qubit[2] q; qubit[2] r; cx q, r;", "qubit[4] q; cx q[0], q[2]; cx q[1], q[3];");
    same("qubit[2] q; qubit r; cx r, q;", "qubit[3] q; cx q[2], q[0]; cx q[2], q[1];");
    same("qubit[4] q; x q[1:2]; y q[-1]; z q[{3, 0}];",
         "qubit[4] q; x q[1]; x q[2]; y q[3]; z q[3]; z q[0];");
    same("qubit[5] q; x q[0:2:4]; y q[3:-1:2]; h q[-2:-1];",
         "qubit[5] q; x q[0]; x q[2]; x q[4]; y q[3]; y q[2]; h q[3]; h q[4];");
    same("qubit[2] a; qubit[3] b; let c = a[1:1] ++ b[{2, 0}]; x c; h c[1];",
         "qubit[5] q; x q[1]; x q[4]; x q[2]; h q[4];");
    same("const uint n = 1 + 2; qubit[n] q; x q[n - 1]; rx(n / 4.0) q[n % 2];",
         "qubit[3] q; x q[2]; rx(0.75) q[1];");
    refused("qubit[2] q; qubit[3] r; cx q, r;",
            "column 31: 3 qubits, expected 2 as of the register before");
    refused("qubit[2] q; cx q, q[1];", "column 19: cx on the same qubit twice");
    refused("qubit[2] q; x q[1:0];", "a range without a qubit");
    refused("qubit[2] q; x q[0:0:1];", "a range by steps of 0");
    refused("qubit[2] q; x q[0:2];", "found '2', expected a whole number from 0 to 1");
    refused("qubit[2] q; x q[0.5];", "found '0.5', expected a whole number");
    refused("input float x; qubit[2] q; x q[x];", "found a parameter, expected a number");
    refused("qubit[2] q; let r = q ++ s;", "'s' is no qubit");
    refused("qubit[2] q; let q = q;", "'q' is declared twice");
}

/* The text's own gates: written out where they are called, with their own names. */
static void definitions(void)
{
    same("gate foo(a, q) q, r { rx(a + 2*q) q; // words; {\n cx q, r; } gate bar p { x p; foo(1, pi) p, "
         "p2; }\n"
         "qubit[2] q; foo(1, 0.5) q[1], q[0];",
         "qubit[2] q; rx(2) q[1]; cx q[1], q[0];");
    same("input float _\xce\xb8_0_; input float x;\ngate a(_\xce\xb8_0_) q { ry(_\xce\xb8_0_/2) q; }\n"
         "gate b(p) q, r { a(2*p) q; a(p + 1) r; } qubit[2] q; b(_\xce\xb8_0_ - x) q[1], q[0];",
         "input float w; input float x; qubit[2] q; ry(w - x) q[1]; ry(0.5*w - 0.5*x + 0.5) q[0];");
    same("gate empty q {} gate none() q { empty q; x q; }\nqubit q; empty q; none q; none() q;",
         "qubit q; x q; x q;");
    same("gate rzz(p0) a, b { cx a, b; rz(p0) b; cx a, b; } qubit[2] q; rzz(0.5) q[0], q[1];",
         "qubit[2] q; cx q[0], q[1]; rz(0.5) q[1]; cx q[0], q[1];");
    same("gate pauli_2(p) a, b { z a; y b; } qubit[2] q; pauli_2( YZ) q[0], q[1];",
         "qubit[2] q; z q[0]; y q[1];");
    same("const float t = 0.25; gate a q { rx(t) q; barrier q; } qubit[2] q; a q;",
         "qubit[2] q; rx(0.25) q[0]; rx(0.25) q[1];");
    refused("gate a(p) q { rx(p) q; } qubit q; a q;",
            "column 35: 'a' takes 1 angle and 1 qubit, found 0 and 1");
    refused("gate a q, r { cx q, r; } qubit q; a(1) q;",
            "'a' takes 0 angles and 2 qubits, found 1 and 1");
    refused("input float w; gate a q { rx(w) q; } qubit q; a q;",
            "column 30: 'w' is no parameter of this gate");
    refused("qubit q; gate a r { x q; } a q;", "column 23: 'q' is no qubit of this gate");
    refused("gate a q { a q; } qubit q; a q;", "'a' is no gate or statement");
    refused("gate a q { b q; } gate b q { x q; } qubit q; a q;", "'b' is no gate or statement");
    refused("gate a q { x q; } gate a q { y q; }", "column 24: 'a' is defined twice");
    refused("gate a q;", "'a': a definition without a block");
    refused("gate paul(p) q { x q; } qubit q; paul(XX) q;", "'XX' is no parameter");
    refused("uint[8] n; qubit q;", "column 9: 'n': a variable without a value is not read");
    refused("array[float, 3] a; qubit q;", "'array' is not read: a circuit has gates alone");
    refused("gate a q { x q;", "a block without end");
    refused("gate a q { gate b q { x q; } } qubit q; a q;", "a definition within a block");
    refused("gate a q { y q, q; } qubit q; a q;", "y on the same qubit twice");
    refused("qubit q; gate", "found ' ', expected a name");
}

/* Loops are written out; so is what stands behind gates as their modifiers. */
static void loops_and_modifiers(void)
{
    same("qubit[4] q; for int i in [0:2] { cx q[i], q[i + 1]; }",
         "qubit[4] q; cx q[0], q[1]; cx q[1], q[2]; cx q[2], q[3];");
    same("qubit[3] q; for uint[8] i in [2:-1:1] for j in {0, i} rx(i + 0.5*j) q[j];",
         "qubit[3] q; rx(2) q[0]; rx(3) q[2]; rx(1) q[0]; rx(1.5) q[1];");
    same("input array[float, 3] w; qubit[3] q; for int i in [0:2] ry(w[i]) q[i]; for int i in [1:0] { x "
         "q[i]; }",
         "input array[float, 3] w; qubit[3] q; ry(w[0]) q[0]; ry(w[1]) q[1]; ry(w[2]) q[2];");
    same("qubit q; inv @ s q; inv @ inv @ t q; pow(3) @ x q; pow(-2) @ rx(0.5) q; pow(0) @ y q;",
         "qubit q; sdg q; t q; x q; x q; x q; rx(-0.5) q; rx(-0.5) q;");
    same("gate a(t) q, r { rx(t) q; cx q, r; u(1, 2, 3) r; } qubit[2] q; inv @ a(0.5) q[0], q[1];",
         "qubit[2] q; u(-1, -3, -2) q[1]; cx q[0], q[1]; rx(-0.5) q[0];");
    same("qubit[3] q; ctrl @ x q[0], q[1]; ctrl @ ry(0.5) q[1], q[2]; ctrl(2) @ x q[0], q[1], q[2]; "
         "ctrl @ ctrl @ z q[0], q[1], q[2];",
         "qubit[3] q; cx q[0], q[1]; cry(0.5) q[1], q[2]; ccx q[0], q[1], q[2]; ccz q[0], q[1], q[2];");
    same("qubit[2] q; negctrl @ z q[0], q[1];", "qubit[2] q; x q[0]; cz q[0], q[1]; x q[0];");
    same("qubit[2] q; gphase(0.5); ctrl @ gphase(0.5) q[0]; ctrl @ U(1, 2, 3) q[0], q[1];",
         "qubit[2] q; p(0.5) q[0]; cu(1, 2, 3, 0) q[0], q[1];");
    same("gate a q, r { h q; x r; } qubit[3] q; ctrl @ a q[2], q[0], q[1];",
         "qubit[3] q; ch q[2], q[0]; cx q[2], q[1];");
    same("qubit[3] q; ctrl @ crx(1) q[0], q[1], q[2];", "qubit[3] q; ctrl(2) @ rx(1) q[0], q[1], q[2];");
    same("gate ccp(t) a, b, c { x a; } qubit[3] q; ctrl(2) @ p(1) q[0], q[1], q[2]; ccp(1) q[0], q[1], "
         "q[2];",
         "qubit[3] q; ctrl(2) @ p(1) q[0], q[1], q[2]; x q[0];");
    refused("qubit[3] q; ctrl @ id q[0], q[1];", "column 13: 'id' under one control more is not read");
    refused("qubit q; pow(0.5) @ x q;", "column 14: found pow(0.5), expected a whole number");
    refused("qubit q; ctrl @ x q;", "'cx' takes 0 angles and 2 qubits, found 0 and 1");
    refused("qubit q; inv x q;", "found 'x', expected '@'");
    refused("qubit q; gphase(1) q;", "'gphase' takes 1 angle and no qubit, found 1 and 1");
    refused("qubit q; for int i of [0:1] x q;", "found 'of', expected 'in'");
    refused("qubit q; for int i in [0:0:1] x q;", "a range by steps of 0");
    refused("qubit q; for int i in [0:100000] x q;", "more than 4096 values");
    refused("qubit q; for int i in [0:1] { x q;", "a block without end");
    refused("qubit q; for int i in [0:4095] for int j in [0:4095] barrier q;",
            "more than 131072 statements");
    refused("gate a q {barrier q;} gate b q {a q;a q;} gate c q {b q;b q;} gate d q {c q;c q;} qubit q;"
            "for int i in [0:4095] for int j in [0:15] d q;",
            "more than 131072 statements");
}

/* Measurements at a text's end are passed over, with a line; anything else is refused. */
static void measurements(void)
{
    static const char *const texts[] = {
        "bit[2] c; qubit[2] q; x q; c = measure q;",
        "bit[2] c; qubit[2] q; x q; c[0] = measure q[0]; c[1] = measure q[1];",
        "qubit[2] q; reset q; x q; measure q;",
        "qubit[2] q; bit[2] c; x q; measure q -> c;",
        "qreg q[2]; creg c[2]; x q; measure q[0] -> c[0];",
        "qubit[2] q; x q; bit[2] c = measure q;",
        "bit[40] c; qubit[2] q; x q; c[{38, 39}] = measure q; c[0:1] = measure q;",
        "bit c; qubit[2] q; x q; c = measure q[1];"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kl_circuit *c;
        struct kl_error err = { 0 };
        same(texts[i], "qubit[2] q; x q;");
        must(kl_circuit_from_qasm(&c, texts[i], &err), &err);
        if (!c->notes || !strstr(c->notes, "--observables") || c->cautions) {
            fprintf(stderr, "%s: '%s'\n", texts[i], c->notes ? c->notes : "");
            failures++;
        }
        kl_circuit_free(&c);
    }
    refused("qubit q; measure q; x q;", "column 21: 'x' on a qubit behind its measurement");
    refused("qubit q; x q; reset q;", "column 15: 'reset' of a qubit on which gates were");
    refused("qubit q; c = measure q;", "'c' is no gate or statement");
    refused("bit c; qubit q; c = 1;", "found '', expected measure");
    refused("qubit q; measure q -> d;", "column 23: 'd' is no bit");
    refused("bit[2] c; qubit q; c[2] = measure q;", "found '2', expected a whole number from 0 to 1");
    refused("bit c; qubit q; c = measure q; if (c == 1) x q;",
            "column 32: 'if' is not read: a circuit has no statements that");
    refused("qubit q; delay[10ns] q;", "'delay' is not read: a circuit has gates and no times");
    refused("def foo(int a) {}", "'def' is not read: a circuit has gates alone");
}

/* Rules of version 2 alone: quotients, powers. */
static void versions(void)
{
    same("OPENQASM 2.0; include \"qelib1.inc\"; qreg q[2]; creg c[2]; u2(0, pi) q[0]; rx(1/2) q[1]; "
         "cu1(2^3/4) q[0], q[1]; measure q -> c;",
         "OPENQASM 3; qubit[2] q; u2(0, pi) q[0]; rx(0.5) q[1]; cp(2) q[0], q[1];");
    same("const int n = 2**3; qubit q; rx(2**-1) q; rx(-2**2) q; rx(sqrt(4.0) + cos(0)) q; "
         "rx(\xcf\x80/\xcf\x84) q; rx(7 % 4) q;",
         "qubit q; rx(0.5) q; rx(-4) q; rx(3) q; rx(0.5) q; rx(3) q;");
    refused("OPENQASM 2.1;", "found version 2.1, expected 2.0, 3, 3.0 or 3.1");
    refused("qubit q; rx(2^2) q;", "found '^', expected ')'");
    refused("const int n = 0.5;", "'n': found 0.5, expected a whole number");
    refused("const bool n = 1;", "found type 'bool', expected int, uint, float or angle");
    refused("input float w; const float n = w;", "found a parameter, expected a number");
}

/* Products of sums are sums; numbers behind names say nothing of the order. */
static void products(void)
{
#define WITH "input float x0; input float x1; input float w0; input float w1; qubit q; "
    same(WITH "rx((x0 + x1)*w0) q; rx(w0*(x0 - 1)) q; rx(x0**2) q; rx((x0 + 1)**2) q; rx(2*(pi - "
              "x0)*(pi - x1)) q;",
         WITH "rx(w0*x0 + w0*x1) q; rx(w0*x0 - w0) q; rx(x0*x0) q; rx(x0*x0 + 2*x0 + 1) q;"
              "rx(2*pi*pi - 2*pi*x1 - 2*pi*x0 + 2*x0*x1) q;");
    static const char *const wrong[] = {
        "x0*x1*x0",        "x0*(x1*x0)", "w0*x0*w1", "w0*w1*x0",
        "(w0*x0)*(w1*x1)", "w0**2",      "x0**3",    "(w0 + 1)*(w1 + 1)"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[200];
        snprintf(text, sizeof text, WITH "rx(%s) q;", wrong[i]);
        refused(text,
                "a product of more than two inputs or of two weights: an angle is a sum of numbers");
    }
    refused(WITH "rx(x0**0.5) q;", "a power of a parameter other than 1 or 2, or by one");
    refused(WITH "rx(2**x0) q;", "a power of a parameter other than 1 or 2, or by one");
    refused(WITH "rx(sin(x0)) q;", "'sin' of a parameter");
    refused(WITH "rx(foo(1)) q;", "'foo' is no function");
    refused(WITH "rx((x0 + x1 + w0 + w1 + 1)*(x0 + x1 + 2)*2 + x0 + x0 + x1 + x0 + x1 + x0) q;",
            "an angle of more than 16 terms");
}

static void cautions(const char *text, const char *expected)
{
    struct kl_circuit *c;
    struct kl_error err = { 0 };
    must(kl_circuit_from_qasm(&c, text, &err), &err);
    if (expected ? !c->cautions || !strstr(c->cautions, expected) : c->cautions != NULL) {
        fprintf(stderr, "%s\n'%s', expected '%s'\n", text, c->cautions ? c->cautions : "",
                expected ? expected : "");
        failures++;
    }
    kl_circuit_free(&c);
}

static void orders(void)
{
    cautions("input float w1; input float w10; input float w2; qubit q; rx(w2) q;",
             "weights are numbered as they are declared, not as they are called: 'w10' is weight 1, "
             "'w2', declared behind it, weight 2");
    cautions("input float _x_1_; input float a; input float _x_0_; qubit q; rx(a) q;",
             "'_x_1_' is input 0, '_x_0_'");
    cautions("input float x1; input float w2; input float x2; input float w10; input float v1; qubit q; "
             "rx(x1) q;",
             NULL);
    cautions("gate g(b, c) q { rx(b) q; rz(c) q; } input float c; input float b; qubit q; g(c, b) q;",
             "gate g has its parameter 'b' as number 1, and is given it as number 2");
    cautions("gate g(b, c) q { rx(b) q; rz(c) q; } input float c; input float b; qubit q; g(b, c) q; "
             "g(2*c, b) q;",
             "gate g has its parameter 'b' as number 1, and is given it as number 2");
    cautions("gate g(b, c) q { rx(b) q; rz(c) q; } input float c; input float b; qubit q; g(b, c) q; "
             "g(2*c, 1) q; g(b, b) q;",
             NULL);
}

/* The column where the word begins, or the letter that does not fit; no statement hides another. */
static void places(void)
{
    refused("qubit q; rx( x /* */ ) q;", "column 14: 'x' is no parameter");
    refused("input array[float, 2] w; qubit q;\nrx(w) q;", "line 2, column 4: 'w' is an array");
    refused("qubit q; cx q, r;", "column 16: 'r' is no qubit");
    refused("qubit[2] q; cx q[1], q[1];", "column 22: cx on the same qubit twice");
    refused("qubit q; qubit q;", "column 16: 'q' is declared twice");
    refused("qubit q; x q; qubit r;", "column 15: qubit is declared after the first gate");
    refused("x q;", "column 1: a gate before any qubit is declared");
    refused("qubit q; h q", "column 13: found ' ', expected ';'");
    refused("OPENQASM 3\nqubit q;", "line 2, column 1: found 'q', expected ';'");
    refused("OPENQASM 3.2; qubit q;", "column 10: found version 3.2, expected 2.0, 3, 3.0 or 3.1");
    refused("include \"a.inc\"\nqubit q;", "line 2, column 1: found 'q', expected ';'");
    refused("include \"a.inc;\nqubit q;", "line 2, column 1: found 'q', expected '\"'");
    refused("qubit q; barrier r;", "column 18: 'r' is no qubit");
    refused("qubit[2] q; barrier q[0], q[2];", "column 29: found '2', expected a whole number");
    refused("qubit q; barrier q\nx q;", "line 2, column 1: found 'x', expected ';'");
}

static void accepted(void)
{
    static const char *const texts[] = { "OPENQASM 3;", "OPENQASM 3.0;", "OPENQASM 3.1;",
                                         "include 'a;b//.inc';", "barrier;" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kl_circuit *c;
        struct kl_error err;
        char text[200];
        snprintf(text, sizeof text, "%s qubit[2] q; qubit r; barrier q, r; barrier q[1], r; x r;",
                 texts[i]);
        must(kl_circuit_from_qasm(&c, text, &err), &err);
        kl_circuit_free(&c);
    }
}

/* Letters are those of any language; the column counts them. */
static void not_ascii(void)
{
    same("input float[64] _\xce\xb8_0_; qubit \xce\xb1; rx(_\xce\xb8_0_*\xcf\x80) \xce\xb1;",
         "input float w; qubit q; rx(w*pi) q;");
    same("input float e\xcc\x81; qubit q; rx(\xc3\xa9) q;",
         "input float w; qubit q; rx(w) q;"); /* e and its accent */
    refused("qubit q; x \xce\xb8;", "column 12: '\xce\xb8' is no qubit");
    refused("qubit q; x q; \xce\xb8\xce\xb8; y r;", "column 15: '\xce\xb8\xce\xb8' is no gate");
    refused("qubit \xce\xb8; /* \xce\xb8\xce\xb8 */ x \xce\xb8, r;", "column 24: 'r' is no qubit");
    refused("qubit q; x ;", "column 12: found ';', expected a qubit");
    refused("qubit q; rx(\x1b) q;", "column 13: found '?', expected an angle");
}

/* Whole numbers divide as such in OpenQASM 3 (Qiskit reads rx(1/2) as rx(0), PennyLane as rx(0.5)): what
   that changes is refused, what it does not is read; a return ends a comment as well. */
static void numbers(void)
{
    static const char *const wrong[] = {
        "1/2", "1/2*pi", "3/2*x", "(1+2)/2", "-2/3*pi", "2/4/2", "0x3/2"
    };
    static const struct {
        const char *angle;
        double value;
    } right[] = { { "1.0/2", 0.5 },
                  { "1/2.", 0.5 },
                  { "1e0/2", 0.5 },
                  { "pi*1/2", M_PI / 2 },
                  { "3*pi/4", 3 * M_PI / 4 },
                  { "4/2", 2 },
                  { "-6/3", -2 },
                  { "0x10/4", 4 },
                  { "(pi-1)/2", (M_PI - 1) / 2 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[100];
        snprintf(text, sizeof text, "input float x; qubit q; rx(%s) q;", wrong[i]);
        refused(text, "of whole numbers, which OpenQASM 3 rounds to ");
    }
    refused("qubit q; rx(3/2) q;",
            "3 / 2 of whole numbers, which OpenQASM 3 rounds to 1; write 3.0 / 2");
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char text[100];
        struct kl_circuit *c;
        struct kl_error err;
        snprintf(text, sizeof text, "qubit q; // a comment\rrx(%s) q;\r", right[i].angle);
        must(kl_circuit_from_qasm(&c, text, &err), &err);
        if (c->n_ops != 1 || !(fabs(c->ops[0].angle[0].scale - right[i].value) < 1e-15)) {
            fprintf(stderr, "%s: read as something else\n", text);
            failures++;
        }
        kl_circuit_free(&c);
    }
}

/* An annotation that is unknown, or not before a gate, is refused. */
static void with_next(void)
{
    static const char expected[] = "@ketline.with_next: found ";
    refused("qubit q;\n@ketline.with_next\nbarrier q;\nx q;", expected);
    refused("qubit q;\n@ketline.with_next\nx q;\nbarrier q; x q;", expected);
    refused("@ketline.with_next\nqubit q; x q;", expected);
    refused("qubit q;\n@ketline.with_next\n@ketline.with_next\nx q; x q;", expected);
    refused("qubit q;\n@ketline.with_next\nx q;", "the text ends before the next gate");
    refused("qubit q;\n@ketline.with_next\n", expected);
    refused("qubit q;\n@ketline.with_next x q; x q;", "column 20: an annotation has a line of its own");
    refused("qubit q;\n@other\nx q;", "line 3, column 1: found 'x', expected '.'");
    refused("qubit q;\n@ketline.other\nx q;", "line 2, column 2: an annotation that is not read");
    refused("rx(0.1) $0;", "column 9: a qubit of a device");
}

int main(void)
{
    for (int a = 0; kl_ansatz_names[a]; a++)
        for (int e = 0; kl_embedding_names[e]; e++)
            if (strcmp(kl_embedding_names[e], "amplitude") != 0)
                round_trip(kl_embedding_names[e], kl_ansatz_names[a], false);
    for (int a = 0; kl_ansatz_names[a]; a++) {
        round_trip("angle-y", kl_ansatz_names[a], true);
        round_trip("iqp", kl_ansatz_names[a], true);
    }
    other_gates();
    refused("", "line 1, column 1: a gate before any qubit is declared");
    refused("OPENQASM 4.1;", "column 10: found version '4.1', expected OPENQASM 3 or 2");
    refused("qubit[2] q;\nrx(y) q[0];", "line 2, column 4: 'y' is no parameter");
    refused("qubit[2] q;\n  foo q[0];", "line 2, column 3: 'foo' is no gate or statement");
    refused("qubit[2] q; x q[2];", "column 17: found '2', expected a whole number from 0 to 1");
    refused("qubit[21] q;", "expected a whole number from 0 to 20");
    refused("qubit[20] q; qubit r;", "more than 20 qubits");
    refused("qubit[2] q; cx q[0], q[0];", "twice");
    refused("qubit[2] q; rzz(0.3) q[1], q[1];", "twice");
    refused("input float w; qubit q; rx(1/w) q;", "division by what is no constant");
    refused("input float w; input float w;", "'w' is declared twice");
    refused("input int n; qubit q;", "found type 'int', expected float or angle");
    refused("qubit q; x q; input float w;", "input is declared after the first gate");
    refused("qubit q; rx(1/0) q;", "division by what is no constant, or 0");
    refused("input float pi; qubit q;", "'pi' is declared twice");
    refused("input float tau; qubit q;", "'tau' is declared twice");
    refused("qubit q; rx(1e999) q;", "a number too large");
    refused("input float x; qubit q; rx(1e308*1e308*x) q;", "column 41: a number too large");
    refused("qubit q; rx(1e308/1e-308 - 1) q;", "a number too large");
    refused("qubit q; \x1b[31m q;", "line 1, column 10: found '?', expected a statement");
    refused("input array[float, 65536] w; input float x;", "more than 65536 parameters");
    refused("qubit q; /* x q;", "a comment without end");
    refused("qubit q; rx(((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))) q;",
            "parentheses");
    broadcast();
    definitions();
    loops_and_modifiers();
    measurements();
    versions();
    products();
    orders();
    places();
    numbers();
    with_next();
    accepted();
    not_ascii();
    return failures != 0;
}
