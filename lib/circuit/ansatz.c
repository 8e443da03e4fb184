/* SPDX-License-Identifier: MIT
   Ansaetze: layers of weights, with the parameter order of PennyLane's templates and Qiskit's circuit
   library; layers in blocks that can undo themselves. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <string.h>

int kl_circuit_mirror_check(const struct kl_circuit_options *o, const struct kl_ansatz *ansatz,
                            struct kl_error *err)
{
    if (!ansatz->alike)
        return kl_fail(err, KL_EUSAGE, "mirror: the layers of ansatz %s differ; none mirrors another",
                       o->ansatz);
    if (o->mirror < 2)
        return kl_fail(err, KL_EUSAGE,
                       "mirror: found %lld, expected 2 or more layers: the entanglers of one layer and "
                       "its mirror image meet and cancel",
                       (long long)o->mirror);
    if (o->mirror > 5000 || o->n_layers % (2 * o->mirror))
        return kl_fail(err, KL_EUSAGE,
                       "mirror %lld: found %lld layers, expected a multiple of %lld: blocks of %lld "
                       "layers and their mirror image",
                       (long long)o->mirror, (long long)o->n_layers, 2 * (long long)o->mirror,
                       (long long)o->mirror);
    return KL_OK;
}

/* The gates from op `from` on, last first; constant angles turn the other way. */
static void reverse(struct kl_circuit *c, size_t from)
{
    for (size_t i = from, k = c->n_ops; i + 1 < k--; i++) {
        const struct kl_op op = c->ops[i];
        c->ops[i] = c->ops[k];
        c->ops[k] = op;
    }
    for (size_t i = from; i < c->n_ops; i++)
        for (int k = 0; k < kl_circuit_op_angles(&c->ops[i]); k++)
            if (c->ops[i].angle[k].source == KL_CONSTANT) c->ops[i].angle[k].scale *= -1;
}

/* Note for each weight of a gate the one that it undoes, `ahead` weights before it; Rot is undone from
   its end. */
static void note(int *undoes, const struct kl_op *op, int ahead)
{
    const int n = kl_circuit_op_angles(op);
    for (int k = 0; k < n; k++)
        if (op->angle[k].source == KL_WEIGHT)
            undoes[op->angle[k].index] = ahead ? op->angle[n - 1 - k].index - ahead : KL_UNDONE;
}

void kl_circuit_put_mirrored(struct kl_builder *b, const struct kl_ansatz *ansatz, int l)
{
    const int m = (int)b->options->mirror, block = l / (2 * m), place = l % (2 * m);
    const bool back = place >= m;
    const int from_first = back ? 2 * m - 1 - place : place;
    const int layer = block * m + from_first;           /* of the ansatz */
    const int ahead = l - (2 * m * block + from_first); /* layers to the one that it mirrors */
    const int each = (int)(ansatz->n_weights(b->n, 2) - ansatz->n_weights(b->n, 1));
    struct kl_circuit *c = b->circuit;
    const size_t from = c->n_ops;
    ansatz->put(b, layer);
    if (back) reverse(c, from);
    for (size_t i = from; i < c->n_ops; i++) {
        for (int k = 0; k < kl_circuit_op_angles(&c->ops[i]); k++)
            if (c->ops[i].angle[k].source == KL_WEIGHT) c->ops[i].angle[k].index += (l - layer) * each;
        note(c->undoes, &c->ops[i], ahead * each);
    }
}

/* ---- ansatz ----
   Ansaetze: layers of weights, with the parameter order of PennyLane's templates and Qiskit's circuit
   library. */

static size_t count(int rows, int n, int each)
{
    return (size_t)rows * (size_t)n * (size_t)each;
}

/* Shapes of the weights in the libraries that an ansatz comes from; the rank. */
static int shape_one_each(size_t dims[3], int n, int n_layers)
{
    dims[0] = (size_t)n_layers, dims[1] = (size_t)n;
    return 2;
}
static int shape_three_each(size_t dims[3], int n, int n_layers)
{
    dims[0] = (size_t)n_layers, dims[1] = (size_t)n, dims[2] = 3;
    return 3;
}
static int shape_real(size_t dims[3], int n, int n_layers)
{
    return shape_one_each(dims, n, n_layers + 1);
}
static int shape_su2(size_t dims[3], int n, int n_layers)
{
    dims[0] = (size_t)n_layers + 1, dims[1] = 2, dims[2] = (size_t)n;
    return 3;
}

static void put_rotations(struct kl_builder *b, enum kl_gate gate, int first)
{
    for (int q = 0; q < b->n; q++) kl_circuit_put_weight(b, gate, q, first + q);
}

/* The reference system's: w [L, n], RY, then CNOT q -> q + 1 mod n. */
static size_t one_each(int n, int n_layers)
{
    return count(n_layers, n, 1);
}
static void ry_ring(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    put_rotations(b, KL_RY, l * b->n);
    kl_circuit_put_pairs(b, KL_CNOT, kl_circuit_entanglement_of(b, KL_RING, KL_RING));
}

/* BasicEntanglerLayers: w [L, n], RX, then a ring of CNOT; two qubits have a single CNOT. */
static void basic_entangler(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    enum kl_entanglement own = b->n == 2 ? KL_LINEAR : KL_RING;
    put_rotations(b, KL_RX, l * b->n);
    kl_circuit_put_pairs(b, KL_CNOT, kl_circuit_entanglement_of(b, own, own));
}

/* StronglyEntanglingLayers: w [L, n, 3], Rot, then CNOT q -> q + r mod n with r = l mod (n - 1) + 1
   (Schuld et al. 2018, arXiv:1804.00633). */
static size_t three_each(int n, int n_layers)
{
    return count(n_layers, n, 3);
}
static void strongly_entangling(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    for (int q = 0; q < b->n; q++) kl_circuit_put_rot(b, q, 3 * (l * b->n + q));
    for (int q = 0; b->n > 1 && q < b->n; q++)
        kl_circuit_put_pair(b, KL_CNOT, q, (q + l % (b->n - 1) + 1) % b->n);
}

/* SimplifiedTwoDesign (Cerezo et al. 2020, arXiv:2001.00550): w [n] for RY at the start, then [L, n - 1,
   2]: on even pairs, then odd ones, CZ and RY on both wires. */
static size_t two_design_weights(int n, int n_layers)
{
    return (size_t)n + count(n_layers, n - 1, 2);
}
static void two_design_start(struct kl_builder *b)
{
    put_rotations(b, KL_RY, 0);
}
static void two_design(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    int w = b->n + 2 * l * (b->n - 1);
    for (int parity = 0; parity < 2; parity++)
        for (int q = parity; q + 1 < b->n; q += 2, w += 2) {
            kl_circuit_put_pair(b, KL_CZ, q, q + 1);
            kl_circuit_put_weight(b, KL_RY, q, w);
            kl_circuit_put_weight(b, KL_RY, q + 1, w + 1);
        }
}

/* RealAmplitudes: w [L + 1, n], RY, then CNOT on pairs; closed by RY. */
static size_t real_weights(int n, int n_layers)
{
    return count(n_layers + 1, n, 1);
}
static void real_amplitudes(struct kl_builder *b, int l)
{
    put_rotations(b, KL_RY, l * b->n);
    if (l == b->options->n_layers) return;
    kl_circuit_put_pairs(b, KL_CNOT, kl_circuit_entanglement_of(b, KL_REVERSE_LINEAR, KL_CIRCULAR));
}

/* EfficientSU2: w [L + 1, 2, n], RY, RZ, then CNOT on pairs; closed by RY, RZ. */
static size_t su2_weights(int n, int n_layers)
{
    return count(n_layers + 1, n, 2);
}
static void efficient_su2(struct kl_builder *b, int l)
{
    put_rotations(b, KL_RY, 2 * l * b->n);
    put_rotations(b, KL_RZ, (2 * l + 1) * b->n);
    if (l == b->options->n_layers) return;
    kl_circuit_put_pairs(b, KL_CNOT, kl_circuit_entanglement_of(b, KL_REVERSE_LINEAR, KL_CIRCULAR));
}

/* Bricks: w [L, n, 3], Rot, then CZ on even pairs in even layers, on odd pairs in odd ones. */
static void brick(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    for (int q = 0; q < b->n; q++) kl_circuit_put_rot(b, q, 3 * (l * b->n + q));
    for (int q = l % 2; q + 1 < b->n; q += 2) kl_circuit_put_pair(b, KL_CZ, q, q + 1);
}

/* The convolution and pooling of Qiskit's QCNN tutorial (after Cong et al. 2018, arXiv:1810.03787; the
   two-qubit gate of Vatan & Williams 2003, arXiv:quant-ph/0308006), three weights each. Pooling leaves
   out what convolution ends with. */
static void two_qubit_block(struct kl_builder *b, int q, int r, int w, bool convolution)
{
    kl_circuit_put_constant(b, KL_RZ, r, -M_PI / 2);
    kl_circuit_put_pair(b, KL_CNOT, r, q);
    kl_circuit_put_weight(b, KL_RZ, q, w);
    kl_circuit_put_weight(b, KL_RY, r, w + 1);
    kl_circuit_put_pair(b, KL_CNOT, q, r);
    kl_circuit_put_weight(b, KL_RY, r, w + 2);
    if (!convolution) return;
    kl_circuit_put_pair(b, KL_CNOT, r, q);
    kl_circuit_put_constant(b, KL_RZ, q, M_PI / 2);
}

int kl_circuit_qcnn_wires(int n, int layer)
{
    return n >> layer;
}

/* w: for each layer on m wires [m, 3] of convolution, then [m / 2, 3] of pooling. */
static size_t qcnn_weights(int n, int n_layers)
{
    size_t total = 0;
    for (int l = 0; l < n_layers; l++)
        total += 3 * (size_t)(kl_circuit_qcnn_wires(n, l) + kl_circuit_qcnn_wires(n, l) / 2);
    return total;
}
static void qcnn(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    const int m = kl_circuit_qcnn_wires(b->n, l), first = b->n - m;
    int w = (int)qcnn_weights(b->n, l);
    for (int parity = 0; parity < 2; parity++)
        for (int k = parity; k < m; k += 2, w += 3)
            two_qubit_block(b, first + k, first + (k + 1) % m, w, true);
    for (int k = 0; k < m / 2; k++, w += 3) two_qubit_block(b, first + k, first + m / 2 + k, w, false);
}

/* The circuit of Quantum Hydra and its kin (sequence/model): w [L, 4, n], RY, a ring of IsingXX, RY, a
   ring of IsingYY. CNOT makes X of q to XX of q and r; S makes X to Y. */
static size_t four_each(int n, int n_layers)
{
    return count(n_layers, n, 4);
}
static int shape_four_each(size_t dims[3], int n, int n_layers)
{
    dims[0] = (size_t)n_layers, dims[1] = 4, dims[2] = (size_t)n;
    return 3;
}
static void put_ising(struct kl_builder *b, int q, int r, int w, bool yy)
{
    const int wires[2] = { q, r };
    for (int i = 0; i < 2 && yy; i++) kl_circuit_put_constant(b, KL_RZ, wires[i], -M_PI / 2);
    kl_circuit_put_pair(b, KL_CNOT, q, r);
    kl_circuit_put_weight(b, KL_RX, q, w);
    kl_circuit_put_pair(b, KL_CNOT, q, r);
    for (int i = 0; i < 2 && yy; i++) kl_circuit_put_constant(b, KL_RZ, wires[i], M_PI / 2);
}
static void qlcu(struct kl_builder *b, int l)
{
    if (l == b->options->n_layers) return;
    for (int half = 0; half < 2; half++) {
        const int w = (4 * l + 2 * half) * b->n;
        put_rotations(b, KL_RY, w);
        for (int q = 0; b->n > 1 && q < b->n; q++)
            put_ising(b, q, (q + 1) % b->n, w + b->n + q, half == 1);
    }
}

static const struct kl_ansatz ansaetze[] = {
    { "ry-ring", one_each, shape_one_each, ry_ring, NULL, true, true },
    { "basic-entangler", one_each, shape_one_each, basic_entangler, NULL, true, true },
    { "strongly-entangling", three_each, shape_three_each, strongly_entangling, NULL, false, true },
    { "simplified-two-design", two_design_weights, NULL, two_design, two_design_start, false, true },
    { "real-amplitudes", real_weights, shape_real, real_amplitudes, NULL, true, true },
    { "efficient-su2", su2_weights, shape_su2, efficient_su2, NULL, true, true },
    { "brick", three_each, shape_three_each, brick, NULL, false, true },
    { "qcnn", qcnn_weights, NULL, qcnn, NULL, false, false },
    { "qlcu", four_each, shape_four_each, qlcu, NULL, false, true },
};
const char *const kl_ansatz_names[] = { "ry-ring",
                                        "basic-entangler",
                                        "strongly-entangling",
                                        "simplified-two-design",
                                        "real-amplitudes",
                                        "efficient-su2",
                                        "brick",
                                        "qcnn",
                                        "qlcu",
                                        NULL };

const struct kl_ansatz *kl_circuit_ansatz_find(const char *name)
{
    for (size_t i = 0; i < sizeof ansaetze / sizeof *ansaetze; i++)
        if (strcmp(ansaetze[i].name, name) == 0) return &ansaetze[i];
    return NULL;
}

int kl_circuit_weight_shape(size_t dims[3], const struct kl_circuit_options *o)
{
    const struct kl_ansatz *a = *o->qasm || o->learn_scale ? NULL : kl_circuit_ansatz_find(o->ansatz);
    return a && a->shape ? a->shape(dims, (int)o->n_qubits, (int)o->n_layers) : 0;
}

size_t kl_circuit_count_weights(const struct kl_circuit_options *o)
{
    return kl_circuit_ansatz_find(o->ansatz)->n_weights((int)o->n_qubits, (int)o->n_layers);
}

int64_t kl_circuit_growth(const struct kl_circuit_options *o)
{
    const struct kl_ansatz *a = o->qasm && *o->qasm ? NULL : kl_circuit_ansatz_find(o->ansatz);
    return !a || !a->alike ? 0 : o->mirror ? 2 * o->mirror : 1;
}
