/* SPDX-License-Identifier: MIT
   Circuits by name: embedding, layers of an ansatz, observables. */
#include "circuit/build_int.h"
#include "circuit/noise.h"

#include <stdlib.h>
#include <string.h>

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

void kl_circuit_put_gate(struct kl_builder *b, enum kl_gate gate, int wire)
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

/* Where layers end, and with mirrored ones what undoes what. */
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
    const struct kl_embedding *embedding = kl_circuit_embedding_find(o->embedding);
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

/* What has no effect beside a circuit in OpenQASM is refused. */
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
        "reupload and learn-scale; leave these away");
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
