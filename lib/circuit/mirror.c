/* SPDX-License-Identifier: MIT
   Layers in blocks that can undo themselves (Grant, Wossnig, Ostaszewski & Benedetti 2019,
   arXiv:1903.05076). A layer and the next one of an ansatz do not cancel for any angles but special
   ones: both have their entanglers in the same order. So of 2 m layers the last m are the first m again
   with their gates in the reverse order, each with weights of its own: every gate of the ansaetze but
   its rotations is its own inverse, and a rotation is undone by that of the negative angle. */
#include "circuit/build_int.h"

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

/* What each weight of a gate undoes, `ahead` weights before it; Rot is undone from its end. */
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
