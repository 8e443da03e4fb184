/* SPDX-License-Identifier: MIT
   Models from files: what is right is what was meant, what is wrong is one line that says what and
   where. */
#include <complex.h>
#include <hdf5.h>
#include <math.h>

#include "control/pulse/pulse.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static int read_model(struct kl_control_model *model, const char *text, struct kl_error *err)
{
    char path[1024];
    FILE *file = fopen(in_folder(path, "m.yaml"), "w");
    fputs(text, file);
    fclose(file);
    return kl_control_model_read(model, path, err);
}

#define HEAD "time-unit: us\nqubits: 1\n"
#define CONTROLS "controls:\n  - {name: x, operator: X, limit: 1 MHz}\n"

/* Wrong texts, and words that the line must hold. */
static const struct {
    const char *text, *words[3];
} wrong[] = {
    { "", { "is empty" } },
    { "a: [", { "not YAML", "m.yaml:2" } },
    { "[1, 2]", { "expected a mapping" } },
    { "name: x\n---\nname: y\n", { "second document" } },
    { HEAD CONTROLS "contols: []\n",
      { "m.yaml:5", "no such key as 'contols'", "did you mean controls?" } },
    { HEAD CONTROLS CONTROLS, { "controls is given twice" } },
    { "qubits: 1\n" CONTROLS, { "time-unit is missing" } },
    { "time-unit: weeks\nqubits: 1\n" CONTROLS, { "m.yaml:1", "'weeks'", "expected s, ms" } },
    { "time-unit: us\n" CONTROLS, { "neither qubits nor levels" } },
    { HEAD "levels: 3\n" CONTROLS, { "both qubits and levels" } },
    { HEAD "subspace: 2\n" CONTROLS, { "subspace belongs to levels" } },
    { "time-unit: us\nqubits: 4\n" CONTROLS, { "qubits: found '4'", "from 1 to 3" } },
    { "time-unit: us\nlevels: 17\n" CONTROLS, { "levels: found '17'", "from 2 to 16" } },
    { "time-unit: us\nlevels: [3, 3, 3]\n" CONTROLS, { "27 levels in all, expected at most 16" } },
    { "time-unit: us\nlevels: [3, 3]\nsubspace: 2\n" CONTROLS, { "subspace: found 1", "2" } },
    { "time-unit: us\nlevels: [3, 3]\nsubspace: [2, 4]\n" CONTROLS, { "found 4 of 3 levels" } },
    { "time-unit: us\nlevels: [3, 3]\n" CONTROLS, { "found 'X'", "a1, ad1", "|01><10|" } },
    { "time-unit: us\nlevels: [3, 3]\ncontrols:\n  - {operator: a3, limit: 1 MHz}\n", { "found 'a3'" } },
    { "time-unit: us\nlevels: [3, 3]\ncontrols:\n  - {operator: '|03><00|', limit: 1 MHz}\n",
      { "|LEVELS><LEVELS|" } },
    { "time-unit: us\nlevels: [2, 2]\ndecay:\n  - {T1: 1 us}\ncontrols:\n  - {operator: n1, limit: 1 "
      "MHz}\n",
      { "qubit is missing" } },
    { HEAD "duration: 0 us\n" CONTROLS, { "duration: found 0", "positive" } },
    { HEAD "duration: 5\n" CONTROLS, { "duration: found '5' without a unit", "ns" } },
    { HEAD, { "found no controls" } },
    { HEAD "controls: x\n", { "controls: expected a list" } },
    { HEAD "controls:\n  - x\n", { "controls 1: expected a mapping of name|operator|limit" } },
    { HEAD "controls:\n  - {operator: X}\n", { "controls 1: limit is missing" } },
    { HEAD "controls:\n  - {operator: X, limit: }\n", { "limit: found no value" } },
    { HEAD "controls:\n  - {operator: X, limit: [1 MHz, 2 MHz, 3 MHz]}\n",
      { "limit: found a list of 3" } },
    { HEAD "controls:\n  - {operator: X, limit: [2 MHz, 1 MHz]}\n", { "the lesser one first" } },
    { HEAD "controls:\n  - {operator: X, limit: [0 MHz, 1]}\n", { "'1' without a unit" } },
    { HEAD "controls:\n  - {operator: X, min: 0 MHz, max: 1 MHz}\n",
      { "'min'", "limit: [0 MHz, 50 MHz]" } },
    { HEAD "controls:\n  - {operator: sm1, limit: [0 MHz, 1 MHz]}\n", { "one limit, of its modulus" } },
    { HEAD "controls:\n  - {name: x, operator: X, limit: 1 MHz}\n  - {name: y, operator: Y}\n"
           "modulus:\n  - {of: x + y, limit: 1 MHz}\n",
      { "two controls as x + i y" } },
    { HEAD "controls:\n  - {name: x, operator: X, limit: 1 MHz}\n  - {name: y, operator: Y}\n"
           "modulus:\n  - {of: x + i y, limit: 2 MHz}\n",
      { "modulus 1: of", "x has a limit of its own" } },
    { HEAD "controls:\n  - {name: x, operator: X, limit: 1 MHz}\n  - {name: y, operator: Y}\n"
           "modulus:\n  - {of: x + i x, limit: 1 MHz}\n",
      { "two controls" } },
    { HEAD
      "controls:\n  - {name: x, operator: X}\n  - {name: y, operator: Y}\n  - {name: z, operator: Z}\n"
      "modulus:\n  - {of: x + i y, limit: 1 MHz}\n",
      { "limit of z is missing" } },
    { HEAD "controls:\n  - {operator: X, limit: 1}\n", { "without a unit", "2 pi is applied" } },
    { HEAD "controls:\n  - {operator: X, limit: 1 parsec}\n", { "unit 'parsec'" } },
    { HEAD "controls:\n  - {operator: X, limit: -1 MHz}\n", { "limit: found -6.28319", "positive" } },
    { HEAD "controls:\n  - {operator: X, limit: 0 MHz}\n", { "limit: found 0, expected a positive" } },
    { HEAD "controls:\n  - {operator: X, limit: inf MHz}\n", { "found 'inf MHz', expected a finite" } },
    { HEAD "controls:\n  - {operator: X, limit: ten MHz}\n", { "found 'ten MHz', expected a number" } },
    { HEAD "controls:\n  - {operator: sm1 - sp1, limit: 1 MHz}\n",
      { "not Hermitian", "(0, 1) and (1, 0) deviate by 2", "i times it is" } },
    { HEAD "controls:\n  - {operator: X + 0.00001 * sm1, limit: 1 MHz}\n", { "not Hermitian" } },
    { HEAD "hamiltonian:\n  - {operator: sm1, value: 1 MHz}\n" CONTROLS, { "not Hermitian" } },
    { HEAD "controls:\n  - {operator: sqrt(X), limit: 1 MHz}\n", { "not negative in sqrt()" } },
    { HEAD "controls:\n  - {operator: 1j*X, limit: 1 MHz}\n", { "1j is i" } },
    { HEAD "controls:\n  - {operator: XX, limit: 1 MHz}\n", { "operator: found 'XX'" } },
    { HEAD "controls:\n  - {operator: X +, limit: 1 MHz}\n", { "ends too early" } },
    { HEAD "controls:\n  - {operator: (X, limit: 1 MHz}\n", { "ends too early, expected ')'" } },
    { HEAD "controls:\n  - {operator: X Y, limit: 1 MHz}\n", { "found 'Y', expected +, -, *" } },
    { HEAD "controls:\n  - {operator: X - X, limit: 1 MHz}\n", { "the operator 'X - X' is 0" } },
    { HEAD "controls:\n  - {operator: X / 0, limit: 1 MHz}\n", { "a divisor that is not 0" } },
    { HEAD "controls:\n  - {operator: '|0><2|', limit: 1 MHz}\n", { "|BITS><BITS|" } },
    { HEAD "controls:\n  - {operator: 1e300 * 1e300 * X, limit: 1 MHz}\n", { "overflows" } },
    { HEAD "controls:\n  - {name: a b, operator: X, limit: 1 MHz}\n", { "name: found 'a b'" } },
    { HEAD
      "controls:\n  - {name: x, operator: X, limit: 1 MHz}\n  - {name: x, operator: Y, limit: 1 MHz}\n",
      { "m.yaml:5", "the name 'x' is given twice" } },
    { HEAD "hamiltonian:\n  - {operator: Z}\n" CONTROLS, { "hamiltonian 1: value is missing" } },
    { HEAD "hamiltonian:\n  - {operator: Z, value: 1 1/us}\n" CONTROLS, { "unit '1/us'", "rad/us" } },
    { HEAD "hamiltonian:\n  - {operator: i * Z, value: 1 MHz}\n" CONTROLS, { "not Hermitian" } },
    { HEAD "hamiltonian:\n  - {operator: gone.npy, value: 1 MHz}\n" CONTROLS, { "gone.npy" } },
    { HEAD "jumps:\n  - {operator: sm1, rate: nan 1/us}\n" CONTROLS,
      { "jumps 1: rate: found 'nan 1/us'", "finite" } },
    { HEAD "jumps:\n  - {operator: sm1, rate: -1 1/us}\n" CONTROLS,
      { "rate: found -1, expected a positive or zero" } },
    { HEAD "jumps:\n  - {operator: sm1, rate: 1 MHz}\n" CONTROLS,
      { "unit 'MHz', expected one of 1/s" } },
    { HEAD "jumps:\n  - {operator: sm1}\n" CONTROLS, { "neither rate nor time" } },
    { HEAD "jumps:\n  - {operator: sm1, rate: 1 1/us, time: 1 us}\n" CONTROLS,
      { "both rate and time" } },
    { HEAD "jumps:\n  - {operator: sm1, time: 0 us}\n" CONTROLS, { "time: found 0" } },
    { HEAD "decay:\n  - {T1: 1 us, T2: 3 us}\n" CONTROLS,
      { "decay 1", "T2 is 3 and T1 1", "at most 2 T1 = 2" } },
    { HEAD "decay:\n  - {T1: 1 us, T2: 1 us, Tphi: 1 us}\n" CONTROLS, { "found T2 and Tphi" } },
    { HEAD "decay:\n  - {jump: down}\n" CONTROLS, { "expected T1, T2 or Tphi" } },
    { HEAD "decay:\n  - {T1: 1 us, jump: sideways}\n" CONTROLS,
      { "'sideways'", "down (to |0>) or up" } },
    { HEAD "decay:\n  - {T1: 1 us, temperature: 1 K}\n" CONTROLS,
      { "temperature without a frequency" } },
    { HEAD "decay:\n  - {T1: 1 us, qubit: 2}\n" CONTROLS, { "qubit: found '2'" } },
    { "time-unit: us\nqubits: 2\ndecay:\n  - {T1: 1 us}\n" CONTROLS, { "qubit is missing" } },
    { HEAD "decay:\n  - {T1: 1 us}\n  - {T1: 2 us}\n" CONTROLS, { "'gamma_phi' is given twice" } },
    { "time-unit: 1\nqubits: 1\ndecay:\n  - {T1: 1 us}\n" CONTROLS,
      { "unit 'us', but time-unit is 1" } },
    { "time-unit: 1\nqubits: 1\ndecay:\n  - {T1: 1, frequency: 1, temperature: 1}\n" CONTROLS,
      { "has no place" } },
    { HEAD CONTROLS "targets:\n  - {gate: bell}\n",
      { "targets 1", "found 'bell', expected one of i, x" } },
    { HEAD CONTROLS "targets:\n  - {gate: cz}\n", { "gate of 4 levels, the system computes with 2" } },
    { HEAD CONTROLS "targets:\n  - {gate: x, state: 1}\n", { "expected one of gate and state" } },
    { HEAD CONTROLS "targets:\n  - {gate: x, fidelity: high}\n", { "'high'", "entanglement" } },
    { HEAD CONTROLS "targets:\n  - {gate: x, from: 1}\n", { "from belongs to a state" } },
    { HEAD CONTROLS "targets:\n  - {state: 01}\n", { "state: found '01', expected 1 of the letters" } },
    { HEAD CONTROLS "targets:\n  - {gate: rx(pi/)}\n", { "found 'rx(pi/)'" } },
    { HEAD "jumps: &a\n  - {operator: Z, rate: 1e999 1/us}\n" CONTROLS, { "expected a finite number" } },
};

static void mistakes(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kl_control_model model;
        struct kl_error err = { 0 };
        const int code = read_model(&model, wrong[i].text, &err);
        CHECK(code == KL_EDATA || code == KL_ENOINPUT, "%zu: %s: code %d", i, wrong[i].text, code);
        for (int k = 0; k < 3 && wrong[i].words[k]; k++)
            CHECK(strstr(err.text, wrong[i].words[k]), "'%s' is not in '%s'", wrong[i].words[k],
                  err.text);
        CHECK(code && !model.said && !model.system.controls[0].matrix, "%s: something is left",
              wrong[i].text);
    }
}

/* Units: 2 pi where it is a frequency, and nowhere else. */
static void units(void)
{
    struct kl_control_model m;
    struct kl_error err = { 0 };
    const int code = read_model(&m,
                                "name: u\ntime-unit: ns\nqubits: 1\nduration: 0.02 us\n"
                                "hamiltonian:\n  - {name: cycles, operator: Z, value: 5 GHz}\n"
                                "  - {name: radians, operator: Z, value: 31.4 rad/ns}\n"
                                "  - {name: slow, operator: Y, value: 250 rad/us}\n"
                                "jumps:\n  - {name: r, operator: sm1, rate: 0.05 1/us}\n"
                                "  - {name: t, operator: sm1, time: 20 us}\n"
                                "controls:\n  - {name: x, operator: 0.5 * X, limit: 50 MHz}\n",
                                &err);
    CHECK(!code, "%s", err.text);
    if (code) return;
    const struct kl_control_system *s = &m.system;
    const double found[] = { s->params[0].value, s->params[1].value, s->params[2].value,
                             s->params[3].value, s->params[4].value, s->controls[0].high,
                             s->duration };
    const double expected[] = { 10 * M_PI, 31.4, 0.25, 5e-5, 5e-5, 0.1 * M_PI, 20 };
    for (int i = 0; i < 7; i++)
        CHECK(fabs(found[i] - expected[i]) <= 1e-15 * expected[i], "%d: %.17g, expected %.17g", i,
              found[i], expected[i]);
    CHECK(s->form == KL_CONTROL_TURNED && s->n_params == 5 && s->params[3].rate && !s->params[0].rate);
    CHECK(strstr(m.said, "cycles = 31.41592654 rad/ns (5 GHz, 2 pi applied) times Z"), "%s", m.said);
    CHECK(strstr(m.said, "radians = 31.4 rad/ns (31.4 rad/ns) times Z"), "%s", m.said);
    kl_control_model_free(&m);
}

static void same_matrix(const double *a, const double *b, int dim, const char *name)
{
    for (int i = 0; i < dim * dim; i++)
        CHECK(fabs(a[i] - b[i]) < 1e-14, "%s, entry %d: %g, %g", name, i, a[i], b[i]);
}

/* A file that says what a built-in system is gives that system, in the kernel's order. */
static void recognised(void)
{
    struct kl_control_model m;
    struct kl_control_system s;
    struct kl_error err = { 0 };
    int code = read_model(
        &m,
        "time-unit: 1\nqubits: 2\nhamiltonian:\n"
        "  - {name: coupling, operator: ZZ, value: 3}\n  - {name: dz, operator: IZ, value: 0.5}\n"
        "decay:\n  - {qubit: 2, T1: 4, Tphi: 8, jump: up}\n"
        "controls:\n  - {name: b, operator: IX, limit: 2}\n  - {operator: YI, limit: 1}\n"
        "  - {name: a, operator: X1, limit: 4}\n  - {name: c, operator: Y2, limit: 3}\n",
        &err);
    CHECK(!code, "%s", err.text);
    if (code) return;
    code = kl_control_system_make(&s, "cz", &(struct kl_control_system_options){ .controls = 4 }, &err);
    CHECK(!code && m.system.form == KL_CONTROL_TWO_QUBITS && m.system.n_params == 9 &&
          m.system.n_controls == 4);
    for (int j = 0; j < 9; j++)
        same_matrix(m.system.params[j].matrix, s.params[j].matrix, 16, s.params[j].name);
    for (int k = 0; k < 4; k++)
        same_matrix(m.system.controls[k].matrix, s.controls[k].matrix, 16, s.controls[k].name);
    static const double values[9] = { 0, 0, 0, 0.125, 0, 0.25, 3, 0, 0.5 }, limits[4] = { 4, 1, 2, 3 };
    for (int j = 0; j < 9; j++)
        CHECK(m.system.params[j].value == values[j], "%d: %g", j, m.system.params[j].value);
    for (int k = 0; k < 4; k++) CHECK(m.system.controls[k].high == limits[k], "%d", k);
    CHECK(strcmp(m.system.params[6].name, "coupling") == 0 &&
          strcmp(m.system.params[8].name, "dz") == 0);
    CHECK(strcmp(m.system.controls[0].name, "a") == 0 && strcmp(m.system.controls[1].name, "u2") == 0);
    kl_control_system_free(&s);
    kl_control_model_free(&m);
}

/* The transmon of a file is the built-in one, though its terms stand in another order. */
static void levels(void)
{
    struct kl_control_model m;
    struct kl_control_system s;
    struct kl_control_objective o;
    struct kl_error err = { 0 };
    const int code = kl_control_model_read(&m, "examples/control/transmon.yaml", &err);
    CHECK(!code, "%s", err.text);
    if (code) return;
    CHECK(kl_control_system_make(&s, "transmon", NULL, &err) == 0, "%s", err.text);
    for (int j = 0; j < 5; j++) {
        const int found = kl_control_system_param(&m.system, s.params[j].name);
        CHECK(found >= 0, "%s", s.params[j].name);
        if (found >= 0)
            same_matrix(m.system.params[found].matrix, s.params[j].matrix, 9, s.params[j].name);
    }
    for (int k = 0; k < 2; k++)
        same_matrix(m.system.controls[k].matrix, s.controls[k].matrix, 9, s.controls[k].name);
    CHECK(m.system.subspace == 2 && m.system.duration == 12 && m.n_targets == 2);
    CHECK(kl_control_model_objective(&o, &m, 0, &err) == 0 && o.columns == 9, "%s", err.text);
    kl_control_objective_free(&o);
    kl_control_system_free(&s);
    kl_control_model_free(&m);
}

static void write_bytes(const char *name, const void *data, size_t n)
{
    char path[1024];
    FILE *file = fopen(in_folder(path, name), "wb");
    fwrite(data, 1, n, file);
    fclose(file);
}

/* As numpy.save writes it. */
static void write_npy(const char *name, const char *descr, const char *shape, const char *order,
                      const void *data, size_t n)
{
    char header[128], all[1024] = "\x93NUMPY\x01";
    const int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
                 order, shape);
    memset(all + 10, ' ', 118);
    memcpy(all + 10, header, (size_t)length);
    all[127] = '\n', all[8] = 118;
    memcpy(all + 128, data, n);
    write_bytes(name, all, 128 + n);
}

/* A compound of two named members under `dataset`, as h5py (r, i), JLD2 (re, im) and MATLAB (real, imag)
   write complex numbers; beside it pairs. */
static void write_h5(const char *name, const char *dataset, const char *re, const char *im, bool matlab,
                     const double *y)
{
    char path[1024];
    const hid_t file = H5Fcreate(in_folder(path, name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                type = H5Tcreate(H5T_COMPOUND, 16), links = H5Pcreate(H5P_LINK_CREATE);
    const hsize_t dims[3] = { 2, 2, 2 };
    const hid_t two = H5Screate_simple(2, dims, NULL), three = H5Screate_simple(3, dims, NULL);
    H5Pset_create_intermediate_group(links, 1);
    H5Tinsert(type, re, 0, H5T_IEEE_F64LE);
    H5Tinsert(type, im, 8, H5T_IEEE_F64LE);
    const hid_t a = H5Dcreate2(file, dataset, type, two, links, H5P_DEFAULT, H5P_DEFAULT),
                b = H5Dcreate2(file, "pairs", H5T_IEEE_F64LE, three, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
    H5Dwrite(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, y);
    H5Dwrite(b, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, y);
    if (matlab) {
        const hid_t text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
        H5Tset_size(text, 6);
        const hid_t mark = H5Acreate2(a, "MATLAB_class", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(mark, text, "double");
        H5Aclose(mark), H5Tclose(text), H5Sclose(scalar);
    }
    H5Dclose(a), H5Dclose(b), H5Tclose(type), H5Sclose(two), H5Sclose(three), H5Pclose(links),
        H5Fclose(file);
}

/* Y from files of each kind; and what is not one. */
static void matrices(void)
{
    static const double y[8] = { 0, 0, 0, -1, 0, 1, 0, 0 }, x[4] = { 0, 1, 1, 0 };
    static const float z[4] = { 1, 0, 0, -1 };
    static const struct {
        const char *file, *how;
    } good[] = { { "y.npy", "C order" },
                 { "t.npy", "Fortran order" },
                 { "big.npy", "C order" },
                 { "m.h5:g/compound", "row by row, as h5py shows it" },
                 { "m.h5:/pairs", "row by row" },
                 { "jld2.h5:y", "column by column: members re and im" },
                 { "matlab.h5:y", "column by column: MATLAB_class" },
                 { "bare.h5:y", "column by column: members real and imag" } };
    static const struct {
        const char *file, *words;
    } bad[] = { { "x.npy", "not unitary" },
                { "long.npy", "shape (4), expected (2, 2)" },
                { "m.h5", "FILE:DATASET" },
                { "m.h5:gone", "absent" },
                { "text.npy", "dtype <U4" },
                { "nan.npy", "not finite" },
                { "short.npy", "24 bytes behind its header" },
                { "gone.h5:x", "cannot be opened" },
                { "y.csv", "n.loadtxt(sys.argv[2], complex, delimiter=chr(44))" },
                { "y.qu", "qutip.qload(sys.argv[2])" },
                { "old.mat:y", "save(..., '-v7.3')" } };
    static const double transposed[8] = { 0, 0, 0, 1, 0, -1, 0, 0 }, twice[4] = { 0, 2, 2, 0 },
                        nans[4] = { NAN };
    unsigned char big[64];
    write_npy("y.npy", "<c16", "(2, 2)", "False", y, sizeof y);
    write_npy("t.npy", "<c16", "(2, 2)", "True", transposed, sizeof y);
    write_npy("x.npy", "<f8", "(2, 2)", "False", twice, sizeof twice);
    write_npy("right.npy", "<f8", "(2, 2)", "False", x, sizeof x);
    write_npy("z.npy", "<f4", "(2, 2)", "False", z, sizeof z);
    write_npy("long.npy", "<f8", "(4,)", "False", x, sizeof x);
    write_npy("text.npy", "<U4", "(2, 2)", "False", x, sizeof x);
    write_npy("nan.npy", "<f8", "(2, 2)", "False", nans, sizeof nans);
    write_npy("short.npy", "<f8", "(2, 2)", "False", x, 24);
    for (int i = 0; i < 4 * 16; i++) big[i / 8 * 8 + 7 - i % 8] = ((const unsigned char *)y)[i];
    write_npy("big.npy", ">c16", "(2, 2)", "False", big, sizeof big);
    write_bytes("old.mat", "MATLAB 5.0 MAT-file", 19);
    write_h5("m.h5", "g/compound", "r", "i", false, y);
    write_h5("jld2.h5", "y", "re", "im", false, transposed);
    write_h5("matlab.h5", "y", "real", "imag", true, transposed);
    write_h5("bare.h5", "y", "real", "imag", false, transposed);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct kl_control_target t;
        struct kl_error err = { 0 };
        char path[1024], how[KL_CONTROL_HOW];
        const int code = kl_control_target_make(&t, in_folder(path, good[i].file), 2, how, &err);
        CHECK(!code, "%s: %s", good[i].file, err.text);
        CHECK(!code && t.u[0] == 0 && t.u[1] == -I && t.u[2] == I && t.u[3] == 0, "%s", good[i].file);
        CHECK(!code && strncmp(how, good[i].how, strlen(good[i].how)) == 0, "%s: %s", good[i].file, how);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kl_control_target t;
        struct kl_error err = { 0 };
        char path[1024];
        const int code = kl_control_target_make(&t, in_folder(path, bad[i].file), 2, NULL, &err);
        CHECK(code && strstr(err.text, bad[i].words), "%s: '%s'", bad[i].file, err.text);
    }
    /* Beside the model, not beside whoever calls. */
    struct kl_control_model m;
    struct kl_error err = { 0 };
    const int code = read_model(
        &m,
        "time-unit: 1\nqubits: 1\nhamiltonian:\n  - {operator: z.npy, value: 1}\n"
        "controls:\n  - {operator: right.npy, limit: 1}\n  - {operator: 'm.h5:pairs', limit: 1}\n"
        "targets:\n  - {gate: y.npy}\n",
        &err);
    CHECK(!code, "%s", err.text);
    CHECK(!code && m.system.form == KL_CONTROL_ONE_QUBIT && m.system.n_params == 4);
    if (!code) kl_control_model_free(&m);
}

/* Texts for keys are the same for the same model, others for another. */
static void keys(void)
{
    char *text[3];
    static const char *const limits[3] = { "1 MHz", "1000 kHz", "2 MHz" };
    for (int i = 0; i < 3; i++) {
        struct kl_control_model m;
        struct kl_error err = { 0 };
        char model[256];
        snprintf(model, sizeof model, HEAD "controls:\n  - {operator: X, limit: %s}\n", limits[i]);
        int code = read_model(&m, model, &err);
        if (!code) code = kl_control_model_json(&text[i], &m, &err);
        CHECK(!code, "%s", err.text);
        kl_control_model_free(&m);
    }
    CHECK(strcmp(text[0], text[1]) == 0, "%s\n%s", text[0], text[1]);
    CHECK(strcmp(text[0], text[2]) != 0);
    for (int i = 0; i < 3; i++) free(text[i]);
}

/* All of a model stands in its text: what is made from it is the same, and writes the same text. */
static void texts(void)
{
    static const char *const files[] = { "examples/control/transmon.yaml",
                                         "examples/control/pair.yaml" };
    for (int f = 0; f < 2; f++) {
        struct kl_control_model a, b;
        struct kl_error err = { 0 };
        char *text, *again;
        CHECK(kl_control_model_read(&a, files[f], &err) == 0, "%s", err.text);
        CHECK(kl_control_model_json(&text, &a, &err) == 0, "%s", err.text);
        CHECK(kl_control_model_open(&b, text, &err) == 0, "%s", err.text);
        CHECK(kl_control_model_json(&again, &b, &err) == 0 && strcmp(text, again) == 0, "%s", again);
        const struct kl_control_system *s = &a.system, *t = &b.system;
        CHECK(s->form == t->form && s->d == t->d && s->subspace == t->subspace &&
              s->duration == t->duration);
        CHECK(s->n_params == t->n_params && s->n_controls == t->n_controls &&
              a.n_targets == b.n_targets);
        for (int j = 0; j < s->n_params; j++) {
            same_matrix(s->params[j].matrix, t->params[j].matrix, s->dim, s->params[j].name);
            CHECK(fabs(s->params[j].value - t->params[j].value) <= 1e-14 * fabs(s->params[j].value));
            CHECK(s->params[j].rate == t->params[j].rate &&
                  !strcmp(s->params[j].name, t->params[j].name));
        }
        for (int k = 0; k < s->n_controls; k++)
            same_matrix(s->controls[k].matrix, t->controls[k].matrix, s->dim, s->controls[k].name);
        free(text), free(again);
        kl_control_model_free(&a);
        kl_control_model_free(&b);
    }
    static const char *const bad[] = {
        "{", "{}", "[]",
        "{\"name\":\"a\",\"time_unit\":\"ns\",\"levels\":9,\"qubits\":0,\"subspace\":2}",
        "{\"name\":\"a\",\"time_unit\":\"ns\",\"levels\":2,\"qubits\":1,\"subspace\":2,\"controls\":[],"
        "\"params\":[],"
        "\"targets\":[]}"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kl_control_model m;
        struct kl_error err = { 0 };
        CHECK(kl_control_model_parse(&m, bad[i], &err) == KL_EDATA && err.text[0], "%s", bad[i]);
    }
}

/* The gate of a target that is a state takes one to the other. */
static void states(void)
{
    static const char *const pairs[][2] = {
        { "0", "1" }, { "0", "0" }, { "+", "l" }, { "1", "1" }, { "r", "+" }
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct kl_control_model m;
        struct kl_error err = { 0 };
        char text[256];
        snprintf(text, sizeof text, HEAD CONTROLS "targets:\n  - {state: %s, from: %s}\n", pairs[i][1],
                 pairs[i][0]);
        const int code = read_model(&m, text, &err);
        CHECK(!code && m.targets[0].is_state && m.targets[0].fidelity == KL_CONTROL_STATE, "%s",
              err.text);
        const struct kl_control_model_target *t = &m.targets[0];
        for (int k = 0; k < 2; k++)
            CHECK(cabs(t->gate.u[2 * k] * t->from[0] + t->gate.u[2 * k + 1] * t->from[1] - t->state[k]) <
                      1e-15,
                  "%s", text);
        kl_control_model_free(&m);
    }
}

int main(void)
{
    make_test_folder();
    mistakes();
    units();
    recognised();
    levels();
    matrices();
    keys();
    texts();
    states();
    return failures != 0;
}
