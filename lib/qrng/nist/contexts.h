/* SPDX-License-Identifier: MIT
   Contexts: what stood before a symbol, as nodes of a tree that is walked backwards in time, from the
   root by the last symbol, then by the one before it. Each node counts the symbols that followed. */
#ifndef KL_QRNG_NIST_CONTEXTS_H
#define KL_QRNG_NIST_CONTEXTS_H

#include "base/base.h"

enum { KL_CONTEXT_ROOT = 0, KL_CONTEXT_NONE = -1 };

/* What followed most often, of equals the largest symbol; count 0: the context was not told any. */
struct kl_context {
    uint32_t count;
    uint8_t symbol;
};
struct kl_contexts {
    struct kl_context *nodes; /* [n_nodes] */
    size_t n_nodes, room;
    /* (hidden) children and counts: of few symbols in a table [room, k], else by hashing */
    size_t k;
    struct kl_context_next *next;
    struct kl_context_slot *slots;
    size_t n_slots, used;
};
/* Of symbols below k. */
int kl_contexts_init(struct kl_contexts *c, int k, struct kl_error *err);
void kl_contexts_free(struct kl_contexts *c);
/* The node behind `node` by one more symbol; KL_CONTEXT_NONE if there is none, or it is made. */
int64_t kl_context_find(const struct kl_contexts *c, int64_t node, uint8_t symbol);
int kl_context_make(int64_t *child, struct kl_contexts *c, int64_t node, uint8_t symbol,
                    struct kl_error *err);
/* Did a symbol follow? It does once more; *first: for the first time. */
bool kl_context_told(const struct kl_contexts *c, int64_t node, uint8_t symbol);
int kl_context_add(bool *first, struct kl_contexts *c, int64_t node, uint8_t symbol,
                   struct kl_error *err);

#endif
