/* SPDX-License-Identifier: MIT
   Circuits by name: embedding, layers of an ansatz, observables. Names and gates of embeddings are those
   of PennyLane's templates and Qiskit's feature maps. A circuit's options. */
#include "circuit/circuit_int.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "circuit/estimate.h"
#include "circuit/noise.h"

static const struct kl_embedding *embedding_find(const char *name);

void kl_circuit_options_default(struct kl_circuit_options *o)
{
    *o = (struct kl_circuit_options){ .n_qubits = 4,
                                      .n_layers = 3,
                                      .embedding = "angle-y",
                                      .ansatz = "ry-ring",
                                      .entanglement = "",
                                      .observables = "z",
                                      .qasm = "" };
}

void kl_circuit_put(struct kl_builder *b, const struct kl_op *op)
{
    if (!b->code) b->code = kl_circuit_append(b->circuit, op, b->err);
}

/* without angle */
static void put_gate(struct kl_builder *b, enum kl_gate gate, int wire)
{
    kl_circuit_put(b, &(struct kl_op){ .gate = gate, .wire = { wire } });
}

void kl_circuit_put_pair(struct kl_builder *b, enum kl_gate gate, int wire0, int wire1)
{
    kl_circuit_put(b, &(struct kl_op){ .gate = gate, .wire = { wire0, wire1 } });
}

void kl_circuit_put_weight(struct kl_builder *b, enum kl_gate gate, int wire, int weight)
{
    kl_circuit_put(
        b,
        &(struct kl_op){ .gate = gate, .wire = { wire }, .angle = { { KL_WEIGHT, weight, -1, 1, 0 } } });
}

void kl_circuit_put_constant(struct kl_builder *b, enum kl_gate gate, int wire, double angle)
{
    kl_circuit_put(b, &(struct kl_op){ .gate = gate,
                                       .wire = { wire },
                                       .angle = { { KL_CONSTANT, 0, -1, angle, 0 } } });
}

void kl_circuit_put_rot(struct kl_builder *b, int wire, int w)
{
    kl_circuit_put(b, &(struct kl_op){ .gate = KL_ROT,
                                       .wire = { wire },
                                       .angle = { { KL_WEIGHT, w, -1, 1, 0 },
                                                  { KL_WEIGHT, w + 1, -1, 1, 0 },
                                                  { KL_WEIGHT, w + 2, -1, 1, 0 } } });
}

void kl_circuit_put_pairs(struct kl_builder *b, enum kl_gate gate, enum kl_entanglement kind)
{
    const int n = b->n;
    if (kind == KL_CIRCULAR && n > 2) kl_circuit_put_pair(b, gate, n - 1, 0);
    for (int q = 0; q + 1 < n; q++) switch (kind) {
        case KL_LINEAR:
        case KL_CIRCULAR:
        case KL_RING: kl_circuit_put_pair(b, gate, q, q + 1); break;
        case KL_REVERSE_LINEAR: kl_circuit_put_pair(b, gate, n - 2 - q, n - 1 - q); break;
        case KL_STAR: kl_circuit_put_pair(b, gate, 0, q + 1); break;
        case KL_FULL:
            for (int r = q + 1; r < n; r++) kl_circuit_put_pair(b, gate, q, r);
            break;
        }
    if (kind == KL_RING && n > 1) kl_circuit_put_pair(b, gate, n - 1, 0);
}

enum kl_entanglement kl_circuit_entanglement_of(const struct kl_builder *b, enum kl_entanglement own,
                                                enum kl_entanglement ring)
{
    const char *wanted = b->options->entanglement;
    if (!wanted || !*wanted) return own;
    if (strcmp(wanted, "linear") == 0) return KL_LINEAR;
    if (strcmp(wanted, "reverse-linear") == 0) return KL_REVERSE_LINEAR;
    if (strcmp(wanted, "full") == 0) return KL_FULL;
    return strcmp(wanted, "star") == 0 ? KL_STAR : ring;
}

const char *const kl_entanglement_names[] = { "linear", "reverse-linear", "ring", "full", "star", NULL };

static int check(const struct kl_circuit_options *o, const struct kl_embedding *embedding,
                 const struct kl_ansatz *ansatz, struct kl_error *err)
{
    if (o->n_qubits < 1 || o->n_qubits > KL_MAX_QUBITS)
        return kl_fail(err, KL_EUSAGE, "circuit: found %lld qubits, expected 1 to %d",
                       (long long)o->n_qubits, KL_MAX_QUBITS);
    if (o->n_layers < 0 || o->n_layers > 10000)
        return kl_fail(err, KL_EUSAGE, "circuit: found %lld layers, expected 0 to 10000",
                       (long long)o->n_layers);
    if (!ansatz) return kl_fail(err, KL_EUSAGE, "ansatz '%s' is unknown", o->ansatz);
    if (o->reupload && strcmp(o->embedding, "amplitude") == 0)
        return kl_fail(err, KL_EUSAGE, "reupload: an amplitude embedding is the state to begin with");
    if (!embedding) return kl_fail(err, KL_EUSAGE, "embedding '%s' is unknown", o->embedding);
    if (o->learn_scale && !embedding->n_scales)
        return kl_fail(
            err, KL_EUSAGE,
            "learn-scale: found embedding '%s', expected angle-x, angle-y, angle-z, iqp or iqp-2",
            o->embedding);
    if (o->entanglement && *o->entanglement) {
        int known = 0;
        for (int i = 0; kl_entanglement_names[i]; i++)
            known |= strcmp(o->entanglement, kl_entanglement_names[i]) == 0;
        if (!known) return kl_fail(err, KL_EUSAGE, "entanglement '%s' is unknown", o->entanglement);
        if (!ansatz->entangles)
            return kl_fail(err, KL_EUSAGE, "entanglement %s: ansatz %s has its own", o->entanglement,
                           o->ansatz);
    }
    if (strcmp(ansatz->name, "qcnn") == 0 &&
        (o->n_layers > 4 || o->n_qubits >> o->n_layers << o->n_layers != o->n_qubits))
        return kl_fail(err, KL_EUSAGE,
                       "ansatz qcnn: found %lld qubits and %lld layers, expected a multiple of 2^layers",
                       (long long)o->n_qubits, (long long)o->n_layers);
    return o->mirror ? kl_circuit_mirror_check(o, ansatz, err) : KL_OK;
}

/* Make the tables: the layers' ends, and with mirrored layers the weights that undo others. */
static int make_tables(struct kl_builder *b)
{
    struct kl_circuit *c = b->circuit;
    const size_t layers = (size_t)b->options->n_layers + 1;
    c->layer_ends = malloc(layers * sizeof *c->layer_ends);
    if (!c->layer_ends) return kl_fail_memory(b->err, layers * sizeof *c->layer_ends);
    if (!b->options->mirror) return KL_OK;
    c->undoes = malloc((c->n_weights + 1) * sizeof *c->undoes);
    if (!c->undoes) return kl_fail_memory(b->err, c->n_weights * sizeof *c->undoes);
    for (size_t i = 0; i < c->n_weights; i++) c->undoes[i] = KL_UNDONE_BY_NONE;
    return KL_OK;
}

/* The weights of the gates from op `from` on are a layer's, up to the last of them. */
static void end_layer(struct kl_builder *b, size_t from)
{
    struct kl_circuit *c = b->circuit;
    const size_t before = c->n_layers ? c->layer_ends[c->n_layers - 1] : 0;
    size_t end = before;
    for (size_t i = from; i < c->n_ops; i++)
        for (int k = 0; k < kl_circuit_op_angles(&c->ops[i]); k++) {
            const struct kl_angle *a = &c->ops[i].angle[k];
            if (a->source == KL_WEIGHT && (size_t)a->index >= end) end = (size_t)a->index + 1;
        }
    if (end > before) c->layer_ends[c->n_layers++] = end;
}

/* Embedding and layers, by name. */
static void put_layers(struct kl_builder *b)
{
    const struct kl_circuit_options *o = b->options;
    const struct kl_embedding *embedding = embedding_find(o->embedding);
    const struct kl_ansatz *ansatz = kl_circuit_ansatz_find(o->ansatz);
    b->n = (int)o->n_qubits;
    b->code = check(o, embedding, ansatz, b->err);
    if (b->code) return;
    const int n_layers = (int)o->n_layers;
    const size_t n_weights = ansatz->n_weights(b->n, n_layers),
                 n_scales = o->learn_scale ? embedding->n_scales(b->n) : 0;
    b->next_scale = (int)n_weights;
    b->code = kl_circuit_begin(&b->circuit, b->n, embedding->n_inputs(b->n),
                               n_weights + n_scales * (size_t)(o->reupload ? n_layers : 1), b->err);
    if (!b->code) b->code = make_tables(b);
    if (!o->reupload) embedding->put(b);
    size_t from = b->code ? 0 : b->circuit->n_ops;
    for (int l = 0; l <= n_layers && !b->code; l++) {
        if (o->reupload && l < n_layers) embedding->put(b);
        if (l == 0 && ansatz->start) ansatz->start(b);
        if (o->mirror && l < n_layers) kl_circuit_put_mirrored(b, ansatz, l);
        else ansatz->put(b, l);
        end_layer(b, from);
        from = b->circuit->n_ops;
    }
}

/* Refuse options that have no effect beside a circuit in OpenQASM. */
static int check_alone(const struct kl_circuit_options *o, struct kl_error *err)
{
    struct kl_circuit_options d;
    kl_circuit_options_default(&d);
    if (o->n_qubits == d.n_qubits && o->n_layers == d.n_layers && !o->reupload && !o->mirror &&
        !o->learn_scale && strcmp(o->ansatz, d.ansatz) == 0 && strcmp(o->embedding, d.embedding) == 0 &&
        (!o->entanglement || !*o->entanglement))
        return KL_OK;
    return kl_fail(
        err, KL_EUSAGE,
        "a circuit in OpenQASM has its own qubits, layers, ansatz, entanglement, mirror, embedding, "
        "reupload and learn-scale; leave these out");
}

/* Line and column of a file with a name say which file. */
static int read_qasm(struct kl_circuit **circuit, const struct kl_circuit_options *o,
                     struct kl_error *err)
{
    struct kl_error why = { 0 };
    const int code = kl_circuit_from_qasm(circuit, o->qasm, &why);
    if (!code) return KL_OK;
    if (code == KL_EDATA && o->file && *o->file)
        return kl_fail(err, code, "%.500s: %s", o->file, why.text);
    if (err) *err = why;
    return code;
}

int kl_circuit_build(struct kl_circuit **circuit, const struct kl_circuit_options *o,
                     struct kl_error *err)
{
    struct kl_builder b = { .options = o, .err = err };
    *circuit = NULL;
    if (o->qasm && *o->qasm) {
        b.code = check_alone(o, err);
        if (!b.code) b.code = read_qasm(&b.circuit, o, err);
        if (!b.code) b.n = b.circuit->n_qubits;
    } else {
        put_layers(&b);
    }
    if (!b.code) b.code = kl_circuit_observe_text(&b, o->observables);
    if (!b.code && o->noise && *o->noise) b.circuit->trajectories = (size_t)o->trajectories;
    if (!b.code) b.code = kl_circuit_add_noise(b.circuit, o->noise, err);
    if (!b.code && o->fold > 1) b.code = kl_circuit_fold(b.circuit, o->fold, err);
    if (!b.code && o->perfect_readout) b.code = kl_circuit_readout_perfect(b.circuit, err);
    if (!b.code) b.code = kl_circuit_finish(b.circuit, err);
    if (b.code) kl_circuit_free(&b.circuit);
    *circuit = b.circuit;
    return b.code;
}

/* ---- embedding ----
   Embeddings: how inputs become a state. Names and gates of PennyLane's templates and Qiskit's feature
   maps. */

static size_t one_a_qubit(int n)
{
    return (size_t)n;
}

/* The input of a qubit, or the product of two (r, else -1), times a constant and, if there are any, the
   next learnable scale. */
static struct kl_angle input(struct kl_builder *b, int q, int r, double scale)
{
    return (struct kl_angle){ KL_INPUT, q, r, scale, b->options->learn_scale ? ++b->next_scale : 0 };
}

static void put_inputs(struct kl_builder *b, enum kl_gate gate, double scale)
{
    for (int q = 0; q < b->n; q++)
        kl_circuit_put(
            b, &(struct kl_op){ .gate = gate, .wire = { q }, .angle = { input(b, q, -1, scale) } });
}

/* AngleEmbedding of PennyLane. Z begins with H, without which RZ would leave |0> as it is. */
static void angle_x(struct kl_builder *b)
{
    put_inputs(b, KL_RX, 1);
}
static void angle_y(struct kl_builder *b)
{
    put_inputs(b, KL_RY, 1);
}
static void angle_z(struct kl_builder *b)
{
    for (int q = 0; q < b->n; q++) put_gate(b, KL_H, q);
    put_inputs(b, KL_RZ, 1);
}

/* BasisEmbedding: inputs 0 and 1, X where 1, here exp(-i pi x X/2), which is X but for a global phase.
 */
static void basis(struct kl_builder *b)
{
    put_inputs(b, KL_RX, M_PI);
}

/* IQPEmbedding of PennyLane (Havlicek et al. 2018, arXiv:1804.11326): H, RZ(x_q), then for i < j
   MultiRZ(x_i x_j). */
static void iqp(struct kl_builder *b)
{
    for (int q = 0; q < b->n; q++) {
        put_gate(b, KL_H, q);
        kl_circuit_put(b,
                       &(struct kl_op){ .gate = KL_RZ, .wire = { q }, .angle = { input(b, q, -1, 1) } });
    }
    for (int i = 0; i < b->n; i++)
        for (int j = i + 1; j < b->n; j++)
            kl_circuit_put(b, &(struct kl_op){ .gate = KL_MULTIRZ,
                                               .mask = 1u << i | 1u << j,
                                               .angle = { input(b, i, j, 1) } });
}

static void iqp_twice(struct kl_builder *b)
{
    iqp(b);
    iqp(b);
}

/* ZZFeatureMap of Qiskit, reps 2, full: H, P(2 x_q), then for i < j CX P_j(2 (pi - x_i)(pi - x_j)) CX,
   which is MultiRZ of the same angle but for a global phase, one gate here. Its product is taken apart,
   since an angle is one term. */
static void put_zz(struct kl_builder *b, int i, int j)
{
    const struct kl_angle terms[] = { { KL_CONSTANT, 0, -1, 2 * M_PI * M_PI, 0 },
                                      { KL_INPUT, i, -1, -2 * M_PI, 0 },
                                      { KL_INPUT, j, -1, -2 * M_PI, 0 },
                                      { KL_INPUT, i, j, 2, 0 } };
    for (int k = 0; k < 4; k++)
        kl_circuit_put(b, &(struct kl_op){ .gate = KL_MULTIRZ,
                                           .mask = 1u << i | 1u << j,
                                           .angle = { terms[k] },
                                           .whole = KL_SUM,
                                           .next = k < 3 ? KL_SAME_PART : KL_OTHER_GATE });
}

static void zz(struct kl_builder *b)
{
    for (int rep = 0; rep < 2; rep++) {
        for (int q = 0; q < b->n; q++) put_gate(b, KL_H, q);
        put_inputs(b, KL_RZ, 2);
        for (int i = 0; i < b->n; i++)
            for (int j = i + 1; j < b->n; j++) put_zz(b, i, j);
    }
}

/* AmplitudeEmbedding with normalize: the inputs are the state. */
static size_t two_to_the(int n)
{
    return (size_t)1 << n;
}
static void amplitude(struct kl_builder *b)
{
    if (!b->code) b->code = kl_circuit_begin_with_inputs(b->circuit, b->err);
}

static size_t iqp_scales(int n)
{
    return (size_t)n * (size_t)(n + 1) / 2;
}
static size_t iqp_twice_scales(int n)
{
    return 2 * iqp_scales(n);
}

static const struct kl_embedding embeddings[] = {
    { "angle-y", one_a_qubit, one_a_qubit, angle_y },
    { "angle-x", one_a_qubit, one_a_qubit, angle_x },
    { "angle-z", one_a_qubit, one_a_qubit, angle_z },
    { "basis", one_a_qubit, NULL, basis },
    { "iqp", one_a_qubit, iqp_scales, iqp },
    { "iqp-2", one_a_qubit, iqp_twice_scales, iqp_twice },
    { "zz", one_a_qubit, NULL, zz },
    { "amplitude", two_to_the, NULL, amplitude },
};
const char *const kl_embedding_names[] = { "angle-y", "angle-x", "angle-z",   "basis", "iqp",
                                           "iqp-2",   "zz",      "amplitude", NULL };

/* NULL: there is none */
static const struct kl_embedding *embedding_find(const char *name)
{
    for (size_t i = 0; i < sizeof embeddings / sizeof *embeddings; i++)
        if (strcmp(embeddings[i].name, name) == 0) return &embeddings[i];
    return NULL;
}

/* ---- options: out of a head file's configuration ---- */
int kl_circuit_config(struct kl_circuit_options *o, const struct json_t *config, const char *path,
                      struct kl_error *err)
{
    json_int_t qubits, layers, mirror = 0;
    int reupload = 0, learn_scale = 0;
    kl_circuit_options_default(o);
    errno = 0; /* unpacking allocates */
    if (json_unpack((json_t *)config, "{s:I,s:I,s?:s,s?:s,s?:s,s?:s,s?:s,s?:b,s?:I,s?:b}", "qubits",
                    &qubits, "layers", &layers, "ansatz", &o->ansatz, "embedding", &o->embedding,
                    "entanglement", &o->entanglement, "observables", &o->observables, "qasm", &o->qasm,
                    "reupload", &reupload, "mirror", &mirror, "learn-scale", &learn_scale)) {
        if (errno == ENOMEM) return kl_fail_memory(err, 256);
        return kl_fail(
            err, KL_EDATA,
            "%s: attribute config: expected numbers qubits and layers, texts ansatz, embedding, "
            "entanglement and observables",
            path);
    }
    o->n_qubits = qubits;
    o->n_layers = layers;
    o->reupload = reupload;
    o->mirror = mirror;
    o->learn_scale = learn_scale;
    return KL_OK;
}

const char *kl_circuit_absent(const struct json_t *config)
{
    /* heads from before there was a choice have no name of a core */
    const char *core = json_string_value(json_object_get(config, "core"));
    return core && strcmp(core, "circuit") != 0 && strcmp(core, "frozen") != 0 ? core : NULL;
}

/* ---- a circuit's OpenQASM text from a file ---- */
int kl_circuit_options_file(struct kl_circuit_options *o, char **text, struct kl_error *err)
{
    static const char expected[] = "a circuit in OpenQASM 3";
    size_t n;
    *text = NULL;
    if (!o->file || !*o->file) return KL_OK;
    int code = kl_read_text(text, &n, o->file, 1 << 20, expected, err);
    if (code) return code;
    if (n == 0 || memchr(*text, 0, n)) {
        free(*text);
        *text = NULL;
        return kl_fail(err, KL_EDATA, "%s: %s; expected %s", o->file, n ? "no text" : "is empty",
                       expected);
    }
    o->qasm = *text;
    return KL_OK;
}

/* ---- --shots as a number ---- */

int kl_circuit_shots_number(size_t *n, const char *text, struct kl_error *err)
{
    char *end = NULL;
    const long long number = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (!end || *end || number < 1 || number > 1000000000)
        return kl_fail(err, KL_EUSAGE,
                       "--shots: found '%s', expected a whole number from 1 to 1000000000", text);
    *n = (size_t)number;
    return KL_OK;
}
