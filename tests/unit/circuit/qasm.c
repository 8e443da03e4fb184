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

/* What other programs write beside the gates, wherever it stands: by its own name, with the remedy. */
static void unread(void)
{
    static const char measured[] = "is not read: --observables says what is measured; take bit and",
                      defined[] = "is not read: definitions and modifiers of gates have to be written";
    refused("OPENQASM 3.0;\nbit[2] meas;\nqubit[2] q;", "line 2, column 1: 'bit' is not read");
    refused("qubit[2] q;\nbit c;", measured);
    refused("creg c[2];", measured);
    refused("qubit q; measure q;", measured);
    refused("qubit q; measure q -> c;", measured);
    refused("qubit q;\nc[0] = measure q;", "line 2, column 8: 'measure' is not read");
    refused("qubit q; c =\n\tmeasure q;", measured);
    refused("qubit q; c = 3; d = measure q;", "'c' is no gate or statement that is read here");
    refused("c = ", "'c' is no gate or statement that is read here");
    refused("gate foo(a) q { rx(a) q; }\nqubit q;", "line 1, column 1: 'gate' is not read");
    static const char *const defining[] = { "opaque foo q;",    "def foo(int a) {}", "ctrl @ x q, q;",
                                            "inv @ x q;",       "negctrl @ x q, q;", "pow(2) @ x q;",
                                            "gate foo q {x q;}" };
    for (size_t i = 0; i < sizeof defining / sizeof *defining; i++) refused(defining[i], defined);
    refused("qreg q[2];", "'qreg' is not read: it is OpenQASM 2; write 'qubit[2] q;'");
    refused("const int n = 2; qubit[n] q;", "'const' is no gate or statement that is read here");
    refused("x q;", "a gate before any qubit is declared");
}

/* The column where the word begins, or the letter that does not fit; no statement hides another. */
static void places(void)
{
    refused("qubit[2] q;\nh q;", "line 2, column 3: 'q' is a register");
    refused("qubit[2] q; bit[2] c;", "column 13: 'bit' is not read");
    refused("qubit q; rx(sin(x)) q;", "column 13: 'sin' is a function");
    refused("qubit q; rx( x /* */ ) q;", "column 14: 'x' is no parameter");
    refused("input array[float, 2] w; qubit q;\nrx(w) q;", "line 2, column 4: 'w' is an array");
    refused("qubit q; cx q, r;", "column 16: 'r' is no qubit");
    refused("qubit[2] q; cx q[1], q[1];", "column 22: cx on the same qubit twice");
    refused("qubit q; c[0] =\n  measure q;", "line 2, column 3: 'measure' is not read");
    refused("qubit q; qubit q;", "column 16: 'q' is declared twice");
    refused("qubit q; x q; qubit r;", "column 15: qubit is declared after the first gate");
    refused("x q;", "column 1: a gate before any qubit is declared");
    refused("qubit q; h q", "column 13: found ' ', expected ';'");
    refused("OPENQASM 3\nqubit q;", "line 2, column 1: found 'q', expected ';'");
    refused("OPENQASM 3.2; qubit q;", "column 10: found version 3.2, expected 3, 3.0 or 3.1");
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

/* Qiskit writes a parameter's Greek letter as it is. */
static void not_ascii(void)
{
    static const char *const texts[][2] = { { "input float[64] _\xce\xb8_0_;", "18: %s, expected ';'" },
                                            { "input float \xce\xb8;", "13: %s, expected a name" },
                                            { "qubit \xce\xb8;", "7: %s, expected a name" },
                                            { "qubit q; x \xce\xb8;", "12: %s, expected a qubit" },
                                            { "qubit q; rx(\xcf\x80) q;", "13: %s, expected an angle" },
                                            { "\xef\xbb\xbfqubit q;", "1: %s, expected a statement" } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[200];
        snprintf(message, sizeof message, texts[i][1], "found a letter that is not ASCII");
        strcat(message, "; names are of A-Z, a-z, 0-9 and _, as in pi: rename it");
        refused(texts[i][0], message);
    }
    refused("qubit q; x ;", "column 12: found ';', expected a qubit");
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

/* What a text says is one gate, and what it says so of nothing. */
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
    refused("OPENQASM 2.0;", "column 10: found version 2, expected OPENQASM 3; convert it, in Qiskit");
    refused("OPENQASM 4.1;", "found version 4");
    refused("qubit[2] q;\nrx(y) q[0];", "line 2, column 4: 'y' is no parameter");
    refused("qubit[2] q;\n  foo q[0];", "line 2, column 3: 'foo' is no gate or statement");
    refused("qubit[2] q; x q[2];", "column 17: found '2', expected a whole number from 0 to 1");
    refused("qubit[21] q;", "expected a whole number from 0 to 20");
    refused("qubit[20] q; qubit r;", "more than 20 qubits");
    refused("qubit[2] q; cx q[0], q[0];", "twice");
    refused("qubit[2] q; rzz(0.3) q[1], q[1];", "twice");
    refused("input float w; qubit q; rx(w*w) q;",
            "a product of parameters that is not weight * input * input");
    refused("input float w; qubit q; rx(1/w) q;", "division by what is no constant");
    refused("input float w; input float w;", "'w' is declared twice");
    refused("input int n; qubit q;", "found type 'int', expected float or angle");
    refused("qubit q; x q; input float w;", "input is declared after the first gate");
    refused("qubit q; rx(1/0) q;", "division by what is no constant, or 0");
    static const char *const products[] = { "(x0+x1)*w0", "w0*(x0+x1)", "x0*x1*x0",       "x0*(x1*x0)",
                                            "w0*x0*w1",   "w0*w1*x0",   "(w0*x0)*(w1*x1)" };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "input float x0; input float x1; input float w0; input float w1; qubit q; rx(%s) q;",
                 products[i]);
        refused(text, "a product of parameters that is not weight * input * input");
    }
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
    unread();
    places();
    numbers();
    with_next();
    accepted();
    not_ascii();
    return failures != 0;
}
