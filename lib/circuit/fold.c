/* SPDX-License-Identifier: MIT
   A circuit whose noise is a known multiple: every gate, of however many ops, is followed by its inverse
   and itself again, as often as needed (unitary folding: Giurgica-Tiron et al. 2020, arXiv:2005.10921).
 */
#include <stdlib.h>

#include "circuit/circuit_int.h"
#include "circuit/noise.h"

struct kl_op kl_circuit_inverse(const struct kl_op *op)
{
    struct kl_op i = *op;
    if (op->gate == KL_ROT) i.angle[0] = op->angle[2], i.angle[2] = op->angle[0];
    for (int k = 0; k < 3; k++) i.angle[k].scale = -i.angle[k].scale; /* other gates have none */
    return i;
}

/* A gate's ops, or those of its inverse. */
static int append_gate(struct kl_circuit *c, const struct kl_op *ops, size_t n, bool back,
                       struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_op op = back ? kl_circuit_inverse(&ops[n - 1 - i]) : ops[i];
        op.next = i + 1 == n ? KL_OTHER_GATE : ops[back ? n - 2 - i : i].next;
        code = kl_circuit_append(c, &op, err);
    }
    return code;
}

int kl_circuit_fold(struct kl_circuit *c, int factor, struct kl_error *err)
{
    struct kl_op *ops = c->ops;
    const size_t n = c->n_ops;
    int code = KL_OK;
    if (c->plan || factor < 1 || factor % 2 == 0 || factor > KL_MOST_FOLD)
        return kl_fail(err, KL_EUSAGE, "circuit: found %s by %d, expected an odd number from 1 to %d",
                       c->plan ? "a finished one, folded" : "folding", factor, KL_MOST_FOLD);
    c->ops = NULL;
    c->n_ops = 0;
    for (size_t i = 0, end; i < n && !code; i = end) {
        end = kl_circuit_gate_end(ops, n, i);
        for (int k = 0; k < factor && !code; k++)
            code = append_gate(c, ops + i, end - i, k % 2 == 1, err);
    }
    free(ops);
    return code;
}
